//! A mistake in a block is the only one: mounting the type is none.

use innkeeper_rest::{App, RestApi, resource};

struct Users<S> {
    store: S,
}

#[resource("/users")]
impl<S: Clone> Users<S> {
    #[get("/{id}")]
    async fn get(&self) -> String {
        drop(self.store.clone());
        String::new()
    }
}

fn main() {
    let users = Users { store: 7 };
    App::new().mount("/", RestApi::new(users));
}
