//! A small game server for demonstrations and tests.
//!
//! It has what a real one has: a console with commands, players who connect by TCP, a world that is saved to
//! its data folder, and ways to fail. It uses the standard library only, so that a compiler alone can build
//! it as one static file, which is then the whole image of a container.
//!
//! ```text
//! demo-game [DATA_DIR] [PORT]
//! ```

mod command;
mod game;
mod network;
mod signal;
mod world;

use std::io::{BufRead, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc::{self, Sender};
use std::thread;

use game::Game;
use world::World;

/// What happens outside the game and is handled one after another.
pub enum Event {
    /// A line was typed on the console.
    Line(String),
    /// The console was closed.
    EndOfInput,
    /// A client connected.
    Connected(network::Client),
    /// A client sent a line.
    Received(u64, String),
    /// A client went away.
    Disconnected(u64),
    /// The process got SIGTERM.
    Terminate,
}

/// Prints a line. A console that is gone is no reason to end.
macro_rules! say {
    ($($part:tt)*) => {{
        let mut output = std::io::stdout().lock();
        let _ = writeln!(output, $($part)*);
        let _ = output.flush();
    }};
}
pub(crate) use say;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().unwrap_or_else(|| "/data".to_owned()));
    let port = arguments.next().unwrap_or_else(|| "7777".to_owned());
    let Ok(port) = port.parse::<u16>() else {
        say!("{port} is not a port");
        return ExitCode::from(2);
    };

    say!("Demo game server {}", env!("DEMO_GAME_VERSION"));
    let world = match World::load(&folder) {
        Ok(world) => world,
        Err(error) => {
            say!("Could not load the world in {}: {error}", folder.display());
            return ExitCode::from(3);
        }
    };
    say!("World loaded, start number {}", world.starts());
    let listener = match TcpListener::bind(SocketAddr::from(([0; 4], port))) {
        Ok(listener) => listener,
        Err(error) => {
            say!("Could not listen on port {port}: {error}");
            return ExitCode::from(4);
        }
    };

    let (sender, events) = mpsc::channel();
    signal::watch(sender.clone());
    network::accept(listener, sender.clone());
    read_console(sender);
    say!("Ready for players on port {port}. Type \"help\" for a list of commands.");
    Game::new(world, folder).run(&events)
}

/// Sends what is typed, line by line.
fn read_console(events: Sender<Event>) {
    thread::spawn(move || {
        let mut input = std::io::stdin().lock();
        let mut line = Vec::new();
        loop {
            line.clear();
            match input.read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => break,
                Ok(_) => {
                    let text = String::from_utf8_lossy(&line).trim().to_owned();
                    if events.send(Event::Line(text)).is_err() {
                        return;
                    }
                }
            }
        }
        let _ = events.send(Event::EndOfInput);
    });
}
