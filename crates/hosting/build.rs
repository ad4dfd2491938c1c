//! Compiles the demo game server and finds the terminal of the console page, so that both can be embedded.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of the demo game server.
const DEMO_GAME: &str = "demo-game";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    embed_demo_game();
    find_console_page();
}

/// Compiles the demo game server to one static file, because it is all that its image contains. The compiler
/// alone builds it; the standard library is the only dependency. Where the C library cannot be linked
/// statically, an empty file is embedded, and the demo game server is left out.
fn embed_demo_game() {
    println!("cargo::rerun-if-changed={DEMO_GAME}");
    let Some(out) = env::var_os("OUT_DIR").map(PathBuf::from) else {
        println!("cargo::error=OUT_DIR is not set");
        return;
    };
    let binary = out.join("demo-game");
    if let Err(reason) = compile_demo_game(&binary) {
        println!("cargo::warning=the demo game server is left out: {reason}");
        if let Err(error) = fs::write(&binary, b"") {
            println!("cargo::error=cannot write {}: {error}", binary.display());
        }
    }
}

fn compile_demo_game(binary: &Path) -> Result<(), String> {
    let variable = |name: &str| env::var_os(name).ok_or_else(|| format!("{name} is not set"));
    let mut command = Command::new(variable("RUSTC")?);
    command
        .arg(Path::new(DEMO_GAME).join("main.rs"))
        .args(["--crate-name", "demo_game", "--edition", "2024"])
        .arg("--target")
        .arg(variable("TARGET")?)
        .args(["-C", "target-feature=+crt-static"])
        .args(["-C", "opt-level=s"])
        .args(["-C", "codegen-units=1"])
        .args(["-C", "panic=abort"])
        .args(["-C", "strip=symbols"])
        .args(["-D", "warnings"])
        .arg("-o")
        .arg(binary)
        .env("DEMO_GAME_VERSION", variable("CARGO_PKG_VERSION")?);
    if let Some(linker) = env::var_os("RUSTC_LINKER") {
        let mut option = std::ffi::OsString::from("linker=");
        option.push(linker);
        command.arg("-C").arg(option);
    }
    let output = command.output().map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    Err(text
        .lines()
        .find(|line| line.contains("error"))
        .unwrap_or("rustc failed")
        .to_owned())
}

/// Sets `INNKEEPER_CONSOLE_PAGE`, the folder of the terminal, for the feature that embeds it.
fn find_console_page() {
    println!("cargo::rerun-if-env-changed=INNKEEPER_CONSOLE_PAGE");
    if env::var_os("CARGO_FEATURE_CONSOLE_PAGE").is_none() {
        return;
    }
    match console_page_folder() {
        Some(folder) => {
            println!("cargo::rerun-if-changed={}", folder.display());
            println!(
                "cargo::rustc-env=INNKEEPER_CONSOLE_PAGE={}",
                folder.display()
            );
        }
        None => println!(
            "cargo::error=the feature `console-page` needs the terminal of the console page; \
             run scripts/console-page, or set INNKEEPER_CONSOLE_PAGE to its folder"
        ),
    }
}

/// Returns the folder in `INNKEEPER_CONSOLE_PAGE`, or the one in the target folder.
fn console_page_folder() -> Option<PathBuf> {
    let is_complete = |folder: &Path| folder.join("xterm.js").is_file();
    if let Some(named) = env::var_os("INNKEEPER_CONSOLE_PAGE") {
        return Some(PathBuf::from(named)).filter(|folder| is_complete(folder));
    }
    let out = PathBuf::from(env::var_os("OUT_DIR")?);
    let mut folders = out.ancestors().map(|parent| parent.join("console-page"));
    folders.find(|folder| is_complete(folder))
}
