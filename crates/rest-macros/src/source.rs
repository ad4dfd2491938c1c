//! The source of each argument: the path, else the attribute, else what the verb implies.

use crate::argument::{Argument, SourceKind};
use crate::path::Template;
use crate::verb::Verb;

/// The source of an argument in a route.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Path(usize),
    Matrix(usize),
    Param(String),
    Header(String),
    Cookie(String),
    Value(Option<String>),
    Entity,
    Body,
    Stream,
    /// `#[request] r: &Request`
    BorrowedRequest,
    /// `#[request] r: Request`
    OwnedRequest,
    Upgrade,
}

impl Source {
    /// Whether it consumes the body of the request.
    pub(crate) fn takes_body(&self) -> bool {
        matches!(
            self,
            Self::Entity | Self::Body | Self::Stream | Self::OwnedRequest
        )
    }
}

/// Returns the source of an argument in a route; the error says what to write.
///
/// `explicit_sources` is the rule of `#[route]`: a custom method implies no source.
pub(crate) fn resolve(
    argument: &Argument,
    verb: &Verb,
    explicit_sources: bool,
    template: &Template,
) -> syn::Result<Source> {
    let name = &argument.name;
    if let Some(position) = template.position(name) {
        return in_path(argument, position, template);
    }
    if let Some(span) = argument.matrix {
        return Err(syn::Error::new(
            span,
            format!(
                "`#[matrix]` reads a segment of the path, but `{{{name}}}` is not in it; add `{{{name}}}` to the path"
            ),
        ));
    }
    let Some(origin) = &argument.source else {
        return implied(argument, verb, explicit_sources);
    };
    let source = match &origin.kind {
        SourceKind::Param(wire) => Source::Param(wire.clone().unwrap_or_else(|| name.clone())),
        SourceKind::Value(wire) => Source::Value(wire.clone()),
        SourceKind::Header(wire) => Source::Header(wire.clone()),
        SourceKind::Cookie(wire) => Source::Cookie(wire.clone()),
        SourceKind::Entity => Source::Entity,
        SourceKind::Body => Source::Body,
        SourceKind::Stream => Source::Stream,
        SourceKind::Request if argument.borrowed.is_some() => Source::BorrowedRequest,
        SourceKind::Request => Source::OwnedRequest,
        SourceKind::Upgrade => Source::Upgrade,
    };
    if source == Source::Upgrade && *verb != Verb::Get {
        return Err(syn::Error::new(
            origin.span,
            format!(
                "`#[upgrade]` begins with a GET, and this is a {}; use `#[get]`",
                verb.name()
            ),
        ));
    }
    if matches!(source, Source::Entity | Source::Body | Source::Stream)
        && matches!(verb, Verb::Get | Verb::Head)
    {
        return Err(syn::Error::new(
            origin.span,
            format!(
                "`{}` needs a request body, and {} has none; use `#[post]` or take `#[param] {name}`",
                origin.kind.as_written(),
                verb.name()
            ),
        ));
    }
    Ok(source)
}

fn in_path(argument: &Argument, position: usize, template: &Template) -> syn::Result<Source> {
    let name = &argument.name;
    if let Some(origin) = &argument.source {
        return Err(syn::Error::new(
            origin.span,
            format!(
                "`{name}` already comes from the path; remove `{}` or rename the argument",
                origin.kind.as_written()
            ),
        ));
    }
    let Some(span) = argument.matrix else {
        return Ok(Source::Path(position));
    };
    let alone = template
        .parameters
        .get(position)
        .is_some_and(|found| found.whole && !found.tail);
    if alone {
        return Ok(Source::Matrix(position));
    }
    Err(syn::Error::new(
        span,
        format!(
            "`#[matrix]` reads a whole segment; write `/{{{name}}}` in the path with nothing beside it"
        ),
    ))
}

fn implied(argument: &Argument, verb: &Verb, explicit_sources: bool) -> syn::Result<Source> {
    let name = &argument.name;
    if explicit_sources {
        return Err(syn::Error::new(
            argument.span,
            format!(
                "`#[route]` implies no source for `{name}`; write `#[param] {name}`, `#[entity] {name}` or another source"
            ),
        ));
    }
    if !verb.implies_entity() {
        return Ok(Source::Param(name.clone()));
    }
    if argument.borrowed.is_some() {
        return Err(syn::Error::new(
            argument.span,
            format!(
                "`{name}` is the entity of a {} and is passed by value; write `{name}: Type` without `&`, or `#[param] {name}`",
                verb.name()
            ),
        ));
    }
    Ok(Source::Entity)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::argument;
    use crate::errors::Errors;

    fn argument(text: &str) -> Argument {
        let mut item: syn::ItemFn = syn::parse_str(&format!("fn f({text}) {{}}")).unwrap();
        let Some(syn::FnArg::Typed(typed)) = item.sig.inputs.first_mut() else {
            panic!("no argument in {text}")
        };
        let mut errors = Errors::default();
        let argument = argument::parse(typed, &[], &mut errors);
        assert!(errors.is_empty(), "{text}");
        argument.unwrap()
    }

    fn source(text: &str, verb: &str, path: &str) -> Result<Source, String> {
        let template = Template::parse(path).unwrap();
        resolve(&argument(text), &Verb::from_name(verb), false, &template)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn sources_follow_path_then_attribute_then_verb() {
        let param = |name: &str| Source::Param(name.to_owned());
        let cases = [
            ("id: u64", "GET", "/{id}", Source::Path(0)),
            ("id: u64", "POST", "/{org}/{id}", Source::Path(1)),
            ("id: u64", "GET", "/", param("id")),
            ("id: u64", "HEAD", "/", param("id")),
            ("id: u64", "DELETE", "/", param("id")),
            ("id: u64", "OPTIONS", "/", param("id")),
            ("id: u64", "POST", "/", Source::Entity),
            ("id: u64", "PUT", "/", Source::Entity),
            ("id: u64", "PATCH", "/", Source::Entity),
            ("r#type: u64", "GET", "/{type}", Source::Path(0)),
            ("mut id: u64", "GET", "/", param("id")),
            ("#[param] id: u64", "POST", "/", param("id")),
            ("#[param(\"max\")] id: u64", "GET", "/", param("max")),
            ("#[param(default = 1)] id: u64", "GET", "/", param("id")),
            (
                "#[header(\"X-Id\")] id: u64",
                "GET",
                "/",
                Source::Header("X-Id".into()),
            ),
            (
                "#[cookie(\"sid\")] id: u64",
                "GET",
                "/",
                Source::Cookie("sid".into()),
            ),
            ("#[value] id: u64", "GET", "/", Source::Value(None)),
            (
                "#[value(\"n\")] id: u64",
                "GET",
                "/",
                Source::Value(Some("n".into())),
            ),
            ("#[entity] id: u64", "DELETE", "/", Source::Entity),
            ("#[body] id: String", "QUERY", "/", Source::Body),
            ("#[stream] id: Stream", "POST", "/", Source::Stream),
            (
                "#[request] id: &Request",
                "GET",
                "/",
                Source::BorrowedRequest,
            ),
            ("#[request] id: Request", "GET", "/", Source::OwnedRequest),
            ("#[matrix] id: Map", "GET", "/{id}", Source::Matrix(0)),
            (
                "#[separated_by(\",\")] id: Vec<u8>",
                "GET",
                "/{id}",
                Source::Path(0),
            ),
        ];
        for (text, verb, path, expected) in cases {
            assert_eq!(
                source(text, verb, path),
                Ok(expected),
                "{verb} {path} {text}"
            );
        }
    }

    #[test]
    fn contradictions_are_refused() {
        let cases = [
            (
                "#[param] id: u64",
                "GET",
                "/{id}",
                "`id` already comes from the path",
            ),
            (
                "#[matrix] id: Map",
                "GET",
                "/",
                "`#[matrix]` reads a segment of the path",
            ),
            (
                "#[matrix] id: Map",
                "GET",
                "/x{id}",
                "`#[matrix]` reads a whole segment",
            ),
            (
                "#[matrix] id: Map",
                "GET",
                "/{*id}",
                "`#[matrix]` reads a whole segment",
            ),
            (
                "#[entity] id: u64",
                "GET",
                "/",
                "`#[entity]` needs a request body, and GET has none",
            ),
            (
                "#[body] id: u64",
                "HEAD",
                "/",
                "`#[body]` needs a request body, and HEAD has none",
            ),
            ("id: &str", "POST", "/", "`id` is the entity of a POST"),
            (
                "#[upgrade] id: Upgrade",
                "POST",
                "/",
                "`#[upgrade]` begins with a GET, and this is a POST",
            ),
        ];
        for (text, verb, path, expected) in cases {
            let message = source(text, verb, path).expect_err(text);
            assert!(message.starts_with(expected), "{message}");
        }
        let template = Template::root();
        let verb = Verb::from_name("QUERY");
        assert!(resolve(&argument("id: u64"), &verb, true, &template).is_err());
    }
}
