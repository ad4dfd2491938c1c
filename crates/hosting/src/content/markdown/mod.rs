//! Markdown to HTML that may be shown on any page: GitHub's extensions, anchors, highlighted code,
//! sanitised.

mod autolink;
mod footnotes;
mod headings;
mod highlight;
mod limits;
mod sanitize;
mod walk;

use pulldown_cmark::{Event, Options, Parser, html};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::problem::{Fault, line_at};

/// Changes whenever the same source gives other HTML, so that nothing old is taken from the cache.
pub(crate) const RENDERER: u32 = 1;

/// The largest file that is taken.
pub(crate) const LARGEST_SOURCE: usize = 512 * 1024;
/// The most HTML that an article may become.
const LARGEST_HTML: usize = 4 * 1024 * 1024;

/// A heading in the table of contents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TocEntry {
    /// From 1 to 6.
    #[schemars(range(min = 1, max = 6))]
    pub level: u8,
    /// The anchor in the HTML.
    pub id: String,
    /// The words.
    pub text: String,
}

/// What an article's source becomes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rendered {
    pub(crate) html: String,
    pub(crate) toc: Vec<TocEntry>,
    pub(crate) words: usize,
}

fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_GFM
}

/// Renders a source. A source that would cost too much is a fault with its line in the source.
pub(crate) fn render(source: &str) -> Result<Rendered, Fault> {
    let events = Parser::new_ext(source, options()).into_offset_iter();
    let walked = walk::walk(events)
        .map_err(|(offset, message)| Fault::new(line_at(source, offset), message))?;
    let mut raw = String::with_capacity(source.len() * 2);
    html::push_html(&mut raw, walked.events.into_iter());
    let too_large = || {
        Fault::new(
            1,
            format!("more than {LARGEST_HTML} bytes of HTML come of it"),
        )
    };
    if raw.len() > LARGEST_HTML {
        return Err(too_large());
    }
    if limits::has_costly_text(&raw) {
        let message = "too many of `&`, `<` and `>` in one piece of text";
        return Err(Fault::new(1, message));
    }
    let html = sanitize::clean(&raw);
    if html.len() > LARGEST_HTML {
        return Err(too_large());
    }
    Ok(Rendered {
        html,
        toc: walked.toc,
        words: walked.words,
    })
}

/// The words of a source, for the search.
pub(crate) fn plain_text(source: &str) -> String {
    let mut text = String::with_capacity(source.len());
    for event in Parser::new_ext(source, options()) {
        match event {
            Event::Text(words) | Event::Code(words) => text.push_str(&words),
            Event::SoftBreak | Event::HardBreak | Event::End(_) => text.push(' '),
            _ => {}
        }
    }
    text
}

/// Gives back the memory of the grammars, until code is to be coloured again.
pub(crate) fn forget_grammars() {
    highlight::forget_grammars();
}

#[cfg(test)]
mod tests;
