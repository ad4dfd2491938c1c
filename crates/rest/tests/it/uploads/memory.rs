//! A large and slow upload to a server in a separate process, so that only the memory of the server
//! is measured.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use innkeeper_rest::{Server, Stop};

use crate::server::wire::{Wire, soon};

/// The variable that makes the process a server, with the folder of its files.
const FOLDER: &str = "INNKEEPER_TEST_UPLOADS";

const MIB: usize = 1024 * 1024;

/// The additional memory that the server may use during the upload.
const GROWTH: usize = 16 * MIB;

/// The server process. Does nothing unless the other test has started it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "the server that another test starts in a process of its own"]
async fn the_server_process() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        return;
    };
    let server = Server::bind("127.0.0.1:0").unwrap();
    let stop = Stop::new();
    let mut out = std::io::stdout();
    writeln!(out, "\nlistening on {}", server.address()).unwrap();
    out.flush().unwrap();
    // Stops the server when the test process ends, however it ends.
    let told = stop.clone();
    std::thread::spawn(move || {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        told.now();
    });
    let app = super::app(Path::new(&folder));
    server.stop_on(stop).serve(app).await.unwrap();
}

/// A running server process.
struct Process {
    child: Child,
    address: SocketAddr,
    /// Kept open, because the process writes to it when it ends.
    _output: BufReader<ChildStdout>,
}

impl Process {
    fn start(folder: &Path) -> Self {
        let test = format!("{}::the_server_process", module_path!());
        let (_, test) = test.split_once("::").unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", test, "--ignored", "--nocapture"])
            .env(FOLDER, folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let address = output
            .by_ref()
            .lines()
            .find_map(|line| {
                Some(
                    line.unwrap()
                        .strip_prefix("listening on ")?
                        .parse()
                        .unwrap(),
                )
            })
            .expect("a server process");
        Self {
            child,
            address,
            _output: output,
        }
    }

    /// Returns a field of `/proc/<pid>/status`, in bytes.
    fn memory(&self, name: &str) -> usize {
        let path: PathBuf = ["/proc", &self.child.id().to_string(), "status"]
            .iter()
            .collect();
        let status = std::fs::read_to_string(path).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let kilobytes = line.unwrap().trim_matches([':', ' ', '\t', 'k', 'B']);
        kilobytes.parse::<usize>().unwrap() * 1024
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// Uploads pieces of 1 MiB, and calls `between` after each.
async fn upload(process: &Process, pieces: usize, mut between: impl AsyncFnMut(usize)) -> String {
    let start = "--frontier\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f\"\r\n\r\n";
    let end = "\r\n--frontier--\r\n";
    let length = start.len() + pieces * MIB + end.len();
    let mut wire = Wire::connect(process.address).await;
    wire.send(format!(
        "POST /files HTTP/1.1\r\nHost: test\r\nContent-Length: {length}\r\n\
         Content-Type: multipart/form-data; boundary=frontier\r\n\r\n{start}"
    ))
    .await;
    for number in 0..pieces {
        let piece = vec![u8::try_from(number % 251).unwrap(); MIB];
        wire.send(piece).await;
        between(number).await;
    }
    wire.send(end).await;
    let answer = wire.answer().await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.text().to_owned()
}

#[tokio::test]
async fn a_slow_upload_of_200_mb_needs_little_memory_and_delays_nobody() {
    const PIECES: usize = 200;
    let folder = tempfile::tempdir().unwrap();
    let process = Process::start(folder.path());
    // A small upload first, so that all one-time allocations are made.
    upload(&process, 1, async |_| {}).await;
    let before = process.memory("VmRSS");

    let mut other = Wire::connect(process.address).await;
    let mut answered = 0;
    let size = upload(&process, PIECES, async |number| {
        if number % 10 == 5 {
            // The upload is halted in the middle of its body until the test sends more.
            let answer = soon(other.get("/files/ping")).await;
            assert_eq!(answer.text(), "pong");
            answered += 1;
        }
    })
    .await;
    assert_eq!(size, (PIECES * MIB).to_string());
    assert_eq!(answered, PIECES / 10);
    let growth = process.memory("VmHWM").saturating_sub(before);
    assert!(growth <= GROWTH, "{} KiB more", growth / 1024);
    check(&folder.path().join("0"), PIECES);
}

/// Checks that the file holds the uploaded bytes.
fn check(path: &Path, pieces: usize) {
    let mut file = std::fs::File::open(path).unwrap();
    let mut piece = vec![0; MIB];
    for number in 0..pieces {
        file.read_exact(&mut piece).unwrap();
        let expected = u8::try_from(number % 251).unwrap();
        assert_eq!(piece, vec![expected; MIB], "piece {number}");
    }
    assert_eq!(file.read(&mut piece).unwrap(), 0);
}
