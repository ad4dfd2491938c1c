//! Two sources for one argument.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    async fn list(
        &self,
        #[param]
        #[header("X-Page")]
        page: u32,
    ) -> String {
        page.to_string()
    }
}

fn main() {}
