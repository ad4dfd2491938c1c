//! The cost of a thousand listeners and a thousand idle websockets.

use std::cell::Cell;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::Notify;
use tokio::task::LocalSet;

use crate::Places;
use crate::process::{Pinning, Running};
use crate::wire;

/// The number of listeners, and of websockets.
const MANY: u32 = 1000;
/// Events for each listener; those of the warm-up are not counted.
const WARM_UP: u32 = 20;
const EVENTS: u32 = 200;
/// The goal: bytes of memory per idle websocket.
const ALLOWED: u64 = 6000;

const TEXT: &str = "a text of sixty-four bytes, which is what many events are made of";
const HANDSHAKE: &str = "GET /live HTTP/1.1\r\nHost: bench\r\nConnection: Upgrade\r\n\
    Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
    Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

/// The measured costs.
#[derive(Debug)]
pub(crate) struct Live {
    /// Resident memory in bytes.
    per_socket: u64,
}

impl Live {
    /// Prints whether the goal is met.
    pub(crate) fn check(&self) -> bool {
        let holds = self.per_socket < ALLOWED;
        let word = if holds { "holds " } else { "MISSED" };
        println!("  {word}        an idle websocket takes less than {ALLOWED} bytes");
        holds
    }
}

pub(crate) fn measure(places: &Places) -> Result<Live> {
    allow_files()?;
    let pinning = Pinning::find()?;
    println!("\nevents and websockets");
    let per_socket = idle_websockets(&pinning.start_live(places)?)?;
    println!("  {per_socket} bytes of memory per websocket, {MANY} of them, idle");
    let server = pinning.start_live(places)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(LocalSet::new().run_until(fan_out(&server)))?;
    pinning.release()?;
    Ok(Live { per_socket })
}

/// Raises the limit of open files: each listener is a file here and in the server, which inherits it.
fn allow_files() -> Result<()> {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    let wanted = u64::from(MANY) * 2 + 200;
    ensure!(
        maximum.is_none_or(|maximum| maximum >= wanted),
        "a process may open {maximum:?} files here; {wanted} are needed"
    );
    let limit = Rlimit {
        current: Some(wanted),
        maximum,
    };
    setrlimit(Resource::Nofile, limit).context("raising the limit of open files")
}

fn open_websocket(address: SocketAddr) -> Result<TcpStream> {
    let mut stream = wire::connect(address)?;
    stream.write_all(HANDSHAKE.as_bytes())?;
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).context("reading the answer")?;
        head.extend(byte);
    }
    ensure!(head.starts_with(b"HTTP/1.1 101 "), "no websocket");
    Ok(stream)
}

fn idle_websockets(server: &Running) -> Result<u64> {
    // The first few trigger one-time allocations.
    let few: Vec<_> = (0..20)
        .map(|_| open_websocket(server.address))
        .collect::<Result<_>>()?;
    let before = server.resident()?;
    let mut many: Vec<_> = (0..MANY)
        .map(|_| open_websocket(server.address))
        .collect::<Result<_>>()?;
    let after = server.resident()?;
    // All are still open: each one echoes a masked `x`.
    for stream in many.iter_mut() {
        stream.write_all(&[0x81, 0x81, 0, 0, 0, 0, b'x'])?;
        let mut echo = [0; 3];
        stream.read_exact(&mut echo).context("reading the echo")?;
        ensure!(echo == [0x81, 1, b'x'], "no echo");
    }
    drop(few);
    Ok(after.saturating_sub(before) * 1024 / u64::from(MANY))
}

/// The bytes that the listeners have read so far.
#[derive(Default)]
struct Heard {
    bytes: Cell<u64>,
    more: Notify,
}

async fn fan_out(server: &Running) -> Result<()> {
    let heard = Rc::new(Heard::default());
    for _ in 0..MANY {
        let mut stream = tokio::net::TcpStream::connect(server.address).await?;
        stream
            .write_all(b"GET /events HTTP/1.1\r\nHost: bench\r\n\r\n")
            .await?;
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let count = stream.read_buf(&mut head).await?;
            ensure!(count > 0, "closed before the answer");
        }
        tokio::task::spawn_local(listen(stream, Rc::clone(&heard)));
    }
    let mut publisher = tokio::net::TcpStream::connect(server.address).await?;
    let mut expected = 0;
    let (mut started, mut cpu) = (Instant::now(), Duration::ZERO);
    for round in 0..WARM_UP + EVENTS {
        if round == WARM_UP {
            (started, cpu) = (Instant::now(), server.cpu_time()?);
        }
        publish(&mut publisher).await?;
        // One chunk for each listener: its size, the event, and two line ends.
        let event = format!("data: {TEXT}\n\n").len();
        expected += u64::from(MANY) * (format!("{event:x}\r\n").len() + event + 2) as u64;
        while heard.bytes.get() < expected {
            heard.more.notified().await;
        }
        ensure!(heard.bytes.get() == expected, "more than was published");
    }
    let (elapsed, cpu) = (started.elapsed(), server.cpu_time()? - cpu);
    let all = f64::from(MANY) * f64::from(EVENTS);
    println!(
        "  {:.0} thousand events per second to {MANY} listeners, {:.2} microseconds of processor \
         time for each",
        all / elapsed.as_secs_f64() / 1000.0,
        cpu.as_secs_f64() * 1e6 / all
    );
    Ok(())
}

async fn listen(mut stream: tokio::net::TcpStream, heard: Rc<Heard>) {
    let mut buffer = [0; 1024];
    while let Ok(count @ 1..) = stream.read(&mut buffer).await {
        heard.bytes.set(heard.bytes.get() + count as u64);
        heard.more.notify_one();
    }
}

async fn publish(stream: &mut tokio::net::TcpStream) -> Result<()> {
    let length = TEXT.len();
    let request =
        format!("POST /events HTTP/1.1\r\nHost: bench\r\nContent-Length: {length}\r\n\r\n{TEXT}");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    while wire::Answer::parse(&answer)?.is_none() {
        let count = stream.read_buf(&mut answer).await?;
        ensure!(count > 0, "closed before the answer");
    }
    Ok(())
}
