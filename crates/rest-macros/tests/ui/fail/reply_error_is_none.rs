//! An error that is no response.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    async fn get(&self) -> Result<String, std::io::Error> {
        Ok(String::new())
    }
}

fn main() {}
