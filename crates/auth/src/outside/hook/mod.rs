//! Hooks: calls of the application, which is a web server or a database function.
//!
//! Every call goes through [`Hooks`]. No request waits for a web server while it holds a pooled connection,
//! except where an access token is issued inside of a transaction; there only a few may wait at once.

mod answer;
mod call;
pub(crate) mod email;
mod error;
mod function;
mod http;
pub(crate) mod sms;

use std::sync::Arc;
use std::time::Duration;

use innkeeper_service::clock::Clock;
use innkeeper_service::database::{Database, Executor};
use innkeeper_service::outbound::OutboundError;
use innkeeper_service::random;
use serde_json::{Value, json};
use tokio::sync::{Semaphore, SemaphorePermit};
use uuid::Uuid;

use crate::base::client::ClientInfo;
use crate::config::{Config, HookKind, HookTarget, HooksConfig};
use crate::flow::user::Object;
use call::HookCall;
pub(crate) use error::HookError;
use http::HookClient;

/// How many requests may wait for a web server while they hold a connection.
const MAX_IN_TRANSACTIONS: usize = 16;
/// How many calls in the background may run or wait.
const MAX_IN_BACKGROUND: u32 = 1000;
/// How many calls in the background run at once.
const MAX_CONCURRENT: usize = 8;

/// Calls the hooks that are on. Clones share one state.
#[derive(Debug, Clone)]
pub(crate) struct Hooks {
    inner: Arc<HooksInner>,
}

#[derive(Debug)]
struct HooksInner {
    config: HooksConfig,
    client: HookClient,
    database: Database,
    clock: Clock,
    /// A permit for each request that may wait for a web server inside of a transaction.
    token_permits: Semaphore,
    /// A permit for each call in the background that runs or waits.
    background: Arc<Semaphore>,
    /// A permit for each call in the background that runs.
    concurrent: Semaphore,
}

impl Hooks {
    pub(crate) fn new(
        config: &Config,
        database: Database,
        clock: Clock,
    ) -> Result<Self, OutboundError> {
        let half = database.max_pooled().map(|pooled| pooled / 2);
        let token_permits = half.map_or(MAX_IN_TRANSACTIONS, |half| {
            half.clamp(1, MAX_IN_TRANSACTIONS)
        });
        let inner = HooksInner {
            config: config.hooks.clone(),
            client: HookClient::new(&config.hooks, config.profile, clock.clone())?,
            database,
            clock,
            token_permits: Semaphore::new(token_permits),
            background: Arc::new(Semaphore::new(MAX_IN_BACKGROUND as usize)),
            concurrent: Semaphore::new(MAX_CONCURRENT),
        };
        Ok(Self {
            inner: Arc::new(inner),
        })
    }

    /// Whether a hook is on.
    pub(crate) fn is_on(&self, kind: HookKind) -> bool {
        self.inner.config.is_on(kind)
    }

    /// Whether a hook is on and is a database function.
    pub(crate) fn is_function(&self, kind: HookKind) -> bool {
        let target = self.inner.config.targets.get(&kind);
        matches!(target, Some(HookTarget::Function { .. }))
    }

    /// Waits for a permit to issue an access token inside of a transaction. It must be acquired before the
    /// connection, so that a slow web server cannot occupy all connections.
    pub(crate) async fn token_permit(&self) -> Option<SemaphorePermit<'_>> {
        match self.inner.config.targets.get(&HookKind::CustomAccessToken) {
            Some(HookTarget::Http { .. }) => self.inner.token_permits.acquire().await.ok(),
            _ => None,
        }
    }

    /// Prepares a call with this input and metadata about the request.
    pub(crate) fn prepare(
        &self,
        kind: HookKind,
        mut input: Object,
        client: &ClientInfo,
    ) -> HookCall {
        let id = uuid::Builder::from_random_bytes(random::bytes()).into_uuid();
        let input = {
            input.insert("metadata".to_owned(), self.metadata(kind, id, client));
            Value::Object(input).to_string()
        };
        HookCall { kind, id, input }
    }

    /// Returns the `metadata` of a call: when and for which client it is made.
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

    /// Calls a hook. A function runs in a transaction of its own, which is committed even if it refuses.
    pub(crate) async fn call(&self, call: &HookCall) -> Result<Object, HookError> {
        let answer = match self.target(call.kind)? {
            HookTarget::Http { url, secrets } => self.inner.client.send(url, secrets, call).await,
            HookTarget::Function { schema, name } => {
                function::call(&self.inner.database, schema, name, &call.input).await
            }
        };
        parse(call, answer)
    }

    /// Calls a hook. A function runs in the transaction of the connection, if there is one.
    pub(crate) async fn call_in(
        &self,
        conn: &dyn Executor,
        call: &HookCall,
    ) -> Result<Object, HookError> {
        match self.target(call.kind)? {
            HookTarget::Function { schema, name } if conn.is_transaction() => {
                let answer = function::call_in(conn, schema, name, &call.input).await;
                parse(call, answer)
            }
            _ => self.call(call).await,
        }
    }

    /// Calls a hook in the background. Errors are logged.
    pub(crate) fn call_in_background(&self, call: HookCall) {
        let Ok(permit) = Arc::clone(&self.inner.background).try_acquire_owned() else {
            tracing::error!(
                hook.name = call.kind.name(),
                hook.id = %call.id,
                "a hook was not called, because too many calls are waiting"
            );
            return;
        };
        let hooks = self.clone();
        tokio::spawn(async move {
            let _permit = permit;
            let _concurrent = hooks.inner.concurrent.acquire().await;
            // An error is logged by `call`.
            hooks.call(&call).await.ok();
        });
    }

    /// Waits until all calls in the background have ended, at most until the deadline. Returns how many are
    /// left.
    pub(crate) async fn drain(&self, deadline: Duration) -> usize {
        let all = self.inner.background.acquire_many(MAX_IN_BACKGROUND);
        if tokio::time::timeout(deadline, all).await.is_ok() {
            return 0;
        }
        (MAX_IN_BACKGROUND as usize).saturating_sub(self.inner.background.available_permits())
    }

    fn target(&self, kind: HookKind) -> Result<&HookTarget, HookError> {
        let target = self.inner.config.targets.get(&kind);
        target.ok_or_else(|| HookError::InvalidOutput("the hook is not on".to_owned()))
    }
}

/// Parses an answer and logs the outcome of the call.
fn parse(call: &HookCall, answer: Result<Option<Vec<u8>>, HookError>) -> Result<Object, HookError> {
    let parsed = answer.and_then(|answer| match answer {
        Some(answer) => answer::parse(&answer),
        None => Ok(Object::new()),
    });
    let (name, id) = (call.kind.name(), call.id);
    match &parsed {
        Ok(_) => tracing::debug!(hook.name = name, hook.id = %id, "a hook was called"),
        Err(HookError::Refused { status, .. }) => {
            tracing::info!(hook.name = name, hook.id = %id, %status, "a hook refused");
        }
        Err(error) => {
            let cause = error.cause();
            tracing::warn!(hook.name = name, hook.id = %id, cause, "a hook failed");
        }
    }
    parsed
}
