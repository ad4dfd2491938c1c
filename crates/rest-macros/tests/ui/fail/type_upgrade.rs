//! A type that is no upgrade.

use innkeeper_rest::resource;

struct Rooms;

/// Implements nothing.
struct Seat;

#[resource("/rooms")]
impl Rooms {
    #[get("/live")]
    async fn live(&self, #[upgrade] seat: Seat) -> String {
        drop(seat);
        String::new()
    }
}

fn main() {}
