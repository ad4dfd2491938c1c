//! Bodies that are not kept in memory: multipart forms and streams, written to files as they arrive.

mod deferred;
mod memory;

use std::path::{Path, PathBuf};
use std::time::Duration;

use futures_util::stream;
use innkeeper_rest::testing::{Client, TestResponse};
use innkeeper_rest::{App, Body, Multipart, Rejection, RestApi, resource};
use tempfile::TempDir;
use tokio::fs::File;
use tokio::io::AsyncWriteExt;
use tokio_util::io::StreamReader;

struct Files {
    folder: PathBuf,
}

#[resource("/files")]
impl Files {
    /// Returns one line per part: field, file, type, size.
    #[post("/parts")]
    async fn parts(&self, #[stream] mut form: Multipart) -> Result<Vec<String>, Rejection> {
        let mut lines = Vec::new();
        while let Some(part) = form.next_part().await? {
            let name = part.name().unwrap_or("-").to_owned();
            let file = part.file_name().unwrap_or("-").to_owned();
            let kind = part.content_type().unwrap_or("-").to_owned();
            let size = part.bytes().await?.len();
            lines.push(format!("{name} {file} {kind} {size}"));
        }
        Ok(lines)
    }

    #[post("/texts")]
    async fn texts(&self, #[stream] mut form: Multipart) -> Result<Vec<String>, Rejection> {
        let mut texts = Vec::new();
        while let Some(part) = form.next_part().await? {
            texts.push(part.text().await?);
        }
        Ok(texts)
    }

    /// Reads only the first part.
    #[post("/first")]
    async fn first(&self, #[stream] mut form: Multipart) -> Result<Option<String>, Rejection> {
        let part = form.next_part().await?;
        Ok(part.and_then(|part| part.name().map(str::to_owned)))
    }

    /// Streams the files of a form into the folder, named by number.
    #[post]
    #[body_limit(1024 * 1024 * 1024)]
    #[timeout(none)]
    async fn upload(&self, #[stream] mut form: Multipart) -> Result<u64, Rejection> {
        let mut size = 0;
        let mut number = 0;
        while let Some(mut part) = form.next_part().await? {
            let path = self.folder.join(number.to_string());
            let mut file = File::create(path).await?;
            while let Some(chunk) = part.next_chunk().await? {
                file.write_all(&chunk).await?;
                size += chunk.len() as u64;
            }
            file.flush().await?;
            number += 1;
        }
        Ok(size)
    }

    /// Copies the body to a file.
    #[put("/{name}")]
    async fn put(&self, name: &str, #[stream] body: Body) -> Result<u64, Rejection> {
        let path = self.folder.join(name);
        let mut file = File::create(path).await?;
        let size = tokio::io::copy(&mut StreamReader::new(body), &mut file).await?;
        file.flush().await?;
        Ok(size)
    }

    #[get("/ping")]
    fn ping(&self) -> &'static str {
        "pong"
    }
}

fn app(folder: &Path) -> App {
    let folder = folder.to_owned();
    App::new().mount("/", RestApi::new(Files { folder }))
}

fn client(folder: &TempDir) -> Client {
    Client::new(app(folder.path())).unwrap()
}

const FORM: &str = concat!(
    "--frontier\r\n",
    "Content-Disposition: form-data; name=\"title\"\r\n\r\n",
    "Caf\u{e9}\r\n",
    "--frontier\r\n",
    "Content-Disposition: form-data; name=\"picture\"; filename=\"a.png\"\r\n",
    "Content-Type: image/png\r\n\r\n",
    "\u{1}\u{2}\r\n--front\u{3}\r\n",
    "--frontier\r\n",
    "Content-Disposition: form-data; name=\"empty\"; filename=\"none\"\r\n\r\n",
    "\r\n",
    "--frontier--\r\n"
);

async fn post(client: &Client, path: &str, form: impl Into<Body>) -> TestResponse {
    client
        .post(path)
        .header("content-type", "multipart/form-data; boundary=frontier")
        .body(form)
        .send()
        .await
}

#[tokio::test]
async fn fields_and_files_come_one_by_one() {
    let folder = tempfile::tempdir().unwrap();
    let response = post(&client(&folder), "/files/parts", FORM).await;
    assert_eq!(response.status(), 200);
    assert_eq!(
        response.text(),
        r#"["title - - 5","picture a.png image/png 12","empty none - 0"]"#
    );
}

#[tokio::test]
async fn a_form_may_come_byte_by_byte() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = FORM.bytes().map(|byte| Ok(vec![byte].into()));
    let body = Body::from_stream(stream::iter(bytes));
    let response = post(&client(&folder), "/files/parts", body).await;
    assert_eq!(
        response.text(),
        r#"["title - - 5","picture a.png image/png 12","empty none - 0"]"#
    );
}

#[tokio::test]
async fn an_empty_form_has_no_parts() {
    let folder = tempfile::tempdir().unwrap();
    let response = post(&client(&folder), "/files/parts", "--frontier--\r\n").await;
    assert_eq!((response.status(), response.text().as_str()), (200, "[]"));
}

#[tokio::test]
async fn a_handler_need_not_read_to_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let response = post(&client(&folder), "/files/first", FORM).await;
    assert_eq!(response.text(), r#""title""#);
}

#[tokio::test]
async fn a_text_that_is_not_utf_8_is_400() {
    let folder = tempfile::tempdir().unwrap();
    let mut form = b"--frontier\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n".to_vec();
    form.extend(b"\xff\xfe\r\n--frontier--\r\n");
    let response = post(&client(&folder), "/files/texts", form).await;
    assert_eq!(response.status(), 400);
    assert!(response.text().contains("not UTF-8"), "{}", response.text());
}

#[tokio::test]
async fn a_truncated_form_is_400() {
    let folder = tempfile::tempdir().unwrap();
    let client = client(&folder);
    let whole = FORM.len() - "--\r\n".len();
    for length in 0..whole {
        let form = FORM.as_bytes()[..length].to_vec();
        let response = post(&client, "/files/parts", form).await;
        assert_eq!(response.status(), 400, "{length}: {}", response.text());
    }
}

#[tokio::test]
async fn a_form_without_a_boundary_is_400() {
    let folder = tempfile::tempdir().unwrap();
    let client = client(&folder);
    for kind in ["multipart/form-data", "multipart/form-data; boundary=\"\""] {
        let request = client.post("/files/parts").header("content-type", kind);
        let response = request.body(FORM).send().await;
        assert_eq!(response.status(), 400, "{kind}");
    }
}

#[tokio::test]
async fn a_body_that_is_no_form_is_415() {
    let folder = tempfile::tempdir().unwrap();
    let client = client(&folder);
    for kind in ["application/json", "multipart/mixed; boundary=frontier"] {
        let request = client.post("/files/parts").header("content-type", kind);
        let response = request.body(FORM).send().await;
        assert_eq!(response.status(), 415, "{kind}");
    }
    let response = client.post("/files/parts").body(FORM).send().await;
    assert_eq!(response.status(), 415);
}

#[tokio::test]
async fn a_file_name_is_only_a_name() {
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("inside");
    std::fs::create_dir(&inside).unwrap();
    let client = Client::new(app(&inside)).unwrap();
    for name in ["../outside", "/outside", "a/../../outside", "..", "inside"] {
        let form = format!(
            "--frontier\r\nContent-Disposition: form-data; name=\"a\"; filename=\"{name}\"\r\n\r\n\
             harmless\r\n--frontier--\r\n"
        );
        // The handler gets the name that the client sends …
        let response = post(&client, "/files/parts", form.clone()).await;
        assert_eq!(response.text(), format!(r#"["a {name} - 8"]"#));
        // … and the framework itself writes no files.
        let response = post(&client, "/files", form).await;
        assert_eq!(response.text(), "8");
    }
    let outside = std::fs::read_dir(folder.path()).unwrap();
    assert_eq!(outside.count(), 1);
    let inside = std::fs::read_dir(inside).unwrap();
    let names: Vec<_> = inside.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["0"]);
}

#[tokio::test]
async fn a_form_over_the_limit_is_413() {
    let folder = tempfile::tempdir().unwrap();
    let limited = app(folder.path()).body_limit(100);
    let client = Client::new(limited).unwrap();
    for path in ["/files/parts", "/files/texts"] {
        let response = post(&client, path, FORM).await;
        assert_eq!(response.status(), 413, "{path}");
        assert!(response.text().contains("larger than 100 bytes"));
    }
    // A method with `#[body_limit]` has its own limit.
    let response = post(&client, "/files", FORM).await;
    assert_eq!((response.status(), response.text().as_str()), (200, "17"));
}

#[tokio::test]
async fn a_stream_is_copied_to_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let pieces = ["one ", "two ", "three"].map(|piece| Ok(piece.into()));
    let body = Body::from_stream(stream::iter(pieces));
    let client = client(&folder);
    let response = client.put("/files/copy").body(body).send().await;
    assert_eq!((response.status(), response.text().as_str()), (200, "13"));
    let stored = std::fs::read_to_string(folder.path().join("copy")).unwrap();
    assert_eq!(stored, "one two three");
}

#[tokio::test]
async fn a_stream_that_breaks_is_an_error_to_its_reader() {
    let folder = tempfile::tempdir().unwrap();
    let pieces = [Ok("one ".into()), Err("cable cut".into())];
    let body = Body::from_stream(stream::iter(pieces));
    let client = client(&folder);
    let response = client.put("/files/copy").body(body).send().await;
    assert_eq!(response.status(), 400);
    assert!(response.text().contains("the body ended early"));
}

#[tokio::test(start_paused = true)]
async fn a_reader_passes_on_why_the_body_was_refused() {
    let folder = tempfile::tempdir().unwrap();
    let limited = app(folder.path())
        .body_limit(100)
        .body_timeout(Duration::from_secs(1));
    let client = Client::new(limited).unwrap();
    let body = "x".repeat(101);
    let response = client.put("/files/copy").body(body).send().await;
    assert_eq!(response.status(), 413);
    let body = Body::from_stream(stream::pending());
    let response = client.put("/files/copy").body(body).send().await;
    assert_eq!(response.status(), 408);
}

#[tokio::test]
async fn a_disk_that_fails_is_500() {
    let client = Client::new(app(Path::new("/nowhere/at/all"))).unwrap();
    let response = client.put("/files/copy").body("x").send().await;
    assert_eq!(response.status(), 500);
    assert!(
        !response.text().contains("directory"),
        "{}",
        response.text()
    );
}
