//! An argument without a type of its own.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    async fn list(&self, page: impl ToString) -> String {
        page.to_string()
    }
}

fn main() {}
