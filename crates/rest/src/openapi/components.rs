//! The schemas of a document under their final names.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::json::Object;
use crate::route::schemas::{INPUT, OUTPUT, Schemas, decoded};

/// The final names of the schemas that are read and of those that are sent.
#[derive(Default)]
struct ComponentNames {
    input: BTreeMap<String, String>,
    output: BTreeMap<String, String>,
    taken: BTreeSet<String>,
}

/// Names every schema, corrects the references in the document and returns the schemas.
pub(super) fn place(schemas: Schemas, known: Object, document: &mut Value) -> Object {
    let (mut input, mut output) = schemas.into_definitions();
    let mut names = ComponentNames {
        taken: known.keys().cloned().collect(),
        ..ComponentNames::default()
    };
    names.choose(&input, &output);
    names.correct(document);
    let mut placed = known;
    for (definitions, finals) in [(&mut output, &names.output), (&mut input, &names.input)] {
        for (name, schema) in std::mem::take(definitions) {
            let mut schema = schema;
            names.correct(&mut schema);
            add_bounds(&mut schema);
            if let Some(name) = finals.get(&name) {
                placed.entry(name.clone()).or_insert(schema);
            }
        }
    }
    add_bounds(document);
    placed
}

impl ComponentNames {
    /// Chooses the names. A type that is read as it is sent has one schema; of two schemas of a type the
    /// one that is sent keeps the name.
    fn choose(&mut self, input: &Map<String, Value>, output: &Map<String, Value>) {
        for name in output.keys() {
            let chosen = self.reserve(&clean(name));
            self.output.insert(name.clone(), chosen);
        }
        let shared = shared(input, output);
        for name in input.keys() {
            let chosen = match self.output.get(name) {
                Some(same) if shared.contains(name) => same.clone(),
                Some(_) => self.reserve(&format!("{}Input", clean(name))),
                None => self.reserve(&clean(name)),
            };
            self.input.insert(name.clone(), chosen);
        }
    }

    /// Reserves a name, with a number if it is taken.
    fn reserve(&mut self, name: &str) -> String {
        let numbered = (2..).map(|number| format!("{name}{number}"));
        let mut names = std::iter::once(name.to_owned()).chain(numbered);
        let free = names.find(|name| !self.taken.contains(name));
        let free = free.unwrap_or_default();
        self.taken.insert(free.clone());
        free
    }

    fn correct(&self, value: &mut Value) {
        each_reference(value, &mut |reference| {
            let known = if let Some(name) = reference.strip_prefix(INPUT) {
                self.input.get(&decoded(name))
            } else if let Some(name) = reference.strip_prefix(OUTPUT) {
                self.output.get(&decoded(name))
            } else {
                None
            };
            if let Some(name) = known {
                *reference = format!("#/components/schemas/{name}");
            }
        });
    }
}

/// Returns the names whose schemas are the same both ways and refer only to such schemas.
fn shared(input: &Map<String, Value>, output: &Map<String, Value>) -> BTreeSet<String> {
    let mut shared: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, schema) in input {
        let Some(other) = output.get(name) else {
            continue;
        };
        let (mut read, mut sent) = (schema.clone(), other.clone());
        let mut references = Vec::new();
        each_reference(&mut read, &mut |reference| {
            if let Some(name) = reference.strip_prefix(INPUT) {
                references.push(decoded(name));
                *reference = name.to_owned();
            }
        });
        each_reference(&mut sent, &mut |reference| {
            if let Some(name) = reference.strip_prefix(OUTPUT) {
                *reference = name.to_owned();
            }
        });
        if read == sent {
            shared.insert(name.clone(), references);
        }
    }
    loop {
        let wrong = shared
            .iter()
            .find(|(_, references)| references.iter().any(|name| !shared.contains_key(name)))
            .map(|(name, _)| name.clone());
        match wrong {
            Some(name) => drop(shared.remove(&name)),
            None => return shared.into_keys().collect(),
        }
    }
}

/// Replaces the characters that OpenAPI does not allow in names.
fn clean(name: &str) -> String {
    name.replace(
        |c: char| !c.is_ascii_alphanumeric() && !".-_".contains(c),
        "_",
    )
}

fn each_reference(value: &mut Value, change: &mut impl FnMut(&mut String)) {
    match value {
        Value::Array(all) => {
            for one in all {
                each_reference(one, change);
            }
        }
        Value::Object(entries) => {
            for (name, value) in entries {
                match value {
                    Value::String(reference) if name == "$ref" => change(reference),
                    value => each_reference(value, change),
                }
            }
        }
        _ => {}
    }
}

/// Adds the bounds of whole numbers, whose formats have meaning only in Rust.
fn add_bounds(value: &mut Value) {
    match value {
        Value::Array(all) => all.iter_mut().for_each(add_bounds),
        Value::Object(entries) => {
            let format = entries.get("format").and_then(Value::as_str);
            let bounds = match format {
                Some("int32") => Some((json!(i32::MIN), json!(i32::MAX))),
                Some("uint32") => Some((json!(0), json!(u32::MAX))),
                Some("int64" | "int") => Some((json!(i64::MIN), json!(i64::MAX))),
                Some("uint64" | "uint") => Some((json!(0), json!(u64::MAX))),
                _ => None,
            };
            if let (Some((least, most)), true) = (bounds, is_integer(entries)) {
                entries.entry("minimum").or_insert(least);
                entries.entry("maximum").or_insert(most);
            }
            entries.values_mut().for_each(add_bounds);
        }
        _ => {}
    }
}

fn is_integer(schema: &Object) -> bool {
    match schema.get("type") {
        Some(Value::String(kind)) => kind == "integer",
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "integer"),
        _ => false,
    }
}
