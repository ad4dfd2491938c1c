//! Cuts a template into text and the tokens between `{{` and `}}`.

use super::Fault;
use super::value::Value;

/// A token and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token {
    pub(super) offset: usize,
    /// Whether nothing stands between it and the token before.
    pub(super) is_joined: bool,
    pub(super) kind: Kind,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
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

const LEFT: &str = "{{";
const RIGHT: &str = "}}";

pub(super) fn read(source: &str) -> Result<Vec<Token>, Fault> {
    let mut lexer = Lexer {
        source,
        offset: 0,
        tokens: Vec::new(),
    };
    let mut trim = false;
    while lexer.offset < source.len() {
        let start = lexer.offset;
        let rest = lexer.rest();
        let open = rest.find(LEFT).unwrap_or(rest.len());
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

    fn push(&mut self, offset: usize, is_joined: bool, kind: Kind) {
        self.tokens.push(Token {
            offset,
            is_joined,
            kind,
        });
    }

    /// Takes the text up to here; says whether what follows trims it.
    fn text(&mut self, start: usize, trim_start: bool) -> bool {
        let mut text = self.source.get(start..self.offset).unwrap_or_default();
        let after = self.rest().strip_prefix(LEFT).unwrap_or_default();
        let mut letters = after.chars();
        let trims = letters.next() == Some('-') && letters.next().is_some_and(is_space);
        if trim_start {
            text = text.trim_start_matches(is_space);
        }
        if trims {
            text = text.trim_end_matches(is_space);
        }
        if !text.is_empty() {
            self.push(start, false, Kind::Text(text.to_owned()));
        }
        trims
    }

    /// Reads from `{{` to `}}`; says whether the text after it is to be trimmed.
    fn action(&mut self, trims_before: bool) -> Result<bool, Fault> {
        let start = self.offset;
        self.offset += LEFT.len() + usize::from(trims_before);
        let inner = self.rest().trim_start_matches(is_space);
        if inner.starts_with("/*") {
            return self.comment(start);
        }
        self.push(start, false, Kind::Open);
        let mut is_joined = false;
        loop {
            let rest = self.rest();
            let Some(letter) = rest.chars().next() else {
                return Err(Fault::new(start, "`{{` is never closed"));
            };
            if rest.starts_with(RIGHT) {
                let at = self.offset;
                self.offset += RIGHT.len();
                self.push(at, is_joined, Kind::Close);
                return Ok(false);
            }
            if is_space(letter) {
                self.offset += letter.len_utf8();
                is_joined = false;
                if self.rest().starts_with("-}}") {
                    let at = self.offset;
                    self.offset += 1 + RIGHT.len();
                    self.push(at, false, Kind::Close);
                    return Ok(true);
                }
                continue;
            }
            let at = self.offset;
            let kind = self.token(letter)?;
            self.push(at, is_joined, kind);
            is_joined = true;
        }
    }

    fn comment(&mut self, start: usize) -> Result<bool, Fault> {
        let rest = self.rest();
        let Some((_, after)) = rest.split_once("*/") else {
            return Err(Fault::new(start, "the comment is never closed"));
        };
        let trimmed = after.trim_start_matches(is_space);
        let trims = trimmed.len() < after.len() && trimmed.starts_with("-}}");
        let end = if trims {
            trimmed.strip_prefix("-}}")
        } else {
            after.strip_prefix(RIGHT)
        };
        let end = end.ok_or_else(|| Fault::new(start, "a comment must end with `*/}}`"))?;
        self.offset = self.source.len() - end.len();
        Ok(trims)
    }

    fn token(&mut self, letter: char) -> Result<Kind, Fault> {
        let rest = self.rest();
        let single = match letter {
            '(' => Some(Kind::LeftParenthesis),
            ')' => Some(Kind::RightParenthesis),
            '|' => Some(Kind::Bar),
            ',' => Some(Kind::Comma),
            '=' => Some(Kind::Assign),
            _ => None,
        };
        if let Some(kind) = single {
            self.offset += 1;
            return Ok(kind);
        }
        if rest.starts_with(":=") {
            self.offset += 2;
            return Ok(Kind::Declare);
        }
        let next = rest.chars().nth(1);
        match letter {
            '"' => self.quoted(),
            '`' => self.raw(),
            '\'' => self.character(),
            '.' if next.is_some_and(|next| next.is_ascii_digit()) => self.number(),
            '.' => {
                self.offset += 1;
                let name = self.name();
                Ok(if name.is_empty() {
                    Kind::Dot
                } else {
                    Kind::Field(name)
                })
            }
            '$' => {
                self.offset += 1;
                Ok(Kind::Variable(self.name()))
            }
            '+' | '-' | '0'..='9' => self.number(),
            letter if is_name(letter) => Ok(Kind::Word(self.name())),
            letter => Err(Fault::new(
                self.offset,
                format!("`{}` is not expected here", letter.escape_default()),
            )),
        }
    }

    fn name(&mut self) -> String {
        let rest = self.rest();
        let end = rest.find(|letter| !is_name(letter)).unwrap_or(rest.len());
        self.offset += end;
        rest.get(..end).unwrap_or_default().to_owned()
    }

    fn number(&mut self) -> Result<Kind, Fault> {
        let rest = self.rest();
        let sign = usize::from(rest.starts_with(['+', '-']));
        let mut end = sign;
        let mut before = ' ';
        for letter in rest.get(sign..).unwrap_or_default().chars() {
            let is_exponent_sign = matches!(letter, '+' | '-') && matches!(before, 'e' | 'E');
            if !(letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_') || is_exponent_sign)
            {
                break;
            }
            before = letter;
            end += 1;
        }
        let text = rest.get(..end).unwrap_or_default();
        let value = parse_number(text)
            .ok_or_else(|| Fault::new(self.offset, format!("`{text}` is no number")))?;
        self.offset += end;
        Ok(Kind::Literal(value))
    }

    fn raw(&mut self) -> Result<Kind, Fault> {
        let inner = self.rest().get(1..).unwrap_or_default();
        let Some((text, _)) = inner.split_once('`') else {
            return Err(Fault::new(self.offset, "the string is never closed"));
        };
        self.offset += text.len() + 2;
        // As in Go, so that a template means the same wherever it was written.
        Ok(Kind::Literal(Value::text(text.replace('\r', ""))))
    }

    fn quoted(&mut self) -> Result<Kind, Fault> {
        let text = self.escaped('"')?;
        Ok(Kind::Literal(Value::text(text)))
    }

    fn character(&mut self) -> Result<Kind, Fault> {
        let start = self.offset;
        let text = self.escaped('\'')?;
        let mut letters = text.chars();
        match (letters.next(), letters.next()) {
            (Some(letter), None) => Ok(Kind::Literal(Value::Int(i64::from(u32::from(letter))))),
            _ => Err(Fault::new(
                start,
                "single quotes hold one letter; strings have double quotes",
            )),
        }
    }

    /// Reads a string in quotes of this kind.
    fn escaped(&mut self, quote: char) -> Result<String, Fault> {
        let start = self.offset;
        let unclosed = || Fault::new(start, "the string is never closed");
        let mut letters = self.rest().char_indices().skip(1);
        let mut text = String::new();
        while let Some((at, letter)) = letters.next() {
            match letter {
                '\n' => return Err(unclosed()),
                '\\' => {
                    let (_, escaped) = letters.next().ok_or_else(unclosed)?;
                    let digits = digits_of(escaped);
                    let letter = match digits {
                        Some((count, radix)) => {
                            let first = (radix == 8).then_some(escaped);
                            let more = letters.by_ref().take(count).map(|(_, letter)| letter);
                            let digits: String = first.into_iter().chain(more).collect();
                            u32::from_str_radix(&digits, radix)
                                .ok()
                                .and_then(char::from_u32)
                        }
                        None => simple_escape(escaped, quote),
                    };
                    let fault = || {
                        Fault::new(
                            start + at,
                            format!("`\\{}` means nothing", escaped.escape_default()),
                        )
                    };
                    text.push(letter.ok_or_else(fault)?);
                }
                letter if letter == quote => {
                    self.offset = start + at + letter.len_utf8();
                    return Ok(text);
                }
                letter => text.push(letter),
            }
        }
        Err(unclosed())
    }
}

/// How many digits follow in an escape by number, and in which base.
fn digits_of(letter: char) -> Option<(usize, u32)> {
    match letter {
        'x' => Some((2, 16)),
        'u' => Some((4, 16)),
        'U' => Some((8, 16)),
        '0'..='7' => Some((2, 8)),
        _ => None,
    }
}

fn simple_escape(letter: char, quote: char) -> Option<char> {
    Some(match letter {
        'a' => '\u{7}',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\u{b}',
        '\\' => '\\',
        letter if letter == quote => letter,
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
    if !lower.starts_with(|letter: char| letter.is_ascii_digit() || letter == '.') {
        return None;
    }
    if let Ok(number) = plain.parse() {
        return Some(Value::Int(number));
    }
    let number: f64 = plain.parse().ok()?;
    number.is_finite().then_some(Value::Float(number))
}

fn is_space(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\r' | '\n')
}

fn is_name(letter: char) -> bool {
    letter == '_' || letter.is_alphanumeric()
}
