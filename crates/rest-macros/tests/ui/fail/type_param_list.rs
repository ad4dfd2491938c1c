//! A list of a type that cannot be read.

use innkeeper_rest::resource;

struct Users;

/// Implements nothing.
struct Seat;

#[resource("/users")]
impl Users {
    #[get]
    async fn list(&self, #[separated_by(",")] seats: Vec<Seat>) -> String {
        seats.len().to_string()
    }
}

fn main() {}
