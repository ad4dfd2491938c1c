//! An `Async` function that passes on the files of a form while they arrive.

use innkeeper_rest::{App, Async, Multipart, Rejection, Response, RestApi, resource};
use serde_json::json;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use crate::server::wire::{Running, soon};

struct Relay {
    /// Where the content of the files is sent to.
    to: UnboundedSender<String>,
}

#[resource("/relay")]
impl Relay {
    /// Returns the names of the files that were passed on.
    #[post]
    fn files(&self, #[stream] mut form: Multipart) -> Async<Result<Response, Rejection>> {
        let to = self.to.clone();
        Async::from_fn(async move || {
            let mut names = Vec::new();
            while let Some(mut part) = form.next_part().await? {
                while let Some(chunk) = part.next_chunk().await? {
                    let text = String::from_utf8_lossy(&chunk).into_owned();
                    to.send(text).map_err(Rejection::internal)?;
                }
                names.push(part.file_name().unwrap_or_default().to_owned());
            }
            Ok(Response::created().entity(json!(names)))
        })
    }

    #[get]
    fn ping(&self) -> &'static str {
        "pong"
    }
}

/// Server and clients share one thread: nothing happens here while the function does not yield.
#[tokio::test]
async fn a_function_yields_while_the_files_of_a_form_arrive() {
    let (to, mut from) = unbounded_channel();
    let server = Running::start(App::new().mount("/", RestApi::new(Relay { to })));
    let part = |name: &str| {
        format!(
            "--frontier\r\nContent-Disposition: form-data; name=\"f\"; filename=\"{name}\"\r\n\r\n"
        )
    };
    let first = format!("{}{}", part("a.txt"), "a".repeat(5000));
    let second = "b".repeat(5000);
    let third = format!("\r\n{}c\r\n--frontier--\r\n", part("c.txt"));
    let length = first.len() + second.len() + third.len();
    let mut slow = server.connect().await;
    slow.send(format!(
        "POST /relay HTTP/1.1\r\nHost: test\r\nContent-Length: {length}\r\n\
         Content-Type: multipart/form-data; boundary=frontier\r\n\r\n"
    ))
    .await;
    let mut other = server.connect().await;
    let mut received = String::new();
    for sent in [&first, &second] {
        slow.send(sent).await;
        // The last bytes that have come may be the start of a boundary, and are kept.
        let before = received.len();
        while received.len() < before + 4000 {
            received += &soon(from.recv()).await.unwrap();
        }
        assert_eq!(soon(other.get("/relay")).await.text(), "pong");
    }
    slow.send(&third).await;
    let answer = soon(slow.answer()).await;
    while let Ok(more) = from.try_recv() {
        received += &more;
    }
    assert_eq!(received, format!("{}{second}c", "a".repeat(5000)));
    assert_eq!(
        (answer.status, answer.text()),
        (201, r#"["a.txt","c.txt"]"#)
    );
}
