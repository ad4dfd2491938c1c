//! Socket activation, with a real parent and child process.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::{Child, Command, Stdio};

use innkeeper_rest::{App, RestApi, Server, Stop, resource};

struct Parent {
    stop: Stop,
}

#[resource("/")]
impl Parent {
    #[get]
    fn hello(&self) -> &'static str {
        "hello, parent"
    }

    #[delete]
    fn stop(&self) {
        self.stop.now();
    }
}

/// The child process: serves the inherited sockets until a DELETE. Without a parent there are none, and
/// it ends at once.
#[tokio::test]
#[ignore = "is started by the tests below"]
async fn child() {
    let stop = Stop::new();
    let mut tasks = Vec::new();
    let servers = match Server::all_activated() {
        Ok(servers) => servers,
        Err(error) => panic!("the child says: {error}"),
    };
    for (name, server) in servers {
        let endpoint = server.endpoint();
        writeln!(std::io::stderr(), "serving {name} on {endpoint}").unwrap();
        let app = App::new().mount("/", RestApi::new(Parent { stop: stop.clone() }));
        tasks.push(tokio::spawn(server.stop_on(stop.clone()).serve(app)));
    }
    for task in tasks {
        task.await.unwrap().unwrap();
    }
    assert!(Server::activated().unwrap().is_none(), "taken once");
}

/// Starts the child with these sockets as descriptors 3 and 4.
fn start(sockets: [Option<OwnedFd>; 2], count: &str, names: &str) -> Child {
    let [first, second] = sockets;
    let stdio = |socket: Option<OwnedFd>| socket.map_or_else(Stdio::null, Stdio::from);
    // Standard input and output are the only descriptors that can be passed without `unsafe`; the shell
    // moves them. `exec` keeps the process id of the shell.
    let script = "exec 3<&0 4<&1 </dev/null >&2; LISTEN_PID=$$ exec \"$0\" \"$@\"";
    let test = std::env::current_exe().unwrap();
    Command::new("/bin/sh")
        .args(["-c", script])
        .arg(test)
        .args([
            "--exact",
            "server::activation::child",
            "--ignored",
            "--nocapture",
        ])
        .env("LISTEN_FDS", count)
        .env("LISTEN_FDNAMES", names)
        .stdin(stdio(first))
        .stdout(stdio(second))
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Sends a request and reads the response to the end of the connection.
fn ask(mut stream: impl Read + Write, method: &str) -> String {
    let request = format!("{method} / HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn said(child: Child) -> (bool, String) {
    let output = child.wait_with_output().unwrap();
    (
        output.status.success(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

#[test]
fn a_socket_of_the_parent_is_served_by_the_child() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    // Connects before the child can accept; the connection waits in the backlog.
    let early = TcpStream::connect(address).unwrap();
    let child = start([Some(listener.into()), None], "1", "web");
    let answer = ask(early, "GET");
    assert!(answer.ends_with("\r\n\r\nhello, parent"), "{answer}");
    ask(TcpStream::connect(address).unwrap(), "DELETE");
    let (well, said) = said(child);
    assert!(well, "{said}");
    assert!(
        said.contains(&format!("serving web on {address}")),
        "{said}"
    );
}

#[test]
fn several_sockets_are_told_apart_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.sock");
    let unix = UnixListener::bind(&path).unwrap();
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = tcp.local_addr().unwrap();
    let child = start([Some(tcp.into()), Some(unix.into())], "2", "web:admin");
    let answer = ask(UnixStream::connect(&path).unwrap(), "GET");
    assert!(answer.ends_with("hello, parent"), "{answer}");
    ask(TcpStream::connect(address).unwrap(), "DELETE");
    let (well, said) = said(child);
    assert!(well, "{said}");
    assert!(
        said.contains(&format!("serving web on {address}")),
        "{said}"
    );
    assert!(
        said.contains(&format!("serving admin on unix:{}", path.display())),
        "{said}"
    );
    assert!(path.exists(), "it is the parent's");
}

#[test]
fn without_a_parent_there_is_nothing_to_serve() {
    let child = start([None, None], "0", "");
    let (well, said) = said(child);
    assert!(well, "{said}");
    assert!(!said.contains("serving"), "{said}");
}

#[test]
fn what_is_no_listener_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = std::fs::File::create(folder.path().join("file")).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let connection = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    connection.shutdown(Shutdown::Write).unwrap();
    let datagrams = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    for (socket, count, fault) in [
        (
            Some(file.into()),
            "1",
            "it is neither a TCP nor a Unix stream socket",
        ),
        (
            Some(datagrams.into()),
            "1",
            "it is neither a TCP nor a Unix stream socket",
        ),
        (
            Some(connection.into()),
            "1",
            "it is a connection, not a listener",
        ),
        (None, "99999999999999999999", "is not a number of sockets"),
        (None, "1000000", "is not a number of sockets"),
        (None, "many", "is not a number of sockets"),
    ] {
        let (well, said) = said(start([socket, None], count, "web"));
        assert!(!well, "{said}");
        assert!(said.contains(fault), "{said}");
    }
}
