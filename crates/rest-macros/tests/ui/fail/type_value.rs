//! A request value that cannot be cloned out of the request.

use innkeeper_rest::resource;

struct Users;

/// Implements nothing.
struct Seat;

#[resource("/users")]
impl Users {
    #[get]
    async fn list(&self, #[value] seat: Seat) -> String {
        drop(seat);
        String::new()
    }
}

fn main() {}
