//! A borrowed upgrade.

use innkeeper_rest::{Upgrade, resource};

struct Rooms;

#[resource("/rooms")]
impl Rooms {
    #[get("/live")]
    async fn live(&self, #[upgrade] upgrade: &Upgrade) -> bool {
        upgrade.protocol().is_some()
    }
}

fn main() {}
