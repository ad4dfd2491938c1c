//! Anchors of headings, and the table of contents.

use std::collections::{HashMap, HashSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A heading in the table of contents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TocEntry {
    /// The level, from 1 to 6.
    #[schemars(range(min = 1, max = 6))]
    pub level: u8,
    /// The anchor in the HTML.
    pub id: String,
    /// The text of the heading.
    pub text: String,
}

/// Assigns anchors to headings and collects the table of contents.
#[derive(Debug, Default)]
pub(super) struct HeadingAnchors {
    toc: Vec<TocEntry>,
    taken: HashSet<String>,
    /// How many suffixes each anchor has been tried with.
    suffixes: HashMap<String, usize>,
    open: Option<OpenHeading>,
}

#[derive(Debug)]
struct OpenHeading {
    level: usize,
    /// The position of the start tag in the output.
    position: usize,
    text: String,
}

impl HeadingAnchors {
    pub(super) fn open(&mut self, level: usize, position: usize) {
        self.open = Some(OpenHeading {
            level,
            position,
            text: String::new(),
        });
    }

    /// Adds text to the open heading, if there is one.
    pub(super) fn add_text(&mut self, text: &str) {
        if let Some(open) = &mut self.open {
            open.text.push_str(text);
        }
    }

    /// Ends the heading; returns the position of its start tag, the start tag, and the end tag.
    pub(super) fn close(&mut self) -> Option<(usize, String, String)> {
        let OpenHeading {
            level,
            position,
            text,
        } = self.open.take()?;
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let id = self.anchor(&text);
        let start = format!("\n<h{level} id=\"{id}\">");
        // It has no text, so it is for the mouse only: neither read aloud nor reached by keyboard.
        let end = format!(
            " <a class=\"anchor\" href=\"#{id}\" aria-hidden=\"true\" tabindex=\"-1\"></a></h{level}>\n"
        );
        self.toc.push(TocEntry {
            level: u8::try_from(level).unwrap_or(6),
            id,
            text,
        });
        Some((position, start, end))
    }

    pub(super) fn into_toc(self) -> Vec<TocEntry> {
        self.toc
    }

    /// Returns the anchor that GitHub would use: lower case letters, digits, hyphens, and a number if it is
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
            let suffix = self.suffixes.entry(base.clone()).or_insert(0);
            *suffix += 1;
            id = format!("{base}-{suffix}");
        }
        id
    }
}
