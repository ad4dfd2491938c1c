//! The routes of a resource, and the checks across its methods.

use proc_macro2::Span;
use syn::ext::IdentExt;

use crate::errors::Errors;
use crate::method::Method;
use crate::path::Template;
use crate::source::{self, Source};
use crate::verb::{Verb, VerbAttribute};

/// A method and the routes that lead to it.
pub(crate) struct Handler {
    pub(crate) method: Method,
    pub(crate) routes: Vec<Route>,
}

/// A method under one verb.
pub(crate) struct Route {
    pub(crate) id: u16,
    pub(crate) verb: Verb,
    pub(crate) template: Template,
    /// The span of the verb attribute.
    pub(crate) span: Span,
    path_span: Span,
    /// The source of each argument.
    pub(crate) sources: Vec<Source>,
}

impl Route {
    /// Whether `#[param]` also reads form fields: the verb has a body, and no argument takes it.
    pub(crate) fn reads_form(&self) -> bool {
        self.verb.implies_entity()
            && self
                .sources
                .iter()
                .any(|source| matches!(source, Source::Param(_)))
            && !self.sources.iter().any(Source::takes_body)
    }
}

/// Returns the routes of a method, each with its own sources.
pub(crate) fn routes(
    base: &Template,
    method: &Method,
    next: &mut u16,
    errors: &mut Errors,
) -> Vec<Route> {
    check_ambiguity(base, method, errors);
    if method.complete {
        for parameter in &base.parameters {
            let name = &parameter.name;
            if !method
                .arguments
                .iter()
                .any(|argument| argument.name == *name)
            {
                errors.at(
                    method.ident.span(),
                    format!("`{{{name}}}` is in the base path but no argument of `{}` is named `{name}`; add `{name}: …` to the arguments or remove it from the base path", method.ident.unraw()),
                );
            }
        }
    }
    let mut routes = Vec::new();
    for verb in &method.verbs {
        let template = match base.join(&verb.path) {
            Ok(template) => template,
            Err(message) => {
                errors.at(verb.path_span, message);
                continue;
            }
        };
        check_path_parameters(method, verb, errors);
        let sources: Vec<Option<Source>> = method
            .arguments
            .iter()
            .map(|argument| {
                errors.ok(source::resolve(
                    argument,
                    &verb.verb,
                    verb.explicit_sources,
                    &template,
                ))
            })
            .collect();
        check_body_sources(method, &sources, errors);
        routes.push(Route {
            id: *next,
            verb: verb.verb.clone(),
            template,
            span: verb.span,
            path_span: verb.path_span,
            sources: sources.into_iter().flatten().collect(),
        });
        *next = next.saturating_add(1);
    }
    routes
}

/// Reports parameters of the path that no argument has.
fn check_path_parameters(method: &Method, verb: &VerbAttribute, errors: &mut Errors) {
    if !method.complete {
        return;
    }
    for parameter in &verb.path.parameters {
        let name = &parameter.name;
        if !method
            .arguments
            .iter()
            .any(|argument| argument.name == *name)
        {
            errors.at(
                verb.path_span,
                format!("`{{{name}}}` is in the path but no argument is named `{name}`; add `{name}: …` to the arguments or remove it from the path"),
            );
        }
    }
}

/// Reports arguments without an attribute that would have different sources for different verbs.
fn check_ambiguity(base: &Template, method: &Method, errors: &mut Errors) {
    for argument in method
        .arguments
        .iter()
        .filter(|argument| argument.source.is_none())
    {
        let name = &argument.name;
        let outside: Vec<&Verb> = method
            .verbs
            .iter()
            .filter(|verb| !verb.explicit_sources && verb.path.position(name).is_none())
            .filter(|_| base.position(name).is_none())
            .map(|verb| &verb.verb)
            .collect();
        let entity = outside.iter().find(|verb| verb.implies_entity());
        let param = outside.iter().find(|verb| !verb.implies_entity());
        if let (Some(entity), Some(param)) = (entity, param) {
            errors.at(
                argument.span,
                format!(
                    "`{name}` would be a request parameter of {} and the entity of {}; write `#[param] {name}` or split the method",
                    param.name(),
                    entity.name()
                ),
            );
        }
    }
}

/// Checks that at most one argument takes the body, and that no argument borrows from a request that
/// another one takes.
fn check_body_sources(method: &Method, sources: &[Option<Source>], errors: &mut Errors) {
    let mut taker = None;
    let pairs = || method.arguments.iter().zip(sources);
    for (argument, source) in pairs() {
        if !source.as_ref().is_some_and(Source::takes_body) {
            continue;
        }
        let name = &argument.name;
        if let Some(first) = taker {
            errors.at(
                argument.span,
                format!("`{first}` and `{name}` both take the request body; keep one and mark the other `#[param]` or with another source"),
            );
        }
        taker.get_or_insert(name);
    }
    if !pairs().any(|(_, source)| matches!(source, Some(Source::OwnedRequest))) {
        return;
    }
    for (argument, _) in pairs().filter(|(argument, _)| argument.borrows) {
        errors.at(
            argument.span,
            format!("`{}` borrows from the request that another argument takes; write an owned type, or `&Request` there", argument.name),
        );
    }
}

/// Reports routes of a resource that are the same or that the router refuses together.
pub(crate) fn check_conflicts(handlers: &[Handler], errors: &mut Errors) {
    let all: Vec<(&Method, &Route)> = handlers
        .iter()
        .filter(|handler| handler.method.cfgs.is_empty())
        .flat_map(|handler| handler.routes.iter().map(|route| (&handler.method, route)))
        .collect();
    for (index, (method, route)) in all.iter().enumerate() {
        for (earlier, known) in all.iter().take(index) {
            let (name, first) = (method.ident.unraw(), earlier.ident.unraw());
            let (text, other) = (&route.template.text, &known.template.text);
            if route.template.matcher == known.template.matcher {
                let repeated = name == first && text == other;
                if route.verb == known.verb
                    && route.template.patterns() == known.template.patterns()
                    && !repeated
                {
                    let verb = route.verb.name();
                    errors.at(
                        route.path_span,
                        format!("{verb} `{text}` of `{name}` is already answered by {verb} `{other}` of `{first}`; change the path or the verb of one"),
                    );
                }
            } else if conflicts(&known.template, &route.template) {
                errors.at(
                    route.path_span,
                    format!("`{text}` of `{name}` conflicts with `{other}` of `{first}`: both claim the same segment; change one of the paths"),
                );
            }
        }
    }
}

/// Whether the router refuses the pair in either order; the router itself decides, so that the two
/// never disagree.
fn conflicts(first: &Template, second: &Template) -> bool {
    let refused = |first: &Template, second: &Template| {
        let mut router = matchit::Router::new();
        router.insert(first.matcher.as_str(), ()).is_ok()
            && router.insert(second.matcher.as_str(), ()).is_err()
    };
    refused(first, second) && refused(second, first)
}
