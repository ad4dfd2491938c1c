//! Users are told by mail about new and removed factors.

use innkeeper_auth::config::{Config, MessageKind};

use super::{EMAIL, answer, code_in, gotrue_app, protected, std_app};
use crate::support::TestApp;

fn with_notifications(config: &mut Config) {
    config.mailer.notifications = [
        MessageKind::MfaFactorEnrolled,
        MessageKind::MfaFactorUnenrolled,
    ]
    .into();
}

async fn check(app: &TestApp, enrolled: &str, removed: &str) {
    let ada = protected(app, EMAIL).await;
    let mail = app.mailbox.next_to(EMAIL).await;
    assert_eq!(mail.subject(), enrolled);
    assert!(mail.text.contains("totp"), "{}", mail.text);
    // The second use of a factor is no news.
    let code = code_in(app, &ada.secret, 0);
    answer(app, &ada.token, &ada.factor, &code).await.ok();
    let target = format!("/factors/{}", ada.factor);
    app.delete_as(&ada.token, &target, None).await.ok();
    let mail = app.mailbox.next_to(EMAIL).await;
    assert_eq!(mail.subject(), removed);
}

#[tokio::test]
async fn new_and_removed_factors_are_told_when_that_is_switched_on() {
    check(
        &std_app(with_notifications).await,
        "A new MFA factor has been enrolled",
        "An MFA factor has been unenrolled",
    )
    .await;
    check(
        &gotrue_app(with_notifications).await,
        "A new verification method was added to your account",
        "A verification method was removed from your account",
    )
    .await;
}
