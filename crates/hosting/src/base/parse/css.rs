//! Style sheets of operators: read, and checked for what would make a browser ignore the rest.

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The largest style sheet, in bytes.
const LARGEST: u64 = 256 * 1024;

/// Reads a style sheet; an error says in words what is wrong with the file.
pub(crate) fn read_css(path: &Path) -> Result<String, String> {
    let failed = |error: std::io::Error| format!("{} cannot be read: {error}", path.display());
    let file = File::open(path).map_err(failed)?;
    let mut bytes = Vec::new();
    // One byte more tells that the file is too large.
    file.take(LARGEST + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() as u64 > LARGEST {
        return Err(format!("{} has more than {LARGEST} bytes", path.display()));
    }
    let text =
        String::from_utf8(bytes).map_err(|_| format!("{} is not UTF-8 text", path.display()))?;
    check(&text).map_err(|(line, problem)| format!("{}:{line}: {problem}", path.display()))?;
    Ok(text)
}

/// Where a check of a style sheet is. Comments and texts know the line in which they begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CssState {
    Rules,
    Comment(usize),
    Text(char, usize),
}

/// Checks that braces, comments and texts are closed; the error has the number of the line.
fn check(css: &str) -> Result<(), (usize, &'static str)> {
    let mut open_braces: Vec<usize> = Vec::new();
    let mut state = CssState::Rules;
    let mut line = 1;
    let mut letters = css.chars().peekable();
    while let Some(letter) = letters.next() {
        let next = letters.peek().copied();
        state = match (state, letter) {
            (_, '\0') => return Err((line, "the file has a NUL byte")),
            (CssState::Rules, '/') if next == Some('*') => {
                letters.next();
                CssState::Comment(line)
            }
            (CssState::Comment(_), '*') if next == Some('/') => {
                letters.next();
                CssState::Rules
            }
            (CssState::Rules, '"' | '\'') => CssState::Text(letter, line),
            (CssState::Text(quote, _), letter) if letter == quote => CssState::Rules,
            (CssState::Text(..), '\\') => {
                // What follows is part of the text, the end of a line, too.
                line += usize::from(letters.next() == Some('\n'));
                state
            }
            (CssState::Text(_, begin), '\n') => return Err((begin, NOT_CLOSED_TEXT)),
            (CssState::Rules, '{') => {
                open_braces.push(line);
                state
            }
            (CssState::Rules, '}') => match open_braces.pop() {
                Some(_) => state,
                None => return Err((line, "the `}` closes nothing")),
            },
            _ => state,
        };
        line += usize::from(letter == '\n');
    }
    match (state, open_braces.last()) {
        (CssState::Comment(begin), _) => Err((begin, "the comment is not closed")),
        (CssState::Text(_, begin), _) => Err((begin, NOT_CLOSED_TEXT)),
        (CssState::Rules, Some(begin)) => Err((*begin, "the `{` is not closed")),
        (CssState::Rules, None) => Ok(()),
    }
}

const NOT_CLOSED_TEXT: &str = "the text is not closed";

#[cfg(test)]
mod tests {
    use super::{LARGEST, check, read_css};

    #[test]
    fn a_style_sheet_that_breaks_off_is_refused_with_the_line() {
        for (css, expected) in [
            ("", Ok(())),
            ("a { b: c }\n@media (x) { d { e: f } }", Ok(())),
            ("/* { ' */ a::before { content: \"}\\\"\" }", Ok(())),
            ("a { content: 'x\\\ny' }", Ok(())),
            ("a {\n b: c\n", Err((1, "the `{` is not closed"))),
            ("a { }\n}\n", Err((2, "the `}` closes nothing"))),
            ("a { }\n\n/* b", Err((3, "the comment is not closed"))),
            ("a { content: \"b }\n }", Err((1, "the text is not closed"))),
            ("a { content: 'b", Err((1, "the text is not closed"))),
            ("\na\0", Err((2, "the file has a NUL byte"))),
        ] {
            assert_eq!(check(css), expected, "{css}");
        }
    }

    #[test]
    fn a_file_that_cannot_be_used_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("theme.css");
        let problem = || read_css(&path).unwrap_err();
        let name = path.display().to_string();
        assert!(
            problem().starts_with(&format!("{name} cannot be read: ")),
            "{}",
            problem()
        );
        std::fs::write(&path, [0xff, 0xfe]).unwrap();
        assert_eq!(problem(), format!("{name} is not UTF-8 text"));
        let large = usize::try_from(LARGEST).unwrap() + 1;
        std::fs::write(&path, " ".repeat(large)).unwrap();
        assert_eq!(problem(), format!("{name} has more than 262144 bytes"));
        std::fs::write(&path, "a {").unwrap();
        assert_eq!(problem(), format!("{name}:1: the `{{` is not closed"));
        std::fs::write(&path, "a { }").unwrap();
        assert_eq!(read_css(&path).unwrap(), "a { }");
    }
}
