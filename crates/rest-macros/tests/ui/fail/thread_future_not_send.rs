//! A future that cannot move to another thread.

use std::rc::Rc;

use innkeeper_rest::resource;

struct Users;

async fn pause() {}

#[resource("/users")]
impl Users {
    #[get]
    async fn list(&self) -> String {
        let names = Rc::new(String::new());
        pause().await;
        names.to_string()
    }
}

fn main() {}
