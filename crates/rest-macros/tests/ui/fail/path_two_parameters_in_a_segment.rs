//! Two parameters with nothing between them.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get("/{from}{to}")]
    async fn get(&self, from: u64, to: u64) -> String {
        format!("{from}{to}")
    }
}

fn main() {}
