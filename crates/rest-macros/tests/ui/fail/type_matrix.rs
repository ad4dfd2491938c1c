//! A type that cannot be read from a matrix segment.

use innkeeper_rest::resource;

struct Users;

/// Implements nothing.
struct Seat;

#[resource("/users")]
impl Users {
    #[get("/{seat}")]
    async fn get(&self, #[matrix] seat: Seat) -> String {
        drop(seat);
        String::new()
    }
}

fn main() {}
