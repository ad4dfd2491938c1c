//! What can be typed on the console.

use std::net::SocketAddr;

/// A command.
#[derive(Debug, PartialEq)]
pub enum Command {
    Help,
    Say(String),
    Players,
    Join(String),
    Leave(String),
    Save,
    Count(u64),
    Connect(SocketAddr),
    Crash(u8),
    Abort,
    Hang,
    EatMemory(usize),
    FillDisk(usize),
    Stop,
}

/// The list that `help` prints.
pub const HELP: &[&str] = &[
    "help              show this list",
    "say TEXT          write to all players",
    "players, list     show who is online",
    "join NAME         let a simulated player join",
    "leave NAME        let a player leave",
    "save              save the world",
    "count N           print the numbers from 1 to N",
    "connect ADDRESS   try a TCP connection to an address and port",
    "crash [CODE]      end with an exit code, 1 if none is given",
    "abort             end by a signal",
    "hang              ignore everything, including stop and SIGTERM",
    "eat-memory [MIB]  allocate memory, without limit if none is given",
    "fill-disk [MIB]   write to the data folder, without limit if none is given",
    "stop              save the world and stop",
];

/// Parses a line; fails with a sentence for the console.
pub fn parse(line: &str) -> Result<Command, String> {
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    match word {
        "help" => Ok(Command::Help),
        "say" => Ok(Command::Say(required(rest, "say TEXT")?)),
        "players" | "list" => Ok(Command::Players),
        "join" => Ok(Command::Join(required(rest, "join NAME")?)),
        "leave" => Ok(Command::Leave(required(rest, "leave NAME")?)),
        "save" => Ok(Command::Save),
        "count" => Ok(Command::Count(number(rest, 10)?)),
        "connect" => Ok(Command::Connect(number(&required(rest, "connect ADDRESS")?, ([0; 4], 0).into())?)),
        "crash" => Ok(Command::Crash(number(rest, 1)?)),
        "abort" => Ok(Command::Abort),
        "hang" => Ok(Command::Hang),
        "eat-memory" => Ok(Command::EatMemory(number(rest, usize::MAX)?)),
        "fill-disk" => Ok(Command::FillDisk(number(rest, usize::MAX)?)),
        "stop" => Ok(Command::Stop),
        _ => Err(format!("Unknown command: {word}. Type \"help\" for a list of commands.")),
    }
}

fn required(text: &str, usage: &str) -> Result<String, String> {
    if text.is_empty() { Err(format!("Usage: {usage}")) } else { Ok(text.to_owned()) }
}

fn number<T: std::str::FromStr>(text: &str, default: T) -> Result<T, String> {
    if text.is_empty() {
        return Ok(default);
    }
    text.parse().map_err(|_| format!("Not understood: {text}"))
}
