//! Limits for the steps after the parser, some of which are slow on hostile input.

use pulldown_cmark::{Event, Tag};

/// How deep blocks and emphasis may be nested.
const MAX_DEPTH: usize = 100;
/// How many table cells an article may have.
const MAX_CELLS: usize = 20_000;
/// The sanitizer searches all open tags for each block that follows, so their product is the cost.
const TAGS_TIMES_BLOCKS: usize = 4_000_000;

/// The sanitizer copies the whole text for each escaped character in it, so their product is the cost.
const ESCAPES_TIMES_LENGTH: usize = 4_000_000_000;

/// Counts what makes a source expensive to render.
#[derive(Debug, Default)]
pub(super) struct ComplexityLimits {
    depth: usize,
    cells: usize,
    blocks: usize,
    raw_tags: usize,
}

impl ComplexityLimits {
    /// Counts an event; returns an error if there are too many.
    pub(super) fn count(&mut self, event: &Event<'_>) -> Result<(), String> {
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
        if self.depth > MAX_DEPTH {
            return Err(format!("nested deeper than {MAX_DEPTH} levels"));
        }
        if self.cells > MAX_CELLS {
            return Err(format!("more than {MAX_CELLS} table cells"));
        }
        Ok(())
    }

    /// Checks the totals at the end of the source.
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

/// Tells whether the texts of HTML take too long to sanitise.
pub(super) fn has_costly_text(html: &str) -> bool {
    let cost = |text: &str| {
        let escapes = text.bytes().filter(|byte| *byte == b'&').count();
        escapes.saturating_mul(text.len())
    };
    let costs = html.split(['<', '>']).map(cost);
    costs.fold(0, usize::saturating_add) > ESCAPES_TIMES_LENGTH
}
