//! State that cannot be shared between threads.

use std::rc::Rc;

use innkeeper_rest::resource;

struct Users {
    names: Rc<str>,
}

#[resource("/users")]
impl Users {
    #[get]
    fn list(&self) -> String {
        self.names.to_string()
    }
}

fn main() {}
