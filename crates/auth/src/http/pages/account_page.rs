//! The content of the account page, a section for each part of the account.

use innkeeper_rest::Response;

use super::factor_section::factor_section;
use super::html::{Element, Html, element, text};
use super::layout::Page;
use super::parts::{Field, button, form, hidden, paragraph, quiet_button};
use super::passkey_section::{can_add_passkeys, passkey_section};
use super::password_form::password_form;
use super::paths::PagePath;
use super::problem::Problem;
use super::step_up::step_up;
use super::user_agent;
use super::visit::Visit;
use super::words::fill;
use crate::base::error::Result;
use crate::base::time_text::to_the_minute;
use crate::flow::caller::Caller;
use crate::http::api::user::sessions_of;
use crate::store::sessions::SessionInfo;

/// Shows the account, with the new address that the visitor has typed.
pub(super) async fn account_page(
    visit: &mut Visit<'_>,
    caller: &Caller,
    typed_email: &str,
    problem: Option<Problem>,
) -> Result<Response> {
    let next = PagePath::Account;
    if let Some(response) = step_up(visit, caller, next, problem.as_ref()).await? {
        return Ok(response);
    }
    let words = visit.words();
    let sessions = sessions_of(&visit.pages.app, caller).await?;
    let name = match caller.user.name() {
        "" => &words.no_address,
        name => name,
    };
    let mut content = Html::default();
    content.push(paragraph(&fill(&words.account_of, &[("account", name)])));
    content.push(form(visit, PagePath::SignOut).child(quiet_button(&words.sign_out)));
    content.push(email_section(visit, caller, typed_email));
    content.push(section(
        "password",
        &words.password,
        password_form(visit, caller, PagePath::ChangePassword),
    ));
    if let Some(passkeys) = passkey_section(visit, caller).await? {
        content.push(section("passkeys", &words.passkeys, passkeys));
    }
    if let Some(factors) = factor_section(visit, caller).await? {
        content.push(section("factors", &words.second_factors, factors));
    }
    content.push(sessions_section(visit, &sessions));
    Page::new(visit, PagePath::Account, &words.your_account, content)
        .with_problem(problem)
        .with_script(can_add_passkeys(visit, caller))
        .respond(visit)
}

fn section(name: &'static str, title: &str, content: impl Into<Html>) -> Element {
    element("section")
        .attribute("aria-labelledby", name)
        .child(text("h2", title).attribute("id", name))
        .child(content)
}

fn email_section(visit: &Visit<'_>, caller: &Caller, typed: &str) -> Element {
    let (words, user) = (visit.words(), &caller.user);
    let mut content = Html::default();
    if !user.email.is_empty() {
        content.push(text("p", &user.email).class("value"));
    }
    if !user.new_email.is_empty() {
        let values = [("email", user.new_email.as_str())];
        content.push(paragraph(&fill(&words.email_pending, &values)));
        let code = text("a", &words.enter_code).attribute(
            "href",
            &format!(
                "{}?purpose=email_change",
                visit.pages.paths.to(PagePath::Code)
            ),
        );
        content.push(element("p").child(code));
    }
    let email = Field {
        autocomplete: "email",
        ..Field::email(&words.new_email, typed)
    };
    content.push(
        form(visit, PagePath::ChangeEmail)
            .child(email)
            .child(button(&words.change_email)),
    );
    section("address", &words.email, content)
}

fn sessions_section(visit: &Visit<'_>, sessions: &[SessionInfo]) -> Element {
    let words = visit.words();
    let items = sessions.iter().map(|session| session_item(visit, session));
    let mut content = Html::default();
    content.push(element("ul").class("items").child(items.collect::<Html>()));
    if sessions.iter().any(|session| !session.current) {
        content.push(
            form(visit, PagePath::EndSession)
                .child(hidden("session", "others"))
                .child(quiet_button(&words.end_others)),
        );
    }
    section("sessions", &words.sessions, content)
}

fn session_item(visit: &Visit<'_>, session: &SessionInfo) -> Element {
    let words = visit.words();
    let agent = session.user_agent.as_deref();
    let agent = agent.map_or_else(|| words.unknown_browser.clone(), user_agent::describe);
    let used_at = session.refreshed_at.or(session.created_at);
    let mut about = vec![session.ip.clone().unwrap_or_default()];
    about.extend(used_at.map(|at| fill(&words.used_at, &[("time", &to_the_minute(at))])));
    about.retain(|part| !part.is_empty());
    let item = element("li")
        .child(text("strong", &agent))
        .child(paragraph(&about.join(" · ")));
    if session.current {
        return item.child(text("p", &words.this_browser).class("current"));
    }
    let label = format!("{}: {agent}", words.end_session);
    item.child(
        form(visit, PagePath::EndSession)
            .child(hidden("session", &session.id.to_string()))
            .child(quiet_button(&words.end_session).attribute("aria-label", &label)),
    )
}
