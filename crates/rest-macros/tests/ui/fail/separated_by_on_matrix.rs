//! A matrix is split already.

use std::collections::HashMap;

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get("/{filter}")]
    async fn list(
        &self,
        #[matrix]
        #[separated_by(",")]
        filter: HashMap<String, String>,
    ) -> String {
        filter.len().to_string()
    }
}

fn main() {}
