//! Players who connect by TCP: the first line that a client sends is the name of the player, the others are
//! chat.

use std::io::{BufRead, BufReader, Read};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::Sender;
use std::thread;

use crate::Event;

/// The longest line of a client, in bytes.
const LONGEST_LINE: u64 = 512;

/// A client that connected.
pub struct Client {
    pub id: u64,
    pub address: SocketAddr,
    pub stream: TcpStream,
}

/// Accepts clients until the process ends.
pub fn accept(listener: TcpListener, events: Sender<Event>) {
    thread::spawn(move || {
        for (id, stream) in listener.incoming().flatten().enumerate() {
            let id = id as u64;
            let (Ok(address), Ok(writer)) = (stream.peer_addr(), stream.try_clone()) else {
                continue;
            };
            let client = Client { id, address, stream: writer };
            if events.send(Event::Connected(client)).is_err() {
                return;
            }
            read(id, stream, events.clone());
        }
    });
}

fn read(id: u64, stream: TcpStream, events: Sender<Event>) {
    thread::spawn(move || {
        let mut reader = BufReader::new(stream);
        loop {
            let mut line = Vec::new();
            match reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => break,
                Ok(_) => {
                    let text = String::from_utf8_lossy(&line);
                    let text = text.chars().filter(|letter| !letter.is_control()).collect();
                    if events.send(Event::Received(id, text)).is_err() {
                        return;
                    }
                }
            }
        }
        let _ = events.send(Event::Disconnected(id));
    });
}
