//! Anchors of headings, and the table of contents.

use std::collections::{HashMap, HashSet};

use super::TocEntry;

#[derive(Debug, Default)]
pub(super) struct Headings {
    toc: Vec<TocEntry>,
    taken: HashSet<String>,
    /// How often each anchor was wanted again.
    wanted: HashMap<String, usize>,
    open: Option<Open>,
}

#[derive(Debug)]
struct Open {
    level: usize,
    /// Where the start tag will stand.
    place: usize,
    text: String,
}

impl Headings {
    pub(super) fn open(&mut self, level: usize, place: usize) {
        self.open = Some(Open {
            level,
            place,
            text: String::new(),
        });
    }

    /// Takes words that stand in the open heading, if one is open.
    pub(super) fn add_text(&mut self, text: &str) {
        if let Some(open) = &mut self.open {
            open.text.push_str(text);
        }
    }

    /// Where the start tag belongs, the start tag, and the end.
    pub(super) fn close(&mut self) -> Option<(usize, String, String)> {
        let Open { level, place, text } = self.open.take()?;
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let id = self.anchor(&text);
        let start = format!("\n<h{level} id=\"{id}\">");
        let end =
            format!(" <a class=\"anchor\" href=\"#{id}\" aria-hidden=\"true\"></a></h{level}>\n");
        self.toc.push(TocEntry {
            level: u8::try_from(level).unwrap_or(6),
            id,
            text,
        });
        Some((place, start, end))
    }

    pub(super) fn into_toc(self) -> Vec<TocEntry> {
        self.toc
    }

    /// The anchor that GitHub would give: small letters, digits, hyphens, and a number when it is
    /// taken.
    fn anchor(&mut self, text: &str) -> String {
        let mut base = String::with_capacity(text.len());
        for letter in text.trim().chars().flat_map(char::to_lowercase) {
            match letter {
                ' ' => base.push('-'),
                '-' | '_' => base.push(letter),
                letter if letter.is_alphanumeric() => base.push(letter),
                _ => {}
            }
        }
        if base.is_empty() {
            base.push_str("section");
        }
        let mut id = base.clone();
        while !self.taken.insert(id.clone()) {
            let wanted = self.wanted.entry(base.clone()).or_insert(0);
            *wanted += 1;
            id = format!("{base}-{wanted}");
        }
        id
    }
}
