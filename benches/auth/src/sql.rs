//! The server's statements, from its `.sql` files.

use std::path::Path;

use anyhow::{Context, Result};

/// Returns the statement of this name, without comments.
pub(crate) fn load(folder: &Path, file: &str, name: &str) -> Result<String> {
    let path = folder.join(file).with_extension("sql");
    let text =
        std::fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    find(&text, name).with_context(|| format!("no statement {name} in {}", path.display()))
}

fn find(text: &str, name: &str) -> Option<String> {
    let mut lines = text.lines();
    lines.find(|line| {
        let title = line.strip_prefix("--!").map(str::trim);
        title.is_some_and(|title| title.split([' ', '(', ':']).next() == Some(name))
    })?;
    let mut statement = String::new();
    for line in lines.filter(|line| !line.starts_with("--")) {
        statement += line;
        statement.push('\n');
        if line.trim_end().ends_with(';') {
            return Some(statement);
        }
    }
    None
}

/// Replaces each parameter by a value; every parameter must be known.
pub(crate) fn fill(statement: &str, value: impl Fn(&str) -> Option<String>) -> Result<String> {
    let mut filled = String::new();
    let mut rest = statement;
    while let Some(at) = rest.find([':', '\'']) {
        let (before, from) = rest.split_at(at);
        filled += before;
        let length = if from.starts_with('\'') {
            quoted(from)
        } else if from.starts_with("::") {
            2
        } else {
            let name = word(from.get(1..).unwrap_or_default());
            let found = value(name).with_context(|| format!("no value for :{name}"))?;
            filled += &found;
            rest = from.get(1 + name.len()..).unwrap_or_default();
            continue;
        };
        let (kept, after) = from.split_at(length);
        filled += kept;
        rest = after;
    }
    Ok(filled + rest)
}

/// Returns the length of the quoted text at the start.
fn quoted(text: &str) -> usize {
    let inside = text.get(1..).unwrap_or_default();
    inside.find('\'').map_or(text.len(), |end| end + 2)
}

fn word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    text.get(..end.unwrap_or(text.len())).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "-- Things.\n\n--! other\nselect 1;\n\n--! find (name?) : Row\n-- Why.\n\
                        select id,\n       'a:b' as text\n  from things\n where name = :name::text;\n";

    #[test]
    fn a_statement_is_found_by_its_name() {
        let found = find(FILE, "find").unwrap();
        assert!(found.starts_with("select id,") && found.ends_with("::text;\n"));
        assert_eq!(find(FILE, "fin"), None);
    }

    #[test]
    fn parameters_are_replaced_and_neither_casts_nor_texts_are() {
        let found = find(FILE, "find").unwrap();
        let filled = fill(&found, |name| {
            (name == "name").then(|| ":name_1".to_owned())
        })
        .unwrap();
        assert!(filled.contains("'a:b'") && filled.contains("= :name_1::text;"));
        assert!(fill(&found, |_| None).is_err());
    }
}
