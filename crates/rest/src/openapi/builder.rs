//! The document while it grows: paths, tags, names that must be unique.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::operation::{self, Work};
use super::schemas::Schemas;
use super::{Object, OpenApi, SecurityScheme, components};
use crate::api::{MountedResource, RestApi};
use crate::app::Limits;
use crate::resource::Local;
use crate::route::{Route, Verb};

pub(super) struct Builder<'d> {
    openapi: &'d OpenApi,
    limits: Limits,
    pub(super) schemas: Schemas,
    /// Schemas that are no types of the application.
    pub(super) known: Object,
    paths: BTreeMap<String, Object>,
    /// The path of each shape: `/users/{}` is the shape of `/users/{id}`.
    shapes: BTreeMap<String, String>,
    operations: BTreeSet<String>,
    tags: Vec<(String, String)>,
    schemes: BTreeSet<&'static str>,
}

impl<'d> Builder<'d> {
    pub(super) fn new(openapi: &'d OpenApi, limits: Limits) -> Self {
        Self {
            openapi,
            limits,
            schemas: Schemas::new(),
            known: Object::new(),
            paths: BTreeMap::new(),
            shapes: BTreeMap::new(),
            operations: BTreeSet::new(),
            tags: Vec::new(),
            schemes: BTreeSet::new(),
        }
    }

    pub(super) fn add_api(&mut self, prefix: &str, api: &RestApi<Local>) {
        for resource in &api.resources {
            self.add_tag(resource);
            for route in resource.routes {
                self.schemes
                    .extend(route.security.iter().map(|security| security.scheme));
                let id = self.operation_id(resource, route);
                let limits = self.limits;
                let mut written = operation::write(&mut Work {
                    builder: self,
                    settings: &api.settings,
                    limits,
                    route,
                });
                written.insert("operationId".to_owned(), id.into());
                self.add_operation(prefix, route, written);
            }
        }
    }

    fn add_tag(&mut self, resource: &MountedResource) {
        if self.tags.iter().any(|(name, _)| name == resource.name) {
            return;
        }
        let mut own = self.openapi.tags.iter();
        let described = own.find(|(name, _)| name == resource.name);
        let docs = described.map_or(resource.docs, |(_, docs)| docs);
        self.tags.push((resource.name.to_owned(), docs.to_owned()));
    }

    /// Resource and method, then the verb, then a number, until nothing else is called so.
    fn operation_id(&mut self, resource: &MountedResource, route: &Route) -> String {
        let plain = format!("{}_{}", resource.name, route.operation);
        let with_verb = format!("{plain}_{}", route.verb.as_str().to_ascii_lowercase());
        let numbered = (2..).map(|number| format!("{plain}_{number}"));
        let mut all = [plain.clone(), with_verb].into_iter().chain(numbered);
        let free = all.find(|id| !self.operations.contains(id));
        let free = free.unwrap_or_default();
        self.operations.insert(free.clone());
        free
    }

    /// Puts an operation at its path. Of two paths that differ only in the names of their parameters
    /// OpenAPI allows one, so the parameters of the second take the names of the first.
    fn add_operation(&mut self, prefix: &str, route: &Route, mut operation: Object) {
        let own = path(prefix, route);
        let path = self
            .shapes
            .entry(shape(&own))
            .or_insert_with(|| own.clone());
        if *path != own {
            rename(&mut operation, &own, path);
        }
        let item = self.paths.entry(path.clone()).or_default();
        let verb = route.verb.as_str();
        let (extension, key) = match route.verb {
            Verb::Other("TRACE") => (None, "trace".to_owned()),
            Verb::Other(_) => (Some("x-additional-operations"), verb.to_owned()),
            _ => (None, verb.to_ascii_lowercase()),
        };
        let place = match extension {
            None => &mut *item,
            Some(extension) => {
                let inner = item.entry(extension).or_insert_with(|| json!({}));
                match inner {
                    Value::Object(inner) => inner,
                    _ => return,
                }
            }
        };
        if !place.contains_key(&key) {
            place.insert(key, Value::Object(operation));
            return;
        }
        // Two expressions tell the routes apart, which a template cannot.
        operation.insert("x-path".to_owned(), own.into());
        operation.insert("x-method".to_owned(), verb.into());
        let others = item.entry("x-alternatives").or_insert_with(|| json!([]));
        if let Value::Array(others) = others {
            others.push(Value::Object(operation));
        }
    }

    pub(super) fn finish(self) -> Value {
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
        let schemas = components::place(self.schemas, self.known, &mut document);
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

/// The schemes that were declared, and a guess at those that are used and were not.
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

/// The path with its parameters in OpenAPI's writing: `/users/{id:[0-9]+}` is `/users/{id}`.
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

/// The texts of a path, each with the parameter that follows it.
fn pieces(path: &str) -> impl Iterator<Item = (&str, &str)> {
    path.split('}')
        .map(|piece| piece.split_once('{').unwrap_or((piece, "")))
}

fn rename(operation: &mut Object, own: &str, path: &str) {
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
