//! An argument that is taken apart.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    async fn list(&self, (from, to): (u64, u64)) -> String {
        (from + to).to_string()
    }
}

fn main() {}
