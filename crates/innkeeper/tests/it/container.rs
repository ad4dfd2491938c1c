//! The container image that `make image` builds, and the compose file.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use innkeeper_service::testing::{HeldPort, TestDatabase, eventually};
use serde_json::Value;
use tempfile::TempDir;
use tokio::process::Command;

use crate::support::{answer, folder, innkeeper, run, text};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Podman with a store of its own, in a short path because it accepts no long one.
struct Podman {
    folder: TempDir,
}

impl Podman {
    fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("ink").tempdir_in("/tmp");
        Self {
            folder: folder.unwrap(),
        }
    }

    /// Returns the program with its options.
    fn words(&self) -> Vec<String> {
        let path = |name: &str| self.folder.path().join(name).display().to_string();
        let (root, run) = (path("root"), path("run"));
        [
            "podman",
            "--root",
            &root,
            "--runroot",
            &run,
            "--storage-driver",
            "vfs",
            "--cgroup-manager",
            "cgroupfs",
            "--log-level",
            "error",
        ]
        .map(str::to_owned)
        .into()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let words = self.words();
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).args(arguments);
        command
    }
}

impl Drop for Podman {
    fn drop(&mut self) {
        let words = self.words();
        // A test that failed leaves its container behind.
        let _ = std::process::Command::new(&words[0])
            .args(&words[1..])
            .args(["rm", "--all", "--force", "--time", "0"])
            .output();
    }
}

/// Checks what the image says about itself.
async fn check_image(podman: &Podman) {
    let inspected = answer(&mut podman.command(&["image", "inspect", "localhost/inn:test"])).await;
    let image: Value = serde_json::from_str(&inspected).unwrap();
    let config = &image[0]["Config"];
    assert_eq!(config["User"], "65532:65532");
    let health = ["image", "inspect", "--format", "{{.HealthCheck.Test}}"];
    let health = answer(podman.command(&health).arg("localhost/inn:test")).await;
    assert_eq!(health, "[CMD innkeeper auth health]\n");
    assert_eq!(image[0]["RootFS"]["Layers"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn the_image_has_little_more_than_the_binary_and_serves_without_root() {
    let (podman, database) = (Podman::new(), TestDatabase::empty().await.unwrap());
    let mut build = Command::new(repository().join("scripts/image"));
    build
        .env("BINARY", env!("CARGO_BIN_EXE_innkeeper"))
        .env("PODMAN", podman.words().join(" "))
        .env("IMAGE", "localhost/inn:test");
    assert_eq!(answer(&mut build).await, "localhost/inn:test\n");

    check_image(&podman).await;
    let port = HeldPort::take().unwrap();
    let number = port.number().to_string();
    let settings = [
        format!("AUTH_DATABASE_URL={}", database.url()),
        format!("AUTH_PORT={number}"),
        "AUTH_API_HOST=127.0.0.1".to_owned(),
        format!("AUTH_API_EXTERNAL_URL=http://127.0.0.1:{number}"),
        "AUTH_SITE_URL=http://localhost:3000".to_owned(),
        format!("AUTH_JWT_SECRET={}", "s3cret-".repeat(6)),
        "AUTH_JWT_ALGORITHM=ES256".to_owned(),
        "AUTH_EXTERNAL_EMAIL_ENABLED=false".to_owned(),
    ];
    // Without systemd nobody runs health checks, and limits cannot be raised in every sandbox.
    let mut start = podman.command(&["run", "--detach", "--name", "inn", "--network", "host"]);
    start.args(["--no-healthcheck", "--read-only", "--cap-drop", "ALL"]);
    start.args([
        "--ulimit",
        "nofile=1024:1024",
        "--ulimit",
        "nproc=1024:1024",
    ]);
    for setting in &settings {
        start.args(["--env", setting]);
    }
    answer(start.arg("localhost/inn:test")).await;
    let health = || podman.command(&["exec", "inn", "innkeeper", "auth", "health"]);
    eventually("the server is healthy", async || {
        if run(&mut health()).await.status.success() {
            return Ok(());
        }
        let log = run(&mut podman.command(&["logs", "inn"])).await;
        Err(String::from_utf8_lossy(&log.stderr).into_owned())
    })
    .await;
    assert_eq!(answer(&mut health()).await, "ok\n");
    let asked = reqwest::get(format!("http://127.0.0.1:{number}/health")).await;
    assert_eq!(asked.unwrap().status(), 200);
    let pid = answer(&mut podman.command(&["inspect", "--format", "{{.State.Pid}}", "inn"])).await;
    let status = fs::read_to_string(format!("/proc/{}/status", pid.trim())).unwrap();
    let user = status
        .lines()
        .find(|line| line.starts_with("Uid:"))
        .unwrap();
    assert!(!user.split_whitespace().any(|id| id == "0"), "{user}");

    // It stops when it is asked to, and says so.
    answer(&mut podman.command(&["stop", "--time", "30", "inn"])).await;
    let mut code = podman.command(&["inspect", "--format", "{{.State.ExitCode}}", "inn"]);
    assert_eq!(answer(&mut code).await, "0\n");
    let unhealthy =
        run(innkeeper(&["auth", "health"])
            .envs(settings.iter().filter_map(|it| it.split_once('='))))
        .await;
    assert_eq!(unhealthy.status.code(), Some(1));
    assert!(text(&unhealthy.stderr).contains("no server listens at http://127.0.0.1:"));
}

/// The block mappings, block sequences and scalars of YAML, as far as the compose file has them.
#[derive(Debug, Clone, PartialEq)]
enum Yaml {
    Text(String),
    List(Vec<String>),
    Map(BTreeMap<String, Yaml>),
}

impl Yaml {
    fn parse(text: &str) -> Self {
        let lines: Vec<(usize, &str)> = text
            .lines()
            .filter(|line| !line.trim_start().starts_with('#') && !line.trim().is_empty())
            .map(|line| (line.len() - line.trim_start().len(), line.trim()))
            .collect();
        let mut rest = &lines[..];
        let parsed = Self::block(&mut rest, 0);
        assert_eq!(rest, [], "lines that are indented too little or too much");
        parsed
    }

    fn block(lines: &mut &[(usize, &str)], indent: usize) -> Self {
        if lines
            .first()
            .is_some_and(|(at, line)| *at == indent && line.starts_with("- "))
        {
            let mut items = Vec::new();
            while let Some((at, line)) = lines.first()
                && *at == indent
                && let Some(item) = line.strip_prefix("- ")
            {
                items.push(scalar(item));
                *lines = &lines[1..];
            }
            return Self::List(items);
        }
        let mut map = BTreeMap::new();
        while let Some((at, line)) = lines.first().copied()
            && at == indent
        {
            let (key, value) = line.split_once(':').unwrap_or_else(|| panic!("{line}"));
            *lines = &lines[1..];
            let value = match value.trim() {
                "" => match lines.first() {
                    Some((deeper, _)) if *deeper > indent => Self::block(lines, *deeper),
                    _ => Self::Map(BTreeMap::new()),
                },
                list if list.starts_with('[') => Self::List(serde_json::from_str(list).unwrap()),
                text => Self::Text(scalar(text)),
            };
            assert!(
                map.insert(key.to_owned(), value).is_none(),
                "{key} stands twice"
            );
        }
        Self::Map(map)
    }

    /// Returns the member of a path.
    fn at(&self, path: &[&str]) -> &Self {
        path.iter().fold(self, |value, key| match value {
            Self::Map(map) => map.get(*key).unwrap_or_else(|| panic!("{path:?}: {key}")),
            other => panic!("{path:?}: {other:?}"),
        })
    }

    fn text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            other => panic!("{other:?} is not a text"),
        }
    }
}

fn scalar(text: &str) -> String {
    text.trim_matches('"').to_owned()
}

#[tokio::test]
async fn the_compose_file_starts_both_servers_with_settings_that_they_accept() {
    let path = repository().join("packaging/container/compose.yaml");
    let file = Yaml::parse(&fs::read_to_string(path).unwrap());
    let version = env!("CARGO_PKG_VERSION");
    let folder = folder();
    for (name, other) in [("auth", "hosting"), ("hosting", "auth")] {
        let service = |path: &[&str]| file.at(&[&["services", name][..], path].concat()).clone();
        assert_eq!(
            service(&["image"]).text(),
            format!("localhost/innkeeper:{version}")
        );
        let words = |path: &[&str]| match service(path) {
            Yaml::List(words) => words,
            other => panic!("{other:?}"),
        };
        assert_eq!(words(&["command"]), [name, "serve"]);
        assert_eq!(
            words(&["healthcheck", "test"]),
            ["CMD", "innkeeper", name, "health"]
        );
        assert_eq!(
            service(&["depends_on", "database", "condition"]).text(),
            "service_healthy"
        );
        let Yaml::Map(environment) = service(&["environment"]) else {
            panic!("{name} has no environment");
        };
        let mut command = innkeeper(&[name, "settings"]);
        command
            .env_remove("AUTH_JWT_ALGORITHM")
            .current_dir(folder.path());
        for (setting, value) in &environment {
            assert!(!setting.starts_with(&other.to_uppercase()), "{setting}");
            command.env(setting, filled_in(value.text()));
        }
        let output = run(&mut command).await;
        let said = text(&output.stderr);
        assert_eq!(
            (output.status.code(), said.as_str()),
            (Some(0), ""),
            "{name}"
        );
    }
    // The database exists, and its data survives.
    let database = file.at(&["services", "database"]);
    assert_eq!(
        database.at(&["environment", "POSTGRES_DB"]).text(),
        "innkeeper"
    );
    assert_eq!(
        *database.at(&["volumes"]),
        Yaml::List(vec!["database:/var/lib/postgresql/data".to_owned()])
    );
    file.at(&["volumes", "database"]);
}

/// Replaces the variables that the operator sets.
fn filled_in(value: &str) -> String {
    value
        .replace("${DATABASE_PASSWORD:?}", "0123456789abcdef")
        .replace("${AUTH_JWT_SECRET:?}", &"0123456789abcdef".repeat(4))
        .replace(
            "${HOSTING_KEY_PEPPERS:?}",
            "1:MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
        )
        .replace("${SMTP_HOST:?}", "mail.example.com")
        .replace("${SMTP_FROM:?}", "no-reply@example.com")
}
