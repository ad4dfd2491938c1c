//! Renders Markdown to HTML that is safe on any page: GitHub's extensions, heading anchors, highlighted
//! code, sanitised.

mod autolink;
mod complexity;
mod footnotes;
mod headings;
mod highlight;
mod rewrite;
mod sanitize;

use pulldown_cmark::{Event, Options, Parser, html};

pub use headings::TocEntry;

use crate::base::parse::{Fault, line_at};

/// The version of the renderer. Increment it when the same source renders to other HTML: it is part of the
/// key of the render cache.
pub(crate) const RENDERER: u32 = 2;

/// The largest file of an article, in bytes.
pub(crate) const LARGEST_SOURCE: usize = 512 * 1024;
/// The largest HTML of an article, in bytes.
const LARGEST_HTML: usize = 4 * 1024 * 1024;

/// A rendered article.
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

/// Renders a source. A source that is too expensive to render is a fault.
pub(crate) fn render(source: &str) -> Result<Rendered, Fault> {
    let events = Parser::new_ext(source, options()).into_offset_iter();
    let rewritten = rewrite::rewrite(events)
        .map_err(|(offset, message)| Fault::new(line_at(source, offset), message))?;
    let mut raw = String::with_capacity(source.len() * 2);
    html::push_html(&mut raw, rewritten.events.into_iter());
    let too_large = || {
        Fault::new(
            1,
            format!("renders to more than {LARGEST_HTML} bytes of HTML"),
        )
    };
    if raw.len() > LARGEST_HTML {
        return Err(too_large());
    }
    if complexity::has_costly_text(&raw) {
        let message = "too many of `&`, `<` and `>` in one piece of text";
        return Err(Fault::new(1, message));
    }
    let html = sanitize::clean(&raw);
    if html.len() > LARGEST_HTML {
        return Err(too_large());
    }
    Ok(Rendered {
        html,
        toc: rewritten.toc,
        words: rewritten.words,
    })
}

/// Returns the text of a source without markup, for the search index.
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

/// Frees the memory of the grammars until code is highlighted again.
pub(crate) fn forget_grammars() {
    highlight::forget_grammars();
}

#[cfg(test)]
mod tests;
