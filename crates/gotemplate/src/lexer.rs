//! Splits a template into text and the tokens between `{{` and `}}`.

use crate::error::SyntaxError;
use crate::value::Value;

/// A token and its offset in bytes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Token {
    pub(crate) offset: usize,
    /// No space separates it from the token before.
    pub(crate) is_joined: bool,
    pub(crate) kind: TokenKind,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TokenKind {
    /// Outside of `{{` and `}}`.
    Text(String),
    Open,
    Close,
    /// A word: a keyword or a function.
    Word(String),
    /// `.name`
    Field(String),
    Dot,
    /// `$name`, or `$` with an empty name.
    Variable(String),
    /// A string, a number or a character.
    Literal(Value),
    LeftParenthesis,
    RightParenthesis,
    Bar,
    Comma,
    /// `:=`
    Declare,
    /// `=`
    Assign,
}

const OPEN: &str = "{{";
const CLOSE: &str = "}}";

/// Splits a whole template.
pub(crate) fn tokenize(source: &str) -> Result<Vec<Token>, SyntaxError> {
    let mut lexer = Lexer {
        source,
        offset: 0,
        tokens: Vec::new(),
    };
    let mut trim = false;
    while lexer.offset < source.len() {
        let start = lexer.offset;
        let rest = lexer.rest();
        let open = rest.find(OPEN).unwrap_or(rest.len());
        lexer.offset += open;
        let trims_before = lexer.text(start, trim);
        if lexer.offset >= source.len() {
            break;
        }
        trim = lexer.action(trims_before)?;
    }
    Ok(lexer.tokens)
}

struct Lexer<'s> {
    source: &'s str,
    offset: usize,
    tokens: Vec<Token>,
}

impl<'s> Lexer<'s> {
    fn rest(&self) -> &'s str {
        self.source.get(self.offset..).unwrap_or_default()
    }

    fn push(&mut self, offset: usize, is_joined: bool, kind: TokenKind) {
        self.tokens.push(Token {
            offset,
            is_joined,
            kind,
        });
    }

    /// Adds the text up to the current offset. Returns whether the action that follows trims it.
    fn text(&mut self, start: usize, trim_start: bool) -> bool {
        let mut text = self.source.get(start..self.offset).unwrap_or_default();
        let after = self.rest().strip_prefix(OPEN).unwrap_or_default();
        let mut chars = after.chars();
        let trims = chars.next() == Some('-') && chars.next().is_some_and(is_space);
        if trim_start {
            text = text.trim_start_matches(is_space);
        }
        if trims {
            text = text.trim_end_matches(is_space);
        }
        if !text.is_empty() {
            self.push(start, false, TokenKind::Text(text.to_owned()));
        }
        trims
    }

    /// Reads from `{{` to `}}`. Returns whether the action trims the text that follows.
    fn action(&mut self, trims_before: bool) -> Result<bool, SyntaxError> {
        let start = self.offset;
        self.offset += OPEN.len() + usize::from(trims_before);
        let inner = self.rest().trim_start_matches(is_space);
        if inner.starts_with("/*") {
            return self.comment(start);
        }
        self.push(start, false, TokenKind::Open);
        let mut is_joined = false;
        loop {
            let rest = self.rest();
            let Some(ch) = rest.chars().next() else {
                return Err(SyntaxError::new(start, "`{{` is never closed"));
            };
            if rest.starts_with(CLOSE) {
                let at = self.offset;
                self.offset += CLOSE.len();
                self.push(at, is_joined, TokenKind::Close);
                return Ok(false);
            }
            if is_space(ch) {
                self.offset += ch.len_utf8();
                is_joined = false;
                if self.rest().starts_with("-}}") {
                    let at = self.offset;
                    self.offset += 1 + CLOSE.len();
                    self.push(at, false, TokenKind::Close);
                    return Ok(true);
                }
                continue;
            }
            let at = self.offset;
            let kind = self.token(ch)?;
            self.push(at, is_joined, kind);
            is_joined = true;
        }
    }

    fn comment(&mut self, start: usize) -> Result<bool, SyntaxError> {
        let rest = self.rest();
        let Some((_, after)) = rest.split_once("*/") else {
            return Err(SyntaxError::new(start, "the comment is never closed"));
        };
        let trimmed = after.trim_start_matches(is_space);
        let trims = trimmed.len() < after.len() && trimmed.starts_with("-}}");
        let end = if trims {
            trimmed.strip_prefix("-}}")
        } else {
            after.strip_prefix(CLOSE)
        };
        let end = end.ok_or_else(|| SyntaxError::new(start, "a comment must end with `*/}}`"))?;
        self.offset = self.source.len() - end.len();
        Ok(trims)
    }

    fn token(&mut self, ch: char) -> Result<TokenKind, SyntaxError> {
        let rest = self.rest();
        let single = match ch {
            '(' => Some(TokenKind::LeftParenthesis),
            ')' => Some(TokenKind::RightParenthesis),
            '|' => Some(TokenKind::Bar),
            ',' => Some(TokenKind::Comma),
            '=' => Some(TokenKind::Assign),
            _ => None,
        };
        if let Some(kind) = single {
            self.offset += 1;
            return Ok(kind);
        }
        if rest.starts_with(":=") {
            self.offset += 2;
            return Ok(TokenKind::Declare);
        }
        let next = rest.chars().nth(1);
        match ch {
            '"' => self.quoted(),
            '`' => self.raw(),
            '\'' => self.character(),
            '.' if next.is_some_and(|next| next.is_ascii_digit()) => self.number(),
            '.' => {
                self.offset += 1;
                let name = self.name();
                Ok(if name.is_empty() {
                    TokenKind::Dot
                } else {
                    TokenKind::Field(name)
                })
            }
            '$' => {
                self.offset += 1;
                Ok(TokenKind::Variable(self.name()))
            }
            '+' | '-' | '0'..='9' => self.number(),
            ch if is_name(ch) => Ok(TokenKind::Word(self.name())),
            ch => Err(SyntaxError::new(
                self.offset,
                format!("`{}` is not expected here", ch.escape_default()),
            )),
        }
    }

    fn name(&mut self) -> String {
        let rest = self.rest();
        let end = rest.find(|ch| !is_name(ch)).unwrap_or(rest.len());
        self.offset += end;
        rest.get(..end).unwrap_or_default().to_owned()
    }

    fn number(&mut self) -> Result<TokenKind, SyntaxError> {
        let rest = self.rest();
        let sign = usize::from(rest.starts_with(['+', '-']));
        let mut end = sign;
        let mut before = ' ';
        for ch in rest.get(sign..).unwrap_or_default().chars() {
            let is_exponent_sign = matches!(ch, '+' | '-') && matches!(before, 'e' | 'E');
            if !(ch.is_ascii_alphanumeric() || matches!(ch, '.' | '_') || is_exponent_sign) {
                break;
            }
            before = ch;
            end += 1;
        }
        let text = rest.get(..end).unwrap_or_default();
        let value = parse_number(text)
            .ok_or_else(|| SyntaxError::new(self.offset, format!("`{text}` is not a number")))?;
        self.offset += end;
        Ok(TokenKind::Literal(value))
    }

    fn raw(&mut self) -> Result<TokenKind, SyntaxError> {
        let inner = self.rest().get(1..).unwrap_or_default();
        let Some((text, _)) = inner.split_once('`') else {
            return Err(SyntaxError::new(self.offset, "the string is never closed"));
        };
        self.offset += text.len() + 2;
        // As in Go, so that a template means the same wherever it was written.
        Ok(TokenKind::Literal(Value::text(text.replace('\r', ""))))
    }

    fn quoted(&mut self) -> Result<TokenKind, SyntaxError> {
        let text = self.escaped('"')?;
        Ok(TokenKind::Literal(Value::text(text)))
    }

    fn character(&mut self) -> Result<TokenKind, SyntaxError> {
        let start = self.offset;
        let text = self.escaped('\'')?;
        let mut chars = text.chars();
        match (chars.next(), chars.next()) {
            (Some(ch), None) => Ok(TokenKind::Literal(Value::Int(i64::from(u32::from(ch))))),
            _ => Err(SyntaxError::new(
                start,
                "single quotes hold one character; strings have double quotes",
            )),
        }
    }

    /// Reads a string in these quotes and replaces its escapes.
    fn escaped(&mut self, quote: char) -> Result<String, SyntaxError> {
        let start = self.offset;
        let unclosed = || SyntaxError::new(start, "the string is never closed");
        let mut chars = self.rest().char_indices().skip(1);
        let mut text = String::new();
        while let Some((at, ch)) = chars.next() {
            match ch {
                '\n' => return Err(unclosed()),
                '\\' => {
                    let (_, escaped) = chars.next().ok_or_else(unclosed)?;
                    let ch = match numeric_escape(escaped) {
                        Some((count, radix)) => {
                            let first = (radix == 8).then_some(escaped);
                            let more = chars.by_ref().take(count).map(|(_, ch)| ch);
                            let digits: String = first.into_iter().chain(more).collect();
                            u32::from_str_radix(&digits, radix)
                                .ok()
                                .and_then(char::from_u32)
                        }
                        None => simple_escape(escaped, quote),
                    };
                    let fault = || {
                        SyntaxError::new(
                            start + at,
                            format!("`\\{}` is not an escape sequence", escaped.escape_default()),
                        )
                    };
                    text.push(ch.ok_or_else(fault)?);
                }
                ch if ch == quote => {
                    self.offset = start + at + ch.len_utf8();
                    return Ok(text);
                }
                ch => text.push(ch),
            }
        }
        Err(unclosed())
    }
}

/// Returns how many digits follow in a numeric escape, and their base.
fn numeric_escape(ch: char) -> Option<(usize, u32)> {
    match ch {
        'x' => Some((2, 16)),
        'u' => Some((4, 16)),
        'U' => Some((8, 16)),
        '0'..='7' => Some((2, 8)),
        _ => None,
    }
}

fn simple_escape(ch: char, quote: char) -> Option<char> {
    Some(match ch {
        'a' => '\u{7}',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\u{b}',
        '\\' => '\\',
        ch if ch == quote => ch,
        _ => return None,
    })
}

fn parse_number(text: &str) -> Option<Value> {
    let plain = text.replace('_', "");
    let (sign, digits) = match plain.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", plain.strip_prefix('+').unwrap_or(&plain)),
    };
    let lower = digits.to_ascii_lowercase();
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if let Some(digits) = lower.strip_prefix(prefix) {
            let number = i64::from_str_radix(&format!("{sign}{digits}"), radix);
            return number
                .ok()
                .filter(|_| !digits.starts_with(['+', '-']))
                .map(Value::Int);
        }
    }
    if !lower.starts_with(|ch: char| ch.is_ascii_digit() || ch == '.') {
        return None;
    }
    if let Ok(number) = plain.parse() {
        return Some(Value::Int(number));
    }
    let number: f64 = plain.parse().ok()?;
    number.is_finite().then_some(Value::Float(number))
}

fn is_space(ch: char) -> bool {
    matches!(ch, ' ' | '\t' | '\r' | '\n')
}

fn is_name(ch: char) -> bool {
    ch == '_' || ch.is_alphanumeric()
}
