//! The rules that all engines for game servers obey.

use super::MemoryHost;
use crate::machines::engine::game_conformance::check_game_engine;

#[tokio::test]
async fn the_game_engine_conforms() {
    let host = MemoryHost::default();
    host.lose_image("localhost/innkeeper/missing:latest");
    check_game_engine(&*host.engines().game.unwrap()).await;
}
