//! A test's server on a real port, run by `Auth::serve`.

use std::time::Duration;

use innkeeper_auth::StartError;
use innkeeper_rest::{Server, Stop};
use tokio::task::JoinHandle;

use super::TestApp;

/// A running server.
pub(crate) struct Served {
    pub(crate) app: TestApp,
    pub(crate) client: reqwest::Client,
    pub(crate) url: String,
    stop: Stop,
    ended: JoinHandle<Result<(), StartError>>,
}

impl Served {
    pub(crate) fn start(app: TestApp) -> Self {
        Self::on(Server::bind("127.0.0.1:0").unwrap(), app)
    }

    /// Serves on a port that is bound already.
    pub(crate) fn on(server: Server, app: TestApp) -> Self {
        let url = format!("http://{}", server.address());
        let stop = Stop::new();
        let (auth, told) = (app.auth.clone(), stop.clone());
        Self {
            app,
            client: reqwest::Client::builder().no_proxy().build().unwrap(),
            url,
            stop,
            ended: tokio::spawn(async move { auth.serve(server, told).await }),
        }
    }

    pub(crate) async fn get(&self, path: &str, headers: &[(&str, &str)]) -> reqwest::Response {
        let mut request = self.client.get(format!("{}{path}", self.url));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.send().await.unwrap()
    }

    /// Returns the metrics page, as Prometheus fetches it.
    pub(crate) async fn metrics(&self, path: &str) -> String {
        let address = self.app.auth.metrics_address().unwrap();
        let answer = self.client.get(format!("http://{address}{path}")).send();
        let answer = answer.await.unwrap();
        assert_eq!(answer.status(), 200);
        assert_eq!(
            answer.headers()["content-type"],
            "text/plain; version=0.0.4; charset=utf-8"
        );
        answer.text().await.unwrap()
    }

    /// Stops the server; panics if that takes longer than a minute.
    pub(crate) async fn stop(self) {
        self.stop.now();
        let ended = tokio::time::timeout(Duration::from_mins(1), self.ended).await;
        ended.unwrap().unwrap().unwrap();
    }
}
