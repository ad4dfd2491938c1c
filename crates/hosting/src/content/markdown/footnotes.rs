//! Footnotes: numbered in the order of their first mention and listed at the end.

use std::collections::HashMap;

use pulldown_cmark::{CowStr, Event};

#[derive(Debug, Default)]
pub(super) struct Footnotes<'s> {
    /// The names in the order of their first mention, with the number of mentions.
    mentioned: Vec<(String, usize)>,
    numbers: HashMap<String, usize>,
    definitions: HashMap<String, Vec<Event<'s>>>,
    /// Definitions that are open, with what was written before them.
    open: Vec<(String, Vec<Event<'s>>)>,
}

impl<'s> Footnotes<'s> {
    /// The HTML of a mention.
    pub(super) fn reference(&mut self, name: &str) -> String {
        let mentioned = &mut self.mentioned;
        let number = *self.numbers.entry(name.to_owned()).or_insert_with(|| {
            mentioned.push((name.to_owned(), 0));
            mentioned.len()
        });
        let Some((_, mentions)) = mentioned.get_mut(number - 1) else {
            return String::new();
        };
        *mentions += 1;
        let again = match *mentions {
            1 => String::new(),
            mention => format!("-{mention}"),
        };
        format!(
            "<sup class=\"footnote-reference\">\
             <a href=\"#fn-{number}\" id=\"fnref-{number}{again}\">{number}</a></sup>"
        )
    }

    /// Begins a definition. What was written so far comes back when it is closed.
    pub(super) fn open(&mut self, name: CowStr<'s>, before: Vec<Event<'s>>) {
        self.open.push((name.into_string(), before));
    }

    /// Ends a definition.
    pub(super) fn close(&mut self, inside: Vec<Event<'s>>) -> Vec<Event<'s>> {
        let Some((name, before)) = self.open.pop() else {
            return inside;
        };
        self.definitions.entry(name).or_insert(inside);
        before
    }

    /// Adds the list of those that were mentioned.
    pub(super) fn append_to(mut self, out: &mut Vec<Event<'s>>) {
        if self.mentioned.is_empty() {
            return;
        }
        out.push(Event::Html(
            "\n<section class=\"footnotes\">\n<ol>\n".into(),
        ));
        for (index, (name, _)) in self.mentioned.iter().enumerate() {
            let number = index + 1;
            out.push(Event::Html(format!("<li id=\"fn-{number}\">").into()));
            out.extend(self.definitions.remove(name).unwrap_or_default());
            out.push(Event::Html(
                format!("<a class=\"footnote-backref\" href=\"#fnref-{number}\">↩</a></li>\n")
                    .into(),
            ));
        }
        out.push(Event::Html("</ol>\n</section>\n".into()));
    }
}
