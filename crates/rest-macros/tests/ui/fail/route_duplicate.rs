//! Two methods for one route.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get("/active")]
    async fn first(&self) -> String {
        String::new()
    }

    #[get("/active")]
    async fn second(&self) -> String {
        String::new()
    }
}

fn main() {}
