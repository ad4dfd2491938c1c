//! The parts of forms.

use super::html::{Element, Html, element, text};
use super::paths::PagePath;
use super::visit::{FORM_TOKEN, Visit};
use super::words::fill;
use crate::app::App;

/// A labelled field of a form.
#[derive(Debug, Clone, Copy)]
pub(super) struct Field<'a> {
    pub(super) name: &'static str,
    pub(super) label: &'a str,
    pub(super) kind: &'static str,
    pub(super) value: &'a str,
    pub(super) autocomplete: &'static str,
    pub(super) hint: Option<&'a str>,
    pub(super) is_required: bool,
}

impl<'a> Field<'a> {
    pub(super) fn email(label: &'a str, value: &'a str) -> Self {
        Self {
            name: "email",
            label,
            kind: "email",
            value,
            autocomplete: "username",
            hint: None,
            is_required: true,
        }
    }

    /// A password field is always empty: no page repeats a password.
    pub(super) fn password(
        name: &'static str,
        label: &'a str,
        autocomplete: &'static str,
        hint: Option<&'a str>,
    ) -> Self {
        Self {
            name,
            label,
            kind: "password",
            value: "",
            autocomplete,
            hint,
            is_required: true,
        }
    }

    /// A field for a text that browsers do not know.
    pub(super) fn text(name: &'static str, label: &'a str, value: &'a str) -> Self {
        Self {
            name,
            label,
            kind: "text",
            value,
            autocomplete: "off",
            hint: None,
            is_required: true,
        }
    }

    pub(super) fn code(label: &'a str) -> Self {
        Self {
            name: "code",
            label,
            kind: "text",
            value: "",
            autocomplete: "one-time-code",
            hint: None,
            is_required: true,
        }
    }
}

impl From<Field<'_>> for Html {
    fn from(field: Field<'_>) -> Self {
        let hint_id = format!("{}-hint", field.name);
        let mut input = element("input")
            .attribute("id", field.name)
            .attribute("name", field.name)
            .attribute("type", field.kind)
            .attribute("autocomplete", field.autocomplete)
            .flag("required", field.is_required);
        if !field.value.is_empty() {
            input = input.attribute("value", field.value);
        }
        if field.name == "code" {
            input = input.attribute("inputmode", "numeric");
        }
        if field.name == "recovery_code" {
            // Keyboards leave such words alone.
            input = input
                .attribute("autocapitalize", "none")
                .attribute("spellcheck", "false");
        }
        if field.hint.is_some() {
            input = input.attribute("aria-describedby", &hint_id);
        }
        let label = text("label", field.label).attribute("for", field.name);
        let hint = field
            .hint
            .map(|hint| text("p", hint).class("hint").attribute("id", &hint_id));
        element("div")
            .class("field")
            .child(label)
            .child(input)
            .maybe(hint)
            .into()
    }
}

/// Makes a form that is sent to a page of this server.
pub(super) fn form(visit: &Visit<'_>, target: PagePath) -> Element {
    form_to(visit, &visit.pages.paths.to(target))
}

/// Makes a form that is sent to this address of this server.
pub(super) fn form_to(visit: &Visit<'_>, address: &str) -> Element {
    element("form")
        .attribute("method", "post")
        .attribute("action", address)
        .child(hidden(FORM_TOKEN, &visit.form_token()))
}

pub(super) fn hidden(name: &'static str, value: &str) -> Element {
    element("input")
        .attribute("type", "hidden")
        .attribute("name", name)
        .attribute("value", value)
}

pub(super) fn button(label: &str) -> Element {
    text("button", label).attribute("type", "submit")
}

/// Makes a button for what is not the main purpose of a page.
pub(super) fn quiet_button(label: &str) -> Element {
    button(label).class("quiet")
}

/// Makes a paragraph with a link to a page.
pub(super) fn link_to(visit: &Visit<'_>, page: PagePath, label: &str) -> Element {
    let link = text("a", label).attribute("href", &visit.pages.paths.to(page));
    element("p").child(link)
}

/// Makes a paragraph.
pub(super) fn paragraph(content: &str) -> Element {
    text("p", content)
}

/// Describes the rules for new passwords.
pub(super) fn password_rules(visit: &Visit<'_>) -> String {
    let (words, policy) = (visit.words(), visit.pages.app.policy());
    let length = policy.min_length.to_string();
    let mut rules = fill(&words.password_rule, &[("length", &length)]);
    if !policy.required_characters.is_empty() {
        let sets = policy.required_characters.join(" ");
        rules.push(' ');
        rules.push_str(&fill(&words.password_lacks_characters, &[("sets", &sets)]));
    }
    rules
}

/// Returns how long links and codes in mails are valid, in words.
pub(super) fn code_lifetime(visit: &Visit<'_>) -> String {
    let app: &App = &visit.pages.app;
    let seconds = app.config.mailer.otp_exp.as_secs();
    visit
        .words()
        .duration(u64::try_from(seconds).unwrap_or_default())
}
