//! A type that is no request.

use innkeeper_rest::resource;

struct Users;

/// Implements nothing.
struct Seat;

#[resource("/users")]
impl Users {
    #[get]
    async fn list(&self, #[request] request: &Seat) -> String {
        let Seat = request;
        String::new()
    }
}

fn main() {}
