//! Users are told by mail about new and removed factors.

use innkeeper_auth::config::{Config, MessageKind};

use super::{EMAIL, PASSWORD, answer, code_in, enrol, gotrue_app, protected, std_app};
use crate::support::TestApp;
use crate::support::tokens::text;

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

/// Somebody began to add a factor and changed their mind: nothing has protected the account.
#[tokio::test]
async fn a_factor_that_never_counted_is_removed_without_a_mail() {
    for app in [
        std_app(with_notifications).await,
        gotrue_app(with_notifications).await,
    ] {
        let session = app.signed_up(EMAIL, PASSWORD).await;
        let token = text(&session, "access_token");
        let enrolled = enrol(&app, &token, "app").await.ok();
        let target = format!("/factors/{}", text(&enrolled, "id"));
        app.delete_as(&token, &target, None).await.ok();
        // The next mail is about the next factor.
        let enrolled = enrol(&app, &token, "app").await.ok();
        let code = code_in(&app, &text(&enrolled["totp"], "secret"), 0);
        let factor = text(&enrolled, "id");
        answer(&app, &token, &factor, &code).await.ok();
        let mail = app.mailbox.next_to(EMAIL).await;
        assert!(mail.subject().starts_with("A new"), "{}", mail.subject());
        assert_eq!(app.mailbox.count_to(EMAIL), 0);
    }
}
