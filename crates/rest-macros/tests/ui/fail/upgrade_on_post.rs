//! An upgrade that does not begin with a GET.

use innkeeper_rest::{Response, Upgrade, resource};

struct Rooms;

#[resource("/rooms")]
impl Rooms {
    #[post("/live")]
    async fn live(&self, #[upgrade] upgrade: Upgrade) -> Response {
        upgrade.accept(async |_| ())
    }
}

fn main() {}
