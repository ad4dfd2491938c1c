//! `#[resource]` on a function.

use innkeeper_rest::resource;

#[resource("/users")]
async fn list() -> String {
    String::new()
}

fn main() {}
