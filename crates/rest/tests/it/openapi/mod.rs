//! OpenAPI documents, generated from annotations and types without a server.

mod bodies;
mod components;
mod documents;
mod live;
mod operations;
mod page;
mod parameters;
mod responses;
mod serving;

use innkeeper_rest::{App, OpenApi, Resource, RestApi, Shared, Value};

/// Returns the document of an application with only this resource.
fn document(resource: impl Resource<Mode = Shared>) -> Value {
    OpenApi::new("Test", "1").document(&App::new().mount("/", RestApi::new(resource)))
}

fn operation<'d>(document: &'d Value, path: &str, verb: &str) -> &'d Value {
    let found = &document["paths"][path][verb];
    assert!(found.is_object(), "{verb} {path} in {document:#}");
    found
}

fn parameter<'d>(operation: &'d Value, name: &str) -> &'d Value {
    let mut all = operation["parameters"].as_array().unwrap().iter();
    all.find(|one| one["name"] == name).unwrap()
}

fn keys(object: &Value) -> Vec<&str> {
    object
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}
