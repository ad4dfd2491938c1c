//! A captured mail.

use mail_parser::{Header, HeaderValue, MessageParser, MessagePart, MimeHeaders, PartType};
use url::Url;

/// A captured mail, decoded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mail {
    /// Its number in the sink, from 1.
    pub number: u64,
    /// The name in the client's `EHLO` or `HELO`.
    pub hello: String,
    /// Whether the client was authenticated.
    pub is_authenticated: bool,
    /// The sender's address in the envelope.
    pub sender: String,
    /// The recipients' addresses in the envelope.
    pub recipients: Vec<String>,
    /// Names and decoded values, in order.
    pub headers: Vec<(String, String)>,
    /// The first plain-text part; empty if there is none.
    pub text: String,
    /// The first HTML part; empty if there is none.
    pub html: String,
    /// The message as it was received, with its headers.
    pub source: String,
}

impl Mail {
    /// Parses a message. Parts that are broken are decoded as far as possible.
    pub(super) fn parse(raw: &str) -> Self {
        let parser = MessageParser::new()
            .with_mime_headers()
            .default_header_text();
        let source = raw.to_owned();
        let Some(message) = parser.parse(raw) else {
            return Self {
                source,
                ..Self::default()
            };
        };
        let headers = message.headers().iter();
        let first = |decode: fn(&MessagePart<'_>) -> Option<String>| {
            message.parts.iter().find_map(decode).unwrap_or_default()
        };
        Self {
            headers: headers
                .map(|header| (header.name().to_owned(), header_text(header, raw)))
                .collect(),
            text: first(plain_text),
            html: first(html),
            source,
            ..Self::default()
        }
    }

    /// Returns the value of the first header with this name, in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(other, _)| other.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// Returns the subject; empty if there is none.
    pub fn subject(&self) -> &str {
        self.header("Subject").unwrap_or_default()
    }

    /// Whether the envelope names this recipient.
    pub fn is_to(&self, address: &str) -> bool {
        self.recipients
            .iter()
            .any(|recipient| recipient.eq_ignore_ascii_case(address))
    }

    /// Returns the one-time code: the first number of 6 to 10 digits that is not part of a URL.
    pub fn code(&self) -> Option<&str> {
        first_code(&self.text)
            .or_else(|| visible_parts(&self.html).find_map(first_code))
            .or_else(|| first_code(self.subject()))
    }

    /// Returns the link to follow: the first URL with a `token` or a `token_hash` in its query.
    pub fn link(&self) -> Option<Url> {
        let html = self.html.replace("&amp;", "&").replace("&#38;", "&");
        links(&self.text).chain(links(&html)).find(|link| {
            link.query_pairs()
                .any(|(name, _)| matches!(&*name, "token" | "token_hash"))
        })
    }
}

/// Returns a header's decoded text, or the unfolded raw text of a header that the parser takes apart.
fn header_text(header: &Header<'_>, raw: &str) -> String {
    if let HeaderValue::Text(text) = &header.value {
        return text.trim().to_owned();
    }
    let [start, end] = [header.offset_start, header.offset_end]
        .map(|offset| usize::try_from(offset).unwrap_or(usize::MAX));
    let lines = raw.get(start..end).unwrap_or_default().lines();
    let unfolded: Vec<&str> = lines.map(str::trim).collect();
    unfolded.join(" ").trim().to_owned()
}

fn plain_text(part: &MessagePart<'_>) -> Option<String> {
    let is_plain = || {
        let content_type = part.content_type();
        content_type.is_none_or(|kind| kind.subtype() == Some("plain"))
    };
    match &part.body {
        PartType::Text(text) if is_plain() => Some(text.replace("\r\n", "\n")),
        _ => None,
    }
}

fn html(part: &MessagePart<'_>) -> Option<String> {
    match &part.body {
        PartType::Html(html) => Some(html.replace("\r\n", "\n")),
        _ => None,
    }
}

/// Returns the parts of HTML that a reader sees: neither tags nor style sheets.
fn visible_parts(html: &str) -> impl Iterator<Item = &str> {
    html.split("</style>")
        .filter_map(|part| part.split("<style").next())
        .flat_map(|part| part.split('<'))
        .map(|part| part.split_once('>').map_or(part, |(_tag, text)| text))
}

fn first_code(text: &str) -> Option<&str> {
    text.split(|character: char| character.is_whitespace() || "<>".contains(character))
        .filter(|word| !word.contains("://"))
        .map(|word| word.trim_matches(|character: char| character.is_ascii_punctuation()))
        .find(|word| {
            (6..=10).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_digit())
        })
}

fn links(text: &str) -> impl Iterator<Item = Url> {
    text.split(|character: char| character.is_whitespace() || "\"'<>".contains(character))
        .filter(|word| word.starts_with("http://") || word.starts_with("https://"))
        .filter_map(|word| Url::parse(word).ok())
}
