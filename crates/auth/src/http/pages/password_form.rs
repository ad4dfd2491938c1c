//! The form for a new password, and what follows it. Two pages have it: the account, and the page after a forgotten
//! password.

use std::sync::Arc;

use super::form::Form;
use super::html::{Element, Html, element, text};
use super::parts::{Field, button, form, hidden, password_rules, quiet_button};
use super::paths::PagePath;
use super::problem::Problem;
use super::visit::Visit;
use crate::base::error::Result;
use crate::flow::caller::Caller;
use crate::flow::user::change::{self, UserChange};
use crate::flow::user::password_change::asks_for_current_password;
use crate::http::api::reauthenticate::Reauthenticate;

/// Writes the form. The address is in it for programs that store passwords.
pub(super) fn password_form(visit: &Visit<'_>, caller: &Caller, target: PagePath) -> Html {
    let (words, app) = (visit.words(), &visit.pages.app);
    let asks_for_current = asks_for_current_password(app, caller);
    let asks_for_code = app.config.security.update_password_require_reauthentication;
    let rules = password_rules(visit);
    let current = Field::password(
        "current_password",
        &words.current_password,
        "current-password",
        None,
    );
    let new = Field::password(
        "new_password",
        &words.new_password,
        "new-password",
        Some(&rules),
    );
    let again = Field::password(
        "new_password_again",
        &words.password_again,
        "new-password",
        None,
    );
    let mut html: Html = form(visit, target)
        .child(user_name(&words.email, &caller.user.email))
        .maybe(asks_for_current.then_some(current))
        .child(new)
        .child(again)
        .maybe(asks_for_code.then(|| Field::code(&words.code)))
        .child(button(&words.save_password))
        .into();
    if asks_for_code {
        html.push(
            form(visit, PagePath::PasswordCode)
                .child(hidden("from", page_name(target)))
                .child(quiet_button(&words.send_code)),
        );
    }
    html
}

/// The field by which programs that store passwords know whose password it is. Nobody sees it.
fn user_name(label: &str, email: &str) -> Element {
    let input = element("input")
        .attribute("id", "username")
        .attribute("name", "username")
        .attribute("type", "text")
        .attribute("autocomplete", "username")
        .attribute("value", email)
        .flag("readonly", true);
    element("div")
        .flag("hidden", true)
        .child(text("label", label).attribute("for", "username"))
        .child(input)
}

/// Returns the name of the page that a request for a code comes from.
fn page_name(target: PagePath) -> &'static str {
    match target {
        PagePath::NewPassword => "new-password",
        _ => "account",
    }
}

/// Returns the page that a request for a code comes from.
pub(super) fn origin_of(form: &Form) -> PagePath {
    match form.value("from") {
        "new-password" => PagePath::NewPassword,
        _ => PagePath::Account,
    }
}

/// Changes the password of the caller.
pub(super) async fn save(
    visit: &Visit<'_>,
    caller: &Caller,
    form: &Form,
) -> std::result::Result<(), Problem> {
    let (words, app) = (visit.words(), &visit.pages.app);
    let new = form.value("new_password");
    if new != form.value("new_password_again") {
        return Err(Problem::new(400, &words.passwords_differ));
    }
    let value = |text: String| Some(text).filter(|text| !text.is_empty());
    let change = UserChange {
        password: Some(new.to_owned()),
        current_password: value(form.value("current_password").to_owned()),
        nonce: value(form.code()),
        ..UserChange::default()
    };
    let changed = change::change(app, caller, change, &visit.client).await;
    changed
        .map(drop)
        .map_err(|error| Problem::of(&error, words, app))
}

/// Sends the code that a change of password needs.
pub(super) async fn send_code(visit: &Visit<'_>, caller: &Caller) -> Result<()> {
    let reauthenticate = Reauthenticate {
        app: Arc::clone(&visit.pages.app),
    };
    let sent = reauthenticate.answer(&caller.user, &visit.client).await;
    sent.map(drop)
}
