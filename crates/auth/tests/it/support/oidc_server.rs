//! OpenID Connect servers that others wrote, run beside the server under test.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use super::outside::{client_file, clients, installed};

/// The client secret of the server under test at these servers.
const SECRET: &str = "secret/of+the&server";

/// Which server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OidcProgram {
    /// `oidc-provider` of the npm registry.
    OidcProvider,
    /// `oidc-provider-mock` of the Python Package Index.
    OidcProviderMock,
}

impl OidcProgram {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::OidcProvider => "oidc_provider",
            Self::OidcProviderMock => "oidc_provider_mock",
        }
    }

    fn command(self) -> Command {
        let (program, script) = match self {
            Self::OidcProvider => ("node", "servers/oidc_provider.mjs"),
            Self::OidcProviderMock => ("venv/bin/python", "servers/mock.py"),
        };
        let mut command = Command::new(installed(program));
        if self == Self::OidcProviderMock {
            command.arg("-B");
        }
        command.arg(client_file(script));
        command
    }
}

/// A running OpenID Connect server. It offers the paths of Keycloak.
pub(crate) struct OidcServer {
    pub(crate) program: OidcProgram,
    pub(crate) url: String,
    child: Child,
}

impl OidcServer {
    /// Starts a server that sends users back to this address.
    pub(crate) async fn start(program: OidcProgram, callback: &str, site: &str) -> Self {
        let mut command = program.command();
        command
            .env_clear()
            .env("CLIENTS", clients())
            .env("CALLBACK", callback)
            .env("SITE", site)
            .env("SECRET", SECRET)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let started = tokio::task::spawn_blocking(move || {
            let mut child = command.spawn().unwrap();
            let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
            let is_url = |line: &String| line.starts_with("http://");
            let url = lines.by_ref().map_while(Result::ok).find(is_url);
            // What it says later is not read, but must not block it.
            std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
            (child, url)
        });
        let (child, url) = started.await.unwrap();
        let url = url.unwrap_or_else(|| panic!("{} does not start", program.name()));
        Self {
            program,
            url,
            child,
        }
    }

    /// Returns the settings with which a server signs users in here, named without prefix.
    pub(crate) fn settings<'a>(&'a self, callback: &'a str) -> [(&'static str, &'a str); 5] {
        [
            ("EXTERNAL_KEYCLOAK_ENABLED", "true"),
            ("EXTERNAL_KEYCLOAK_CLIENT_ID", "inn,app"),
            ("EXTERNAL_KEYCLOAK_SECRET", SECRET),
            ("EXTERNAL_KEYCLOAK_REDIRECT_URI", callback),
            ("EXTERNAL_KEYCLOAK_URL", &self.url),
        ]
    }
}

impl Drop for OidcServer {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
