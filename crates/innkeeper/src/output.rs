//! What commands print: results on standard output, messages on standard error, colours only on a
//! terminal.

use std::fmt::{self, Write as _};
use std::io::{self, IsTerminal, Write};

use anyhow::anyhow;
use serde_json::Value;

/// An error before the work began; the exit code is 2.
#[derive(Debug)]
pub(crate) struct CannotRun(pub(crate) anyhow::Error);

impl fmt::Display for CannotRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#}", self.0)
    }
}

impl std::error::Error for CannotRun {}

/// Prints a result to standard output. A closed pipe, as in `innkeeper about | head -1`, is not an error.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(anyhow!("cannot write to standard output: {error}"))
        }
        _ => Ok(()),
    }
}

/// Prints an indented JSON document.
pub(crate) fn print_json(document: &Value) -> anyhow::Result<()> {
    print(&format!("{document:#}\n"))
}

/// Prints a message to standard error.
pub(crate) fn tell(text: &str) {
    // When standard error is closed, there is nowhere left to report it.
    let _ = writeln!(io::stderr(), "{text}");
}

/// Returns an error's message followed by those of its causes, each once.
pub(crate) fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let message = error.to_string();
        if !text.contains(&message) {
            text = format!("{text}: {message}");
        }
        cause = error.source();
    }
    text
}

/// Formats names and values as two columns.
pub(crate) fn pairs(rows: &[(&str, String)]) -> String {
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0) + 2;
    let mut text = String::new();
    for (name, value) in rows {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name:<width$}{}", on_one_line(value));
    }
    text
}

/// Formats rows as a table, with columns as wide as their longest text.
pub(crate) fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let head: Vec<String> = head.iter().map(|name| (*name).to_owned()).collect();
    let rows: Vec<Vec<String>> = std::iter::once(&head)
        .chain(rows)
        .map(|row| row.iter().map(|text| on_one_line(text)).collect())
        .collect();
    let widths: Vec<usize> = (0..head.len())
        .map(|column| {
            let texts = rows.iter().filter_map(|row| row.get(column));
            texts.map(|text| text.chars().count()).max().unwrap_or(0)
        })
        .collect();
    let mut table = String::new();
    for row in &rows {
        let mut line = String::new();
        for (text, width) in row.iter().zip(&widths) {
            // Writing to a string cannot fail.
            let _ = write!(line, "{text:<width$}  ");
        }
        table.push_str(line.trim_end());
        table.push('\n');
    }
    table
}

/// Tells which part of a longer list was shown, and how to see the next.
pub(crate) fn tell_of_page(shown: usize, total: u64, limit: u32, page: u32) {
    let before = u64::from(limit) * u64::from(page.saturating_sub(1));
    let last = before.saturating_add(shown as u64);
    if last < total {
        let next = page.max(1).saturating_add(1);
        tell(&format!(
            "{shown} of {total} are shown; see more with --page {next}"
        ));
    }
}

/// Shortens a time such as `2026-11-17T15:12:28.123456Z` to its seconds; `-` stands for none.
pub(crate) fn short_time(time: &str) -> String {
    match time.split_once('.') {
        _ if time.is_empty() => "-".to_owned(),
        Some((seconds, _)) => format!("{seconds}Z"),
        None => time.to_owned(),
    }
}

/// Replaces control characters by blanks, so that text from outside cannot change the terminal.
pub(crate) fn on_one_line(text: &str) -> String {
    text.chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .collect()
}

/// Colours text, if standard output supports it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Colours(bool);

impl Colours {
    /// Enables colours on a terminal that has them, unless `NO_COLOR` is set.
    pub(crate) fn of_stdout() -> Self {
        let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        let is_refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self(io::stdout().is_terminal() && !is_dumb && !is_refused)
    }

    #[cfg(test)]
    pub(crate) fn none() -> Self {
        Self(false)
    }

    pub(crate) fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    pub(crate) fn green(self, text: &str) -> String {
        self.paint("32", text)
    }

    pub(crate) fn yellow(self, text: &str) -> String {
        self.paint("33", text)
    }

    pub(crate) fn red(self, text: &str) -> String {
        self.paint("31", text)
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.0 {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Colours, on_one_line, pairs, short_time, table};

    #[test]
    fn columns_are_as_wide_as_their_longest_name() {
        let rows = [
            ("id", "7".to_owned()),
            ("email", "ada@example.com".to_owned()),
        ];
        assert_eq!(pairs(&rows), "id     7\nemail  ada@example.com\n");
    }

    #[test]
    fn a_table_is_as_wide_as_its_texts_and_has_one_line_per_row() {
        let rows = [
            vec!["1".to_owned(), "Zoë".to_owned(), String::new()],
            vec!["22".to_owned(), "a\nb".to_owned(), "x".to_owned()],
        ];
        assert_eq!(
            table(&["ID", "NAME", "MORE"], &rows),
            "ID  NAME  MORE\n1   Zoë\n22  a b   x\n"
        );
    }

    #[test]
    fn times_have_whole_seconds() {
        for (time, shown) in [
            ("2026-11-17T15:12:28.123456Z", "2026-11-17T15:12:28Z"),
            ("2026-11-17T15:12:28Z", "2026-11-17T15:12:28Z"),
            ("", "-"),
        ] {
            assert_eq!(short_time(time), shown);
        }
    }

    #[test]
    fn a_text_cannot_move_the_cursor_or_start_a_line() {
        assert_eq!(on_one_line("a\u{1b}[2J\r\nb\u{9b}c"), "a [2J  b c");
    }

    #[test]
    fn colours_appear_only_where_they_may() {
        assert_eq!(Colours(false).bold("up"), "up");
        assert_eq!(Colours(true).bold("up"), "\u{1b}[1mup\u{1b}[0m");
    }
}
