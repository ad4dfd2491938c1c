//! A conversion that does not implement `Conversion`.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    async fn list(&self, #[convert(42)] page: u32) -> String {
        page.to_string()
    }
}

fn main() {}
