//! The captcha check of requests.

use innkeeper_rest::Head;

use super::authenticate::admin_token;
use crate::app::App;
use crate::base::client::ClientInfo;
use crate::base::error::Result;

/// Refuses a request without a solved captcha, if captchas are enabled and the caller is not an admin.
pub(crate) async fn check(
    app: &App,
    head: &Head,
    client: &ClientInfo,
    token: Option<&str>,
) -> Result<()> {
    let Some(captcha) = &app.captcha else {
        return Ok(());
    };
    if admin_token(app, head).await.is_ok() {
        return Ok(());
    }
    captcha.check(token, client).await
}
