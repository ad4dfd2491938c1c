//! HTML that is escaped by its type: a text or an attribute value cannot become markup, because only tags that this
//! program names are markup.

use std::fmt::Write as _;

use innkeeper_service::html::Escaped;

/// Elements without content and without an end tag.
const VOID: [&str; 5] = ["br", "img", "input", "link", "meta"];

/// Finished HTML.
#[derive(Debug, Clone, Default)]
pub(super) struct Html(String);

impl Html {
    /// Appends an element.
    pub(super) fn push(&mut self, element: impl Into<Self>) {
        self.0.push_str(&element.into().0);
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

impl<T: Into<Html>> FromIterator<T> for Html {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        let mut html = Self::default();
        for element in elements {
            html.push(element);
        }
        html
    }
}

/// An element.
#[derive(Debug)]
pub(super) struct Element {
    name: &'static str,
    attributes: String,
    content: String,
}

/// Makes an element without attributes and content.
pub(super) fn element(name: &'static str) -> Element {
    Element {
        name,
        attributes: String::new(),
        content: String::new(),
    }
}

/// Makes an element that contains a text.
pub(super) fn text(name: &'static str, text: &str) -> Element {
    element(name).text(text)
}

impl Element {
    pub(super) fn attribute(mut self, name: &'static str, value: &str) -> Self {
        // Writing to a string cannot fail.
        write!(self.attributes, " {name}=\"{}\"", Escaped(value)).ok();
        self
    }

    /// Adds an attribute without a value if the condition holds.
    pub(super) fn flag(mut self, name: &'static str, is_set: bool) -> Self {
        if is_set {
            self.attributes.push(' ');
            self.attributes.push_str(name);
        }
        self
    }

    pub(super) fn class(self, name: &'static str) -> Self {
        self.attribute("class", name)
    }

    /// Appends a text to the content.
    pub(super) fn text(mut self, text: &str) -> Self {
        // Writing to a string cannot fail.
        write!(self.content, "{}", Escaped(text)).ok();
        self
    }

    /// Appends an element to the content.
    pub(super) fn child(mut self, child: impl Into<Html>) -> Self {
        self.content.push_str(&child.into().0);
        self
    }

    /// Appends an element to the content, if there is one.
    pub(super) fn maybe<T: Into<Html>>(self, child: Option<T>) -> Self {
        match child {
            Some(child) => self.child(child),
            None => self,
        }
    }
}

impl From<Element> for Html {
    fn from(element: Element) -> Self {
        let Element {
            name,
            attributes,
            content,
        } = element;
        if VOID.contains(&name) {
            return Self(format!("<{name}{attributes}>"));
        }
        Self(format!("<{name}{attributes}>{content}</{name}>"))
    }
}

#[cfg(test)]
mod tests {
    use super::{Html, element, text};

    #[test]
    fn no_text_and_no_value_becomes_markup() {
        let hostile = "\"><script>alert('x')</script>&amp;";
        let html: Html = element("p")
            .attribute("title", hostile)
            .flag("hidden", true)
            .flag("inert", false)
            .text(hostile)
            .child(element("input").attribute("value", hostile))
            .maybe(None::<Html>)
            .into();
        let escaped = "&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;amp;";
        assert_eq!(
            html.as_str(),
            format!("<p title=\"{escaped}\" hidden>{escaped}<input value=\"{escaped}\"></p>")
        );
    }

    #[test]
    fn elements_are_joined_in_order() {
        let html: Html = ["a", "b"].into_iter().map(|it| text("li", it)).collect();
        assert_eq!(html.as_str(), "<li>a</li><li>b</li>");
    }
}
