//! A value that cannot be sent.

use innkeeper_rest::resource;

struct Users;

/// Implements nothing.
struct Seat;

#[resource("/users")]
impl Users {
    #[get]
    async fn get(&self) -> Seat {
        Seat
    }
}

fn main() {}
