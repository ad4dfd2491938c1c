//! Removes everything from HTML that could act on the page that shows it.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::LazyLock;

use ammonia::Builder;

const HEADINGS: [&str; 6] = ["h1", "h2", "h3", "h4", "h5", "h6"];

/// The classes that the renderer uses. Others are removed, because they could be classes of the page. A
/// name that ends in `-` is a prefix.
const CLASSES: &[&str] = &[
    "anchor",
    "footnote-backref",
    "footnote-reference",
    "footnotes",
    "hl-",
    "language-",
    "markdown-alert",
    "markdown-alert-",
];

/// One builder for all articles, because building one costs more than using it.
static BUILDER: LazyLock<Builder<'static>> = LazyLock::new(builder);

/// Removes scripts, event handlers, styles, forms and dangerous links.
pub(super) fn clean(html: &str) -> String {
    BUILDER.clean(html).to_string()
}

fn builder() -> Builder<'static> {
    let mut builder = Builder::default();
    builder
        .add_tags(["section", "input", "label"])
        .rm_tags(["map", "area", "nav", "header", "footer", "article", "aside"])
        .url_schemes(HashSet::from(["http", "https", "mailto", "tel"]))
        .add_tag_attributes("a", ["class", "id", "aria-hidden", "tabindex"])
        .add_tag_attributes("input", ["type", "checked", "disabled"])
        // Whatever an author writes, an input is only the checkbox of a task list.
        .set_tag_attribute_value("input", "type", "checkbox")
        .set_tag_attribute_value("input", "disabled", "")
        .add_tag_attributes("li", ["id"])
        .add_tag_attributes("details", ["open"])
        .attribute_filter(|element, attribute, value| match attribute {
            "class" => classes(value),
            "id" => is_allowed_id(element, value).then_some(Cow::Borrowed(value)),
            // Others would change the order of the page.
            "tabindex" => (value == "-1").then_some(Cow::Borrowed(value)),
            _ => Some(Cow::Borrowed(value)),
        });
    for element in ["code", "div", "p", "section", "span", "sup"] {
        builder.add_tag_attributes(element, ["class"]);
    }
    for heading in HEADINGS {
        builder.add_tag_attributes(heading, ["id"]);
    }
    builder
}

fn classes(value: &str) -> Option<Cow<'_, str>> {
    let known = |class: &&str| {
        CLASSES.iter().any(|known| match known.strip_suffix('-') {
            Some(_) => class.len() > known.len() && class.starts_with(known),
            None => class == known,
        })
    };
    let kept: Vec<&str> = value.split_whitespace().filter(known).collect();
    (!kept.is_empty()).then(|| Cow::Owned(kept.join(" ")))
}

/// Tells whether an id is allowed: only headings and footnotes have ids, because others could clash with
/// those of the page.
fn is_allowed_id(element: &str, value: &str) -> bool {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '-' || letter == '_';
    let fine = !value.is_empty() && value.chars().all(is_word);
    fine && match element {
        "li" => value.starts_with("fn-"),
        "a" => value.starts_with("fnref-"),
        element => HEADINGS.contains(&element),
    }
}
