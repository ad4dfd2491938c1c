//! What an error of an engine means for an action.

use crate::base::error_code::ControlErrorCode;
use crate::machines::engine::EngineError;
use crate::model::ActionFailure;

/// What is done about an error of an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reaction {
    /// The step is tried again for a while.
    TryAgain,
    /// The action fails.
    GiveUp,
}

/// Returns what is done about an error.
pub(super) fn reaction(error: &EngineError) -> Reaction {
    match error {
        EngineError::Refused(_) | EngineError::DiskFull => Reaction::GiveUp,
        // If the machine changed between observing and acting, the next observation shows how.
        EngineError::NotFound
        | EngineError::WrongState(_)
        | EngineError::Busy
        | EngineError::Unreachable(_)
        | EngineError::Timeout
        | EngineError::Internal(_) => Reaction::TryAgain,
    }
}

/// Returns the failure of an action that an error ended.
pub(super) fn failure(error: &EngineError) -> ActionFailure {
    let code = match error {
        EngineError::Timeout => ControlErrorCode::HostTimeout,
        EngineError::DiskFull => ControlErrorCode::DiskFull,
        EngineError::WrongState(_) => ControlErrorCode::InvalidState,
        EngineError::NotFound
        | EngineError::Busy
        | EngineError::Unreachable(_)
        | EngineError::Refused(_)
        | EngineError::Internal(_) => ControlErrorCode::HostUnreachable,
    };
    // What the engine said is for the log: it may name paths and addresses of the host.
    let message = match error {
        EngineError::Unreachable(_) => "the host cannot be reached".to_owned(),
        EngineError::Refused(_) => "the host refused to run the machine".to_owned(),
        EngineError::Internal(_) => "the host failed".to_owned(),
        error => error.to_string(),
    };
    ActionFailure {
        code: code.as_str().to_owned(),
        message,
    }
}

/// Returns the failure of a start whose machine ended before it was ready.
pub(super) fn crashed() -> ActionFailure {
    ActionFailure {
        code: ControlErrorCode::Crashed.as_str().to_owned(),
        message: "the machine ended while it was being started".to_owned(),
    }
}

/// Returns the failure of a reset of a machine that is off.
pub(super) fn is_off() -> ActionFailure {
    ActionFailure {
        code: ControlErrorCode::InvalidState.as_str().to_owned(),
        message: "the machine is off".to_owned(),
    }
}
