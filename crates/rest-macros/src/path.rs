//! Path templates: `/users/{id}`, `{id:[0-9]+}`, `/@{name}`, `{file}.json` and `{*rest}`.

use syn::ext::IdentExt;
use syn::parse::Parser;

/// A path template that has been checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Template {
    /// The template as written.
    pub(crate) text: String,
    /// The template for the router: positional names and no expressions.
    pub(crate) matcher: String,
    /// The parameters in order.
    pub(crate) parameters: Vec<Parameter>,
}

/// A `{…}` of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parameter {
    /// The name, which is also the name of the argument.
    pub(crate) name: String,
    /// The regular expression after the colon.
    pub(crate) pattern: Option<String>,
    /// Whether it takes the rest of the path.
    pub(crate) tail: bool,
    /// Whether it is a whole segment.
    pub(crate) whole: bool,
}

impl Template {
    /// The path `/`.
    pub(crate) fn root() -> Self {
        Self {
            text: "/".to_owned(),
            matcher: "/".to_owned(),
            parameters: Vec::new(),
        }
    }

    /// Parses a template; the error says what to write.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() || text == "/" {
            return Ok(Self::root());
        }
        let Some(inner) = text.strip_prefix('/') else {
            return Err(format!("a path starts with `/`; write `\"/{text}\"`"));
        };
        let segments = split(inner)?;
        let last = segments.len().saturating_sub(1);
        let mut template = Self {
            text: text.to_owned(),
            matcher: String::new(),
            parameters: Vec::new(),
        };
        for (index, segment) in segments.iter().enumerate() {
            if segment.is_empty() {
                return Err(if index == last {
                    let shorter = text.trim_end_matches('/');
                    format!("a path does not end with `/`; write `\"{shorter}\"`")
                } else {
                    "a path has no empty segment; write `/` instead of `//`".to_owned()
                });
            }
            template.segment(segment, index == last)?;
        }
        Ok(template)
    }

    /// Appends the template of a method to the base path of its resource.
    pub(crate) fn join(&self, below: &Self) -> Result<Self, String> {
        if below.text == "/" {
            return Ok(self.clone());
        }
        if self.text == "/" {
            return Ok(below.clone());
        }
        Self::parse(&format!("{}{}", self.text, below.text))
    }

    /// Returns the position of the parameter with this name.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.parameters
            .iter()
            .position(|parameter| parameter.name == name)
    }

    /// Returns the expressions in order; two routes with the same matcher may differ in them.
    pub(crate) fn patterns(&self) -> Vec<Option<&str>> {
        self.parameters
            .iter()
            .map(|parameter| parameter.pattern.as_deref())
            .collect()
    }

    fn segment(&mut self, segment: &str, last: bool) -> Result<(), String> {
        self.matcher.push('/');
        let Some((prefix, rest)) = segment.split_once('{') else {
            literal(segment)?;
            self.matcher.push_str(segment);
            return Ok(());
        };
        literal(prefix)?;
        let Some(length) = closing(rest) else {
            return Err(format!("`{{` in `{segment}` is never closed; add `}}`"));
        };
        let (inner, suffix) = rest.split_at(length);
        let suffix = suffix.strip_prefix('}').unwrap_or(suffix);
        if suffix.contains('{') {
            return Err(format!(
                "`{segment}` has two parameters in one segment; put a `/` between them"
            ));
        }
        literal(suffix)?;
        let mut parameter = parameter(inner)?;
        parameter.whole = prefix.is_empty() && suffix.is_empty();
        if parameter.tail && !parameter.whole {
            return Err(format!(
                "`{{{inner}}}` takes whole segments; remove the text beside it in `{segment}`"
            ));
        }
        if parameter.tail && !last {
            return Err(format!(
                "`{{{inner}}}` takes the rest of the path; move it to the end or write `{{{}}}`",
                parameter.name
            ));
        }
        if self.position(&parameter.name).is_some() {
            return Err(format!(
                "`{{{}}}` is in the path twice; give each parameter its own name",
                parameter.name
            ));
        }
        let star = if parameter.tail { "*" } else { "" };
        let position = self.parameters.len();
        for part in [prefix, "{", star, "p", &position.to_string(), "}", suffix] {
            self.matcher.push_str(part);
        }
        self.parameters.push(parameter);
        Ok(())
    }
}

/// Splits at each `/` outside braces: an expression may contain any character.
fn split(text: &str) -> Result<Vec<&str>, String> {
    let mut segments = Vec::new();
    let mut rest = text;
    let mut start = 0;
    loop {
        let tail = rest.get(start..).unwrap_or_default();
        match tail.find(['/', '{']) {
            None => {
                segments.push(rest);
                return Ok(segments);
            }
            Some(at) if tail.get(at..).is_some_and(|found| found.starts_with('{')) => {
                let open = start + at + 1;
                let Some(length) = closing(rest.get(open..).unwrap_or_default()) else {
                    return Err(format!("`{{` in `{rest}` is never closed; add `}}`"));
                };
                start = open + length + 1;
            }
            Some(at) => {
                let (segment, after) = rest.split_at(start + at);
                segments.push(segment);
                rest = after.strip_prefix('/').unwrap_or(after);
                start = 0;
            }
        }
    }
}

/// Returns the offset of the brace that closes a parameter; those in `{2}`, `\}` and `[}]` of an
/// expression do not.
fn closing(text: &str) -> Option<usize> {
    let mut braces = 0_usize;
    let mut brackets = 0_usize;
    let mut characters = text.char_indices();
    while let Some((index, character)) = characters.next() {
        match character {
            '\\' => {
                characters.next();
            }
            '[' => brackets += 1,
            ']' => brackets = brackets.saturating_sub(1),
            '{' if brackets == 0 => braces += 1,
            '}' if brackets == 0 && braces == 0 => return Some(index),
            '}' if brackets == 0 => braces -= 1,
            _ => {}
        }
    }
    None
}

fn literal(text: &str) -> Result<(), String> {
    if text.contains('}') {
        return Err(format!(
            "`}}` in `{text}` has no matching `{{`; remove it or add `{{`"
        ));
    }
    if text.contains('?') {
        return Err("a path has no query; remove `?…` and use `#[param]`".to_owned());
    }
    if text.contains('#') {
        return Err("a path has no fragment; remove `#…`".to_owned());
    }
    if text.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err("a path has no whitespace; remove it or write `%20`".to_owned());
    }
    Ok(())
}

fn parameter(inner: &str) -> Result<Parameter, String> {
    let (name, pattern) = match inner.split_once(':') {
        Some((name, pattern)) => (name, Some(pattern)),
        None => (inner, None),
    };
    let (name, tail) = match name.strip_prefix('*') {
        Some(name) => (name, true),
        None => (name, false),
    };
    if name.is_empty() {
        return Err(format!("`{{{inner}}}` has no name; write `{{name}}`"));
    }
    if let Some(plain) = name.strip_prefix("r#") {
        return Err(format!("`{{{name}}}` needs no `r#`; write `{{{plain}}}`"));
    }
    if syn::Ident::parse_any.parse_str(name).is_err() || name.trim() != name {
        return Err(format!(
            "`{{{name}}}` is not an argument name; write a Rust identifier"
        ));
    }
    let Some(pattern) = pattern else {
        return Ok(Parameter {
            name: name.to_owned(),
            pattern: None,
            tail,
            whole: true,
        });
    };
    if tail {
        return Err(format!(
            "`{{*{name}}}` takes any rest of the path; remove `:{pattern}`"
        ));
    }
    if pattern.is_empty() {
        return Err(format!(
            "`{{{inner}}}` has an empty expression; write `{{{name}}}` or `{{{name}:[0-9]+}}`"
        ));
    }
    if pattern.contains('/') {
        return Err(format!(
            "`{{{inner}}}` is one segment and never contains a `/`; write `{{*{name}}}` for the rest of the path"
        ));
    }
    if let Err(error) = regex_syntax::parse(pattern) {
        let error = last_line(&error.to_string());
        return Err(format!("`{pattern}` is not a regular expression: {error}"));
    }
    Ok(Parameter {
        name: name.to_owned(),
        pattern: Some(pattern.to_owned()),
        tail,
        whole: true,
    })
}

/// Returns the last line of a message: the parser shows the expression above it, which does not fit a
/// compiler error.
pub(crate) fn last_line(message: &str) -> String {
    let line = message.lines().last().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matcher(text: &str) -> String {
        Template::parse(text).expect(text).matcher
    }

    fn assert_mistakes(cases: &[(&str, &str)]) {
        for (text, expected) in cases {
            assert_eq!(Template::parse(text).expect_err(text), *expected, "{text}");
        }
    }

    #[test]
    fn templates_become_matchers() {
        let cases = [
            ("", "/"),
            ("/", "/"),
            ("/users", "/users"),
            ("/users/{id}", "/users/{p0}"),
            ("/{a}/x/{b}", "/{p0}/x/{p1}"),
            ("/@{name}", "/@{p0}"),
            ("/{file}.json", "/{p0}.json"),
            ("/files/{*rest}", "/files/{*p0}"),
            ("/{id:[0-9]{2,3}}", "/{p0}"),
            ("/{id:[^}]+}/x", "/{p0}/x"),
            ("/{id:a\\}?}", "/{p0}"),
            ("/{type}", "/{p0}"),
            ("/q/{id:(?:a|b)?}", "/q/{p0}"),
        ];
        for (text, expected) in cases {
            assert_eq!(matcher(text), expected, "{text}");
        }
    }

    #[test]
    fn parameters_keep_their_expression() {
        let template = Template::parse("/{id:[0-9]{2}}/{*rest}").unwrap();
        assert_eq!(
            template.parameters,
            [
                Parameter {
                    name: "id".into(),
                    pattern: Some("[0-9]{2}".into()),
                    tail: false,
                    whole: true
                },
                Parameter {
                    name: "rest".into(),
                    pattern: None,
                    tail: true,
                    whole: true
                },
            ]
        );
    }

    #[test]
    fn mistakes_say_what_to_write() {
        let cases = [
            ("users", "a path starts with `/`; write `\"/users\"`"),
            (
                "/users/",
                "a path does not end with `/`; write `\"/users\"`",
            ),
            (
                "/a//b",
                "a path has no empty segment; write `/` instead of `//`",
            ),
            (
                "//",
                "a path has no empty segment; write `/` instead of `//`",
            ),
            (
                "/a?b",
                "a path has no query; remove `?…` and use `#[param]`",
            ),
            ("/a#b", "a path has no fragment; remove `#…`"),
            ("/a b", "a path has no whitespace; remove it or write `%20`"),
        ];
        assert_mistakes(&cases);
    }

    #[test]
    fn mistaken_parameters_say_what_to_write() {
        let cases = [
            ("/{id", "`{` in `{id` is never closed; add `}`"),
            (
                "/id}",
                "`}` in `id}` has no matching `{`; remove it or add `{`",
            ),
            ("/{}", "`{}` has no name; write `{name}`"),
            ("/{*}", "`{*}` has no name; write `{name}`"),
            (
                "/{1}",
                "`{1}` is not an argument name; write a Rust identifier",
            ),
            (
                "/{a-b}",
                "`{a-b}` is not an argument name; write a Rust identifier",
            ),
            (
                "/{ a}",
                "`{ a}` is not an argument name; write a Rust identifier",
            ),
            ("/{r#type}", "`{r#type}` needs no `r#`; write `{type}`"),
            (
                "/{a}/{a}",
                "`{a}` is in the path twice; give each parameter its own name",
            ),
            (
                "/{a}{b}",
                "`{a}{b}` has two parameters in one segment; put a `/` between them",
            ),
            (
                "/{*a}/b",
                "`{*a}` takes the rest of the path; move it to the end or write `{a}`",
            ),
            (
                "/x{*a}",
                "`{*a}` takes whole segments; remove the text beside it in `x{*a}`",
            ),
            ("/{*a:b}", "`{*a}` takes any rest of the path; remove `:b`"),
            (
                "/{a:}",
                "`{a:}` has an empty expression; write `{a}` or `{a:[0-9]+}`",
            ),
            (
                "/{a:b/c}",
                "`{a:b/c}` is one segment and never contains a `/`; write `{*a}` for the rest of the path",
            ),
            ("/{a:(}", "`(` is not a regular expression: unclosed group"),
        ];
        assert_mistakes(&cases);
    }

    #[test]
    fn base_and_path_are_joined() {
        let cases = [
            ("", "", "/"),
            ("/", "/x", "/x"),
            ("/users", "", "/users"),
            ("/users", "/", "/users"),
            ("/users", "/{id}", "/users/{id}"),
            ("/orgs/{org}", "/users/{id}", "/orgs/{org}/users/{id}"),
        ];
        for (base, path, expected) in cases {
            let base = Template::parse(base).unwrap();
            let joined = base.join(&Template::parse(path).unwrap()).unwrap();
            assert_eq!(joined.text, expected);
        }
        let base = Template::parse("/{id}").unwrap();
        assert!(base.join(&base).is_err(), "one name in both is refused");
    }
}
