//! The second factors on the account page, and what follows when one was added.

use innkeeper_rest::Response;

use super::html::{Element, Html, element, text};
use super::notice::Notice;
use super::parts::{button, form, hidden, link_to, paragraph};
use super::paths::PagePath;
use super::recovery_codes::codes_left;
use super::step_up::{factor_name, kind_name};
use super::visit::Visit;
use super::words::fill;
use crate::app::App;
use crate::base::error::Result;
use crate::base::time_text::to_the_minute;
use crate::flow::caller::Caller;
use crate::flow::factor::recovery;
use crate::model::Factor;

/// Returns the second factors of the caller, with the ways to add and to remove one. `None` if there are none and none
/// can be added.
pub(super) async fn factor_section(visit: &Visit<'_>, caller: &Caller) -> Result<Option<Html>> {
    let (words, app) = (visit.words(), &visit.pages.app);
    let factors = caller.user.factors.iter();
    let items = factors.filter(|factor| factor.is_verified());
    let items: Html = items.map(|factor| factor_item(visit, factor)).collect();
    let offers_apps = offers_apps(app);
    let offers_phones = offers_phone_factors(app);
    let offers_keys = visit.pages.offers_security_keys();
    let has_none = items.as_str().is_empty();
    let offers_none = !offers_apps && !offers_phones && !offers_keys;
    if caller.user.is_anonymous || (has_none && offers_none) {
        return Ok(None);
    }
    let mut content: Html = paragraph(&words.factors_hint).into();
    if !has_none {
        content.push(element("ul").class("items").child(items));
    }
    if offers_apps {
        let page = PagePath::Authenticator;
        content.push(link_to(visit, page, &words.add_authenticator));
    }
    if offers_keys {
        let page = PagePath::SecurityKey;
        content.push(link_to(visit, page, &words.add_security_key));
    }
    if offers_phones {
        let page = PagePath::PhoneFactor;
        content.push(link_to(visit, page, &words.add_phone_factor));
    }
    if !has_none && app.config.mfa.recovery_codes.enroll {
        content.push(recovery_part(visit, caller).await?);
    }
    Ok(Some(content))
}

/// Whether authenticator apps can be added and used.
fn offers_apps(app: &App) -> bool {
    app.config.mfa.totp.enroll && app.config.mfa.totp.verify
}

/// Whether phone factors can be added and used.
pub(super) fn offers_phone_factors(app: &App) -> bool {
    app.config.mfa.phone.enroll && app.config.mfa.phone.verify
}

fn factor_item(visit: &Visit<'_>, factor: &Factor) -> Element {
    let words = visit.words();
    let name = factor_name(factor, words);
    let number = factor.phone.as_deref().filter(|phone| !phone.is_empty());
    let added = to_the_minute(factor.created_at);
    let mut about = vec![kind_name(factor, words).to_owned()];
    about.extend(number.map(|number| format!("+{number}")));
    about.push(fill(&words.factor_added_at, &[("time", &added)]));
    let label = format!("{}: {name}", words.remove);
    let remove = form(visit, PagePath::RemoveFactor)
        .child(hidden("factor", &factor.id.to_string()))
        .child(button(&words.remove).attribute("aria-label", &label));
    // Asks before it removes, without a script.
    let question = element("details")
        .child(text("summary", &words.remove).attribute("aria-label", &label))
        .child(paragraph(&words.factor_remove_hint))
        .child(remove);
    element("li")
        .child(text("strong", name))
        .child(paragraph(&about.join(" · ")))
        .child(question)
}

async fn recovery_part(visit: &Visit<'_>, caller: &Caller) -> Result<Html> {
    let words = visit.words();
    let status = recovery::status(&visit.pages.app, caller).await?;
    let mut html: Html = text("h3", &words.recovery_codes).into();
    let (state, label) = match status.id {
        Some(_) => (
            codes_left(visit, status.remaining, status.total),
            &words.new_recovery_codes,
        ),
        None => (
            words.recovery_codes_none.clone(),
            &words.make_recovery_codes,
        ),
    };
    html.push(paragraph(&state));
    html.push(link_to(visit, PagePath::RecoveryCodes, label));
    Ok(html)
}

/// Sends the browser on after a factor was added: to the recovery codes, unless there are some.
pub(super) async fn go_on_after_adding(visit: &mut Visit<'_>, caller: &Caller) -> Result<Response> {
    let app = &visit.pages.app;
    let makes_codes =
        app.config.mfa.recovery_codes.enroll && recovery::status(app, caller).await?.id.is_none();
    visit.leave_notice(Notice::FactorAdded);
    visit.go_to(if makes_codes {
        PagePath::RecoveryCodes
    } else {
        PagePath::Account
    })
}

/// Returns a name for a new factor that no verified one has.
pub(super) fn free_name(caller: &Caller, name: &str) -> String {
    let is_taken = |name: &str| {
        let mut factors = caller.user.factors.iter();
        factors.any(|it| it.is_verified() && it.friendly_name.as_deref() == Some(name))
    };
    if !is_taken(name) {
        return name.to_owned();
    }
    let mut numbered = (2_u32..).map(|number| format!("{name} {number}"));
    numbered
        .find(|name| !is_taken(name))
        .unwrap_or_else(|| name.to_owned())
}
