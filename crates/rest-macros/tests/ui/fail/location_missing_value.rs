//! A placeholder without a value.

use innkeeper_rest::location;

fn main() {
    let _ = location!("/users/{id}");
}
