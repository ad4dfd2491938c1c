//! Responses: what the return type tells, what is declared, and what the framework may answer.

use std::collections::BTreeMap;

use http::StatusCode;
use serde_json::{Value, json};

use super::Object;
use super::body::Body;
use super::operation::Work;
use super::return_schema::{ErrorResponses, ReturnSchema};
use crate::app::timeout;
use crate::format::Offers;
use crate::response::ReplyKind;
use crate::route::{Argument, Limit, Responds, Route, Source};

/// One answer.
#[derive(Default)]
struct Answer {
    texts: Vec<String>,
    content: Object,
}

/// All answers of a route; `default` stands for every status that is not listed.
#[derive(Default)]
struct Answers(BTreeMap<String, Answer>);

impl Answers {
    fn add(&mut self, status: &str, text: &str, content: Object) {
        let answer = self.0.entry(status.to_owned()).or_default();
        if !text.is_empty() && !answer.texts.iter().any(|known| known == text) {
            answer.texts.push(text.to_owned());
        }
        for (media_type, described) in content {
            answer.content.entry(media_type).or_insert(described);
        }
    }

    fn has_success(&self) -> bool {
        self.0
            .keys()
            .any(|status| status.starts_with(['1', '2', '3']))
    }

    fn into_value(self) -> Value {
        let all = self.0.into_iter().map(|(status, answer)| {
            let text = if answer.texts.is_empty() {
                reason(&status)
            } else {
                answer.texts.join("; ")
            };
            let mut described = json!({ "description": text });
            if !answer.content.is_empty() {
                super::parameter::set(&mut described, "content", answer.content.into());
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
    reason.unwrap_or("Any other answer").to_owned()
}

pub(super) fn write(work: &mut Work<'_, '_>, body: Option<&Body>) -> Value {
    let route = work.route;
    let mut answers = Answers::default();
    let offers: Vec<String> = Offers::new(route, &work.settings.formats)
        .map(|offers| offers.media_types().map(str::to_owned).collect())
        .unwrap_or_default();
    let outcome = (route.returns.outcome)(work.builder.schemas.sending());
    let errors = error_content(work);
    for responds in route.responds {
        let content = declared(work, responds, &offers, &errors);
        answers.add(&responds.status.to_string(), responds.description, content);
    }
    if is_upgraded(route) {
        answers.add("101", "The connection is a websocket", Object::new());
    } else {
        success(route, &outcome, &offers, &mut answers);
    }
    match outcome.errors {
        ErrorResponses::Listed(all) => {
            for error in all {
                let text = format!("`{}`", error.description);
                answers.add(&error.status.to_string(), &text, errors.clone());
            }
        }
        ErrorResponses::Unknown => answers.add("default", "Any other error", errors.clone()),
    }
    for (status, text) in automatic(work, body, !offers.is_empty()) {
        answers.add(status, text, errors.clone());
    }
    answers.into_value()
}

/// What the mount's error format writes.
fn error_content(work: &mut Work<'_, '_>) -> Object {
    let known = &mut work.builder.known;
    let schemas = work.settings.errors.schemas().into_iter();
    let content = schemas.map(|(media_type, schema)| {
        let schema = match schema.get("title").and_then(Value::as_str) {
            None => schema,
            Some(title) => {
                let numbered = (2..).map(|number| format!("{title}{number}"));
                let mut names = std::iter::once(title.to_owned()).chain(numbered);
                let name = names.find(|name| known.get(name).is_none_or(|known| *known == schema));
                let name = name.unwrap_or_default();
                let reference = json!({ "$ref": format!("#/components/schemas/{name}") });
                known.insert(name, schema);
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

/// The content of an answer declared with `#[responds]`.
fn declared(
    work: &mut Work<'_, '_>,
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
    let schema = (ty.describe)(work.builder.schemas.sending()).nullable();
    let offered = match offers {
        [] => &["application/json".to_owned()][..],
        offers => offers,
    };
    each(offered, &json!({ "schema": schema }))
}

/// The answer when all is well.
fn success(route: &Route, outcome: &ReturnSchema, offers: &[String], answers: &mut Answers) {
    let kind = (route.returns.kind)();
    // The method alone knows what it answers with.
    let untold = matches!(kind, ReplyKind::Any | ReplyKind::Empty);
    let content = if let Some(media_type) = outcome.constants.media_type {
        each(&[media_type.to_owned()], &json!({}))
    } else if kind == ReplyKind::Entity {
        each(
            offers,
            &json!({ "schema": outcome.value.clone().nullable() }),
        )
    } else if kind == ReplyKind::Text {
        each(offers, &json!({ "schema": { "type": "string" } }))
    } else if untold {
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
        answers.add(&status.to_string(), "", content);
    } else if untold {
        if !answers.has_success() {
            answers.add("default", "", content);
        }
    } else if kind != ReplyKind::Error {
        answers.add("200", "", content);
    }
}

/// Whether a request must ask for a websocket. One that may is answered in other ways, too.
fn is_upgraded(route: &Route) -> bool {
    let upgrade = |argument: &&Argument| argument.source == Source::Upgrade;
    let upgrade = route.arguments.iter().find(upgrade);
    upgrade.is_some_and(|argument| !(argument.ty.name)().contains("Option<"))
}

/// What the framework answers by itself.
fn automatic(
    work: &Work<'_, '_>,
    body: Option<&Body>,
    negotiated: bool,
) -> Vec<(&'static str, &'static str)> {
    let route = work.route;
    let from_text = |argument: &Argument| {
        matches!(
            argument.source,
            Source::Path | Source::Matrix | Source::Param | Source::Header | Source::Cookie
        )
    };
    let reads = route.arguments.iter().any(from_text);
    let constrained = |param: &crate::PathParam| param.pattern.is_some() || param.tail;
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
    let timed = timeout(route, work.settings, work.limits).is_some();
    let all = [
        (reads, "400", "A parameter is missing or malformed"),
        (upgraded, "400", "The handshake is malformed"),
        (body.is_some(), "400", "The body is malformed"),
        (!route.security.is_empty(), "401", "The caller is not known"),
        (scoped, "403", "The caller may not do this"),
        (upgraded, "403", "The origin is not allowed"),
        (constrained, "404", "Nothing is here"),
        (negotiated, "406", "None of the accepted types can be sent"),
        (timed || body.is_some(), "408", "It took too long"),
        (body.is_some() && limited, "413", "The body is too large"),
        (typed, "415", "The type of the body is not supported"),
        (typed, "422", "The body does not have the expected shape"),
        (validated, "422", "A parameter is not allowed to be this"),
        (upgraded, "426", "The request asks for no websocket"),
    ];
    let happening = all.into_iter().filter(|(happens, ..)| *happens);
    happening.map(|(_, status, text)| (status, text)).collect()
}
