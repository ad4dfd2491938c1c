//! A placeholder that is never closed.

use innkeeper_rest::location;

fn main() {
    let _ = location!("/users/{id", 7);
}
