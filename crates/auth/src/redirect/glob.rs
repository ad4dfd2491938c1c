//! The patterns of `URI_ALLOW_LIST`: `*` and `?` stop at `.` and `/`, `**` does not, `[…]` is one
//! character of a set, `{a,b}` one of several texts.

use std::iter::Peekable;
use std::str::Chars;

use regex::{Regex, RegexBuilder};

use super::{NEVER, Target};
use crate::config::Profile;

/// A compiled pattern may take this many bytes.
const SIZE_LIMIT: usize = 1 << 20;

/// One entry of the allow list.
#[derive(Debug)]
pub(super) struct Glob {
    whole: Regex,
    /// The scheme, if the pattern spells it out. Schemes of apps must be spelled out.
    scheme: Option<String>,
}

impl Glob {
    /// Compiles a pattern; the error is the reason, for people.
    pub(super) fn new(pattern: &str, profile: Profile) -> Result<Self, String> {
        let scheme = scheme(pattern);
        if let Some(scheme) = scheme.as_deref().filter(|name| NEVER.contains(name)) {
            return Err(format!("`{scheme}:` addresses are never allowed"));
        }
        let mut compiler = Compiler {
            rest: pattern.chars().peekable(),
            regex: String::from(r"\A(?s:"),
            region: Region::Host,
            keeps_hosts_apart: profile == Profile::Std,
        };
        compiler.sequence(0)?;
        compiler.regex.push_str(r")\z");
        let whole = RegexBuilder::new(&compiler.regex)
            .size_limit(SIZE_LIMIT)
            .build()
            .map_err(|_| "is too large or has an empty range".to_owned())?;
        Ok(Self { whole, scheme })
    }

    pub(super) fn matches(&self, target: &Target<'_>) -> bool {
        let scheme_is_fine = target.is_web || self.scheme.as_deref() == Some(target.url.scheme());
        scheme_is_fine && self.whole.is_match(target.text)
    }
}

/// The text before the colon, if it is a scheme without wildcards.
fn scheme(pattern: &str) -> Option<String> {
    let (scheme, _) = pattern.split_once(':')?;
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+.-".contains(&byte));
    is_scheme.then(|| scheme.to_ascii_lowercase())
}

/// Which part of the address the compiler has reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Region {
    /// Scheme, host and port.
    Host,
    /// Path and query.
    Path,
}

struct Compiler<'a> {
    rest: Peekable<Chars<'a>>,
    regex: String,
    region: Region,
    /// Whether a wildcard in the host ends with the host. Otherwise `https://**.site/**` would
    /// allow `https://evil/.site/`.
    keeps_hosts_apart: bool,
}

impl Compiler<'_> {
    /// A run of pattern characters, up to the end or to the `,` or `}` of the braces around it.
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

    /// Any character but these, and but those which end the host when it must not be left.
    fn any(&mut self, separators: &str, times: &str) {
        let ends_the_pattern = self.rest.peek().is_none();
        let stays_in_host =
            self.keeps_hosts_apart && self.region == Region::Host && !ends_the_pattern;
        let fence = if stays_in_host { "/?#@" } else { "" };
        if separators.is_empty() && fence.is_empty() {
            self.regex.push('.');
        } else {
            self.regex.push_str("[^");
            self.regex.push_str(separators);
            self.regex.push_str(fence);
            self.regex.push(']');
        }
        self.regex.push_str(times);
    }

    /// `[abc]`, `[a-z]`, and negated with `!` or `^`.
    fn class(&mut self) -> Result<(), String> {
        let negated = self
            .rest
            .next_if(|next| matches!(next, '!' | '^'))
            .is_some();
        let mut set = String::new();
        loop {
            let first = self.class_character()?;
            let Some(first) = first else { break };
            set.push_str(&in_class(first));
            if self.rest.next_if_eq(&'-').is_some() {
                set.push('-');
                let last = self
                    .class_character()?
                    .ok_or("has a range without an end")?;
                set.push_str(&in_class(last));
            }
        }
        if set.is_empty() {
            return Err("has an empty `[]`".to_owned());
        }
        if negated && self.keeps_hosts_apart && self.region == Region::Host {
            set.push_str("/?#@");
        }
        self.regex.push_str(if negated { "[^" } else { "[" });
        self.regex.push_str(&set);
        self.regex.push(']');
        Ok(())
    }

    /// The next member of a set, or nothing at its `]`.
    fn class_character(&mut self) -> Result<Option<char>, String> {
        match self.rest.next().ok_or("has a `[` without its `]`")? {
            ']' => Ok(None),
            '\\' => Ok(Some(self.rest.next().ok_or("ends in a backslash")?)),
            other => Ok(Some(other)),
        }
    }

    /// `{a,b}`: each alternative starts where the brace stands.
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

/// A character as a member of a regular expression's set.
fn in_class(character: char) -> String {
    if character.is_ascii_punctuation() {
        format!("\\{character}")
    } else {
        character.to_string()
    }
}
