//! A request that is taken together with its body.

use innkeeper_rest::{Request, resource};

struct Users;

#[resource("/users")]
impl Users {
    #[post]
    async fn create(&self, #[request] request: Request, id: u64) -> String {
        format!("{}{id}", request.path())
    }
}

fn main() {}
