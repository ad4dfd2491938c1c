//! Visitors with second factors, for the tests of pages.

use serde_json::Value;

use crate::factors::code_in;
use crate::support::pages::{Shown, Visitor};
use crate::support::served::Served;

pub(super) const ADA: &str = "ada@example.com";
pub(super) const PASSWORD: &str = "correct horse";

/// Somebody who has added an authenticator app on the pages.
pub(super) struct ProtectedVisitor {
    pub(super) visitor: Visitor,
    pub(super) secret: String,
}

/// Returns the secret that a page shows.
pub(super) fn secret_in(page: &Shown) -> String {
    let (_, rest) = page.html.split_once("<dd class=\"secret\">").unwrap();
    let (secret, _) = rest.split_once("</dd>").unwrap();
    secret.replace(' ', "")
}

/// Returns the recovery codes that a page shows.
pub(super) fn codes_in(page: &Shown) -> Vec<String> {
    let codes = page.html.split("<code>").skip(1);
    codes
        .map(|code| code.split("</code>").next().unwrap().to_owned())
        .collect()
}

/// Begins to add an app with this name, and returns the page with its secret.
pub(super) async fn begin_app(visitor: &mut Visitor, name: &str) -> Shown {
    let page = visitor.open("/account/authenticator").await;
    let fields = [("name", name)];
    visitor.send(&page, "/account/authenticator", &fields).await
}

/// Sends the first code of an app.
pub(super) async fn confirm_app(visitor: &mut Visitor, page: &Shown, code: &str) -> Shown {
    let fields = [("code", code)];
    visitor
        .send(page, "/account/authenticator/confirm", &fields)
        .await
}

/// Adds an app to an account; the next code is one step later.
pub(super) async fn protect(served: &Served, email: &str) -> ProtectedVisitor {
    served.app.confirmed(email).await;
    let mut visitor = Visitor::of(served);
    visitor.sign_in(email, PASSWORD).await;
    let page = begin_app(&mut visitor, "Telephone").await;
    let secret = secret_in(&page);
    let code = code_in(&served.app, &secret, 0);
    confirm_app(&mut visitor, &page, &code)
        .await
        .shows("/account/recovery-codes", "The second factor was added");
    served.app.advance(60);
    ProtectedVisitor { visitor, secret }
}

impl ProtectedVisitor {
    pub(super) fn code(&self, served: &Served) -> String {
        code_in(&served.app, &self.secret, 0)
    }
}

/// Signs in with the password in a new browser, and returns the page that asks for the second factor.
pub(super) async fn half_signed_in(served: &Served) -> (Visitor, Shown) {
    let mut visitor = Visitor::of(served);
    let page = visitor.sign_in(ADA, PASSWORD).await;
    page.shows("/account/second-factor", "Enter your second factor");
    (visitor, page)
}

/// Sends the code of a factor from the page that asks for it.
pub(super) async fn prove(visitor: &mut Visitor, page: &Shown, code: &str) -> Shown {
    let fields = [("code", code)];
    visitor.send(page, "/account/second-factor", &fields).await
}

/// Makes recovery codes on the pages.
pub(super) async fn make_codes(visitor: &mut Visitor) -> Vec<String> {
    let page = visitor.open("/account/recovery-codes").await;
    let page = visitor.send(&page, "/account/recovery-codes", &[]).await;
    let codes = codes_in(&page);
    assert_eq!(codes.len(), 10, "{}", page.text());
    codes
}

/// Returns the levels of the sessions of the only user, as the API shows them.
pub(super) async fn levels(served: &Served) -> Vec<String> {
    let sessions = served.app.sessions_of(&served.app.only_user().await).await;
    let levels = sessions.iter().map(|it| it["aal"].as_str().unwrap());
    levels.map(str::to_owned).collect()
}

/// Returns the factors of the only user, as the API shows them.
pub(super) async fn factors(served: &Served) -> Vec<Value> {
    let user = served.app.only_user().await;
    let target = format!("/admin/users/{}/factors", user["id"].as_str().unwrap());
    let list = served.app.get_as(&served.app.service_key(), &target).await;
    list.ok().as_array().unwrap().clone()
}
