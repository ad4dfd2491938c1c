//! The passkeys on the account page.

use super::ceremony::{Request, ceremony_form, ceremony_hint};
use super::html::{Element, Html, element, text};
use super::parts::{button, form, hidden, paragraph, quiet_button};
use super::paths::PagePath;
use super::visit::Visit;
use super::words::fill;
use crate::base::error::Result;
use crate::base::time_text::to_the_minute;
use crate::flow::caller::Caller;
use crate::flow::passkey::manage::{self, Passkey};

/// Returns the passkeys of the caller, with the ways to add, to rename and to remove one. `None` if there are none and
/// none can be added.
pub(super) async fn passkey_section(visit: &Visit<'_>, caller: &Caller) -> Result<Option<Html>> {
    let (words, pages) = (visit.words(), visit.pages);
    let can_add = can_add_passkeys(visit, caller);
    if !pages.app.config.webauthn.passkeys_enabled {
        return Ok(None);
    }
    let passkeys = manage::list(&pages.app, caller.user.id).await?;
    if passkeys.is_empty() && !can_add {
        return Ok(None);
    }
    let mut content: Html = paragraph(&words.passkeys_hint).into();
    let items = passkeys.iter().map(|passkey| passkey_item(visit, passkey));
    let items: Html = items.collect();
    if !passkeys.is_empty() {
        content.push(element("ul").class("items").child(items));
    }
    if can_add {
        content.push(
            ceremony_form(
                visit,
                Request::Create,
                PagePath::AddPasskeyOptions,
                PagePath::AddPasskey,
            )
            .child(quiet_button(&words.add_passkey)),
        );
        content.push(ceremony_hint(visit));
    }
    Ok(Some(content))
}

/// Whether the account page has a form that asks for a new passkey.
pub(super) fn can_add_passkeys(visit: &Visit<'_>, caller: &Caller) -> bool {
    let user = &caller.user;
    visit.pages.offers_passkeys() && !user.is_anonymous && !user.is_sso_user
}

fn passkey_item(visit: &Visit<'_>, passkey: &Passkey) -> Element {
    let words = visit.words();
    let name = match passkey.friendly_name.trim() {
        "" => &words.passkey,
        name => name,
    };
    let at = |text: &str, time| fill(text, &[("time", &to_the_minute(time))]);
    let mut about = vec![at(&words.factor_added_at, passkey.created_at)];
    about.extend(passkey.last_used_at.map(|time| at(&words.used_at, time)));
    element("li")
        .child(text("strong", name))
        .child(paragraph(&about.join(" · ")))
        .child(rename_form(visit, passkey, name))
        .child(remove_form(visit, passkey, name))
}

fn rename_form(visit: &Visit<'_>, passkey: &Passkey, name: &str) -> Element {
    let words = visit.words();
    // Every passkey has such a field, so it has no id.
    let field = element("input")
        .attribute("name", "name")
        .attribute("type", "text")
        .attribute("autocomplete", "off")
        .attribute("maxlength", "120")
        .attribute("value", name)
        .flag("required", true);
    let label = text("label", &words.factor_name).child(field);
    let rename = form(visit, PagePath::RenamePasskey)
        .child(hidden("passkey", &passkey.id.to_string()))
        .child(element("div").class("field").child(label))
        .child(button(&words.save_name));
    question(&words.rename, name).child(rename)
}

fn remove_form(visit: &Visit<'_>, passkey: &Passkey, name: &str) -> Element {
    let words = visit.words();
    let label = format!("{}: {name}", words.remove);
    let remove = form(visit, PagePath::RemovePasskey)
        .child(hidden("passkey", &passkey.id.to_string()))
        .child(button(&words.remove).attribute("aria-label", &label));
    question(&words.remove, name)
        .child(paragraph(&words.passkey_remove_hint))
        .child(remove)
}

/// Makes a part that opens before something is done, without a script.
fn question(label: &str, name: &str) -> Element {
    let about = format!("{label}: {name}");
    element("details").child(text("summary", label).attribute("aria-label", &about))
}
