//! A mail as a person sees it.

use url::Url;

use super::mime;

/// A mail that came in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mail {
    /// Its number in the sink, from 1.
    pub number: u64,
    /// How the client introduced itself.
    pub hello: String,
    /// Whether the client had signed in.
    pub is_authenticated: bool,
    /// The address it came from, of the envelope.
    pub sender: String,
    /// The addresses it goes to, of the envelope.
    pub recipients: Vec<String>,
    /// Names and decoded values, in order.
    pub headers: Vec<(String, String)>,
    /// The plain text, empty if there is none.
    pub text: String,
    /// The HTML, empty if there is none.
    pub html: String,
}

impl Mail {
    /// Takes a message apart. Whatever is broken is read as far as it goes.
    pub(super) fn read(raw: &str) -> Self {
        let mut mail = Self::default();
        let (headers, body) = mime::split(raw);
        mime::collect(&headers, body, &mut mail.text, &mut mail.html);
        mail.headers = headers;
        mail
    }

    /// The first header of that name.
    pub fn header(&self, name: &str) -> Option<&str> {
        mime::header(&self.headers, name)
    }

    /// The subject, empty if there is none.
    pub fn subject(&self) -> &str {
        self.header("Subject").unwrap_or_default()
    }

    /// Whether it goes to this address, by the envelope.
    pub fn is_to(&self, address: &str) -> bool {
        self.recipients
            .iter()
            .any(|recipient| recipient.eq_ignore_ascii_case(address))
    }

    /// The one-time code: the first number of 6 to 10 digits that is not part of an address.
    pub fn code(&self) -> Option<&str> {
        [&self.text, &self.html, self.subject()]
            .into_iter()
            .find_map(|text| first_code(text))
    }

    /// The link to follow: the first address with a `token` or a `token_hash`.
    pub fn link(&self) -> Option<Url> {
        let html = self.html.replace("&amp;", "&").replace("&#38;", "&");
        links(&self.text).chain(links(&html)).find(|link| {
            link.query_pairs()
                .any(|(name, _)| matches!(&*name, "token" | "token_hash"))
        })
    }
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
