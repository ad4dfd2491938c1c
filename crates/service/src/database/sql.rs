//! The text of statements.

/// A part of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SqlToken<'a> {
    /// A parameter, `:name`.
    Parameter(&'a str),
    /// White space and comments.
    Space,
    /// Anything else.
    Text(&'a str),
}

/// Splits a statement. Quoted text stays in one piece.
pub fn sql_tokens(text: &str) -> impl Iterator<Item = SqlToken<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (length, is_parameter) = (token_length(rest)?, is_parameter(rest));
        let (token, after) = rest.split_at(length);
        rest = after;
        Some(match token.strip_prefix(':') {
            Some(name) if is_parameter => SqlToken::Parameter(name),
            _ if token.starts_with(char::is_whitespace) || token.starts_with("--") => {
                SqlToken::Space
            }
            _ => SqlToken::Text(token),
        })
    })
}

fn token_length(rest: &str) -> Option<usize> {
    let first = rest.chars().next()?;
    let after = rest.get(first.len_utf8()..).unwrap_or_default();
    let until = |end: Option<usize>| end.map_or(rest.len(), |end| end + first.len_utf8());
    Some(match first {
        '\'' | '"' => until(after.find(first).map(|end| end + 1)),
        '-' if after.starts_with('-') => until(after.find('\n')),
        ':' if after.starts_with(':') => 2,
        ':' => until(after.find(|c: char| !is_word(c))),
        _ if first.is_whitespace() => until(after.find(|c: char| !c.is_whitespace())),
        _ if is_word(first) => until(after.find(|c: char| !is_word(c))),
        _ => first.len_utf8(),
    })
}

fn is_parameter(rest: &str) -> bool {
    let name = rest.strip_prefix(':').unwrap_or_default();
    name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Joins the parts of a statement and writes its parameters as `$1`, `$2` and so on, in the order of `names`. Comments
/// are left out. A parameter that has no name stays as it is, which the database refuses.
pub fn positional(parts: &[&str], names: &[&str]) -> String {
    let text = parts.join("\n");
    let mut statement = String::with_capacity(text.len());
    for token in sql_tokens(text.trim()) {
        match token {
            SqlToken::Text(text) => statement.push_str(text),
            SqlToken::Space if statement.is_empty() || statement.ends_with(' ') => {}
            SqlToken::Space => statement.push(' '),
            SqlToken::Parameter(name) => {
                statement += &placeholder(names, name);
            }
        }
    }
    statement.truncate(statement.trim_end().len());
    statement
}

/// Returns how a parameter is written: `$1` and so on.
fn placeholder(names: &[&str], name: &str) -> String {
    let position = names.iter().position(|known| *known == name);
    position.map_or_else(
        || format!(":{name}"),
        |position| format!("${}", position + 1),
    )
}

#[cfg(test)]
mod tests {
    use super::positional;

    #[test]
    fn parameters_are_numbered_by_name() {
        let cases: [(&[&str], &[&str], &str); 7] = [
            (&["a = :b and c = :d"], &["d", "b"], "a = $2 and c = $1"),
            (
                &["select ':b', \":b\", b::text, :b::text"],
                &["b"],
                "select ':b', \":b\", b::text, $1::text",
            ),
            (
                &["select a -- of :b\n  from  t", "where b = :b"],
                &["b"],
                "select a from t where b = $1",
            ),
            (&["b[1:2] = :bc"], &["b"], "b[1:2] = :bc"),
            (&[":a :a"], &["a"], "$1 $1"),
            (&["-- Why.\nselect 'it''s --'"], &[], "select 'it''s --'"),
            (&["'unfinished :a"], &["a"], "'unfinished :a"),
        ];
        for (parts, names, expected) in cases {
            assert_eq!(positional(parts, names), expected);
        }
    }
}
