//! A verb where no resource reads it.

use innkeeper_rest::get;

struct Users;

impl Users {
    #[get("/{id}")]
    async fn get(&self, id: u64) -> String {
        id.to_string()
    }
}

fn main() {}
