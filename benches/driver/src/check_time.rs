//! The time of `cargo check` for a hundred routes, in innkeeper and in axum.
//!
//! Each crate is generated under `target/bench`, checked once to build its dependencies,
//! and checked again after its source was touched. Incremental compilation is off: with it, checking a
//! touched file with the same text takes almost no time.

use std::fmt::Write;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result, ensure};

use crate::Plan;
use crate::results::{Samples, Spread};
use crate::server::Server;

const RESOURCES: usize = 10;
const REPETITIONS: usize = 3;

/// Returns the seconds of each check, or why a crate could not be checked.
pub(crate) fn measure(plan: &Plan) -> Result<Vec<(Server, Result<Spread>)>> {
    let mut times = Vec::new();
    for server in [Server::Innkeeper, Server::Axum] {
        if !plan.servers.contains(&server) {
            continue;
        }
        let folder = generate(plan, server)?;
        eprintln!("checking a hundred routes of {server}");
        times.push((server, time(&folder)));
    }
    Ok(times)
}

fn time(folder: &Path) -> Result<Spread> {
    check(folder)?;
    let source = folder.join("src/lib.rs");
    let samples: Samples = (0..REPETITIONS)
        .map(|_| {
            File::options()
                .append(true)
                .open(&source)?
                .set_modified(SystemTime::now())?;
            Ok(check(folder)?.as_secs_f64())
        })
        .collect::<Result<_>>()?;
    samples.spread().context("nothing was timed")
}

fn check(folder: &Path) -> Result<Duration> {
    let start = Instant::now();
    let output = Command::new("cargo")
        .args(["check", "--quiet"])
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", folder.with_file_name("check-target"))
        .env("CARGO_INCREMENTAL", "0")
        .stdin(Stdio::null())
        .output()
        .context("running cargo")?;
    let elapsed = start.elapsed();
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success(),
        "cargo check failed in {}:\n{errors}",
        folder.display()
    );
    Ok(elapsed)
}

fn generate(plan: &Plan, server: Server) -> Result<PathBuf> {
    let folder = plan.places.output.join(format!("check-{server}"));
    std::fs::create_dir_all(folder.join("src"))?;
    let repository = plan.places.repository.display();
    let (dependency, source) = match server {
        Server::Innkeeper => (
            format!(r#"innkeeper-rest = {{ path = "{repository}/crates/rest" }}"#),
            innkeeper()?,
        ),
        _ => (r#"axum = "0.8.9""#.to_owned(), axum()?),
    };
    let manifest = format!(
        "[package]\nname = \"check-{server}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
         [workspace]\n\n\
         [dependencies]\n{dependency}\nserde = {{ version = \"1\", features = [\"derive\"] }}\n"
    );
    std::fs::write(folder.join("Cargo.toml"), manifest)?;
    std::fs::write(folder.join("src/lib.rs"), source)?;
    // The same versions as in the benchmark; cargo removes unused ones.
    let lock = plan.places.repository.join("benches/Cargo.lock");
    std::fs::copy(lock, folder.join("Cargo.lock")).context("copying Cargo.lock")?;
    Ok(folder)
}

/// Generates ten resources with the same ten operations: no argument, path, query, body, path and body.
fn innkeeper() -> Result<String> {
    let mut source = "//! Generated.\nuse innkeeper_rest::{RestApi, resource};\n".to_owned();
    source += "use serde::{Deserialize, Serialize};\n";
    let mut resources = String::new();
    for n in 0..RESOURCES {
        source += &item(n);
        writeln!(source, "pub struct Items{n};")?;
        writeln!(source, "#[resource(\"/items{n}\")]\nimpl Items{n} {{")?;
        for (number, (verb, path, arguments)) in OPERATIONS.iter().enumerate() {
            let (arguments, used) = arguments.innkeeper(n);
            writeln!(source, "    #[{verb}(\"{path}\")]")?;
            writeln!(
                source,
                "    async fn {verb}_{number}(&self{arguments}) -> Item{n} {{"
            )?;
            writeln!(
                source,
                "        let _ = ({used});\n        item{n}()\n    }}"
            )?;
        }
        source += "}\n";
        let step = if n == 0 { "RestApi::new" } else { ".with" };
        write!(resources, "{step}(Items{n})")?;
    }
    writeln!(source, "pub fn api() -> RestApi {{\n    {resources}\n}}")?;
    Ok(source)
}

fn axum() -> Result<String> {
    let mut source = "//! Generated.\nuse axum::Router;\n".to_owned();
    source += "use axum::extract::{Json, Path, Query};\n";
    source += "use axum::routing::{delete, get, post, put};\n";
    source += "use serde::{Deserialize, Serialize};\n";
    let mut routes = String::new();
    for n in 0..RESOURCES {
        source += &item(n);
        writeln!(source, "#[derive(Deserialize)]")?;
        writeln!(
            source,
            "pub struct Page{n} {{ pub page: u32, pub size: Option<u32> }}"
        )?;
        for (number, (verb, path, arguments)) in OPERATIONS.iter().enumerate() {
            let handler = format!("{verb}_{n}_{number}");
            let arguments = arguments.axum(n);
            writeln!(
                source,
                "async fn {handler}({arguments}) -> Json<Item{n}> {{"
            )?;
            writeln!(source, "    Json(item{n}())\n}}")?;
            write!(
                routes,
                "\n        .route(\"/items{n}{path}\", {verb}({handler}))"
            )?;
        }
    }
    writeln!(
        source,
        "pub fn api() -> Router {{\n    Router::new(){routes}\n}}"
    )?;
    Ok(source)
}

fn item(n: usize) -> String {
    format!(
        "#[derive(Deserialize, Serialize)]\npub struct Item{n} {{ pub id: u64, pub name: String }}\n\
         fn item{n}() -> Item{n} {{ Item{n} {{ id: {n}, name: String::new() }} }}\n"
    )
}

#[derive(Debug, Clone, Copy)]
enum Arguments {
    None,
    Id,
    Page,
    Body,
    IdAndBody,
}

impl Arguments {
    /// Returns the arguments after `self`, and their names for a body that uses them.
    fn innkeeper(self, n: usize) -> (String, &'static str) {
        match self {
            Self::None => (String::new(), ""),
            Self::Id => (", id: u64".to_owned(), "id"),
            Self::Page => (", page: u32, size: Option<u32>".to_owned(), "page, size"),
            Self::Body => (format!(", item: Item{n}"), "item"),
            Self::IdAndBody => (format!(", id: u64, item: Item{n}"), "id, item"),
        }
    }

    fn axum(self, n: usize) -> String {
        match self {
            Self::None => String::new(),
            Self::Id => "_: Path<u64>".to_owned(),
            Self::Page => format!("_: Query<Page{n}>"),
            Self::Body => format!("_: Json<Item{n}>"),
            Self::IdAndBody => format!("_: Path<u64>, _: Json<Item{n}>"),
        }
    }
}

const OPERATIONS: [(&str, &str, Arguments); 10] = [
    ("get", "/all", Arguments::None),
    ("get", "/page", Arguments::Page),
    ("get", "/latest", Arguments::Page),
    ("get", "/{id}", Arguments::Id),
    ("get", "/{id}/history", Arguments::Id),
    ("post", "/new", Arguments::Body),
    ("post", "/{id}/copies", Arguments::IdAndBody),
    ("put", "/{id}", Arguments::IdAndBody),
    ("put", "/{id}/name", Arguments::IdAndBody),
    ("delete", "/{id}", Arguments::Id),
];
