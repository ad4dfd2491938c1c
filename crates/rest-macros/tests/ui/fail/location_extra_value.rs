//! A value without a placeholder.

use innkeeper_rest::location;

fn main() {
    let _ = location!("/users", 7);
}
