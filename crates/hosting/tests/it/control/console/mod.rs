//! Consoles of game servers: sockets, commands and logs, on an engine in memory.

mod client;
mod closing; // why and how sockets close
mod commands; // POST …/command
mod forms; // POST /v1/console
mod handshakes; // who may open a socket
mod logs; // GET …/latest
mod resuming; // connections and processes that end
mod sessions; // what is sent and received
mod tickets; // POST …/ticket
mod wings; // the second protocol

use innkeeper_hosting::machine::set_profile;
use innkeeper_hosting::model::{ActionCommand, MachineKind, Scope};
use innkeeper_hosting::testing::MemoryHost;
use serde_json::{Value, json};
use uuid::Uuid;

use super::bench::{Bench, POWER};
use crate::support::{Answer, eventually};
use client::TestSocket;

const CONSOLE: &str = "/v1/hosting/game/console";
const LOGS: &str = "/v1/hosting/game/logs";
/// A profile whose servers stop by a command.
const PROFILE: &str = "name = \"demo\"\nversion = \"1.2\"\nimage = \"demo\"\n\
    data_path = \"/data\"\nready_pattern = \"Ready\"\nports = [\"25565/tcp\"]\n\
    stop = { command = \"stop\" }\n";

/// A running game server called `survival`, and its customer.
struct ConsoleBench {
    bench: Bench,
    host: MemoryHost,
    machine: Uuid,
}

impl ConsoleBench {
    /// Adds the game server and starts it.
    async fn start() -> Self {
        let bench = Self::stopped().await;
        bench.power("start").await;
        bench
    }

    /// Adds the game server.
    async fn stopped() -> Self {
        let host = MemoryHost::default();
        let bench = Bench::on_host(&host).await;
        let (config, clock) = (bench.site().config(), &bench.site().clock);
        set_profile(&config, clock, PROFILE).await.unwrap();
        bench.game("survival").await;
        let machine = id_of(&bench, "survival").await;
        Self {
            bench,
            host,
            machine,
        }
    }

    /// Ends the process, and starts another one. Something may happen in between.
    async fn restarted(self, between: impl FnOnce(&MemoryHost, Uuid)) -> Self {
        let Self {
            bench,
            host,
            machine,
        } = self;
        let Bench {
            control,
            customer,
            key,
            sql,
        } = bench;
        let control = control
            .restarted_on_host(&host, || between(&host, machine))
            .await;
        let bench = Bench {
            control,
            customer,
            key,
            sql,
        };
        Self {
            bench,
            host,
            machine,
        }
    }

    /// Changes the power, and waits for it.
    async fn power(&self, command: &str) {
        let path = format!("{POWER}/survival/{command}");
        let answer = self
            .bench
            .post_with(&path, &[("prefer", "wait=30")], "")
            .await;
        let action = &answer.json()["action"];
        assert_eq!(action["status"], "success", "{}", answer.text());
    }

    /// Prints lines.
    fn print(&self, lines: impl IntoIterator<Item = String>) {
        for line in lines {
            self.host.print(self.machine, &line);
        }
    }

    /// Opens a socket with a key.
    async fn open_with(
        &self,
        key: &str,
        query: &str,
        headers: &[(&str, &str)],
    ) -> Result<TestSocket, Answer> {
        let bearer = format!("Bearer {key}");
        let mut all = vec![("authorization", &*bearer)];
        all.extend(headers);
        self.open_raw(&format!("{CONSOLE}/survival/websocket{query}"), &all)
            .await
    }

    async fn open_raw(&self, target: &str, headers: &[(&str, &str)]) -> Result<TestSocket, Answer> {
        TestSocket::open(self.bench.site().address(), target, headers).await
    }

    /// Opens a socket with the key for everything.
    async fn socket(&self, query: &str) -> TestSocket {
        let opened = self.open_with(&self.bench.key, query, &[]).await;
        opened.unwrap_or_else(|refused| panic!("{}", refused.text()))
    }

    /// Opens a socket, and reads its first frame.
    async fn greeted(&self, query: &str) -> (TestSocket, Value) {
        let mut socket = self.socket(query).await;
        let hello = socket.frame().await;
        assert_eq!(hello["type"], "hello");
        (socket, hello)
    }

    /// Types commands over HTTP.
    async fn command(&self, body: &Value) -> Answer {
        let path = format!("{CONSOLE}/survival/command");
        self.bench.post_json(&path, &body.to_string()).await
    }

    /// Reads the log as JSON.
    async fn log(&self, query: &str) -> Value {
        let answer = self
            .bench
            .get(&format!("{LOGS}/survival/latest{query}"))
            .await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()
    }

    /// Returns the texts of a log.
    async fn texts(&self, query: &str) -> Vec<String> {
        let log = self.log(query).await;
        let lines = log["lines"].as_array().unwrap().iter();
        lines
            .map(|line| line["text"].as_str().unwrap().to_owned())
            .collect()
    }

    /// Waits until the log ends with a line.
    async fn until_logged(&self, text: &str) {
        eventually(text, async || {
            let texts = self.texts("?lines=50").await;
            texts.iter().any(|found| found == text)
        })
        .await;
    }

    async fn suspend(&self) {
        let (kind, command) = (MachineKind::Game, ActionCommand::Suspend);
        self.bench.operate(kind, "survival", command).await;
    }
}

async fn id_of(bench: &Bench, public_id: &str) -> Uuid {
    let find = "select id from machines where public_id = $1";
    bench
        .sql
        .query_one(find, &[&public_id])
        .await
        .unwrap()
        .get(0)
}

/// Returns the texts of lines.
fn texts_of(lines: &[(u64, String)]) -> Vec<&str> {
    lines.iter().map(|line| line.1.as_str()).collect()
}

fn command(reference: i64, text: &str) -> Value {
    json!({ "type": "command", "ref": reference, "text": text })
}

const READ_ONLY: &[Scope] = &[Scope::GameConsoleRead];
