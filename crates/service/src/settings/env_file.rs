//! `.env` files.
//!
//! A line is `NAME=value`, optionally after `export`. A value without quotes ends at ` #` or at the end
//! of the line and keeps its backslashes. Single quotes preserve everything. In double quotes `\n`, `\r`
//! and `\t` are a line feed, a carriage return and a tab; a backslash before `\`, `"`, `'`, `$` or a
//! backquote is dropped, and before anything else it is kept, so that `\:` reaches the settings that use
//! it. Outside single quotes `$NAME` and `${NAME}` are replaced by a value further up in the same file; an
//! unknown name is kept as it is written, because secrets may contain `$`.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::str::Chars;

/// The values in a file, and the lines that could not be read.
#[derive(Default)]
pub struct EnvFile {
    /// The values by name; a later line wins.
    pub values: BTreeMap<String, String>,
    /// The lines that could not be read.
    pub faults: Vec<LineFault>,
}

// The values may be secrets.
impl std::fmt::Debug for EnvFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EnvFile")
            .field("names", &self.values.keys())
            .field("faults", &self.faults)
            .finish()
    }
}

/// An error in a line. It does not include the text of the line, which may be a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineFault {
    /// The number of the line, from 1.
    pub line: usize,
    /// What is wrong.
    pub problem: &'static str,
}

impl EnvFile {
    /// Parses the text of a file.
    pub fn parse(text: &str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut file = Self::default();
        let mut scanner = Scanner {
            letters: text.chars().peekable(),
            line: 1,
        };
        while scanner.letters.peek().is_some() {
            let line = scanner.line;
            match scanner.statement(&file.values) {
                Ok(Some((name, value))) => {
                    file.values.insert(name, value);
                }
                Ok(None) => {}
                Err(problem) => {
                    file.faults.push(LineFault { line, problem });
                    scanner.skip_line();
                }
            }
        }
        file
    }
}

struct Scanner<'a> {
    letters: Peekable<Chars<'a>>,
    line: usize,
}

type Values = BTreeMap<String, String>;

impl Scanner<'_> {
    fn next(&mut self) -> Option<char> {
        let letter = self.letters.next();
        if letter == Some('\n') {
            self.line += 1;
        }
        letter
    }

    fn take_while(&mut self, accept: impl Fn(char) -> bool) -> String {
        let mut taken = String::new();
        while let Some(letter) = self.letters.next_if(|letter| accept(*letter)) {
            taken.push(letter);
        }
        taken
    }

    fn skip_blanks(&mut self) {
        self.take_while(|letter| matches!(letter, ' ' | '\t' | '\r'));
    }

    fn skip_line(&mut self) {
        while self.next().is_some_and(|letter| letter != '\n') {}
    }

    /// Parses the next line; `None` if it is empty or a comment.
    fn statement(&mut self, values: &Values) -> Result<Option<(String, String)>, &'static str> {
        self.skip_blanks();
        if matches!(self.letters.peek(), None | Some('\n' | '#')) {
            self.skip_line();
            return Ok(None);
        }
        let mut name = self.name()?;
        self.skip_blanks();
        if name == "export" && !matches!(self.letters.peek(), Some('=')) {
            name = self.name()?;
            self.skip_blanks();
        }
        if self.letters.next_if_eq(&'=').is_none() {
            return Err("expected `=` after the name");
        }
        self.skip_blanks();
        let value = match self.letters.peek() {
            Some('\'') => self.single_quoted()?,
            Some('"') => self.double_quoted(values)?,
            _ => return Ok(Some((name, self.unquoted(values)))),
        };
        self.skip_blanks();
        if !matches!(self.letters.peek(), None | Some('\n' | '#')) {
            return Err("something follows the closing quote");
        }
        self.skip_line();
        Ok(Some((name, value)))
    }

    fn name(&mut self) -> Result<String, &'static str> {
        let name =
            self.take_while(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.'));
        if name.is_empty() || name.starts_with(|letter: char| letter.is_ascii_digit()) {
            return Err("expected the name of a setting");
        }
        Ok(name)
    }

    fn single_quoted(&mut self) -> Result<String, &'static str> {
        self.next();
        let mut value = String::new();
        loop {
            match self.next() {
                Some('\'') => return Ok(value),
                Some(letter) => value.push(letter),
                None => return Err("a quote is not closed"),
            }
        }
    }

    fn double_quoted(&mut self, values: &Values) -> Result<String, &'static str> {
        self.next();
        let mut value = String::new();
        loop {
            match self.next() {
                Some('"') => return Ok(value),
                Some('$') => self.substitute(values, &mut value),
                Some('\\') => match self.next() {
                    Some('n') => value.push('\n'),
                    Some('r') => value.push('\r'),
                    Some('t') => value.push('\t'),
                    Some(letter @ ('\\' | '"' | '\'' | '$' | '`')) => value.push(letter),
                    Some(letter) => value.extend(['\\', letter]),
                    None => return Err("a quote is not closed"),
                },
                Some(letter) => value.push(letter),
                None => return Err("a quote is not closed"),
            }
        }
    }

    fn unquoted(&mut self, values: &Values) -> String {
        let mut value = String::new();
        while let Some(letter) = self.next() {
            match letter {
                '\n' => break,
                '#' if value.is_empty() || value.ends_with([' ', '\t']) => {
                    self.skip_line();
                    break;
                }
                '\\' if self.letters.next_if_eq(&'$').is_some() => value.push('$'),
                '$' => self.substitute(values, &mut value),
                letter => value.push(letter),
            }
        }
        value.truncate(value.trim_end().len());
        value
    }

    /// Parses what follows a `$` and appends the value that it stands for.
    fn substitute(&mut self, values: &Values, value: &mut String) {
        let braces = self.letters.next_if_eq(&'{').is_some();
        let name = self.take_while(|letter| letter.is_ascii_alphanumeric() || letter == '_');
        let closed = !braces || self.letters.next_if_eq(&'}').is_some();
        if let Some(known) = values.get(&name).filter(|_| closed) {
            value.push_str(known);
        } else {
            value.push('$');
            value.push_str(if braces { "{" } else { "" });
            value.push_str(&name);
            value.push_str(if braces && closed { "}" } else { "" });
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{EnvFile, LineFault};

    /// The value of `X` in a file of this one line.
    fn value(line: &str) -> String {
        let file = EnvFile::parse(line);
        assert_eq!(file.faults, [], "{line}");
        file.values["X"].clone()
    }

    #[test]
    fn quotes_comments_and_blanks_mean_what_they_usually_do() {
        for (line, expected) in [
            ("X=plain", "plain"),
            ("  export X = two words  ", "two words"),
            ("X=", ""),
            ("X= # only a comment", ""),
            ("X=a#b # comment", "a#b"),
            ("X='a # b' # comment", "a # b"),
            ("X='back\\slash $X'", "back\\slash $X"),
            ("X=\"a \\\"b\\\" \\n\\t\\\\ \\$\"", "a \"b\" \n\t\\ $"),
            ("X=\"two\nlines\"", "two\nlines"),
            ("X=carriage\r\n", "carriage"),
            ("X={\"kty\":\"oct\"}", "{\"kty\":\"oct\"}"),
            ("\u{feff}X=mark", "mark"),
        ] {
            assert_eq!(value(line), expected, "{line}");
        }
    }

    #[test]
    fn an_escaped_colon_survives_in_every_kind_of_line() {
        for (line, expected) in [
            ("X=a\\:b", "a\\:b"),
            ("X=a\\\\:b", "a\\\\:b"),
            ("X=\"a\\:b\"", "a\\:b"),
            ("X=\"a\\\\:b\"", "a\\:b"),
            ("X='a\\:b'", "a\\:b"),
        ] {
            assert_eq!(value(line), expected, "{line}");
        }
    }

    #[test]
    fn dollar_names_stand_for_values_further_up_and_otherwise_stay() {
        let file = EnvFile::parse(
            "HOST=db\nA=pg://$HOST/x\nB=\"${HOST}s\"\nC='$HOST'\nD=pa$1wo${r}d$\nE=\\$HOST\nF=${HOST",
        );
        let values: Vec<&str> = ["A", "B", "C", "D", "E", "F"]
            .iter()
            .map(|name| file.values[*name].as_str())
            .collect();
        assert_eq!(
            values,
            [
                "pg://db/x",
                "dbs",
                "$HOST",
                "pa$1wo${r}d$",
                "$HOST",
                "${HOST"
            ]
        );
    }

    #[test]
    fn broken_lines_are_reported_by_number_and_the_others_are_read() {
        let file =
            EnvFile::parse("A=1\n=2\nB 3\nC=\"4\" 5\nD='six\n'\nE=7\n9X=8\nF=\"not closed\nG=1");
        assert_eq!(
            file.faults,
            [
                (2, "expected the name of a setting"),
                (3, "expected `=` after the name"),
                (4, "something follows the closing quote"),
                (8, "expected the name of a setting"),
                (9, "a quote is not closed"),
            ]
            .map(|(line, problem)| LineFault { line, problem })
        );
        let names: Vec<&str> = file.values.keys().map(String::as_str).collect();
        assert_eq!(names, ["A", "D", "E"]);
    }

    #[test]
    fn debug_output_shows_names_only() {
        let shown = format!("{:?}", EnvFile::parse("SECRET=hunter2"));
        assert!(shown.contains("SECRET") && !shown.contains("hunter2"));
    }

    proptest! {
        #[test]
        fn a_single_quoted_value_is_read_back(text in "[^']*") {
            prop_assert_eq!(value(&format!("X='{text}'")), text);
        }

        #[test]
        fn any_file_is_read_to_its_end(text in any::<String>()) {
            let file = EnvFile::parse(&format!("{text}\n"));
            prop_assert!(file.values.len() + file.faults.len() <= text.lines().count() + 1);
        }
    }
}
