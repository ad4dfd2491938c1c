//! Footnotes: numbered in the order of their first reference and listed at the end.

use std::collections::HashMap;

use pulldown_cmark::{CowStr, Event};

#[derive(Debug, Default)]
pub(super) struct Footnotes<'s> {
    /// The names in the order of their first reference, with the number of references.
    order: Vec<(String, usize)>,
    numbers: HashMap<String, usize>,
    definitions: HashMap<String, Vec<Event<'s>>>,
    /// Definitions that are being written, with the output before them.
    open: Vec<(String, Vec<Event<'s>>)>,
}

impl<'s> Footnotes<'s> {
    /// Returns the HTML of a reference.
    pub(super) fn reference(&mut self, name: &str) -> String {
        let order = &mut self.order;
        let number = *self.numbers.entry(name.to_owned()).or_insert_with(|| {
            order.push((name.to_owned(), 0));
            order.len()
        });
        let Some((_, references)) = order.get_mut(number - 1) else {
            return String::new();
        };
        *references += 1;
        let again = match *references {
            1 => String::new(),
            reference => format!("-{reference}"),
        };
        format!(
            "<sup class=\"footnote-reference\">\
             <a href=\"#fn-{number}\" id=\"fnref-{number}{again}\">{number}</a></sup>"
        )
    }

    /// Begins a definition. The output so far is returned when it is closed.
    pub(super) fn open(&mut self, name: CowStr<'s>, before: Vec<Event<'s>>) {
        self.open.push((name.into_string(), before));
    }

    /// Ends a definition and returns the output before it.
    pub(super) fn close(&mut self, inside: Vec<Event<'s>>) -> Vec<Event<'s>> {
        let Some((name, before)) = self.open.pop() else {
            return inside;
        };
        self.definitions.entry(name).or_insert(inside);
        before
    }

    /// Appends the list of the footnotes that were referenced.
    pub(super) fn append_to(mut self, out: &mut Vec<Event<'s>>) {
        if self.order.is_empty() {
            return;
        }
        out.push(Event::Html(
            "\n<section class=\"footnotes\">\n<ol>\n".into(),
        ));
        for (index, (name, _)) in self.order.iter().enumerate() {
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
