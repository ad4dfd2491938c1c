//! A call of a hook.

use uuid::Uuid;

use crate::config::HookKind;

/// A call of a hook: its kind, its id and the JSON that the hook is given.
#[derive(Debug)]
pub(crate) struct HookCall {
    pub(super) kind: HookKind,
    /// The same in every attempt, so that the application recognizes a repetition.
    pub(crate) id: Uuid,
    pub(super) input: String,
}
