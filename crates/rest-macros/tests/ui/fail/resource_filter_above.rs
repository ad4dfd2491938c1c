//! A filter above the attribute that reads it.

use innkeeper_rest::{filter, resource};

struct Users;

#[filter(filter::Trace)]
#[resource("/users")]
impl Users {
    #[get]
    async fn list(&self) -> String {
        String::new()
    }
}

fn main() {}
