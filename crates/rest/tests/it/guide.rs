//! The guide as a reader follows it: a new crate, the dependencies of a chapter, its programs.
//!
//! Every chapter becomes a crate outside our workspace, with its programs unchanged and only the
//! dependencies that the guide's "In a new crate" and the chapter itself name. All are built at once,
//! offline, with the versions of our lock file, into our target folder.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// Time limit of a program, longer than any of the guide takes on a busy machine.
const FOREVER: Duration = Duration::from_mins(2);

/// The parts of a chapter that a reader types.
struct Chapter {
    name: String,
    /// Lines of `[dependencies]`.
    dependencies: Vec<String>,
    programs: Vec<Program>,
}

struct Program {
    /// Line of the chapter at which the code begins.
    line: usize,
    code: String,
    runs: bool,
}

impl Chapter {
    fn read(path: &Path) -> Self {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let mut chapter = Self {
            name,
            dependencies: Vec::new(),
            programs: Vec::new(),
        };
        let text = fs::read_to_string(path).unwrap();
        let mut lines = text.lines().enumerate();
        while let Some((number, line)) = lines.next() {
            if let Some(language) = line.strip_prefix("```") {
                let block = lines.by_ref().map(|(_, line)| line);
                let block: Vec<_> = block.take_while(|line| !line.starts_with("```")).collect();
                chapter.block(number + 2, language, &block);
            }
        }
        chapter
    }

    fn block(&mut self, line: usize, language: &str, block: &[&str]) {
        let flags: Vec<_> = language.split(',').collect();
        match flags[0] {
            "toml" => {
                let named = block.iter().filter(|line| line.contains(" = "));
                self.dependencies.extend(named.map(ToString::to_string));
            }
            "rust" if !flags.contains(&"compile_fail") && !flags.contains(&"ignore") => {
                self.programs.push(Program {
                    line,
                    code: program(block),
                    runs: !flags.contains(&"no_run"),
                });
            }
            _ => {}
        }
    }

    /// Writes a crate with the programs as modules; its argument selects the one to run.
    fn write(&self, folder: &Path, basics: &[String]) {
        fs::create_dir_all(folder.join("src")).unwrap();
        let manifest = format!(
            "[package]\nname = \"guide-{}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
             [dependencies]\n{}",
            self.name,
            dependencies(basics.iter().chain(&self.dependencies)),
        );
        fs::write(folder.join("Cargo.toml"), manifest).unwrap();
        let (mut modules, mut arms) = (String::new(), String::new());
        for Program { line, code, .. } in &self.programs {
            fs::write(folder.join(format!("src/line_{line}.rs")), code).unwrap();
            writeln!(modules, "mod line_{line};").unwrap();
            writeln!(arms, "        \"{line}\" => line_{line}::run(),").unwrap();
        }
        let main = format!(
            "{modules}\nfn main() -> std::process::ExitCode {{\n    \
             match std::env::args().nth(1).unwrap().as_str() {{\n{arms}        \
             _ => std::process::ExitCode::FAILURE,\n    }}\n}}\n"
        );
        fs::write(folder.join("src/main.rs"), main).unwrap();
    }
}

/// Returns a block as a module, wrapped in a `main` if it has none, as rustdoc does.
fn program(block: &[&str]) -> String {
    let shown: Vec<_> = block
        .iter()
        .map(|line| line.strip_prefix("# ").unwrap_or(line))
        .collect();
    let code = shown.join("\n");
    let code = if code.contains("fn main()") {
        code
    } else {
        format!("fn main() {{\n{code}\n}}")
    };
    format!(
        "{code}\n\npub(crate) fn run() -> std::process::ExitCode {{\n    \
         std::process::Termination::report(main())\n}}\n"
    )
}

/// Returns the lines of `[dependencies]`, with our crate from this folder and all features that are named.
fn dependencies<'l>(lines: impl Iterator<Item = &'l String>) -> String {
    let (mut features, mut others) = (Vec::new(), Vec::<(&str, &str)>::new());
    for line in lines {
        let (name, source) = line.split_once(" = ").unwrap();
        if name == "innkeeper-rest" {
            let named = source.split_once("features = [");
            let named = named.map_or("", |(_, rest)| rest.split(']').next().unwrap());
            features.extend(
                named
                    .split(',')
                    .map(str::trim)
                    .filter(|name| !name.is_empty()),
            );
        } else {
            others.retain(|(known, _)| *known != name);
            others.push((name, source));
        }
    }
    features.sort_unstable();
    features.dedup();
    let mut text = format!(
        "innkeeper-rest = {{ path = {:?}, features = [{}] }}\n",
        env!("CARGO_MANIFEST_DIR"),
        features.join(", ")
    );
    for (name, source) in others {
        writeln!(text, "{name} = {source}").unwrap();
    }
    text
}

fn chapters() -> Vec<Chapter> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    files.sort();
    files.iter().map(|file| Chapter::read(file)).collect()
}

/// Writes a separate workspace in which every chapter is a crate.
fn write_all(folder: &Path, chapters: &[Chapter]) {
    let guide = chapters.iter().find(|chapter| chapter.name == "guide");
    let basics = guide.unwrap().dependencies.clone();
    assert!(!basics.is_empty(), "the guide names its dependencies");
    for chapter in chapters {
        chapter.write(&folder.join(&chapter.name), &basics);
    }
    // Dependencies are built as in our workspace, so that many of them are built already.
    let workspace = "[workspace]\nmembers = [\"*\"]\nresolver = \"3\"\n\n\
                     [profile.dev]\ndebug = false\nincremental = false\n";
    fs::write(folder.join("Cargo.toml"), workspace).unwrap();
    let ours = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.lock");
    fs::copy(ours, folder.join("Cargo.lock")).unwrap();
}

/// Returns the target folder of our workspace.
fn target() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap()
}

fn build(folder: &Path) {
    let output = Command::new(env!("CARGO"))
        .args(["build", "--offline", "--workspace", "--quiet"])
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", target())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}

/// Runs a program until it ends or the time limit passes.
fn run(chapter: &str, line: usize) -> Result<(), String> {
    let child = Command::new(target().join(format!("debug/guide-{chapter}")))
        .arg(line.to_string())
        .current_dir(env!("CARGO_TARGET_TMPDIR"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (send, receive) = mpsc::channel::<Output>();
    std::thread::spawn(move || send.send(child.wait_with_output().unwrap()));
    let place = format!("docs/{chapter}.md, line {line}");
    match receive.recv_timeout(FOREVER) {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(format!(
            "{place}:\n{}",
            String::from_utf8_lossy(&output.stderr)
        )),
        Err(_) => Err(format!("{place}: it does not end")),
    }
}

#[test]
fn an_empty_crate_follows_every_chapter() {
    let folder = tempfile::tempdir().unwrap();
    let chapters = chapters();
    write_all(folder.path(), &chapters);
    build(folder.path());
    let mut faults = Vec::new();
    for chapter in &chapters {
        for program in chapter.programs.iter().filter(|program| program.runs) {
            faults.extend(run(&chapter.name, program.line).err());
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

fn first_program(page: &str) -> &str {
    let (_, rest) = page.split_once("```rust,no_run\n").unwrap();
    rest.split_once("```").unwrap().0
}

#[test]
fn the_first_page_begins_with_the_example_of_the_readme() {
    let readme = first_program(include_str!("../../README.md"));
    let guide = include_str!("../../docs/guide.md");
    assert_eq!(first_program(guide), readme);
    assert!(
        guide.find("```") == guide.find("```rust,no_run"),
        "and with nothing before it"
    );
}
