//! A conversion of something that is no text.

use innkeeper_rest::{Request, resource};

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    async fn list(
        &self,
        #[request]
        #[separated_by(",")]
        request: &Request,
    ) -> String {
        request.path().to_owned()
    }
}

fn main() {}
