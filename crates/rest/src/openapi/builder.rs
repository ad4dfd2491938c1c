//! Writes a document: paths, tags, and names that must be unique.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::components;
use super::context::OperationContext;
use super::described::{DescribedApi, DescribedResource};
use super::json::Object;
use super::operation;
use super::options::OpenApi;
use super::security::SecurityScheme;
use crate::pipeline::Limits;
use crate::route::{Route, Schemas, Verb};

/// Writes the document of the APIs of an application.
pub(crate) fn write_document(openapi: &OpenApi, apis: &[DescribedApi], limits: Limits) -> Value {
    let mut builder = DocumentBuilder::new(openapi, limits);
    for api in apis {
        builder.add_api(api);
    }
    let mut document = builder.finish();
    for change in &openapi.changes {
        change(&mut document);
    }
    document
}

struct DocumentBuilder<'d> {
    openapi: &'d OpenApi,
    limits: Limits,
    schemas: Schemas,
    /// Schemas that are not types of the application.
    components: Object,
    paths: BTreeMap<String, Object>,
    /// The first path of each shape: `/users/{}` is the shape of `/users/{id}`.
    shapes: BTreeMap<String, String>,
    operations: BTreeSet<String>,
    tags: Vec<(String, String)>,
    schemes: BTreeSet<&'static str>,
}

impl<'d> DocumentBuilder<'d> {
    fn new(openapi: &'d OpenApi, limits: Limits) -> Self {
        Self {
            openapi,
            limits,
            schemas: Schemas::new(),
            components: Object::new(),
            paths: BTreeMap::new(),
            shapes: BTreeMap::new(),
            operations: BTreeSet::new(),
            tags: Vec::new(),
            schemes: BTreeSet::new(),
        }
    }

    fn add_api(&mut self, api: &DescribedApi) {
        for resource in &api.resources {
            self.add_tag(resource);
            for route in resource.routes {
                self.schemes
                    .extend(route.security.iter().map(|security| security.scheme));
                let id = self.operation_id(resource, route);
                let mut written = operation::write(&mut OperationContext {
                    schemas: &mut self.schemas,
                    components: &mut self.components,
                    settings: &api.settings,
                    limits: self.limits,
                    route,
                });
                written.insert("operationId".to_owned(), id.into());
                self.add_operation(&api.prefix, route, written);
            }
        }
    }

    fn add_tag(&mut self, resource: &DescribedResource) {
        if self.tags.iter().any(|(name, _)| name == resource.name) {
            return;
        }
        let mut own = self.openapi.tags.iter();
        let described = own.find(|(name, _)| name == resource.name);
        let docs = described.map_or(resource.docs, |(_, docs)| docs);
        self.tags.push((resource.name.to_owned(), docs.to_owned()));
    }

    /// Chooses an id that no other operation has: resource and method, then with the verb, then with a
    /// number.
    fn operation_id(&mut self, resource: &DescribedResource, route: &Route) -> String {
        let plain = format!("{}_{}", resource.name, route.operation);
        let with_verb = format!("{plain}_{}", route.verb.as_str().to_ascii_lowercase());
        let numbered = (2..).map(|number| format!("{plain}_{number}"));
        let mut all = [plain.clone(), with_verb].into_iter().chain(numbered);
        let free = all.find(|id| !self.operations.contains(id));
        let free = free.unwrap_or_default();
        self.operations.insert(free.clone());
        free
    }

    /// Adds an operation to its path. OpenAPI allows only one of two paths that differ in nothing but the
    /// names of their parameters, so the parameters of the second take the names of the first.
    fn add_operation(&mut self, prefix: &str, route: &Route, mut operation: Object) {
        let own = path(prefix, route);
        let path = self
            .shapes
            .entry(shape(&own))
            .or_insert_with(|| own.clone());
        if *path != own {
            rename_parameters(&mut operation, &own, path);
        }
        let item = self.paths.entry(path.clone()).or_default();
        let verb = route.verb.as_str();
        let (extension, key) = match route.verb {
            Verb::Other("TRACE") => (None, "trace".to_owned()),
            Verb::Other(_) => (Some("x-additional-operations"), verb.to_owned()),
            _ => (None, verb.to_ascii_lowercase()),
        };
        let operations = match extension {
            None => &mut *item,
            Some(extension) => {
                let inner = item.entry(extension).or_insert_with(|| json!({}));
                match inner {
                    Value::Object(inner) => inner,
                    _ => return,
                }
            }
        };
        if !operations.contains_key(&key) {
            operations.insert(key, Value::Object(operation));
            return;
        }
        // Patterns of their parameters tell the routes apart, which a template cannot express.
        operation.insert("x-path".to_owned(), own.into());
        operation.insert("x-method".to_owned(), verb.into());
        let others = item.entry("x-alternatives").or_insert_with(|| json!([]));
        if let Value::Array(others) = others {
            others.push(Value::Object(operation));
        }
    }

    fn finish(self) -> Value {
        let mut document = json!({
            "openapi": "3.1.0",
            "info": self.openapi.info,
            "paths": self.paths,
        });
        let mut parts = Object::new();
        if !self.openapi.servers.is_empty() {
            parts.insert("servers".to_owned(), json!(self.openapi.servers));
        }
        let tags: Vec<Value> = self.tags.iter().map(tag).collect();
        if !tags.is_empty() {
            parts.insert("tags".to_owned(), tags.into());
        }
        let security = schemes(self.openapi, &self.schemes);
        let schemas = components::place(self.schemas, self.components, &mut document);
        let mut components = Object::new();
        if !schemas.is_empty() {
            components.insert("schemas".to_owned(), Value::Object(schemas));
        }
        if !security.is_empty() {
            components.insert("securitySchemes".to_owned(), Value::Object(security));
        }
        if !components.is_empty() {
            parts.insert("components".to_owned(), Value::Object(components));
        }
        if let Value::Object(document) = &mut document {
            document.append(&mut parts);
        }
        document
    }
}

fn tag((name, docs): &(String, String)) -> Value {
    if docs.is_empty() {
        json!({ "name": name })
    } else {
        json!({ "name": name, "description": docs })
    }
}

/// Returns the schemes that were declared, and guesses those that are only used.
fn schemes(openapi: &OpenApi, used: &BTreeSet<&'static str>) -> Object {
    let declared = openapi.schemes.iter();
    let mut schemes: Object = declared
        .map(|(name, scheme)| (name.clone(), scheme.to_value()))
        .collect();
    for name in used {
        schemes
            .entry(*name)
            .or_insert_with(|| SecurityScheme::guess(name).to_value());
    }
    schemes
}

/// Returns the path of a route in OpenAPI's notation: `/users/{id:[0-9]+}` is `/users/{id}`.
fn path(prefix: &str, route: &Route) -> String {
    let mut path = prefix.to_owned();
    let mut names = route.params.iter();
    for segment in route.matcher.split('/').skip(1) {
        path.push('/');
        match (segment.split_once('{'), segment.split_once('}')) {
            (Some((before, _)), Some((_, after))) => {
                let name = names.next().map_or("", |param| param.name);
                path.extend([before, "{", name, "}", after]);
            }
            _ => path.push_str(segment),
        }
    }
    let bare = path.trim_end_matches('/').len();
    path.truncate(bare.max(1));
    path
}

fn shape(path: &str) -> String {
    let mut shape = String::new();
    for (text, _) in pieces(path) {
        shape.extend([text, "{}"]);
    }
    shape
}

/// Splits a path into its texts, each with the name of the parameter that follows it.
fn pieces(path: &str) -> impl Iterator<Item = (&str, &str)> {
    path.split('}')
        .map(|piece| piece.split_once('{').unwrap_or((piece, "")))
}

fn rename_parameters(operation: &mut Object, own: &str, path: &str) {
    let renamed: Vec<(&str, &str)> = pieces(own)
        .zip(pieces(path))
        .map(|((_, own), (_, name))| (own, name))
        .collect();
    let parameters = operation
        .get_mut("parameters")
        .and_then(Value::as_array_mut);
    for parameter in parameters.into_iter().flatten() {
        if parameter.get("in").is_some_and(|place| place == "path")
            && let Some(Value::String(name)) = parameter.get_mut("name")
            && let Some((_, new)) = renamed.iter().find(|(own, _)| own == name)
        {
            (*new).clone_into(name);
        }
    }
}
