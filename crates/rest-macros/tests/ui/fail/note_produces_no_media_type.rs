//! A media type without its second half.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    #[produces("json")]
    async fn list(&self) -> String {
        String::new()
    }
}

fn main() {}
