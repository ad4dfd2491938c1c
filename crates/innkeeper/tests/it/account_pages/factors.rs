//! Second factors: an authenticator app, recovery codes, a phone number.

use innkeeper_service::clock::Clock;
use innkeeper_service::testing::totp_code;
use serde_json::Value;

use super::{ADA, PASSWORD, Story};

/// An authenticator app on a telephone.
struct AuthenticatorApp {
    secret: String,
    /// The step of the last code, which works once.
    last_step: i64,
}

impl AuthenticatorApp {
    /// Reads the secret that a page shows.
    async fn scan(story: &mut Story) -> Self {
        let shown = "document.querySelector('.secret').textContent";
        let shown = story.browser.evaluate(shown).await;
        Self {
            secret: shown.as_str().unwrap().replace(' ', ""),
            last_step: 0,
        }
    }

    /// Returns a code that was not used yet.
    fn code(&mut self) -> String {
        let now = Clock::system().now().as_second();
        self.last_step = (now / 30).max(self.last_step + 1);
        totp_code(&self.secret, self.last_step).unwrap()
    }
}

/// Signs in with the password, up to the page that asks for the second factor.
pub(super) async fn sign_in_by_half(story: &mut Story) {
    story.open("/sign-in").await;
    story.fill("email", ADA).await;
    story.fill("password", PASSWORD).await;
    story.send("/sign-in").await;
    story.see("Enter your second factor").await;
}

/// Begins to add an app, up to the page with its secret.
async fn begin_app(story: &mut Story, name: &str) -> AuthenticatorApp {
    story.follow("/account/authenticator").await;
    story.fill("name", name).await;
    story.send("/authenticator").await;
    story.see("Scan this image with the app").await;
    AuthenticatorApp::scan(story).await
}

/// Makes recovery codes on the page that follows a new factor.
async fn make_codes(story: &mut Story) -> Vec<String> {
    story.see("The second factor was added").await;
    story.send("/recovery-codes").await;
    story.see("They are not shown again").await;
    let shown = "[...document.querySelectorAll('.codes code')].map((it) => it.textContent)";
    let shown = story.browser.evaluate(shown).await;
    let codes = shown.as_array().unwrap().iter();
    codes.map(|it| it.as_str().unwrap().to_owned()).collect()
}

/// Returns the factors of the only user, as the API shows them.
pub(super) async fn factors(story: &Story) -> Vec<Value> {
    let id = story.user().await["id"].as_str().unwrap().to_owned();
    let path = format!("/admin/users/{id}/factors");
    let list = story.admin(reqwest::Method::GET, &path, None).await;
    list.as_array().unwrap().clone()
}

/// Asserts that the only session is at this level.
pub(super) async fn assert_level(story: &Story, level: &str) {
    let sessions = story.sessions().await;
    assert_eq!(sessions.len(), 1, "{sessions:?}");
    assert_eq!(sessions[0]["aal"], level);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_adds_an_authenticator_app_and_signs_in_with_it() {
    let mut story = Story::with_user(&[]).await;
    story.sign_in(ADA, PASSWORD).await;
    story.follow("/account/authenticator").await;
    story.check_page("authenticator").await;
    story.open("").await;
    let mut app = begin_app(&mut story, "Telephone").await;
    story
        .browser
        .wait_until("document.querySelector('img.qr').naturalWidth > 100")
        .await;
    story.check_page("authenticator-secret").await;
    story.fill("code", "12345").await;
    story.send("/authenticator/confirm").await;
    story
        .see("The code is wrong, has expired or was used")
        .await;
    let code = app.code();
    story.fill("code", &code).await;
    story.send("/authenticator/confirm").await;
    story.see("The second factor was added").await;
    story.check_page("recovery-codes-offer").await;
    assert_eq!(make_codes(&mut story).await.len(), 10);
    story.check_page("recovery-codes").await;
    story.follow("/account").await;
    story.see("10 of 10 recovery codes are left").await;
    story.check_page("factors").await;
    let stored = factors(&story).await;
    assert_eq!(stored[0]["friendly_name"], "Telephone");
    assert_eq!(stored[0]["status"], "verified");
    assert_level(&story, "aal2").await;

    story.send("/sign-out").await;
    story.see("You are signed out").await;
    sign_in_by_half(&mut story).await;
    story.check_page("second-factor").await;
    assert_level(&story, "aal1").await;
    story.fill("code", &code).await;
    story.send("/second-factor").await;
    story
        .see("The code is wrong, has expired or was used")
        .await;
    story.check_page("second-factor-wrong").await;
    story.fill("code", &app.code()).await;
    story.send("/second-factor").await;
    story.see("You are signed in as ada@example.com").await;
    assert_level(&story, "aal2").await;
    story.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_who_lost_the_app_uses_a_recovery_code_and_removes_it() {
    let mut story = Story::with_user(&[]).await;
    story.sign_in(ADA, PASSWORD).await;
    let mut app = begin_app(&mut story, "<b>Lost</b>").await;
    story.fill("code", &app.code()).await;
    story.send("/authenticator/confirm").await;
    let codes = make_codes(&mut story).await;
    story.follow("/account").await;
    story.send("/sign-out").await;
    story.see("You are signed out").await;

    sign_in_by_half(&mut story).await;
    story
        .follow("/account/second-factor?factor=recovery-code")
        .await;
    story.check_page("recovery-code").await;
    story.fill("recovery_code", &codes[7]).await;
    story.send("/second-factor").await;
    story.see("You have used a recovery code; 9 are left").await;
    assert_level(&story, "aal2").await;
    story.browser.click("summary").await;
    story.see("You are then not asked for it any more").await;
    story.check_page("remove-factor").await;
    story.send("/factors").await;
    story.see("The second factor was removed").await;
    assert_eq!(factors(&story).await.len(), 0);
    story.send("/sign-out").await;
    story.see("You are signed out").await;
    story.sign_in(ADA, PASSWORD).await;
    assert_level(&story, "aal1").await;
    story.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_adds_a_phone_number_and_signs_in_with_it() {
    let mut story = Story::with_user(&[
        ("AUTH_MFA_PHONE_ENROLL_ENABLED", "true"),
        ("AUTH_MFA_PHONE_VERIFY_ENABLED", "true"),
        ("AUTH_MFA_PHONE_MAX_FREQUENCY", "1ms"),
    ])
    .await;
    story.sign_in(ADA, PASSWORD).await;
    story.follow("/account/phone").await;
    story.fill("phone", "+49 30 1234567").await;
    story.check_page("phone-factor").await;
    story.send("/phone").await;
    story.see("A text message is on its way").await;
    story.check_page("phone-factor-code").await;
    let code = story.up.next_mail().await["code"].clone();
    story.fill("code", code.as_str().unwrap()).await;
    story.send("/phone/confirm").await;
    story.see("The second factor was added").await;
    story.follow("/account").await;
    story.see("+49301234567").await;
    story.send("/sign-out").await;
    story.see("You are signed out").await;
    sign_in_by_half(&mut story).await;
    story.send("/second-factor/code").await;
    story.see("A text message is on its way").await;
    story.check_page("second-factor-message").await;
    let code = story.up.next_mail().await["code"].clone();
    story.fill("code", code.as_str().unwrap()).await;
    story.send("/second-factor").await;
    story.see("You are signed in as ada@example.com").await;
    assert_level(&story, "aal2").await;
    assert_eq!(factors(&story).await[0]["phone"], "49301234567");
    story.end().await;
}
