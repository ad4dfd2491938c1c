//! Names for some values only.

use innkeeper_rest::location;

fn main() {
    let _ = location!("/orgs/{org}/users/{id}", org = "north", 7);
}
