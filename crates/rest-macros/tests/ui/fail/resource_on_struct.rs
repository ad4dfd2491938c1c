//! `#[resource]` on the type instead of its methods.

use innkeeper_rest::resource;

#[resource("/users")]
struct Users;

fn main() {}
