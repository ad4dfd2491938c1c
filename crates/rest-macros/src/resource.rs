//! `#[resource("/path")] impl Type { … }`: the settings, the block and its routes.

use proc_macro2::{Span, TokenStream};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Ident, ImplItem, ItemImpl, LitStr, Path, Token, Type};

use crate::faults::Faults;
use crate::method::{self, Method, attribute_name};
use crate::notes::{self, Notes};
use crate::path::Template;
use crate::source::{self, Source};
use crate::verb::{self, Verb, VerbAttribute};

/// What the arguments of `#[resource]` say.
pub(crate) struct Settings {
    /// The path of the runtime crate.
    pub(crate) krate: Path,
    /// The base path; `None` if it could not be read.
    base: Option<Template>,
    /// Whether the futures stay on their thread.
    pub(crate) local: bool,
    /// Whether `get_path` is made for `get`.
    pub(crate) paths: bool,
    /// Whether everything was read, so that the crate is the one the author means.
    pub(crate) complete: bool,
}

/// A checked resource.
pub(crate) struct Resource {
    pub(crate) name: String,
    pub(crate) docs: String,
    pub(crate) base: Template,
    pub(crate) notes: Notes,
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) handlers: Vec<Handler>,
}

/// A method and the routes that lead to it.
pub(crate) struct Handler {
    pub(crate) method: Method,
    pub(crate) routes: Vec<Route>,
}

/// One verb of one method.
pub(crate) struct Route {
    pub(crate) id: u16,
    pub(crate) verb: Verb,
    pub(crate) template: Template,
    /// The place of the verb attribute.
    pub(crate) span: Span,
    path_span: Span,
    /// One source for each argument.
    pub(crate) sources: Vec<Source>,
}

impl Route {
    /// Whether `#[param]` also reads form fields: a body verb whose body nothing else takes.
    pub(crate) fn reads_form(&self) -> bool {
        self.verb.implies_entity()
            && self
                .sources
                .iter()
                .any(|source| matches!(source, Source::Param(_)))
            && !self.sources.iter().any(Source::takes_body)
    }
}

impl Settings {
    /// Reads the arguments of `#[resource]`; a mistake leaves the rest of the block to be checked.
    pub(crate) fn parse(tokens: TokenStream, faults: &mut Faults) -> Self {
        let mut settings = Self {
            krate: default_crate(),
            base: None,
            local: false,
            paths: true,
            complete: false,
        };
        if tokens.is_empty() {
            settings.base = Some(Template::root());
            let message = "the base path is missing; write `#[resource(\"/path\")]`";
            faults.at(Span::call_site(), message);
            return settings;
        }
        let parser = |input: ParseStream<'_>| settings.fill(input, faults);
        match parser.parse2(tokens) {
            Ok(()) => settings.complete = true,
            Err(error) => {
                let form = "`#[resource(\"/path\")]`, with `, local`, `, no_paths` or \
                    `, crate = \"name\"` after the path";
                faults.push(crate::faults::usage(&error, form));
            }
        }
        settings
    }

    fn fill(&mut self, input: ParseStream, faults: &mut Faults) -> syn::Result<()> {
        let base: LitStr = input.parse()?;
        match Template::parse(&base.value()) {
            Ok(template) => self.base = Some(template),
            Err(message) => faults.at(base.span(), message),
        }
        while !input.is_empty() {
            input.parse::<Token![,]>()?;
            if input.is_empty() {
                break;
            }
            let word = input.call(Ident::parse_any)?;
            match word.to_string().as_str() {
                "local" => self.local = true,
                "no_paths" => self.paths = false,
                "crate" => {
                    input.parse::<Token![=]>()?;
                    self.krate = crate_path(input)?;
                }
                other => {
                    return Err(syn::Error::new(
                        word.span(),
                        format!("unknown setting `{other}`"),
                    ));
                }
            }
        }
        Ok(())
    }
}

/// The runtime crate under its own name.
pub(crate) fn default_crate() -> Path {
    syn::parse_quote!(::innkeeper_rest)
}

/// `"web"` or `::web`, after `crate =`.
pub(crate) fn crate_path(input: ParseStream) -> syn::Result<Path> {
    if input.peek(LitStr) {
        input.parse::<LitStr>()?.parse_with(Path::parse_mod_style)
    } else {
        Path::parse_mod_style(input)
    }
}

/// Reads the block and takes our attributes off it; `None` if there is nothing to generate.
pub(crate) fn parse(
    settings: &Settings,
    block: &mut ItemImpl,
    faults: &mut Faults,
) -> Option<Resource> {
    if let Some((path, _)) = &block.trait_ {
        faults.on(
            path,
            "`#[resource]` reads the methods of a type, not of a trait; move them to `impl Type { … }`",
        );
    }
    let notes = resource_notes(block, &settings.krate, faults);
    let name = type_name(&block.self_ty, faults);
    let before = faults.count();
    let mut methods = Vec::new();
    for item in &mut block.items {
        if let ImplItem::Fn(function) = item {
            methods.extend(method::parse(function, &settings.krate, faults));
        }
    }
    if methods.is_empty() && faults.count() == before {
        faults.on(
            &block.self_ty,
            "no method has a verb; add `#[get(\"/path\")]` or another verb to one",
        );
    }
    let base = settings.base.clone()?;
    let mut next = 0_u16;
    let mut handlers = Vec::new();
    for method in methods {
        if let (Some(span), true) = (method.notes.detached, settings.local) {
            let message = "`#[detached]` moves to another task, which a local resource cannot; \
                 remove it or `local`";
            faults.at(span, message);
        }
        handlers.push(Handler {
            routes: routes(&base, &method, &mut next, faults),
            method,
        });
    }
    duplicates(&handlers, faults);
    Some(Resource {
        name: name?,
        docs: method::docs(&block.attrs),
        base,
        notes,
        cfgs: cfgs(block),
        handlers,
    })
}

/// The conditions under which the block is there.
pub(crate) fn cfgs(block: &ItemImpl) -> Vec<Attribute> {
    let conditions = block.attrs.iter().filter(|a| a.path().is_ident("cfg"));
    conditions.cloned().collect()
}

fn resource_notes(block: &mut ItemImpl, krate: &Path, faults: &mut Faults) -> Notes {
    let mut notes = Notes::default();
    for attribute in std::mem::take(&mut block.attrs) {
        let name = attribute_name(&attribute, krate).unwrap_or_default();
        if notes::is_ours_on_resource(&name) {
            faults.ok(notes.add(&attribute, &name));
        } else if notes::is_ours(&name) || verb::is_verb(&name) {
            faults.on(
                &attribute,
                format!("`#[{name}]` belongs on a method; move it there"),
            );
        } else {
            block.attrs.push(attribute);
        }
    }
    notes
}

/// The name of the type a block is for.
pub(crate) fn type_name(ty: &Type, faults: &mut Faults) -> Option<String> {
    match ty {
        Type::Path(path) if path.qself.is_none() => path
            .path
            .segments
            .last()
            .map(|segment| segment.ident.unraw().to_string()),
        Type::Group(group) => type_name(&group.elem, faults),
        Type::Paren(paren) => type_name(&paren.elem, faults),
        other => {
            faults.on(other, "a resource is a named type; write `impl Name { … }`");
            None
        }
    }
}

/// The routes of one method, each with its own sources.
fn routes(base: &Template, method: &Method, next: &mut u16, faults: &mut Faults) -> Vec<Route> {
    ambiguous(base, method, faults);
    if method.complete {
        for parameter in &base.parameters {
            let name = &parameter.name;
            if !method
                .arguments
                .iter()
                .any(|argument| argument.name == *name)
            {
                faults.at(
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
                faults.at(verb.path_span, message);
                continue;
            }
        };
        unfilled(method, verb, faults);
        let sources: Vec<Option<Source>> = method
            .arguments
            .iter()
            .map(|argument| {
                faults.ok(source::resolve(
                    argument,
                    &verb.verb,
                    verb.annotated,
                    &template,
                ))
            })
            .collect();
        bodies(method, &sources, faults);
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

/// Parameters of the path that no argument takes.
fn unfilled(method: &Method, verb: &VerbAttribute, faults: &mut Faults) {
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
            faults.at(
                verb.path_span,
                format!("`{{{name}}}` is in the path but no argument is named `{name}`; add `{name}: …` to the arguments or remove it from the path"),
            );
        }
    }
}

/// An argument without attribute that would mean one thing for one verb and another for the next.
fn ambiguous(base: &Template, method: &Method, faults: &mut Faults) {
    for argument in method
        .arguments
        .iter()
        .filter(|argument| argument.origin.is_none())
    {
        let name = &argument.name;
        let outside: Vec<&Verb> = method
            .verbs
            .iter()
            .filter(|verb| !verb.annotated && verb.path.position(name).is_none())
            .filter(|_| base.position(name).is_none())
            .map(|verb| &verb.verb)
            .collect();
        let entity = outside.iter().find(|verb| verb.implies_entity());
        let param = outside.iter().find(|verb| !verb.implies_entity());
        if let (Some(entity), Some(param)) = (entity, param) {
            faults.at(
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

/// At most one argument takes the body; an owned request leaves nothing to borrow from.
fn bodies(method: &Method, sources: &[Option<Source>], faults: &mut Faults) {
    let mut taker = None;
    let pairs = || method.arguments.iter().zip(sources);
    for (argument, source) in pairs() {
        if !source.as_ref().is_some_and(Source::takes_body) {
            continue;
        }
        let name = &argument.name;
        if let Some(first) = taker {
            faults.at(
                argument.span,
                format!("`{first}` and `{name}` both take the request body; keep one and mark the other `#[param]` or with another source"),
            );
        }
        taker.get_or_insert(name);
    }
    if !pairs().any(|(_, source)| matches!(source, Some(Source::OwnedRequest))) {
        return;
    }
    for (argument, _) in pairs().filter(|(argument, _)| argument.refers) {
        faults.at(
            argument.span,
            format!("`{}` borrows from the request that another argument takes; write an owned type, or `&Request` there", argument.name),
        );
    }
}

/// Routes of one resource that the router could not tell apart, or refuses side by side.
fn duplicates(handlers: &[Handler], faults: &mut Faults) {
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
                    faults.at(
                        route.path_span,
                        format!("{verb} `{text}` of `{name}` is already answered by {verb} `{other}` of `{first}`; change the path or the verb of one"),
                    );
                }
            } else if clash(&known.template, &route.template) {
                faults.at(
                    route.path_span,
                    format!("`{text}` of `{name}` cannot stand beside `{other}` of `{first}`: both claim the same segment; change one of the paths"),
                );
            }
        }
    }
}

/// Whether the router refuses the pair in either order; asked of the router itself, so the two never
/// disagree.
fn clash(first: &Template, second: &Template) -> bool {
    let refused = |first: &Template, second: &Template| {
        let mut router = matchit::Router::new();
        router.insert(first.matcher.as_str(), ()).is_ok()
            && router.insert(second.matcher.as_str(), ()).is_err()
    };
    refused(first, second) && refused(second, first)
}
