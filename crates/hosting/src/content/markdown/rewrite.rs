//! One pass over the events of a source, which replaces what `pulldown_cmark` would render differently.

use std::ops::Range;

use pulldown_cmark::{
    Alignment, BlockQuoteKind, CodeBlockKind, Event, Tag, TagEnd, TextMergeWithOffset,
};

use super::complexity::ComplexityLimits;
use super::footnotes::Footnotes;
use super::headings::{HeadingAnchors, TocEntry};
use super::{autolink, highlight};

/// The result of the pass.
pub(super) struct RewrittenEvents<'s> {
    pub(super) events: Vec<Event<'s>>,
    pub(super) toc: Vec<TocEntry>,
    pub(super) words: usize,
}

/// An offset in the source, and what is wrong there.
type Refusal = (usize, String);

pub(super) fn rewrite<'s, I>(events: I) -> Result<RewrittenEvents<'s>, Refusal>
where
    I: Iterator<Item = (Event<'s>, Range<usize>)>,
{
    let mut rewriter = EventRewriter::default();
    for (event, range) in TextMergeWithOffset::new(events) {
        rewriter
            .limits
            .count(&event)
            .map_err(|problem| (range.start, problem))?;
        rewriter.event(event);
    }
    rewriter.limits.finish().map_err(|problem| (0, problem))?;
    rewriter.footnotes.append_to(&mut rewriter.out);
    Ok(RewrittenEvents {
        events: rewriter.out,
        toc: rewriter.headings.into_toc(),
        words: rewriter.words,
    })
}

#[derive(Default)]
struct EventRewriter<'s> {
    out: Vec<Event<'s>>,
    limits: ComplexityLimits,
    headings: HeadingAnchors,
    footnotes: Footnotes<'s>,
    /// The code block that is open: its language and text.
    code: Option<(String, String)>,
    table: TableCursor,
    /// How many links and images are open; addresses in them do not become links.
    open_links: usize,
    /// Whether the text of a task is open, which is the label of its check box.
    in_task: bool,
    words: usize,
}

#[derive(Default)]
struct TableCursor {
    alignments: Vec<Alignment>,
    in_head: bool,
    column: usize,
}

impl<'s> EventRewriter<'s> {
    fn event(&mut self, event: Event<'s>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.text(text),
            Event::Code(code) => {
                self.count_words(&code);
                self.headings.add_text(&code);
                self.out.push(Event::Code(code));
            }
            Event::FootnoteReference(name) => {
                let html = self.footnotes.reference(&name);
                self.html(html);
            }
            Event::TaskListMarker(is_done) => {
                let checked = if is_done { " checked=\"\"" } else { "" };
                self.html(format!(
                    "<label><input disabled=\"\" type=\"checkbox\"{checked}/>\n"
                ));
                self.in_task = true;
            }
            Event::Rule => {
                self.close_task();
                self.out.push(event);
            }
            Event::SoftBreak | Event::HardBreak => {
                self.headings.add_text(" ");
                self.out.push(event);
            }
            other => self.out.push(other),
        }
    }

    fn html(&mut self, html: impl Into<String>) {
        self.out.push(Event::Html(html.into().into()));
    }

    fn count_words(&mut self, text: &str) {
        self.words += text.split_whitespace().count();
    }

    fn text(&mut self, text: pulldown_cmark::CowStr<'s>) {
        self.count_words(&text);
        if let Some((_, code)) = &mut self.code {
            code.push_str(&text);
            return;
        }
        self.headings.add_text(&text);
        if self.open_links > 0 {
            self.out.push(Event::Text(text));
        } else {
            autolink::push(text, &mut self.out);
        }
    }

    /// Ends the label of a check box: at the end of its paragraph or item, or before a block inside the item.
    fn close_task(&mut self) {
        if std::mem::take(&mut self.in_task) {
            self.html("</label>");
        }
    }

    fn start(&mut self, tag: Tag<'s>) {
        if !is_inline(&tag) {
            self.close_task();
        }
        match tag {
            Tag::Heading { level, .. } => {
                self.headings.open(level as usize, self.out.len());
                // A placeholder: the start tag is known when the heading ends.
                self.html("");
            }
            Tag::BlockQuote(Some(kind)) => self.html(alert(kind)),
            Tag::CodeBlock(kind) => {
                let language = match kind {
                    CodeBlockKind::Fenced(info) => highlight::language(&info).to_owned(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((language, String::new()));
            }
            Tag::FootnoteDefinition(name) => {
                let before = std::mem::take(&mut self.out);
                self.footnotes.open(name, before);
            }
            Tag::Table(alignments) => {
                self.table.alignments.clone_from(&alignments);
                self.out.push(Event::Start(Tag::Table(alignments)));
            }
            Tag::TableHead | Tag::TableRow => {
                self.table.in_head = tag == Tag::TableHead;
                self.table.column = 0;
                self.out.push(Event::Start(tag));
            }
            Tag::TableCell => {
                let cell = self.table.open_cell();
                self.html(cell);
            }
            Tag::Link { .. } | Tag::Image { .. } => {
                self.open_links += 1;
                self.out.push(Event::Start(tag));
            }
            other => self.out.push(Event::Start(other)),
        }
    }

    fn end(&mut self, tag: TagEnd) {
        if matches!(tag, TagEnd::Item | TagEnd::Paragraph) {
            self.close_task();
        }
        match tag {
            TagEnd::Heading(_) => {
                if let Some((position, open, close)) = self.headings.close() {
                    if let Some(event) = self.out.get_mut(position) {
                        *event = Event::Html(open.into());
                    }
                    self.html(close);
                }
            }
            TagEnd::BlockQuote(Some(_)) => self.html("</div>\n"),
            TagEnd::CodeBlock => {
                if let Some((language, code)) = self.code.take() {
                    self.html(highlight::block(&language, &code));
                }
            }
            TagEnd::FootnoteDefinition => {
                let inside = std::mem::take(&mut self.out);
                self.out = self.footnotes.close(inside);
            }
            TagEnd::TableCell => {
                let end = if self.table.in_head { "</th>" } else { "</td>" };
                self.table.column += 1;
                self.html(end);
            }
            TagEnd::Link | TagEnd::Image => {
                self.open_links = self.open_links.saturating_sub(1);
                self.out.push(Event::End(tag));
            }
            other => self.out.push(Event::End(other)),
        }
    }
}

/// Tells whether an element is part of a line of text.
fn is_inline(tag: &Tag<'_>) -> bool {
    matches!(
        tag,
        Tag::Emphasis
            | Tag::Strong
            | Tag::Strikethrough
            | Tag::Superscript
            | Tag::Subscript
            | Tag::Link { .. }
            | Tag::Image { .. }
    )
}

impl TableCursor {
    /// Returns the start tag of the next cell. Alignment is an attribute, because pages may forbid inline
    /// styles.
    fn open_cell(&self) -> String {
        let name = if self.in_head { "th" } else { "td" };
        let align = match self.alignments.get(self.column) {
            Some(Alignment::Left) => " align=\"left\"",
            Some(Alignment::Center) => " align=\"center\"",
            Some(Alignment::Right) => " align=\"right\"",
            Some(Alignment::None) | None => "",
        };
        format!("<{name}{align}>")
    }
}

/// Returns the start of an alert such as `> [!NOTE]`.
fn alert(kind: BlockQuoteKind) -> String {
    let (class, title) = match kind {
        BlockQuoteKind::Note => ("note", "Note"),
        BlockQuoteKind::Tip => ("tip", "Tip"),
        BlockQuoteKind::Important => ("important", "Important"),
        BlockQuoteKind::Warning => ("warning", "Warning"),
        BlockQuoteKind::Caution => ("caution", "Caution"),
    };
    format!(
        "\n<div class=\"markdown-alert markdown-alert-{class}\">\n\
         <p class=\"markdown-alert-title\">{title}</p>\n"
    )
}
