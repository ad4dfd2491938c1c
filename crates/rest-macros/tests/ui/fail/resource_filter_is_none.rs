//! A filter that does not implement `Filter`.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
#[filter("admins only")]
impl Users {
    #[get]
    async fn list(&self) -> String {
        String::new()
    }
}

fn main() {}
