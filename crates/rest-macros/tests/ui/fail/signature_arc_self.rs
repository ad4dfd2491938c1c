//! A receiver of another type.

use std::sync::Arc;

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    async fn list(self: Arc<Self>) -> String {
        String::new()
    }
}

fn main() {}
