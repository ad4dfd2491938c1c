//! A good result that cannot be sent.

use innkeeper_rest::{Rejection, resource};

struct Users;

/// Implements nothing.
struct Seat;

#[resource("/users")]
impl Users {
    #[get]
    async fn get(&self) -> Result<Seat, Rejection> {
        Ok(Seat)
    }
}

fn main() {}
