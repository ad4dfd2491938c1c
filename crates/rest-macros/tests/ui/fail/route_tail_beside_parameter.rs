//! A tail beside a parameter.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get("/{id}")]
    async fn first(&self, id: u64) -> String {
        format!("{id}")
    }

    #[get("/{*rest}")]
    async fn second(&self, rest: String) -> String {
        format!("{rest}")
    }
}

fn main() {}
