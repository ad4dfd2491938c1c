//! A type that cannot be read from the path.

use innkeeper_rest::resource;

struct Users;

/// Implements nothing.
struct Seat;

#[resource("/users")]
impl Users {
    #[get("/{seat}")]
    async fn get(&self, seat: Seat) -> String {
        drop(seat);
        String::new()
    }
}

fn main() {}
