//! A type that cannot be read from a request parameter.

use innkeeper_rest::resource;

struct Users;

/// Implements nothing.
struct Seat;

#[resource("/users")]
impl Users {
    #[get]
    async fn list(&self, seat: Seat) -> String {
        drop(seat);
        String::new()
    }
}

fn main() {}
