//! Checks of consoles and logs.

use super::TestMachine;
use crate::machines::engine::{GameEngine, RunState};

pub(super) async fn a_console_works_both_ways(engine: &dyn GameEngine) {
    let (machine, mut console) = TestMachine::running(engine).await;
    assert_eq!(console.position, 0);
    assert!(console.shown().starts_with(b"Demo game server"));
    console.ask("say hello", "[Server] hello\r\n").await;
    console.ask("join ada", "ada joined the game\r\n").await;
    console.ask("list", "1 of 20 players online: ada\r\n").await;
    let shown = String::from_utf8(console.shown()).unwrap();
    assert!(
        shown.contains("say hello\r\n"),
        "what is typed is not repeated: {shown}"
    );
    machine.delete().await;
}

pub(super) async fn two_consoles_show_the_same(engine: &dyn GameEngine) {
    let (machine, mut first) = TestMachine::running(engine).await;
    let mut second = machine.attach().await;
    first.ask("say one", "[Server] one").await;
    second.wait_for("[Server] one").await;
    second.ask("say two", "[Server] two\r\n").await;
    first.wait_for("[Server] two\r\n").await;
    let offset = usize::try_from(second.position).unwrap();
    assert_eq!(
        String::from_utf8_lossy(&first.shown()[offset..]),
        String::from_utf8_lossy(&second.shown())
    );
    machine.delete().await;
}

pub(super) async fn a_console_that_goes_away_leaves_the_game_alone(engine: &dyn GameEngine) {
    let (machine, console) = TestMachine::running(engine).await;
    drop(console);
    let mut console = machine.attach().await;
    console.ask("say still here", "[Server] still here").await;
    assert_eq!(machine.state().await, RunState::Running);
    machine.delete().await;
}

pub(super) async fn the_log_equals_what_a_console_shows(engine: &dyn GameEngine) {
    let (machine, mut console) = TestMachine::running(engine).await;
    console.ask("count 20000", "\n20000\r\n").await;
    console.ask("stop", "Stopped").await;
    let shown = console.wait_for_end().await;
    machine.exit().await;
    let (lost, log) = machine.log(0).await;
    assert_eq!((lost, log.len()), (0, shown.len()));
    assert!(
        log == shown,
        "the log differs from what the console has shown"
    );
    for offset in [
        1,
        1000,
        log.len() / 2,
        log.len() - 1,
        log.len(),
        log.len() + 10,
    ] {
        let rest = machine.log(offset as u64).await;
        assert_eq!(
            rest,
            (0, log.get(offset..).unwrap_or_default().to_vec()),
            "from {offset}"
        );
    }
    machine.delete().await;
}

pub(super) async fn a_console_that_comes_back_continues_where_the_log_ends(
    engine: &dyn GameEngine,
) {
    let (machine, mut console) = TestMachine::running(engine).await;
    console.type_line("count 50000").await;
    console.wait_for("\n100\r\n").await;
    // What comes meanwhile must be in the log or on the new console, and not in both.
    let before = console.shown();
    drop(console);
    let mut console = machine.attach().await;
    // The terminal repeats what is typed, even in the middle of a number.
    machine.wait_for_log("\n50000\r\n").await;
    console.ask("say done", "[Server] done").await;
    let position = usize::try_from(console.position).unwrap();
    let (lost, mut log) = machine.log(before.len() as u64).await;
    log.truncate(position.saturating_sub(before.len()));
    let shown = console
        .shown()
        .split_off(before.len().saturating_sub(position));
    let output = [before, log, shown].concat();
    let output = String::from_utf8(output).unwrap();
    assert_eq!(lost, 0);
    let numbers: Vec<u32> = output
        .lines()
        .filter_map(|line| line.trim().parse().ok())
        .collect();
    assert!(
        numbers.iter().copied().eq(1..=50_000),
        "lines are lost or repeated"
    );
    machine.delete().await;
}

pub(super) async fn the_output_ends_with_the_run(engine: &dyn GameEngine) {
    let (machine, console) = TestMachine::running(engine).await;
    engine.kill(machine.id()).await.unwrap();
    console.wait_for_end().await;
    machine.delete().await;
}
