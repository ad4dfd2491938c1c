//! The game itself: who is online, and what happens on commands.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc::Receiver;
use std::thread;
use std::time::Duration;

use crate::command::{self, Command};
use crate::network::Client;
use crate::world::World;
use crate::{Event, say};

const MOST_PLAYERS: usize = 20;
const MIB: usize = 1024 * 1024;

/// The state of the server.
pub struct Game {
    world: World,
    folder: PathBuf,
    /// Players by name; those who were simulated have no connection.
    players: BTreeMap<String, Option<u64>>,
    clients: BTreeMap<u64, Client>,
}

impl Game {
    pub fn new(world: World, folder: PathBuf) -> Self {
        Self { world, folder, players: BTreeMap::new(), clients: BTreeMap::new() }
    }

    /// Handles events until the server ends.
    pub fn run(mut self, events: &Receiver<Event>) -> ExitCode {
        for event in events {
            let end = match event {
                Event::Line(line) => self.typed(&line),
                Event::EndOfInput => Some(self.stop("The console was closed")),
                Event::Terminate => Some(self.stop("Got SIGTERM")),
                Event::Connected(client) => {
                    say!("Connection from {}", client.address);
                    self.clients.insert(client.id, client);
                    None
                }
                Event::Received(id, text) => {
                    self.received(id, text.trim());
                    None
                }
                Event::Disconnected(id) => {
                    self.disconnected(id);
                    None
                }
            };
            if let Some(code) = end {
                return code;
            }
        }
        ExitCode::FAILURE
    }

    fn typed(&mut self, line: &str) -> Option<ExitCode> {
        if line.is_empty() {
            return None;
        }
        match command::parse(line) {
            Ok(command) => self.obey(command),
            Err(message) => {
                say!("{message}");
                None
            }
        }
    }

    fn obey(&mut self, command: Command) -> Option<ExitCode> {
        match command {
            Command::Help => command::HELP.iter().for_each(|line| say!("{line}")),
            Command::Say(text) => self.tell_all(&format!("[Server] {text}")),
            Command::Players => self.list(),
            Command::Join(name) => self.join(name, None),
            Command::Leave(name) => self.leave(&name),
            Command::Save => self.save(),
            Command::Count(last) => (1..=last).for_each(|number| say!("{number}")),
            Command::Connect(address) => connect(address),
            Command::Crash(code) => {
                say!("Fatal error: the command \"crash\" was typed");
                return Some(ExitCode::from(code));
            }
            Command::Abort => std::process::abort(),
            Command::Hang => {
                say!("Ignoring everything from now on");
                loop {
                    thread::park();
                }
            }
            Command::EatMemory(limit) => eat_memory(limit),
            Command::FillDisk(limit) => self.fill_disk(limit),
            Command::Stop => return Some(self.stop("The command \"stop\" was typed")),
        }
        None
    }

    fn stop(&mut self, reason: &str) -> ExitCode {
        say!("Stopping: {reason}");
        self.tell_clients("The server is stopping");
        self.save();
        say!("Stopped");
        ExitCode::SUCCESS
    }

    fn save(&self) {
        match self.world.save(&self.folder) {
            Ok(()) => say!("World saved"),
            Err(error) => say!("Could not save the world: {error}"),
        }
    }

    fn list(&self) {
        let names: Vec<&str> = self.players.keys().map(String::as_str).collect();
        say!("{} of {MOST_PLAYERS} players online: {}", names.len(), names.join(", "));
    }

    fn join(&mut self, name: String, client: Option<u64>) {
        if self.players.len() >= MOST_PLAYERS {
            say!("{name} cannot join: the server is full");
        } else if self.players.contains_key(&name) {
            say!("{name} is online already");
        } else {
            self.world.count_join();
            self.tell_all(&format!("{name} joined the game"));
            self.players.insert(name, client);
        }
    }

    fn leave(&mut self, name: &str) {
        match self.players.remove(name) {
            None => say!("{name} is not online"),
            Some(client) => {
                if let Some(client) = client.and_then(|id| self.clients.remove(&id)) {
                    let _ = client.stream.shutdown(Shutdown::Both);
                }
                self.tell_all(&format!("{name} left the game"));
            }
        }
    }

    fn received(&mut self, id: u64, text: &str) {
        let player = self.players.iter().find(|(_, client)| **client == Some(id));
        match player.map(|(name, _)| name.clone()) {
            Some(name) => self.tell_all(&format!("<{name}> {text}")),
            None if text.is_empty() => {}
            None => self.join(text.to_owned(), Some(id)),
        }
    }

    fn disconnected(&mut self, id: u64) {
        self.clients.remove(&id);
        let player = self.players.iter().find(|(_, client)| **client == Some(id));
        if let Some(name) = player.map(|(name, _)| name.clone()) {
            self.leave(&name);
        }
    }

    fn tell_all(&mut self, text: &str) {
        say!("{text}");
        self.tell_clients(text);
    }

    fn tell_clients(&mut self, text: &str) {
        for client in self.clients.values_mut() {
            // A client that went away is noticed by the thread that reads from it.
            let _ = writeln!(client.stream, "{text}");
        }
    }

    fn fill_disk(&self, limit: usize) {
        let path = self.folder.join("filler");
        let written = File::create(&path).map(|mut file| {
            let block = vec![1_u8; MIB];
            let failed = (0..limit).find(|_| file.write_all(&block).is_err());
            failed.unwrap_or(limit)
        });
        match written {
            Ok(written) if written == limit => say!("Wrote {written} MiB to {}", path.display()),
            Ok(written) => say!("The disk is full after {written} MiB"),
            Err(error) => say!("Could not write {}: {error}", path.display()),
        }
    }
}

fn connect(address: SocketAddr) {
    match TcpStream::connect_timeout(&address, Duration::from_secs(1)) {
        Ok(_) => say!("Connected to {address}"),
        Err(error) => say!("Could not connect to {address}: {error}"),
    }
}

fn eat_memory(limit: usize) {
    say!("Allocating memory");
    let mut blocks = Vec::new();
    for _ in 0..limit {
        // Ones, because pages of zeros need no memory until they are written.
        blocks.push(std::hint::black_box(vec![1_u8; MIB]));
    }
    say!("Allocated {} MiB", blocks.len());
    // Kept until the server ends.
    std::mem::forget(blocks);
}
