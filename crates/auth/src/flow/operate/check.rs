//! Checks of the settings as a start makes them, and of the services that they name. They change nothing.

use std::time::Duration;

use innkeeper_service::database::DatabaseError;
use innkeeper_service::outbound::{Outbound, OutboundError, OutboundOptions};
use reqwest::Method;
use url::Url;

use crate::app::assemble;
use crate::base::client::ClientInfo;
use crate::base::error::AuthError;
use crate::config::{Config, HookKind, HookTarget};
use crate::outside::captcha::Captcha;
use crate::store;

/// The answer of a captcha that nobody has solved.
const UNSOLVED: &str = "innkeeper-doctor";

/// The result of checking a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookCheck {
    /// The hook.
    pub hook: HookKind,
    /// The address of the web server without its query, or the name of the function.
    pub target: String,
    /// Why the hook cannot be called.
    pub problem: Option<String>,
}

/// Checks every hook that is on: that its web server responds, or that its function exists and may be called. No hook
/// is called.
pub async fn check_hooks(
    config: &Config,
    deadline: Duration,
) -> Result<Vec<HookCheck>, OutboundError> {
    let outbound = Outbound::new(OutboundOptions {
        timeout: deadline,
        ..OutboundOptions::default()
    })?;
    let mut checks = Vec::new();
    for (hook, target) in &config.hooks.targets {
        let (target, problem) = match target {
            HookTarget::Http { url, .. } => (without_query(url), reach(&outbound, url).await),
            HookTarget::Function { schema, name } => (
                format!("{schema}.{name}"),
                find_function(config, schema, name).await,
            ),
        };
        checks.push(HookCheck {
            hook: *hook,
            target,
            problem: problem.err(),
        });
    }
    Ok(checks)
}

/// Checks that the captcha service responds and accepts the secret; `None` if no captcha is required.
pub async fn check_captcha(config: &Config) -> Option<Result<(), String>> {
    let captcha = match Captcha::new(config) {
        Ok(captcha) => captcha?,
        Err(error) => return Some(Err(error.to_string())),
    };
    let checked = captcha.check(Some(UNSOLVED), &ClientInfo::default()).await;
    Some(match checked {
        Err(AuthError::CaptchaUnavailable(cause)) => Err(cause.to_string()),
        // That the captcha is not solved is the right answer.
        _ => Ok(()),
    })
}

/// Sends a request without a call; any response will do.
async fn reach(outbound: &Outbound, url: &Url) -> Result<(), String> {
    let text = |error: OutboundError| error.to_string();
    let request = outbound.request(Method::HEAD, url).map_err(text)?;
    outbound.send(request).await.map(drop).map_err(text)
}

async fn find_function(config: &Config, schema: &str, name: &str) -> Result<(), String> {
    let find = async {
        let conn = assemble::connect(config)?.shared().await?;
        store::hooks::may_call(&conn, schema, name).await
    };
    match find.await {
        Ok(true) => Ok(()),
        Ok(false) => Err("the server's database user may not call it".to_owned()),
        Err(DatabaseError::Sql(error)) => Err(match error.as_db_error() {
            Some(error) => error.message().to_owned(),
            None => error.to_string(),
        }),
        Err(error) => Err(error.to_string()),
    }
}

fn without_query(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    url.to_string()
}
