//! The connection to the engine: requests of HTTP/1.1 on its socket.
//!
//! Those who ask parse the answers, and only what they use of them. A client library for the API parses everything
//! and refuses answers in which the engine deviates from the specification.

use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::net::UnixStream;
use tokio::time::timeout;
use url::form_urlencoded;

use super::api_version::{ApiVersion, OLDEST_VERSION};
use super::errors;
use crate::machines::engine::EngineError;

/// How long an engine may take to begin an answer. Callers have shorter limits of their own.
const ANSWER_TIMEOUT: Duration = Duration::from_mins(2);
/// The longest answer that is read as a whole, in bytes.
const LONGEST_ANSWER: usize = 64 * 1024 * 1024;
const JSON: HeaderValue = HeaderValue::from_static("application/json");
const ARCHIVE: HeaderValue = HeaderValue::from_static("application/x-tar");

/// The socket of an engine.
#[derive(Debug, Clone)]
pub(super) struct EngineSocket {
    path: PathBuf,
    version: ApiVersion,
}

/// What an engine says about itself.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct VersionBody {
    #[serde(default)]
    components: Vec<ComponentBody>,
    #[serde(rename = "MinAPIVersion")]
    oldest: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ComponentBody {
    name: String,
}

#[derive(Deserialize)]
struct ErrorBody {
    message: String,
}

impl EngineSocket {
    /// Returns the socket with a path; does not connect.
    pub(super) fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            version: OLDEST_VERSION,
        }
    }

    /// Connects, chooses the version of the API, and tells whether the engine is Podman.
    pub(super) async fn negotiate(&mut self) -> Result<bool, EngineError> {
        let version: VersionBody = self
            .get_json_at("/version")
            .await?
            .ok_or_else(|| EngineError::Internal("the engine has no version".to_owned()))?;
        self.version = ApiVersion::choose(version.oldest.as_deref());
        Ok(version
            .components
            .iter()
            .any(|component| component.name.contains("Podman")))
    }

    /// Tells whether an engine answers.
    pub(super) async fn ping(&self) -> Result<(), EngineError> {
        let response = self.begin(request(Method::GET, "/_ping")?).await?;
        expect_success(response).await.map(drop)
    }

    /// Returns the parsed answer; `None` if what was asked for does not exist.
    pub(super) async fn get_json<T: DeserializeOwned>(
        &self,
        path: &str,
    ) -> Result<Option<T>, EngineError> {
        self.get_json_at(&self.versioned(path)).await
    }

    async fn get_json_at<T: DeserializeOwned>(&self, path: &str) -> Result<Option<T>, EngineError> {
        let response = self.begin(request(Method::GET, path)?).await?;
        if response.status() == StatusCode::NOT_FOUND {
            return Ok(None);
        }
        let body = read(expect_success(response).await?).await?;
        parse(&body).map(Some)
    }

    /// Returns an answer as it is.
    pub(super) async fn get(&self, path: &str) -> Result<Bytes, EngineError> {
        let request = request(Method::GET, &self.versioned(path))?;
        read(self.call(request).await?).await
    }

    /// Sends a request without a body.
    pub(super) async fn post(&self, path: &str) -> Result<(), EngineError> {
        let request = request(Method::POST, &self.versioned(path))?;
        self.call(request).await.map(drop)
    }

    /// Sends JSON and returns the parsed answer.
    pub(super) async fn post_json<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T, EngineError> {
        let body =
            serde_json::to_vec(body).map_err(|error| EngineError::Internal(error.to_string()))?;
        let request = request_with_body(&self.versioned(path), JSON, body.into())?;
        parse(&read(self.call(request).await?).await?)
    }

    /// Sends an archive and returns the answer, which may take any time once it has begun.
    pub(super) async fn post_archive(
        &self,
        path: &str,
        archive: Bytes,
    ) -> Result<Bytes, EngineError> {
        let request = request_with_body(&self.versioned(path), ARCHIVE, archive)?;
        read(self.call(request).await?).await
    }

    /// Deletes something.
    pub(super) async fn delete(&self, path: &str) -> Result<(), EngineError> {
        let request = request(Method::DELETE, &self.versioned(path))?;
        self.call(request).await.map(drop)
    }

    /// Returns a response whose body is read while it arrives.
    pub(super) async fn get_stream(&self, path: &str) -> Result<Incoming, EngineError> {
        let request = request(Method::GET, &self.versioned(path))?;
        // Without a time limit: the log of a silent game may begin late.
        let response = expect_success(self.send(request).await?).await?;
        Ok(response.into_body())
    }

    /// Sends a request that turns the connection into a stream of raw bytes in both directions.
    ///
    /// The output of a terminal has no frames. A client that expects them takes a piece that begins with a byte
    /// below 3 for one: a game could then stop its console, and make us wait for a frame of 4 GiB.
    pub(super) async fn upgrade(
        &self,
        path: &str,
    ) -> Result<TokioIo<hyper::upgrade::Upgraded>, EngineError> {
        let mut request = request(Method::POST, &self.versioned(path))?;
        let headers = request.headers_mut();
        headers.insert(header::CONNECTION, HeaderValue::from_static("Upgrade"));
        headers.insert(header::UPGRADE, HeaderValue::from_static("tcp"));
        let response = self.send(request).await?;
        if response.status() != StatusCode::SWITCHING_PROTOCOLS {
            let response = expect_success(response).await?;
            let status = response.status();
            return Err(EngineError::Internal(format!(
                "the engine answered {status} instead of a stream"
            )));
        }
        let upgraded = hyper::upgrade::on(response).await;
        upgraded
            .map(TokioIo::new)
            .map_err(|error| errors::unreachable(&error))
    }

    fn versioned(&self, path: &str) -> String {
        format!("/v{}{path}", self.version)
    }

    /// Sends a request and returns the response if it is a success.
    async fn call(&self, request: Request<Full<Bytes>>) -> Result<Response<Incoming>, EngineError> {
        expect_success(self.begin(request).await?).await
    }

    /// Sends a request and returns the response, which must begin in time.
    async fn begin(
        &self,
        request: Request<Full<Bytes>>,
    ) -> Result<Response<Incoming>, EngineError> {
        let response = timeout(ANSWER_TIMEOUT, self.send(request)).await;
        response.unwrap_or(Err(EngineError::Timeout))
    }

    /// Sends a request on a connection of its own: a restart of the engine would have closed an older one.
    async fn send(&self, request: Request<Full<Bytes>>) -> Result<Response<Incoming>, EngineError> {
        let stream = UnixStream::connect(&self.path).await.map_err(|error| {
            EngineError::Unreachable(format!("{}: {error}", self.path.display()))
        })?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream))
            .await
            .map_err(|error| errors::unreachable(&error))?;
        // Ends when the body was read or dropped, or with the upgraded stream.
        tokio::spawn(connection.with_upgrades());
        sender
            .send_request(request)
            .await
            .map_err(|error| errors::unreachable(&error))
    }
}

/// Returns a path with parameters.
pub(super) fn with_query(path: &str, parameters: &[(&str, &str)]) -> String {
    let query = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(parameters)
        .finish();
    format!("{path}?{query}")
}

fn request(method: Method, path: &str) -> Result<Request<Full<Bytes>>, EngineError> {
    Request::builder()
        .method(method)
        .uri(path)
        .header(header::HOST, "engine")
        .body(Full::default())
        .map_err(|error| EngineError::Internal(error.to_string()))
}

fn request_with_body(
    path: &str,
    content_type: HeaderValue,
    body: Bytes,
) -> Result<Request<Full<Bytes>>, EngineError> {
    let mut request = request(Method::POST, path)?;
    request
        .headers_mut()
        .insert(header::CONTENT_TYPE, content_type);
    *request.body_mut() = Full::new(body);
    Ok(request)
}

fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, EngineError> {
    serde_json::from_slice(body).map_err(|error| errors::unreadable(&error))
}

/// Returns a successful response, or the error that the engine sent. An engine answers `304 Not Modified` if a
/// container is on or off already.
async fn expect_success(response: Response<Incoming>) -> Result<Response<Incoming>, EngineError> {
    let status = response.status();
    if status.is_success() || status == StatusCode::NOT_MODIFIED {
        return Ok(response);
    }
    let body = read(response).await?;
    let message = match serde_json::from_slice::<ErrorBody>(&body) {
        Ok(body) => body.message,
        Err(_) => String::from_utf8_lossy(&body).into_owned(),
    };
    Err(errors::from_response(status.as_u16(), &message))
}

async fn read(response: Response<Incoming>) -> Result<Bytes, EngineError> {
    let body = Limited::new(response.into_body(), LONGEST_ANSWER);
    match body.collect().await {
        Ok(body) => Ok(body.to_bytes()),
        Err(error) => Err(errors::unreachable(&*error)),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::{Value, json};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::UnixListener;
    use tokio::task::JoinHandle;

    use super::{EngineSocket, with_query};
    use crate::machines::engine::EngineError;

    /// Gives one answer and returns the request.
    fn answer(socket: &Path, status: u16, body: &'static str) -> JoinHandle<String> {
        let listener = UnixListener::bind(socket).unwrap();
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = [0; 4096];
            let length = stream.read(&mut request).await.unwrap();
            let head = format!("HTTP/1.1 {status} x\r\ncontent-length: {}", body.len());
            let answer = format!("{head}\r\n\r\n{body}");
            stream.write_all(answer.as_bytes()).await.unwrap();
            String::from_utf8_lossy(&request[..length]).into_owned()
        })
    }

    #[tokio::test]
    async fn json_is_sent_and_its_answer_parsed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("engine.sock");
        let request = answer(&path, 201, "{\"Id\":\"1f\"}");
        let target = with_query("/containers/create", &[("name", "a&b"), ("platform", "")]);
        let engine = EngineSocket::new(&path);
        let made: Value = engine
            .post_json(&target, &json!({ "Tty": true }))
            .await
            .unwrap();
        assert_eq!(made, json!({ "Id": "1f" }));
        let request = request.await.unwrap();
        let (head, body) = request.split_once("\r\n\r\n").unwrap();
        assert_eq!(
            head.lines().collect::<Vec<_>>(),
            [
                "POST /v1.41/containers/create?name=a%26b&platform= HTTP/1.1",
                "host: engine",
                "content-type: application/json",
                "content-length: 12",
            ]
        );
        assert_eq!(body, "{\"Tty\":true}");
    }

    #[tokio::test]
    async fn what_is_on_already_is_started() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("engine.sock");
        let request = answer(&path, 304, "");
        let started = EngineSocket::new(&path).post("/containers/1f/start").await;
        assert_eq!(started, Ok(()));
        let request = request.await.unwrap();
        assert!(request.starts_with("POST /v1.41/containers/1f/start HTTP/1.1\r\n"));
    }

    #[tokio::test]
    async fn what_cannot_be_deleted_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        for (index, (status, error)) in [(404, EngineError::NotFound), (409, EngineError::Busy)]
            .into_iter()
            .enumerate()
        {
            let path = folder.path().join(format!("{index}.sock"));
            let request = answer(&path, status, "{\"message\":\"x\"}");
            let deleted = EngineSocket::new(&path).delete("/volumes/v").await;
            assert_eq!(deleted, Err(error));
            let request = request.await.unwrap();
            assert!(request.starts_with("DELETE /v1.41/volumes/v HTTP/1.1\r\n"));
        }
    }
}
