//! `#[matrix]` on an argument that is not in the path.

use std::collections::HashMap;

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    async fn list(&self, #[matrix] filter: HashMap<String, String>) -> String {
        filter.len().to_string()
    }
}

fn main() {}
