//! Three mistakes in three methods: all are reported.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get("/{id}")]
    async fn get(&self) -> String {
        String::new()
    }

    #[post]
    async fn create(&mut self, name: String) -> String {
        name
    }

    #[delete("all")]
    async fn clear(&self) -> String {
        String::new()
    }
}

fn main() {}
