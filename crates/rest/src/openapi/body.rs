//! Request bodies: an entity, text, a stream or a form.

use serde_json::{Value, json};

use super::Object;
use super::form::{self, MULTIPART, URLENCODED};
use super::operation::Work;
use super::parameter::set;
use super::schemas::Described;
use super::shape::{Shape, shape};
use crate::route::{Argument, Source};

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

pub(super) fn find(work: &mut Work<'_, '_>) -> Option<Body> {
    let route = work.route;
    let mut arguments = route.arguments.iter();
    let taker = arguments.find(|argument| {
        matches!(
            argument.source,
            Source::Entity | Source::Body | Source::Stream
        )
    });
    match taker {
        Some(argument) => Some(whole(work, argument)),
        None if form::is_form(route) => {
            let (content, required) = form::of_parameters(work)?;
            Some(Body {
                content,
                required,
                description: "",
                typed: false,
            })
        }
        None => None,
    }
}

/// A body that one argument takes.
fn whole(work: &mut Work<'_, '_>, argument: &Argument) -> Body {
    let described = (argument.ty.describe)(work.builder.schemas.reading());
    let own = described.media_types;
    let typed = argument.source == Source::Entity && own.is_none();
    let sent_as = media_types(work, argument, &described);
    let multipart = sent_as.iter().any(|known| known == MULTIPART);
    let required = if typed {
        !described.optional
    } else {
        multipart
    };
    let schema = if argument.converted {
        json!({})
    } else {
        described.schema.clone()
    };
    let whole = if argument.converted {
        json!({})
    } else {
        described.nullable()
    };
    let schemas = &work.builder.schemas;
    let content = sent_as.into_iter().map(|media_type| {
        let described = match media_type.as_str() {
            "application/octet-stream" => json!({}),
            MULTIPART if schema == json!({}) => {
                json!({ "schema": form::of_entity(schemas, &json!({ "type": "object" }), MULTIPART) })
            }
            _ if schema == json!({}) => json!({}),
            URLENCODED | MULTIPART => {
                json!({ "schema": form::of_entity(schemas, &schema, &media_type) })
            }
            _ => json!({ "schema": whole }),
        };
        (media_type, described)
    });
    let content = content.collect();
    Body {
        content,
        required,
        description: argument.docs,
        typed,
    }
}

/// What the method names, else what the type takes, else what can be read into it.
fn media_types(work: &Work<'_, '_>, argument: &Argument, described: &Described) -> Vec<String> {
    let named = work.route.consumes;
    let formats = &work.settings.formats;
    let list: Vec<&str> = match (argument.source, described.media_types) {
        _ if !named.is_empty() => named.to_vec(),
        (Source::Body, _) => {
            let shape = shape(&work.builder.schemas, &described.schema);
            let text = shape == Shape::Scalar || argument.converted;
            vec![if text {
                "text/plain"
            } else {
                "application/octet-stream"
            }]
        }
        (_, Some(own)) => own.to_vec(),
        _ if formats.json_only => vec!["application/json"],
        _ => {
            let shape = if argument.converted {
                Shape::Any
            } else {
                shape(&work.builder.schemas, &described.schema)
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
            list.extend([URLENCODED, MULTIPART]);
            list.extend(["text/plain", "application/octet-stream"]);
        }
        Shape::Scalar => list.push("text/plain"),
        Shape::List { .. } => {}
        Shape::Object { flat } => {
            if flat {
                list.extend([URLENCODED, MULTIPART]);
            }
        }
    }
    list
}
