//! What a source may ask of the steps after the parser, some of which are slow on hostile input.

use pulldown_cmark::{Event, Tag};

/// How deep blocks and emphasis may stand in each other.
const DEEPEST: usize = 100;
/// How many table cells an article may have.
const CELLS: usize = 20_000;
/// Open tags are looked through for each block that follows, so their product is what costs.
const TAGS_TIMES_BLOCKS: usize = 4_000_000;

/// Each escaped character costs a copy of the piece of text it stands in, so their product is what
/// costs.
const ESCAPES_TIMES_LENGTH: usize = 4_000_000_000;

#[derive(Debug, Default)]
pub(super) struct Limits {
    depth: usize,
    cells: usize,
    blocks: usize,
    raw_tags: usize,
}

impl Limits {
    /// Counts an event, or says what is too much.
    pub(super) fn see(&mut self, event: &Event<'_>) -> Result<(), String> {
        match event {
            Event::Start(tag) => {
                self.depth += 1;
                self.blocks += 1;
                self.cells += usize::from(*tag == Tag::TableCell);
            }
            Event::End(_) => self.depth = self.depth.saturating_sub(1),
            Event::Html(html) | Event::InlineHtml(html) => self.raw_tags += tags_in(html),
            _ => {}
        }
        if self.depth > DEEPEST {
            return Err(format!("nested deeper than {DEEPEST} levels"));
        }
        if self.cells > CELLS {
            return Err(format!("more than {CELLS} table cells"));
        }
        Ok(())
    }

    /// Looks at the whole.
    pub(super) fn finish(&self) -> Result<(), String> {
        if self.raw_tags.saturating_mul(self.blocks + self.raw_tags) > TAGS_TIMES_BLOCKS {
            return Err(format!("too much raw HTML: {} tags", self.raw_tags));
        }
        Ok(())
    }
}

fn tags_in(html: &str) -> usize {
    html.bytes().filter(|byte| *byte == b'<').count()
}

/// Whether HTML has a piece of text that takes too long to sanitise.
pub(super) fn has_costly_text(html: &str) -> bool {
    let cost = |text: &str| {
        let escapes = text.bytes().filter(|byte| *byte == b'&').count();
        escapes.saturating_mul(text.len())
    };
    let costs = html.split(['<', '>']).map(cost);
    costs.fold(0, usize::saturating_add) > ESCAPES_TIMES_LENGTH
}
