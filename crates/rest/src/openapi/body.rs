//! Request bodies: an entity, text, a stream or a form.

use serde_json::{Value, json};

use super::Object;
use super::operation::Context;
use super::parameter::{is_required, schema, set};
use super::schemas::Described;
use super::shape::{Shape, shape};
use crate::route::{Argument, Route, Source, Verb};

/// What a route reads from its body.
pub(super) struct Body {
    content: Object,
    required: bool,
    description: &'static str,
    /// Whether it is read by its content type and given a shape, so that both can be wrong.
    pub(super) typed: bool,
}

impl Body {
    pub(super) fn to_value(&self) -> Value {
        let mut body = json!({ "required": self.required, "content": self.content });
        if !self.description.is_empty() {
            set(&mut body, "description", self.description.trim().into());
        }
        body
    }
}

const FORMS: [&str; 2] = ["application/x-www-form-urlencoded", "multipart/form-data"];

/// Whether parameters are fields of a form: those of a method with a body that nothing else reads.
pub(super) fn is_form(route: &Route) -> bool {
    let takes_body = |argument: &Argument| match argument.source {
        Source::Entity | Source::Body | Source::Stream => true,
        // One that is handed over, not borrowed.
        Source::Request => !(argument.ty.name)().starts_with('&'),
        _ => false,
    };
    matches!(route.verb, Verb::Post | Verb::Put | Verb::Patch)
        && !route.arguments.iter().any(takes_body)
}

pub(super) fn find(context: &mut Context<'_, '_>) -> Option<Body> {
    let route = context.route;
    let mut arguments = route.arguments.iter();
    let taker = arguments.find(|argument| {
        matches!(
            argument.source,
            Source::Entity | Source::Body | Source::Stream
        )
    });
    match taker {
        Some(argument) => Some(whole(context, argument)),
        None if is_form(route) => form(context),
        None => None,
    }
}

/// A body that one argument takes.
fn whole(context: &mut Context<'_, '_>, argument: &Argument) -> Body {
    let described = (argument.ty.describe)(context.builder.schemas.reading());
    let own = described.media_types;
    let typed = argument.source == Source::Entity && own.is_none();
    let types = media_types(context, argument, &described);
    let multipart = types.iter().any(|known| known == "multipart/form-data");
    let required = if typed { !described.optional } else { multipart };
    let schema = if argument.converted {
        json!({})
    } else {
        described.schema
    };
    let content = types.into_iter().map(|media_type| {
        let described = if media_type == "application/octet-stream" || schema == json!({}) {
            json!({})
        } else {
            json!({ "schema": schema })
        };
        (media_type, described)
    });
    Body {
        content: content.collect(),
        required,
        description: argument.docs,
        typed,
    }
}

/// What the method names, else what the type takes, else what can be read into it.
fn media_types(
    context: &Context<'_, '_>,
    argument: &Argument,
    described: &Described,
) -> Vec<String> {
    let named = context.route.consumes;
    let formats = &context.settings.formats;
    let list: Vec<&str> = match (argument.source, described.media_types) {
        _ if !named.is_empty() => named.to_vec(),
        (Source::Body, _) => {
            let shape = shape(&context.builder.schemas, &described.schema);
            let text = shape == Shape::Scalar || argument.converted;
            vec![if text { "text/plain" } else { "application/octet-stream" }]
        }
        (_, Some(own)) => own.to_vec(),
        _ if formats.json_only => vec!["application/json"],
        _ => {
            let shape = if argument.converted {
                Shape::Any
            } else {
                shape(&context.builder.schemas, &described.schema)
            };
            let mut list = readable(shape);
            list.extend(formats.readable());
            list
        }
    };
    list.into_iter().map(str::to_owned).collect()
}

/// The built-in formats that a value of this shape can be read from.
fn readable(shape: Shape) -> Vec<&'static str> {
    let mut list = vec!["application/json"];
    match shape {
        Shape::Any => {
            list.extend(FORMS);
            list.extend(["text/plain", "application/octet-stream"]);
        }
        Shape::Scalar => list.push("text/plain"),
        Shape::List { .. } => {}
        Shape::Object { flat } => {
            if flat {
                list.extend(FORMS);
            }
        }
    }
    list
}

/// The parameters of a method with a body, as the fields of a form.
fn form(context: &mut Context<'_, '_>) -> Option<Body> {
    let mut properties = Object::new();
    let mut required: Vec<Value> = Vec::new();
    let mut encoding = Object::new();
    let arguments = context.route.arguments.iter();
    for argument in arguments.filter(|argument| argument.source == Source::Param) {
        let described = (argument.ty.describe)(context.builder.schemas.reading());
        if is_required(argument, &described) {
            required.push(argument.name.into());
        }
        let mut schema = schema(context, argument, described);
        if !argument.docs.is_empty() {
            set(&mut schema, "description", argument.docs.trim().into());
        }
        match argument.separator {
            Some(",") => {
                let style = json!({ "style": "form", "explode": false });
                encoding.insert(argument.name.to_owned(), style);
            }
            Some(separator) => {
                schema = json!({ "type": "string", "x-separator": separator });
            }
            None => {}
        }
        properties.insert(argument.name.to_owned(), schema);
    }
    if properties.is_empty() {
        return None;
    }
    let needed = !required.is_empty();
    let mut schema = json!({ "type": "object", "properties": properties });
    if needed {
        set(&mut schema, "required", required.into());
    }
    let mut described = json!({ "schema": schema });
    if !encoding.is_empty() {
        set(&mut described, "encoding", encoding.into());
    }
    Some(Body {
        content: FORMS
            .map(|media_type| (media_type.to_owned(), described.clone()))
            .into_iter()
            .collect(),
        required: needed,
        description: "",
        typed: false,
    })
}
