//! Collects the schemas of types while a document is written, separately for reading and sending.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

/// The targets of references to schemas until the names of the components are known.
pub(crate) const INPUT: &str = "#/input/";
pub(crate) const OUTPUT: &str = "#/output/";

/// The schemas of a document.
#[derive(Debug)]
pub struct Schemas {
    input: SchemaGenerator,
    output: SchemaGenerator,
    sending: bool,
}

/// The description of a type in a document.
#[derive(Debug, Clone)]
pub struct TypeSchema {
    /// The schema, which may be a reference.
    pub(crate) schema: Value,
    /// Whether the value may be absent.
    pub(crate) optional: bool,
    /// Whether the type is a list of values.
    pub(crate) list: bool,
    /// The media types that it is read from, if the type reads the body itself.
    pub(crate) media_types: Option<&'static [&'static str]>,
}

impl TypeSchema {
    fn new(schema: Value) -> Self {
        Self {
            schema,
            optional: false,
            list: false,
            media_types: None,
        }
    }

    /// Describes a type without a schema.
    pub fn unknown() -> Self {
        Self::new(json!({}))
    }

    /// Describes a list of a type without a schema.
    pub fn unknown_list() -> Self {
        Self::new(json!({ "type": "array", "items": {} })).list()
    }

    /// Marks a value that may be absent.
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.optional = true;
        self
    }

    /// Marks a list.
    #[must_use]
    pub fn list(mut self) -> Self {
        self.list = true;
        self
    }

    /// Sets the media types of a type that reads the body itself.
    #[must_use]
    pub fn sent_as(mut self, media_types: Option<&'static [&'static str]>) -> Self {
        self.media_types = media_types;
        self
    }

    /// Returns the schema of a whole body, in which null stands for an absent value.
    pub(crate) fn nullable(self) -> Value {
        if self.optional && self.schema != json!({}) {
            json!({ "anyOf": [self.schema, { "type": "null" }] })
        } else {
            self.schema
        }
    }
}

impl Schemas {
    pub(crate) fn new() -> Self {
        let settings = |path: &'static str| {
            SchemaSettings::draft2020_12().with(|settings| {
                settings.definitions_path = path.into();
                settings.meta_schema = None;
            })
        };
        Self {
            input: settings(INPUT).for_deserialize().into_generator(),
            output: settings(OUTPUT).for_serialize().into_generator(),
            sending: false,
        }
    }

    /// Collects schemas of types that are read, from now on.
    pub(crate) fn reading(&mut self) -> &mut Self {
        self.sending = false;
        self
    }

    /// Collects schemas of types that are sent, from now on.
    pub(crate) fn sending(&mut self) -> &mut Self {
        self.sending = true;
        self
    }

    /// Adds the schema of a type.
    pub fn of<T: JsonSchema + ?Sized>(&mut self) -> TypeSchema {
        let generator = if self.sending {
            &mut self.output
        } else {
            &mut self.input
        };
        let schema = generator.subschema_for::<T>().to_value();
        // `true` and `{}` allow everything; only the second can carry a description.
        TypeSchema::new(if schema == true { json!({}) } else { schema })
    }

    /// Returns the schema that a reference points to, or the schema itself.
    pub(crate) fn resolved<'s>(&'s self, schema: &'s Value) -> &'s Value {
        let Some(reference) = schema.get("$ref").and_then(Value::as_str) else {
            return schema;
        };
        let found = if let Some(name) = reference.strip_prefix(INPUT) {
            self.input.definitions().get(&decoded(name))
        } else if let Some(name) = reference.strip_prefix(OUTPUT) {
            self.output.definitions().get(&decoded(name))
        } else {
            None
        };
        found.unwrap_or(schema)
    }

    /// Returns the schemas that references point to: those that are read, and those that are sent.
    pub(crate) fn into_definitions(mut self) -> (Map<String, Value>, Map<String, Value>) {
        (
            self.input.take_definitions(true),
            self.output.take_definitions(true),
        )
    }
}

/// Decodes the name in a reference, which is escaped twice: as a URL and as a JSON pointer.
pub(crate) fn decoded(name: &str) -> String {
    let text = percent_encoding::percent_decode_str(name).decode_utf8_lossy();
    text.replace("~1", "/").replace("~0", "~")
}
