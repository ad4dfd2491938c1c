//! A named value for another placeholder.

use innkeeper_rest::location;

fn main() {
    let _ = location!("/users/{id}", user = 7);
}
