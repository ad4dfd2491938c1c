//! A type that cannot be read from a body.

use innkeeper_rest::resource;

struct Users;

/// Implements nothing.
struct Seat;

#[resource("/users")]
impl Users {
    #[post]
    async fn create(&self, seat: Seat) -> String {
        drop(seat);
        String::new()
    }
}

fn main() {}
