//! A value that cannot be written.

use innkeeper_rest::location;

fn main() {
    let _ = location!("/users/{id}", vec![7]);
}
