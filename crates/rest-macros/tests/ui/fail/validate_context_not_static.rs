//! A context that cannot be kept with the request.

use garde::{Path, Report, Validate};
use innkeeper_rest::resource;
use std::rc::Rc;

#[derive(serde::Deserialize)]
struct User;

impl Validate for User {
    type Context = Rc<str>;
    fn validate_into(&self, _: &Rc<str>, _: &mut dyn FnMut() -> Path, _: &mut Report) {}
}

struct Users;

#[resource("/users")]
impl Users {
    #[post]
    fn create(&self, user: User) {
        drop(user);
    }
}

fn main() {}
