//! A verb on a function.

use innkeeper_rest::post;

#[post("/users")]
async fn create(#[entity] name: String) -> String {
    name
}

fn main() {}
