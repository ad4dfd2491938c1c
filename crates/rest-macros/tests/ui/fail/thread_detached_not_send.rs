//! A detached future that cannot move to another thread.

use std::rc::Rc;

use innkeeper_rest::resource;

struct Users;

async fn pause() {}

#[resource("/users")]
impl Users {
    #[post]
    #[detached]
    async fn create(&self) -> String {
        let names = Rc::new(String::new());
        pause().await;
        names.to_string()
    }
}

fn main() {}
