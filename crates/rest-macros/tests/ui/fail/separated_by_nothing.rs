//! An empty separator.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    async fn list(&self, #[separated_by("")] ids: Vec<u64>) -> String {
        ids.len().to_string()
    }
}

fn main() {}
