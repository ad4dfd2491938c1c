//! A server that the script is played against.

use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use reqwest::header::HeaderMap;
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder};
use serde_json::Value;

use super::arguments::Side;
use super::script::Case;
use super::variables::Variables;
use crate::output::with_causes;

/// A server that takes longer is not waited for.
const TIMEOUT: Duration = Duration::from_secs(30);

/// An auth server that accepts its service token.
#[derive(Debug)]
pub(super) struct Server {
    client: Client,
    /// Without a slash at the end.
    url: String,
    token: String,
    pub(super) is_innkeeper: bool,
    pub(super) version: String,
}

/// What a server answered, as it came.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
}

impl Server {
    /// Checks that there is an auth server, that it accepts the token, and that the script may write to it.
    pub(super) async fn open(side: &Side, is_scratch: bool) -> anyhow::Result<Self> {
        let client = Client::builder()
            .redirect(Policy::none())
            .no_proxy()
            .timeout(TIMEOUT)
            .build()
            .context("cannot make an HTTP client")?;
        let mut server = Self {
            client,
            url: side.url.as_str().trim_end_matches('/').to_owned(),
            token: side.token.clone(),
            is_innkeeper: false,
            version: String::new(),
        };
        server.check_health().await?;
        let users = server.users(side.token_option).await?;
        if users && !is_scratch {
            let url = &server.url;
            bail!(
                "{url} has users, and the script writes to it: use a server on an empty database, \
                 or say with --scratch that nobody needs its users"
            );
        }
        Ok(server)
    }

    /// Reads from `/health` which server it is.
    async fn check_health(&mut self) -> anyhow::Result<()> {
        let reply = self.get("/health").await?;
        let health: Value = serde_json::from_slice(&reply.body).unwrap_or_default();
        let text = |name: &str| health.get(name).and_then(Value::as_str).unwrap_or_default();
        if reply.status != 200 || text("name") != "GoTrue" {
            bail!(
                "{} is not an auth server that is ready: GET /health answers {}",
                self.url,
                reply.status
            );
        }
        self.is_innkeeper = text("server") == "innkeeper";
        text("version").clone_into(&mut self.version);
        Ok(())
    }

    /// Whether the server has users.
    async fn users(&self, token_option: &str) -> anyhow::Result<bool> {
        let reply = self.get("/admin/users?page=1&per_page=1").await?;
        let body: Value = serde_json::from_slice(&reply.body).unwrap_or_default();
        let users = body.get("users").and_then(Value::as_array);
        match (reply.status, users) {
            (200, Some(users)) => Ok(!users.is_empty()),
            (401 | 403, _) => bail!(
                "{} refuses the token of {token_option}: it needs a role of JWT_ADMIN_ROLES, such as \
                 service_role, and the server's secret",
                self.url
            ),
            (status, _) => bail!("{} answers {status} to GET /admin/users", self.url),
        }
    }

    async fn get(&self, path: &str) -> anyhow::Result<Reply> {
        let request = self.client.get(format!("{}{path}", self.url));
        self.reply(request.bearer_auth(&self.token)).await
    }

    /// Returns the variables of a story.
    pub(super) fn variables(&self, run: &str) -> Variables {
        Variables::new(run.to_owned(), self.url.clone(), self.token.clone())
    }

    /// Sends the request of a case. The inner error is the name of a variable without a value.
    pub(super) async fn send(
        &self,
        case: &Case,
        variables: &Variables,
    ) -> anyhow::Result<Result<Reply, String>> {
        let request = match self.request(case, variables) {
            Ok(request) => request,
            Err(name) => return Ok(Err(name)),
        };
        let reply = self.reply(request).await;
        reply.map(Ok).with_context(|| format!("case {}", case.name))
    }

    fn request(&self, case: &Case, variables: &Variables) -> Result<RequestBuilder, String> {
        let fill = |text: &str| variables.fill(text, case.tag);
        let url = format!("{}{}", self.url, fill(&case.path)?);
        let mut request = self.client.request(case.method.clone(), url);
        for (name, value) in &case.headers {
            request = request.header(name, fill(value)?);
        }
        Ok(match &case.body {
            Some(body) => request.body(fill(body)?),
            None => request,
        })
    }

    async fn reply(&self, request: RequestBuilder) -> anyhow::Result<Reply> {
        let failed = |error: reqwest::Error| {
            let error = with_causes(&error.without_url());
            anyhow!("cannot reach {}: {error}", self.url)
        };
        let response = request.send().await.map_err(failed)?;
        Ok(Reply {
            status: response.status().as_u16(),
            headers: response.headers().clone(),
            body: response.bytes().await.map_err(failed)?.to_vec(),
        })
    }
}
