//! A good result that can be sent and an error that cannot.

use innkeeper_rest::resource;

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    async fn get(&self) -> Result<Vec<u64>, std::io::Error> {
        Ok(Vec::new())
    }
}

fn main() {}
