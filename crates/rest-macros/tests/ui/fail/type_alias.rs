//! The alias of a type that cannot be read.

use innkeeper_rest::resource;

struct Users;

/// Implements nothing.
struct Seat;

type Seats = Vec<Seat>;

#[resource("/users")]
impl Users {
    #[get]
    async fn list(&self, seats: Seats) -> String {
        seats.len().to_string()
    }
}

fn main() {}
