//! Request bodies: an entity, text, a stream or a form.

use serde_json::{Value, json};

use super::argument;
use super::context::OperationContext;
use super::form::{self, MULTIPART, URLENCODED};
use super::json::{Object, set};
use super::shape::{Shape, shape};
use crate::route::{Argument, Source, TypeSchema};

/// The body of a request.
pub(super) struct RequestBody {
    content: Object,
    required: bool,
    description: &'static str,
    /// Whether the content type selects how it is read into a type, so that 415 and 422 are possible.
    pub(super) typed: bool,
}

impl RequestBody {
    pub(super) fn to_value(&self) -> Value {
        let mut body = json!({ "required": self.required, "content": self.content });
        if !self.description.is_empty() {
            set(&mut body, "description", self.description.trim().into());
        }
        body
    }
}

/// Describes the body that a route reads, if it reads one.
pub(super) fn write(cx: &mut OperationContext<'_>) -> Option<RequestBody> {
    let route = cx.route;
    let mut arguments = route.arguments.iter();
    let argument = arguments.find(|argument| {
        matches!(
            argument.source,
            Source::Entity | Source::Body | Source::Stream
        )
    });
    match argument {
        Some(argument) => Some(of_argument(cx, argument)),
        None if form::is_form(route) => {
            let (content, required) = of_parameters(cx)?;
            Some(RequestBody {
                content,
                required,
                description: "",
                typed: false,
            })
        }
        None => None,
    }
}

/// Describes a body that one argument takes.
fn of_argument(cx: &mut OperationContext<'_>, argument: &Argument) -> RequestBody {
    let described = (argument.ty.describe)(cx.schemas.reading());
    let own = described.media_types;
    let typed = argument.source == Source::Entity && own.is_none();
    let sent_as = media_types(cx, argument, &described);
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
    let schemas = &*cx.schemas;
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
    RequestBody {
        content,
        required,
        description: argument.docs,
        typed,
    }
}

/// Describes parameters as the fields of a form, and returns whether one of them is required.
fn of_parameters(cx: &mut OperationContext<'_>) -> Option<(Object, bool)> {
    let mut properties = Object::new();
    let mut required: Vec<Value> = Vec::new();
    let mut encoding = Object::new();
    let arguments = cx.route.arguments.iter();
    for argument in arguments.filter(|argument| argument.source == Source::Param) {
        let described = (argument.ty.describe)(cx.schemas.reading());
        if argument::is_required(argument, &described) {
            required.push(argument.name.into());
        }
        let mut schema = argument::schema(cx.schemas, argument, described);
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
        if !argument.docs.is_empty() {
            set(&mut schema, "description", argument.docs.trim().into());
        }
        properties.insert(argument.name.to_owned(), schema);
    }
    if properties.is_empty() {
        return None;
    }
    let is_required = !required.is_empty();
    let mut schema = json!({ "type": "object", "properties": properties });
    if is_required {
        set(&mut schema, "required", required.into());
    }
    let content = [URLENCODED, MULTIPART].map(|media_type| {
        let mut described = json!({ "schema": form::restrict_names(schema.clone(), media_type) });
        if !encoding.is_empty() {
            set(&mut described, "encoding", encoding.clone().into());
        }
        (media_type.to_owned(), described)
    });
    Some((content.into_iter().collect(), is_required))
}

/// Returns the media types that the method names, else those of the type, else those that can be read
/// into it.
fn media_types(
    cx: &OperationContext<'_>,
    argument: &Argument,
    described: &TypeSchema,
) -> Vec<String> {
    let named = cx.route.consumes;
    let formats = &cx.settings.formats;
    let list: Vec<&str> = match (argument.source, described.media_types) {
        _ if !named.is_empty() => named.to_vec(),
        (Source::Body, _) => {
            let shape = shape(cx.schemas, &described.schema);
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
                shape(cx.schemas, &described.schema)
            };
            let mut list = readable(shape);
            list.extend(formats.readable());
            list
        }
    };
    list.into_iter().map(str::to_owned).collect()
}

/// Returns the media types of the built-in formats that can hold a value of this shape.
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
