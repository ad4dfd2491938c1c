//! Converts an HTML mail to plain text.

/// Elements whose content is not shown.
const HIDDEN: [&str; 6] = ["head", "style", "script", "title", "template", "noscript"];
/// Elements that start and end with a line break.
const BLOCKS: [&str; 21] = [
    "address",
    "article",
    "blockquote",
    "center",
    "dd",
    "div",
    "dl",
    "dt",
    "footer",
    "form",
    "header",
    "main",
    "nav",
    "ol",
    "pre",
    "section",
    "table",
    "tbody",
    "tr",
    "ul",
    "body",
];
/// Elements that start and end with an empty line.
const PARAGRAPHS: [&str; 7] = ["p", "h1", "h2", "h3", "h4", "h5", "h6"];

/// Converts a document. Links are followed by their URLs.
pub(super) fn from_html(html: &str) -> String {
    let mut builder = TextBuilder::default();
    let mut rest = html;
    while let Some((text, after)) = rest.split_once('<') {
        builder.text(text);
        rest = builder.tag(after);
    }
    builder.text(rest);
    builder.finish()
}

#[derive(Default)]
struct TextBuilder {
    out: String,
    /// Line breaks to write before the next word.
    breaks: usize,
    has_space: bool,
    /// The element whose content is skipped.
    hidden: Option<String>,
    /// The URL of the open link, and the offset at which its text begins.
    link: Option<(String, usize)>,
}

impl TextBuilder {
    /// Adds the text between two tags.
    fn text(&mut self, text: &str) {
        if self.hidden.is_some() {
            return;
        }
        let decoded = decode(text);
        let mut has_words = false;
        self.has_space |= decoded.starts_with(char::is_whitespace);
        for word in decoded.split_whitespace() {
            // Some templates are padded with these, so that the preview shows no other text.
            let word: String = word
                .chars()
                .filter(|letter| {
                    !matches!(letter, '\u{200b}'..='\u{200d}' | '\u{feff}' | '\u{34f}')
                })
                .collect();
            if !word.is_empty() {
                self.word(&word);
                self.has_space = true;
                has_words = true;
            }
        }
        if has_words {
            self.has_space = decoded.ends_with(char::is_whitespace);
        }
    }

    fn word(&mut self, word: &str) {
        if !self.out.is_empty() {
            if self.breaks > 0 {
                self.out
                    .push_str(if self.breaks > 1 { "\n\n" } else { "\n" });
            } else if self.has_space {
                self.out.push(' ');
            }
        }
        self.breaks = 0;
        self.has_space = false;
        self.out.push_str(word);
    }

    /// Handles a tag after its `<`. Returns the rest of the document.
    fn tag<'h>(&mut self, after: &'h str) -> &'h str {
        if let Some(comment) = after.strip_prefix("!--") {
            return comment.split_once("-->").map_or("", |(_, rest)| rest);
        }
        if !after.starts_with(|letter: char| letter.is_ascii_alphabetic() || "/!?".contains(letter))
        {
            self.text("<");
            return after;
        }
        let end = tag_end(after);
        let tag = after.get(..end).unwrap_or_default();
        let rest = after.get(end + 1..).unwrap_or_default();
        let (is_closing, tag) = match tag.strip_prefix('/') {
            Some(tag) => (true, tag),
            None => (false, tag),
        };
        let name_end = tag
            .find(|letter: char| letter.is_ascii_whitespace() || letter == '/')
            .unwrap_or(tag.len());
        let name = tag.get(..name_end).unwrap_or_default().to_ascii_lowercase();
        self.element(&name, is_closing, tag.get(name_end..).unwrap_or_default());
        rest
    }

    fn element(&mut self, name: &str, is_closing: bool, attributes: &str) {
        if let Some(hidden) = &self.hidden {
            if is_closing && hidden == name {
                self.hidden = None;
            }
            return;
        }
        match name {
            name if HIDDEN.contains(&name) && !is_closing => self.hidden = Some(name.to_owned()),
            "br" => self.breaks += 1,
            "hr" => self.breaks = 2,
            "li" => {
                self.breaks = self.breaks.max(1);
                if !is_closing {
                    self.word("-");
                    self.has_space = true;
                }
            }
            "td" | "th" => self.has_space = true,
            "img" => {
                if let Some(alternative) = attribute(attributes, "alt") {
                    self.text(&format!(" {alternative} "));
                }
            }
            "a" => self.anchor(is_closing, attributes),
            name if PARAGRAPHS.contains(&name) => self.breaks = 2,
            name if BLOCKS.contains(&name) => self.breaks = self.breaks.max(1),
            _ => {}
        }
    }

    fn anchor(&mut self, is_closing: bool, attributes: &str) {
        let open = self.link.take();
        if !is_closing {
            self.link = attribute(attributes, "href").map(|address| (address, self.out.len()));
            return;
        }
        let Some((address, start)) = open else {
            return;
        };
        let is_web = address.starts_with("http://") || address.starts_with("https://");
        let label = self.out.get(start..).unwrap_or_default().trim();
        if is_web && label != address {
            if !label.is_empty() {
                self.out.push(':');
            }
            self.has_space = true;
            // A word of its own, so that programs find where the URL ends.
            self.word(&address);
            self.has_space = true;
        }
    }

    fn finish(self) -> String {
        self.out + "\n"
    }
}

/// Returns the offset of the `>` that ends a tag; one in quotes does not.
fn tag_end(after: &str) -> usize {
    let mut quote = None;
    for (at, letter) in after.char_indices() {
        match (quote, letter) {
            (None, '>') => return at,
            (None, '"' | '\'') => quote = Some(letter),
            (Some(open), letter) if open == letter => quote = None,
            _ => {}
        }
    }
    after.len()
}

/// Returns the value of an attribute.
fn attribute(attributes: &str, attribute: &str) -> Option<String> {
    let mut rest = attributes;
    loop {
        rest =
            rest.trim_start_matches(|letter: char| letter.is_ascii_whitespace() || letter == '/');
        if rest.is_empty() {
            return None;
        }
        let name_end = rest
            .find(|letter: char| letter.is_ascii_whitespace() || letter == '=')
            .unwrap_or(rest.len());
        let name = rest.get(..name_end).unwrap_or_default();
        let after = rest.get(name_end..).unwrap_or_default().trim_start();
        let (value, next) = match after.strip_prefix('=') {
            Some(value) => split_value(value.trim_start()),
            None => ("", after),
        };
        if name.eq_ignore_ascii_case(attribute) {
            return Some(decode(value).trim().to_owned());
        }
        // Every round must make the rest shorter.
        rest = if next.len() < rest.len() { next } else { "" };
    }
}

/// Splits an attribute value from the text after it.
fn split_value(text: &str) -> (&str, &str) {
    for quote in ['"', '\''] {
        if let Some(inner) = text.strip_prefix(quote) {
            return inner.split_once(quote).unwrap_or((inner, ""));
        }
    }
    let end = text
        .find(|letter: char| letter.is_ascii_whitespace())
        .unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, ""))
}

/// Replaces entities by their characters.
fn decode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        let end = after.bytes().take(12).position(|byte| byte == b';');
        let decoded = end.and_then(|end| Some((entity(after.get(..end)?)?, end)));
        if let Some((letter, end)) = decoded {
            out.push(letter);
            rest = after.get(end + 1..).unwrap_or_default();
        } else {
            out.push('&');
            rest = after;
        }
    }
    out + rest
}

fn entity(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16),
            None => number.parse(),
        };
        return char::from_u32(code.ok()?);
    }
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => '\u{a0}',
        "copy" => '©',
        "reg" => '®',
        "hellip" => '…',
        "ndash" => '–',
        "mdash" => '—',
        "laquo" => '«',
        "raquo" => '»',
        "ldquo" => '“',
        "rdquo" => '”',
        "lsquo" => '‘',
        "rsquo" => '’',
        "bull" => '•',
        "middot" => '·',
        "rarr" => '→',
        "larr" => '←',
        "euro" => '€',
        "auml" => 'ä',
        "ouml" => 'ö',
        "uuml" => 'ü',
        "Auml" => 'Ä',
        "Ouml" => 'Ö',
        "Uuml" => 'Ü',
        "szlig" => 'ß',
        "eacute" => 'é',
        "zwnj" => '\u{200c}',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::from_html;

    #[test]
    fn html_is_converted_to_text() {
        for (html, text) in [
            (
                "<p>Hello   <b>Ada</b>,</p><p>welcome.</p>",
                "Hello Ada,\n\nwelcome.\n",
            ),
            ("a<br>b<br/>c", "a\nb\nc\n"),
            (
                "<a href=\"https://a.example/?x=1&amp;y=2\">Confirm</a>.",
                "Confirm: https://a.example/?x=1&y=2 .\n",
            ),
            (
                "<a href='https://a.example/'>https://a.example/</a>",
                "https://a.example/\n",
            ),
            (
                "<a href=https://a.example/x>Go</a> on",
                "Go: https://a.example/x on\n",
            ),
            (
                "<a href='https://a.example'><img alt='Logo'></a>",
                "Logo: https://a.example\n",
            ),
            (
                "<a href='mailto:a@b.example'>write</a> <a name=x>there</a>",
                "write there\n",
            ),
            (
                "<ul><li>one</li><li>two</li></ul>end",
                "- one\n- two\nend\n",
            ),
            (
                "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>",
                "a b\nc\n",
            ),
            (
                "<head><title>T</title></head><style>p{}</style><script>x()</script>text<!-- no > -->!",
                "text!\n",
            ),
            (
                "1 &lt; 2 &amp; 3 &gt; 2 &#38; &#x26; &nope; &",
                "1 < 2 & 3 > 2 & & &nope; &\n",
            ),
            ("1 < 2", "1 < 2\n"),
            ("<p title='a>b'>x</p>", "x\n"),
            ("a\u{200c}&zwnj; &nbsp; b", "a b\n"),
            ("", "\n"),
            ("<p", "\n"),
            ("<a href=\"", "\n"),
        ] {
            assert_eq!(from_html(html), text, "{html}");
        }
    }

    proptest! {
        #[test]
        fn no_document_panics(html in "([<>/=&;#'\"a-z \\-!]|<a href=|<li>|\\PC){0,60}") {
            from_html(&html);
        }
    }

    #[test]
    fn large_documents_are_converted_quickly() {
        for piece in [
            "<a href='x'",
            "<a ",
            "&amp",
            "<!--",
            "<p>x",
            "<a href='http://x'>y</a>",
        ] {
            from_html(&piece.repeat(2_000_000 / piece.len()));
        }
    }
}
