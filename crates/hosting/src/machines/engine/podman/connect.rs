//! The connection to the engine: bollard for most calls, and requests of our own where bollard changes or
//! refuses what the engine sends.

use std::path::{Path, PathBuf};

use bollard::{API_DEFAULT_VERSION, ClientVersion, Docker};
use bytes::Bytes;
use http::{Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Empty, Limited};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::net::UnixStream;

use super::errors;
use crate::machines::engine::EngineError;

/// How long bollard waits for an answer, in seconds. Callers have shorter limits of their own.
const CLIENT_TIMEOUT: u64 = 120;
/// The longest answer that is read as a whole, in bytes.
const LONGEST_ANSWER: usize = 64 * 1024 * 1024;
/// The version of the API that every engine since 2020 has.
const OLDEST_VERSION: ClientVersion = ClientVersion {
    major_version: 1,
    minor_version: 41,
};

/// The socket of an engine.
#[derive(Debug, Clone)]
pub(super) struct EngineSocket {
    path: PathBuf,
    version: ClientVersion,
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
        if version
            .oldest
            .as_deref()
            .is_some_and(|oldest| is_newer(oldest, OLDEST_VERSION))
        {
            self.version = *API_DEFAULT_VERSION;
        }
        Ok(version
            .components
            .iter()
            .any(|component| component.name.contains("Podman")))
    }

    /// Tells whether an engine answers.
    pub(super) async fn ping(&self) -> Result<(), EngineError> {
        let response = self.send(&self.request(Method::GET, "/_ping")?).await?;
        expect_success(response).await.map(drop)
    }

    /// Returns a client. It connects for each request, so it outlives restarts of the engine.
    pub(super) fn client(&self) -> Result<Docker, EngineError> {
        Docker::connect_with_unix(&self.path.to_string_lossy(), CLIENT_TIMEOUT, &self.version)
            .map_err(|error| errors::from_client(&error))
    }

    /// Returns the parsed answer; `None` if what was asked for does not exist.
    pub(super) async fn get_json<T: DeserializeOwned>(
        &self,
        path: &str,
    ) -> Result<Option<T>, EngineError> {
        self.get_json_at(&self.versioned(path)).await
    }

    async fn get_json_at<T: DeserializeOwned>(&self, path: &str) -> Result<Option<T>, EngineError> {
        let response = self.send(&self.request(Method::GET, path)?).await?;
        if response.status() == StatusCode::NOT_FOUND {
            return Ok(None);
        }
        let body = read(expect_success(response).await?).await?;
        serde_json::from_slice(&body)
            .map(Some)
            .map_err(|error| EngineError::Internal(format!("the engine's answer: {error}")))
    }

    /// Returns a response whose body is read while it arrives.
    pub(super) async fn get_stream(&self, path: &str) -> Result<Incoming, EngineError> {
        let request = self.request(Method::GET, &self.versioned(path))?;
        let response = expect_success(self.send(&request).await?).await?;
        Ok(response.into_body())
    }

    /// Sends a request that turns the connection into a stream of raw bytes in both directions.
    ///
    /// bollard has this too, but takes the output of a terminal for frames when a piece of it begins with a
    /// byte below 3. A game could then stop its console, and make us wait for a frame of 4 GiB.
    pub(super) async fn upgrade(
        &self,
        path: &str,
    ) -> Result<TokioIo<hyper::upgrade::Upgraded>, EngineError> {
        let mut request = self.request(Method::POST, &self.versioned(path))?;
        let headers = request.headers_mut();
        headers.insert(
            header::CONNECTION,
            http::HeaderValue::from_static("Upgrade"),
        );
        headers.insert(header::UPGRADE, http::HeaderValue::from_static("tcp"));
        let response = self.send(&request).await?;
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
            .map_err(|error| unreachable(&error))
    }

    fn versioned(&self, path: &str) -> String {
        format!("/v{}{path}", self.version)
    }

    #[expect(clippy::unused_self, reason = "reads as one family with the others")]
    fn request(&self, method: Method, path: &str) -> Result<Request<Empty<Bytes>>, EngineError> {
        Request::builder()
            .method(method)
            .uri(path)
            .header(header::HOST, "engine")
            .body(Empty::new())
            .map_err(|error| EngineError::Internal(error.to_string()))
    }

    /// Sends a request on a connection of its own.
    async fn send(
        &self,
        request: &Request<Empty<Bytes>>,
    ) -> Result<Response<Incoming>, EngineError> {
        let stream = UnixStream::connect(&self.path).await.map_err(|error| {
            EngineError::Unreachable(format!("{}: {error}", self.path.display()))
        })?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream))
            .await
            .map_err(|error| unreachable(&error))?;
        // Ends when the body was read or dropped, or with the upgraded stream.
        tokio::spawn(connection.with_upgrades());
        sender
            .send_request(request.clone())
            .await
            .map_err(|error| unreachable(&error))
    }
}

/// Returns a successful response, or the error that the engine sent.
async fn expect_success(response: Response<Incoming>) -> Result<Response<Incoming>, EngineError> {
    let status = response.status();
    if status.is_success() {
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
        Err(error) => Err(EngineError::Unreachable(error.to_string())),
    }
}

fn unreachable(error: &hyper::Error) -> EngineError {
    EngineError::Unreachable(error.to_string())
}

fn is_newer(version: &str, than: ClientVersion) -> bool {
    let numbers = version.split_once('.').and_then(|(major, minor)| {
        Some((major.parse::<usize>().ok()?, minor.parse::<usize>().ok()?))
    });
    numbers.is_some_and(|numbers| numbers > (than.major_version, than.minor_version))
}

#[cfg(test)]
mod tests {
    use super::{OLDEST_VERSION, is_newer};

    #[test]
    fn an_engine_that_refuses_the_old_version_is_recognised() {
        assert!(is_newer("1.44", OLDEST_VERSION));
        assert!(!is_newer("1.41", OLDEST_VERSION));
        assert!(!is_newer("1.24", OLDEST_VERSION));
        assert!(!is_newer("", OLDEST_VERSION));
    }
}
