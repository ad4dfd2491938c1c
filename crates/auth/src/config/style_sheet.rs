//! A check of style sheets, which finds what would make browsers ignore the rest of a file.

/// Refuses a style sheet whose brackets, strings or comments do not end. Browsers skip what they do not know, so
/// nothing else can break a page.
pub(super) fn check_style_sheet(text: &str) -> Result<(), String> {
    if text.contains('\0') {
        return Err("it contains U+0000".to_owned());
    }
    if text.trim_start().starts_with('<') {
        return Err("it starts with `<`, like HTML".to_owned());
    }
    let mut open: Vec<(char, usize)> = Vec::new();
    let mut line = 1;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\n' => line += 1,
            '\\' => {
                letters.next();
            }
            '/' if letters.peek() == Some(&'*') => {
                let begin = line;
                line += skip_comment(&mut letters)
                    .ok_or_else(|| format!("line {begin}: the comment does not end"))?;
            }
            '"' | '\'' => skip_string(letter, &mut letters)
                .ok_or_else(|| format!("line {line}: the string does not end"))?,
            '{' | '(' | '[' => open.push((letter, line)),
            '}' | ')' | ']' => match open.pop() {
                Some((opening, _)) if closing(opening) == letter => {}
                _ => return Err(format!("line {line}: `{letter}` closes nothing")),
            },
            _ => {}
        }
    }
    match open.pop() {
        Some((opening, line)) => Err(format!("line {line}: `{opening}` is not closed")),
        None => Ok(()),
    }
}

fn closing(opening: char) -> char {
    match opening {
        '{' => '}',
        '(' => ')',
        _ => ']',
    }
}

/// Skips to the end of a comment, and returns its line breaks.
fn skip_comment(letters: &mut impl Iterator<Item = char>) -> Option<usize> {
    let (mut lines, mut last) = (0, ' ');
    // The star that begins the comment does not end it.
    letters.next();
    for letter in letters {
        if last == '*' && letter == '/' {
            return Some(lines);
        }
        lines += usize::from(letter == '\n');
        last = letter;
    }
    None
}

/// Skips to the end of a string, which a line break does not belong to.
fn skip_string(quote: char, letters: &mut impl Iterator<Item = char>) -> Option<()> {
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => {
                letters.next();
            }
            '\n' => return None,
            letter if letter == quote => return Some(()),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::check_style_sheet;

    #[test]
    fn style_sheets_that_end_properly_are_accepted() {
        for text in [
            "",
            ":root { --accent: #0a7; }\n@media (min-width: 40rem) { a[href] { color: red } }",
            "/* { ' \" */ a::before { content: \"}\\\"\"; }",
            "a { background: url('data:image/png;base64,AAAA') }",
            "nonsense but harmless",
        ] {
            assert_eq!(check_style_sheet(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn broken_style_sheets_are_refused_with_the_line() {
        for (text, problem) in [
            ("a {\n color: red;\n", "line 1: `{` is not closed"),
            ("a { color: red }\n}", "line 2: `}` closes nothing"),
            ("a { color: rgb(1, 2 }", "line 1: `}` closes nothing"),
            ("\n/* a\n", "line 2: the comment does not end"),
            ("a { content: 'x\n' }", "line 1: the string does not end"),
            ("<html>", "it starts with `<`, like HTML"),
            ("a\0", "it contains U+0000"),
        ] {
            assert_eq!(check_style_sheet(text), Err(problem.to_owned()), "{text}");
        }
    }
}
