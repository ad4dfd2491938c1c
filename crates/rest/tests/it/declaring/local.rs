//! `local` resources: state and futures that stay on their thread.

use std::cell::RefCell;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::num::NonZeroUsize;
use std::rc::Rc;

use innkeeper_rest::{App, RestApi, Server, Stop, resource};

use super::{client, get, ok, seen};

/// Counts visits without a lock.
struct Visits {
    names: Rc<RefCell<Vec<String>>>,
}

#[resource("/visits", local)]
impl Visits {
    #[get]
    fn list(&self) -> Vec<String> {
        self.names.borrow().clone()
    }

    #[post]
    async fn add(&self, name: String) -> String {
        let names = Rc::clone(&self.names);
        // `names` is held across an await point: this future cannot move to another thread.
        tokio::task::yield_now().await;
        names.borrow_mut().push(name);
        names.borrow().len().to_string()
    }
}

struct Shared;

#[resource("/shared")]
impl Shared {
    #[get]
    async fn hello(&self) -> &'static str {
        "hello"
    }
}

fn visits() -> Visits {
    Visits {
        names: Rc::default(),
    }
}

#[tokio::test]
async fn a_local_resource_may_hold_what_no_other_thread_may_see() {
    let client = client(RestApi::new(visits()));
    let added = client.post("/visits").json(&"Ada").send().await;
    assert_eq!(seen(&added), ok("1"));
    assert_eq!(get(&client, "/visits").await, ok("[\"Ada\"]"));
}

#[tokio::test]
async fn a_local_resource_stands_beside_others() {
    let client = client(RestApi::new(Shared).with(visits()));
    assert_eq!(get(&client, "/shared").await, ok("hello"));
    assert_eq!(get(&client, "/visits").await, ok("[]"));
}

/// Sends a request on a new connection and returns the body of the response.
fn ask(address: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    answer.split_once("\r\n\r\n").unwrap().1.to_owned()
}

#[test]
fn local_resources_are_served_by_a_runtime_per_core() {
    let stop = Stop::new();
    let server = Server::bind("127.0.0.1:0").unwrap().stop_on(stop.clone());
    let address = server.address();
    let serving = std::thread::spawn(|| {
        let application = || App::new().mount("/", RestApi::new(visits()).with(Shared));
        server.serve_per_core(NonZeroUsize::MIN, application)
    });

    let add = "POST /visits HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\
        content-type: application/json\r\ncontent-length: 5\r\n\r\n\"Ada\"";
    assert_eq!(ask(address, add), "1");
    assert_eq!(ask(address, add), "2");
    let list = "GET /visits HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
    assert_eq!(ask(address, list), "[\"Ada\",\"Ada\"]");

    stop.now();
    serving.join().unwrap().unwrap();
}

#[test]
fn each_core_has_local_resources_of_its_own() {
    let stop = Stop::new();
    let server = Server::bind("127.0.0.1:0").unwrap().stop_on(stop.clone());
    let address = server.address();
    let serving = std::thread::spawn(|| {
        let application = || App::new().mount("/", RestApi::new(visits()));
        server.serve_per_core(NonZeroUsize::new(3).unwrap(), application)
    });

    let add = "POST /visits HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\
        content-type: application/json\r\ncontent-length: 5\r\n\r\n\"Ada\"";
    let counts: Vec<u32> = (0..12)
        .map(|_| ask(address, add).parse().unwrap())
        .collect();
    let fresh = counts.iter().filter(|count| **count == 1).count();
    assert!(
        (1..=3).contains(&fresh),
        "one first visit per core that was reached: {counts:?}"
    );

    stop.now();
    serving.join().unwrap().unwrap();
}
