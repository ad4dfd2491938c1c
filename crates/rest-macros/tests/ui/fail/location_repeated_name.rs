//! One name twice.

use innkeeper_rest::location;

fn main() {
    let _ = location!("/users/{id}", id = 7, id = 8);
}
