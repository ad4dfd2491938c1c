//! Renders the operator's templates.

use innkeeper_gotemplate::{Output, Template, TemplateError, Value};

use super::plain_text;

/// The parts of a mail that a template renders; the subject is optional.
pub(in crate::outside::mail) struct RenderedTemplate {
    pub(super) subject: Option<String>,
    pub(super) html: String,
    pub(super) text: String,
}

/// Renders an operator's template. Without a text of its own, the text is made from the HTML.
pub(in crate::outside::mail) fn render_template(
    template: &Template,
    data: &Value,
) -> Result<RenderedTemplate, TemplateError> {
    let html = template.render(data, Output::Html)?;
    let part = |name| {
        template
            .render_defined(name, data, Output::Text)
            .transpose()
    };
    let text = match part("text")? {
        Some(text) => text,
        None => plain_text::from_html(&html),
    };
    Ok(RenderedTemplate {
        subject: part("subject")?,
        html,
        text,
    })
}
