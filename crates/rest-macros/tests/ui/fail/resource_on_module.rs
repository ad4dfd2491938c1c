//! `#[resource]` on a module.

use innkeeper_rest::resource;

#[resource("/users")]
mod users {}

fn main() {}
