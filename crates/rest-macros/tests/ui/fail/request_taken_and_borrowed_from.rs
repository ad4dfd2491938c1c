//! An argument borrowed from a request that another one takes.

use innkeeper_rest::{Request, resource};

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    async fn list(&self, #[request] request: Request, name: &str) -> String {
        format!("{}{name}", request.path())
    }
}

fn main() {}
