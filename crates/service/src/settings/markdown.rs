//! Renders the table of settings as a page.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{Section, Setting, Support};

/// Renders the table as Markdown: a heading and a table for each section, and a column for each set of
/// defaults.
pub fn markdown(table: &[Section], columns: &[&str]) -> String {
    let mut page = String::new();
    for section in table {
        let mut head = vec!["Setting".to_owned(), "Value".to_owned()];
        head.extend(columns.iter().map(|column| match *column {
            "" => "Default".to_owned(),
            column => format!("Default, {column}"),
        }));
        head.push("Meaning".to_owned());
        // Writing to a string cannot fail.
        let _ = write!(page, "\n## {}\n\n{}", section.title, row(&head));
        let _ = writeln!(page, "|{}", "---|".repeat(head.len()));
        for setting in section.settings {
            let mut cells = vec![name_text(setting), escape(&setting.kind.expects())];
            cells.extend((0..columns.len()).map(|column| default_text(setting, column)));
            cells.push(doc_text(setting));
            page.push_str(&row(&cells));
        }
        for (word, choices) in words_in(section) {
            let choices: Vec<String> = choices.iter().map(|choice| format!("`{choice}`")).collect();
            let _ = writeln!(page, "\n`<{word}>` is one of {}.", choices.join(", "));
        }
    }
    page
}

fn row(cells: &[String]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

/// Returns the parts in angle brackets that have a list of words, each once.
fn words_in(section: &Section) -> BTreeMap<&'static str, &'static [&'static str]> {
    let listed = section
        .settings
        .iter()
        .filter(|setting| !setting.words.is_empty());
    listed
        .filter_map(|setting| {
            let (_, rest) = setting.name.split_once('<')?;
            let (word, _) = rest.split_once('>')?;
            Some((word, setting.words))
        })
        .collect()
}

fn name_text(setting: &Setting) -> String {
    let mut names = vec![format!("`{}`", setting.name)];
    names.extend(setting.aliases.iter().map(|alias| format!("`{alias}`")));
    if setting.bare {
        names.push("also bare".to_owned());
    }
    names.join(", ")
}

fn default_text(setting: &Setting, column: usize) -> String {
    match (setting.default_in(column), setting.required) {
        ("", "") => "–".to_owned(),
        ("", "always") => "required".to_owned(),
        ("", when) => format!("required {when}"),
        (default, _) => format!("`{}`", escape(default)),
    }
}

fn doc_text(setting: &Setting) -> String {
    let mut text = escape(setting.doc);
    if setting.support == Support::NotYet {
        text.insert_str(0, "**Not yet.** ");
    }
    if setting.secret {
        text.push_str(" Secret.");
    }
    if setting.support == Support::Deprecated {
        text.push_str(" Deprecated.");
    }
    text
}

fn escape(text: &str) -> String {
    text.replace('|', "\\|")
}
