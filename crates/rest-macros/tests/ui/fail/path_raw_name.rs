//! `r#` in the path, where names are plain.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get("/{r#type}")]
    async fn get(&self, r#type: String) -> String {
        r#type
    }
}

fn main() {}
