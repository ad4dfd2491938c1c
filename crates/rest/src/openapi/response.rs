//! Responses: those of the return type, those that are declared, and those of the framework.

use std::collections::BTreeMap;

use http::StatusCode;
use serde_json::{Value, json};

use super::body::RequestBody;
use super::context::OperationContext;
use super::json::{Object, set};
use crate::format::Offers;
use crate::route::{
    Argument, ErrorResponses, Limit, PathParam, ReplyKind, Responds, ReturnSchema, Route, Source,
};

#[derive(Default)]
struct ResponseEntry {
    texts: Vec<String>,
    content: Object,
}

/// The responses of a route by status; `default` stands for every status that is not listed.
#[derive(Default)]
struct Responses(BTreeMap<String, ResponseEntry>);

impl Responses {
    fn add(&mut self, status: &str, text: &str, content: Object) {
        let response = self.0.entry(status.to_owned()).or_default();
        if !text.is_empty() && !response.texts.iter().any(|known| known == text) {
            response.texts.push(text.to_owned());
        }
        for (media_type, described) in content {
            response.content.entry(media_type).or_insert(described);
        }
    }

    fn has_success(&self) -> bool {
        self.0
            .keys()
            .any(|status| status.starts_with(['1', '2', '3']))
    }

    fn into_value(self) -> Value {
        let all = self.0.into_iter().map(|(status, response)| {
            let text = if response.texts.is_empty() {
                reason(&status)
            } else {
                response.texts.join("; ")
            };
            let mut described = json!({ "description": text });
            if !response.content.is_empty() {
                set(&mut described, "content", response.content.into());
            }
            (status, described)
        });
        Value::Object(all.collect())
    }
}

fn reason(status: &str) -> String {
    let code = status
        .parse()
        .ok()
        .and_then(|code| StatusCode::from_u16(code).ok());
    let reason = code.and_then(|code| code.canonical_reason());
    reason.unwrap_or("Any other response").to_owned()
}

pub(super) fn write(cx: &mut OperationContext<'_>, body: Option<&RequestBody>) -> Value {
    let route = cx.route;
    let mut responses = Responses::default();
    let offers: Vec<String> = Offers::new(route, &cx.settings.formats)
        .map(|offers| offers.media_types().map(str::to_owned).collect())
        .unwrap_or_default();
    let outcome = (route.returns.outcome)(cx.schemas.sending());
    let errors = error_content(cx);
    for responds in route.responds {
        let content = declared(cx, responds, &offers, &errors);
        responses.add(&responds.status.to_string(), responds.description, content);
    }
    if is_upgraded(route) {
        responses.add("101", "The connection is a websocket", Object::new());
    } else {
        success(route, &outcome, &offers, &mut responses);
    }
    match outcome.errors {
        ErrorResponses::Listed(all) => {
            for error in all {
                let text = format!("`{}`", error.description);
                responses.add(&error.status.to_string(), &text, errors.clone());
            }
        }
        ErrorResponses::Unknown => responses.add("default", "Any other error", errors.clone()),
    }
    for (status, text) in automatic(cx, body, !offers.is_empty()) {
        responses.add(status, text, errors.clone());
    }
    responses.into_value()
}

/// Returns the content that the mount's error format writes.
fn error_content(cx: &mut OperationContext<'_>) -> Object {
    let components = &mut *cx.components;
    let schemas = cx.settings.errors.schemas().into_iter();
    let content = schemas.map(|(media_type, schema)| {
        let schema = match schema.get("title").and_then(Value::as_str) {
            None => schema,
            Some(title) => {
                let numbered = (2..).map(|number| format!("{title}{number}"));
                let mut names = std::iter::once(title.to_owned()).chain(numbered);
                let name =
                    names.find(|name| components.get(name).is_none_or(|known| *known == schema));
                let name = name.unwrap_or_default();
                let reference = json!({ "$ref": format!("#/components/schemas/{name}") });
                components.insert(name, schema);
                reference
            }
        };
        (media_type.to_owned(), json!({ "schema": schema }))
    });
    content.collect()
}

fn has_content(status: u16) -> bool {
    status >= 200 && !matches!(status, 204 | 205 | 304)
}

fn each(media_types: &[String], described: &Value) -> Object {
    let all = media_types.iter();
    all.map(|media_type| (media_type.clone(), described.clone()))
        .collect()
}

/// Returns the content of a response declared with `#[responds]`.
fn declared(
    cx: &mut OperationContext<'_>,
    responds: &Responds,
    offers: &[String],
    errors: &Object,
) -> Object {
    if !has_content(responds.status) {
        return Object::new();
    }
    let Some(ty) = responds.ty else {
        return if responds.status >= 400 {
            errors.clone()
        } else {
            Object::new()
        };
    };
    let schema = (ty.describe)(cx.schemas.sending()).nullable();
    let offered = match offers {
        [] => &["application/json".to_owned()][..],
        offers => offers,
    };
    each(offered, &json!({ "schema": schema }))
}

/// Adds the response of a handler that succeeds.
fn success(route: &Route, outcome: &ReturnSchema, offers: &[String], responses: &mut Responses) {
    let kind = (route.returns.kind)();
    // Only the handler knows its response.
    let is_unknown = matches!(kind, ReplyKind::Any | ReplyKind::Empty);
    let content = if let Some(media_type) = outcome.constants.media_type {
        each(&[media_type.to_owned()], &json!({}))
    } else if kind == ReplyKind::Entity {
        each(
            offers,
            &json!({ "schema": outcome.value.clone().nullable() }),
        )
    } else if kind == ReplyKind::Text {
        each(offers, &json!({ "schema": { "type": "string" } }))
    } else if is_unknown {
        Object::new()
    } else {
        each(offers, &json!({}))
    };
    if let Some(status) = outcome.constants.status {
        let content = if has_content(status) {
            content
        } else {
            Object::new()
        };
        responses.add(&status.to_string(), "", content);
    } else if is_unknown {
        if !responses.has_success() {
            responses.add("default", "", content);
        }
    } else if kind != ReplyKind::Error {
        responses.add("200", "", content);
    }
}

/// Returns whether a request must ask for a websocket. A route with an optional upgrade also has other
/// responses.
fn is_upgraded(route: &Route) -> bool {
    let upgrade = |argument: &&Argument| argument.source == Source::Upgrade;
    let upgrade = route.arguments.iter().find(upgrade);
    upgrade.is_some_and(|argument| !(argument.ty.name)().contains("Option<"))
}

/// Returns the responses of the framework itself.
fn automatic(
    cx: &OperationContext<'_>,
    body: Option<&RequestBody>,
    negotiated: bool,
) -> Vec<(&'static str, &'static str)> {
    let route = cx.route;
    let from_text = |argument: &Argument| {
        matches!(
            argument.source,
            Source::Path | Source::Matrix | Source::Param | Source::Header | Source::Cookie
        )
    };
    let reads = route.arguments.iter().any(from_text);
    let constrained = |param: &PathParam| param.pattern.is_some() || param.tail;
    let constrained = route.params.iter().any(constrained)
        || route.arguments.iter().any(|a| a.source == Source::Matrix);
    let validated = route.arguments.iter().any(|argument| argument.validated);
    let upgraded = is_upgraded(route);
    let limited = route.body_limit != Some(Limit::Off);
    let typed = body.is_some_and(|body| body.typed);
    let scoped = route
        .security
        .iter()
        .any(|security| !security.scopes.is_empty());
    let timed = cx.settings.timeout_of(route, cx.limits).is_some();
    let all = [
        (reads, "400", "A parameter is missing or malformed"),
        (upgraded, "400", "The handshake is malformed"),
        (body.is_some(), "400", "The body is malformed"),
        (
            !route.security.is_empty(),
            "401",
            "The caller is not authenticated",
        ),
        (scoped, "403", "The caller is not allowed to do this"),
        (upgraded, "403", "The origin is not allowed"),
        (constrained, "404", "No resource has this path"),
        (
            negotiated,
            "406",
            "The response cannot be sent in an accepted type",
        ),
        (timed || body.is_some(), "408", "The request took too long"),
        (body.is_some() && limited, "413", "The body is too large"),
        (typed, "415", "The type of the body is not supported"),
        (typed, "422", "The body does not have the expected shape"),
        (
            validated,
            "422",
            "A parameter has a value that is not allowed",
        ),
        (upgraded, "426", "The request does not ask for a websocket"),
    ];
    let happening = all.into_iter().filter(|(happens, ..)| *happens);
    happening.map(|(_, status, text)| (status, text)).collect()
}
