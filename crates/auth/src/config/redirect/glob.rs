//! The patterns of `URI_ALLOW_LIST`: `*` and `?` stop at `.` and `/`, `**` does not, `[…]` is one
//! character of a set, `{a,b}` is one of several alternatives.

use std::iter::Peekable;
use std::str::Chars;

use regex::{Regex, RegexBuilder};

use super::candidate::{Candidate, FORBIDDEN_SCHEMES};
use crate::config::Profile;

/// The most bytes that a compiled pattern may take.
const SIZE_LIMIT: usize = 1 << 20;

/// One compiled entry of the allow list.
#[derive(Debug)]
pub(super) struct Glob {
    regex: Regex,
    /// The scheme, if the pattern spells it out. Schemes of apps must be spelled out to match.
    scheme: Option<String>,
}

impl Glob {
    /// Compiles a pattern. The error is a reason for people to read.
    pub(super) fn new(pattern: &str, profile: Profile) -> Result<Self, String> {
        let scheme = scheme(pattern);
        if let Some(scheme) = scheme
            .as_deref()
            .filter(|name| FORBIDDEN_SCHEMES.contains(name))
        {
            return Err(format!("`{scheme}:` addresses are never allowed"));
        }
        let mut compiler = Compiler {
            rest: pattern.chars().peekable(),
            regex: String::from(r"\A(?s:"),
            region: Region::Host,
            confines_host_wildcards: profile == Profile::Std,
        };
        compiler.sequence(0)?;
        compiler.regex.push_str(r")\z");
        let regex = RegexBuilder::new(&compiler.regex)
            .size_limit(SIZE_LIMIT)
            .build()
            .map_err(|_| "is too large or has an empty range".to_owned())?;
        Ok(Self { regex, scheme })
    }

    pub(super) fn matches(&self, candidate: &Candidate<'_>) -> bool {
        let scheme_is_allowed =
            candidate.is_web || self.scheme.as_deref() == Some(candidate.url.scheme());
        scheme_is_allowed && self.regex.is_match(candidate.text)
    }
}

/// Returns the text before the colon, if it is a scheme without wildcards.
fn scheme(pattern: &str) -> Option<String> {
    let (scheme, _) = pattern.split_once(':')?;
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+.-".contains(&byte));
    is_scheme.then(|| scheme.to_ascii_lowercase())
}

/// The part of the address that the compiler has reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Region {
    /// Scheme, host and port.
    Host,
    /// Path and query.
    Path,
}

/// Translates a pattern into a regular expression.
struct Compiler<'a> {
    rest: Peekable<Chars<'a>>,
    regex: String,
    region: Region,
    /// A wildcard in the host does not match beyond the host. Otherwise `https://**.site/**` would
    /// allow `https://evil/.site/`.
    confines_host_wildcards: bool,
}

impl Compiler<'_> {
    /// Compiles pattern characters up to the end, or up to the `,` or `}` of the braces around them.
    fn sequence(&mut self, depth: u32) -> Result<(), String> {
        let mut before = ['\0'; 2];
        while let Some(&next) = self.rest.peek() {
            if depth > 0 && matches!(next, ',' | '}') {
                return Ok(());
            }
            self.rest.next();
            match next {
                '*' => self.star(),
                '?' => self.any(r"./", ""),
                '[' => self.class()?,
                '{' => self.braces(depth)?,
                '\\' => {
                    let escaped = self.rest.next().ok_or("ends in a backslash")?;
                    self.literal(escaped);
                }
                '/' => {
                    // The slashes of `://` do not end the host.
                    if before[1] != ':' && before != [':', '/'] {
                        self.region = Region::Path;
                    }
                    self.literal('/');
                }
                other => self.literal(other),
            }
            before = [before[1], next];
        }
        if depth > 0 {
            return Err("has a `{` without its `}`".to_owned());
        }
        Ok(())
    }

    fn star(&mut self) {
        if self.rest.next_if_eq(&'*').is_some() {
            self.any("", "*");
        } else {
            self.any("./", "*");
        }
    }

    /// Adds a wildcard for any character except the separators and, where wildcards are confined to the
    /// host, except the characters that end a host.
    fn any(&mut self, separators: &str, repetition: &str) {
        let is_last = self.rest.peek().is_none();
        let stays_in_host = self.confines_host_wildcards && self.region == Region::Host && !is_last;
        let host_ends = if stays_in_host { "/?#@" } else { "" };
        if separators.is_empty() && host_ends.is_empty() {
            self.regex.push('.');
        } else {
            self.regex.push_str("[^");
            self.regex.push_str(separators);
            self.regex.push_str(host_ends);
            self.regex.push(']');
        }
        self.regex.push_str(repetition);
    }

    /// Compiles a class: `[abc]`, `[a-z]`, or negated with `!` or `^`.
    fn class(&mut self) -> Result<(), String> {
        let negated = self
            .rest
            .next_if(|next| matches!(next, '!' | '^'))
            .is_some();
        let mut set = String::new();
        loop {
            let first = self.class_character()?;
            let Some(first) = first else { break };
            set.push_str(&escape_in_class(first));
            if self.rest.next_if_eq(&'-').is_some() {
                set.push('-');
                let last = self
                    .class_character()?
                    .ok_or("has a range without an end")?;
                set.push_str(&escape_in_class(last));
            }
        }
        if set.is_empty() {
            return Err("has an empty `[]`".to_owned());
        }
        if negated && self.confines_host_wildcards && self.region == Region::Host {
            set.push_str("/?#@");
        }
        self.regex.push_str(if negated { "[^" } else { "[" });
        self.regex.push_str(&set);
        self.regex.push(']');
        Ok(())
    }

    /// Returns the next character of a class, or `None` at its `]`.
    fn class_character(&mut self) -> Result<Option<char>, String> {
        match self.rest.next().ok_or("has a `[` without its `]`")? {
            ']' => Ok(None),
            '\\' => Ok(Some(self.rest.next().ok_or("ends in a backslash")?)),
            other => Ok(Some(other)),
        }
    }

    /// Compiles `{a,b}`. Each alternative starts in the region of the opening brace.
    fn braces(&mut self, depth: u32) -> Result<(), String> {
        if depth == 8 {
            return Err("nests braces too deep".to_owned());
        }
        let start = self.region;
        let mut end = Region::Path;
        self.regex.push_str("(?:");
        loop {
            self.region = start;
            self.sequence(depth + 1)?;
            if self.region == Region::Host {
                end = Region::Host;
            }
            if self.rest.next() == Some('}') {
                break;
            }
            self.regex.push('|');
        }
        self.regex.push(')');
        self.region = end;
        Ok(())
    }

    fn literal(&mut self, character: char) {
        self.regex
            .push_str(&regex::escape(character.encode_utf8(&mut [0; 4])));
    }
}

/// Escapes a character for the class of a regular expression.
fn escape_in_class(character: char) -> String {
    if character.is_ascii_punctuation() {
        format!("\\{character}")
    } else {
        character.to_string()
    }
}
