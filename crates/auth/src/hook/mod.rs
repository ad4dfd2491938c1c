//! Hooks: what the application is asked and told, by a web server or a function of its own.
//!
//! Every call goes through [`Hooks`]. A web server is never waited for while a pooled connection is
//! held, except where an access token is made inside a transaction; there only a few may wait at once.

pub(crate) mod accounts;
pub(crate) mod email;
mod error;
mod function;
mod http;
pub(crate) mod password;
pub(crate) mod token;

use std::sync::Arc;
use std::time::Duration;

use innkeeper_service::clock::Clock;
use innkeeper_service::database::Database;
use innkeeper_service::outbound::OutboundError;
use innkeeper_service::random;
use serde_json::{Value, json};
use tokio::sync::{Semaphore, SemaphorePermit};
use uuid::Uuid;

use crate::client::ClientInfo;
use crate::config::{Config, HookKind, HookTarget, HooksConfig};
use crate::store::MaybeTransaction;
use crate::user::Object;
pub(crate) use error::HookError;
use http::Sender;

/// How long an answer may be, in bytes.
const LONGEST_ANSWER: usize = 200 * 1024;
/// How many requests may wait for a web server while they hold a connection, at most.
const IN_TRANSACTIONS: usize = 16;
/// How many calls may be under way or wait in the background.
const IN_BACKGROUND: u32 = 1000;
/// How many of those are made at once.
const AT_ONCE: usize = 8;

/// Calls the hooks that are on.
#[derive(Debug, Clone)]
pub(crate) struct Hooks {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    config: HooksConfig,
    sender: Sender,
    database: Database,
    clock: Clock,
    /// One for each request that may wait for a web server inside a transaction.
    turns: Semaphore,
    /// One for each call in the background.
    slots: Arc<Semaphore>,
    at_once: Semaphore,
}

/// A call of a hook: what it is about, its id and what the hook is given.
#[derive(Debug)]
pub(crate) struct Call {
    kind: HookKind,
    id: Uuid,
    input: String,
}

impl Call {
    /// A call that was written down before, with the id it had.
    pub(crate) fn again(kind: HookKind, id: Uuid, input: String) -> Self {
        Self { kind, id, input }
    }
}

impl Hooks {
    pub(crate) fn new(
        config: &Config,
        database: Database,
        clock: Clock,
    ) -> Result<Self, OutboundError> {
        let half = usize::try_from(config.database.max_pool_size).unwrap_or(usize::MAX) / 2;
        let turns = match config.database.max_pool_size {
            0 => IN_TRANSACTIONS,
            _ => half.clamp(1, IN_TRANSACTIONS),
        };
        let inner = Inner {
            config: config.hooks.clone(),
            sender: Sender::new(&config.hooks, config.profile, clock.clone())?,
            database,
            clock,
            turns: Semaphore::new(turns),
            slots: Arc::new(Semaphore::new(IN_BACKGROUND as usize)),
            at_once: Semaphore::new(AT_ONCE),
        };
        Ok(Self {
            inner: Arc::new(inner),
        })
    }

    /// Whether a hook is on.
    pub(crate) fn is_on(&self, kind: HookKind) -> bool {
        self.inner.config.is_on(kind)
    }

    /// Whether a hook is on and is a function in the database.
    pub(crate) fn is_function(&self, kind: HookKind) -> bool {
        let target = self.inner.config.targets.get(&kind);
        matches!(target, Some(HookTarget::Function { .. }))
    }

    /// Waits for the right to make an access token inside a transaction. Take it before the
    /// connection, so that a slow web server cannot keep all of them.
    pub(crate) async fn turn(&self) -> Option<SemaphorePermit<'_>> {
        match self.inner.config.targets.get(&HookKind::CustomAccessToken) {
            Some(HookTarget::Http { .. }) => self.inner.turns.acquire().await.ok(),
            _ => None,
        }
    }

    /// What a hook is to be given: this, and when and for whom it is called.
    pub(crate) fn call(&self, kind: HookKind, mut input: Object, client: &ClientInfo) -> Call {
        let id = uuid::Builder::from_random_bytes(random::bytes()).into_uuid();
        let input = {
            input.insert("metadata".to_owned(), self.metadata(kind, id, client));
            Value::Object(input).to_string()
        };
        Call { kind, id, input }
    }

    /// When and for whom a hook is called.
    fn metadata(&self, kind: HookKind, id: Uuid, client: &ClientInfo) -> Value {
        let mut metadata = json!({
            "uuid": id,
            "time": self.inner.clock.now(),
            "name": kind.name(),
        });
        if let (Some(address), Some(members)) = (client.address, metadata.as_object_mut()) {
            members.insert("ip_address".to_owned(), json!(address));
        }
        metadata
    }

    /// Calls a hook; a function gets a transaction of its own, which stands whatever it answers.
    pub(crate) async fn run(&self, call: &Call) -> Result<Object, HookError> {
        let answer = match self.target(call.kind)? {
            HookTarget::Http { url, secrets } => self.inner.sender.send(url, secrets, call).await,
            HookTarget::Function { schema, name } => {
                function::call_alone(&self.inner.database, schema, name, &call.input).await
            }
        };
        read(call, answer)
    }

    /// Calls a hook; a function runs in the transaction that is under way, if one is.
    pub(crate) async fn run_on(
        &self,
        conn: &impl MaybeTransaction,
        call: &Call,
    ) -> Result<Object, HookError> {
        match self.target(call.kind)? {
            HookTarget::Function { schema, name } if conn.is_transaction() => {
                let answer = function::call(conn, schema, name, &call.input).await;
                read(call, answer)
            }
            _ => self.run(call).await,
        }
    }

    /// Calls a hook that nobody waits for, after the answer to the client. What goes wrong is logged.
    pub(crate) fn run_in_background(&self, call: Call) {
        let Ok(slot) = Arc::clone(&self.inner.slots).try_acquire_owned() else {
            tracing::error!(
                hook.name = call.kind.name(),
                hook.id = %call.id,
                "too many calls of hooks wait, and this one was not made"
            );
            return;
        };
        let hooks = self.clone();
        tokio::spawn(async move {
            let _slot = slot;
            let _turn = hooks.inner.at_once.acquire().await;
            // It was logged.
            hooks.run(&call).await.ok();
        });
    }

    /// Waits until no call is under way in the background, or until the time is up; says how many are
    /// left.
    pub(crate) async fn drain(&self, deadline: Duration) -> usize {
        let all = self.inner.slots.acquire_many(IN_BACKGROUND);
        if tokio::time::timeout(deadline, all).await.is_ok() {
            return 0;
        }
        (IN_BACKGROUND as usize).saturating_sub(self.inner.slots.available_permits())
    }

    fn target(&self, kind: HookKind) -> Result<&HookTarget, HookError> {
        let target = self.inner.config.targets.get(&kind);
        target.ok_or_else(|| HookError::Output("the hook is not on".to_owned()))
    }
}

/// What a hook says, unless it says that something is wrong. Failures are logged here, once.
fn read(call: &Call, answer: Result<Option<Vec<u8>>, HookError>) -> Result<Object, HookError> {
    let read = answer.and_then(|answer| match answer {
        Some(answer) => error::read(&answer),
        None => Ok(Object::new()),
    });
    let (name, id) = (call.kind.name(), call.id);
    match &read {
        Ok(_) => tracing::debug!(hook.name = name, hook.id = %id, "a hook was called"),
        Err(HookError::Said { status, .. }) => {
            tracing::info!(hook.name = name, hook.id = %id, %status, "a hook refused");
        }
        Err(error) => {
            let cause = error.cause();
            tracing::warn!(hook.name = name, hook.id = %id, cause, "a hook failed");
        }
    }
    read
}
