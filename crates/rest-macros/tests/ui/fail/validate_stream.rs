//! Rules for something that has no value.

use innkeeper_rest::{Body, resource};

struct Users;

#[resource("/users")]
impl Users {
    #[post]
    async fn create(
        &self,
        #[stream]
        #[validate(length(max = 3))]
        body: Body,
    ) {
        drop(body);
    }
}

fn main() {}
