//! Reads a password that is not on the command line.

use std::io::{self, BufRead, IsTerminal, Write};

use anyhow::{Context, bail};
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

/// Returns the password of an argument; `-` stands for the first line of standard input.
pub(super) fn password_of(argument: String) -> anyhow::Result<String> {
    match argument.as_str() {
        "-" => read_password(),
        _ => Ok(argument),
    }
}

/// Reads the first line of standard input. On a terminal, prompts for it and hides what is typed.
fn read_password() -> anyhow::Result<String> {
    let input = io::stdin();
    let no_echo = input.is_terminal().then(NoEcho::start).transpose()?;
    let mut line = String::new();
    let read = input.lock().read_line(&mut line);
    drop(no_echo);
    read.context("cannot read the password")?;
    let password = line.trim_end_matches(['\n', '\r']);
    if password.is_empty() {
        bail!("standard input has no password");
    }
    Ok(password.to_owned())
}

/// Turns off the terminal's echo until it is dropped.
struct NoEcho(rustix::termios::Termios);

impl NoEcho {
    fn start() -> anyhow::Result<Self> {
        let before = tcgetattr(io::stdin()).context("cannot prompt for the password")?;
        let mut silent = before.clone();
        silent.local_modes.remove(LocalModes::ECHO);
        tcsetattr(io::stdin(), OptionalActions::Flush, &silent)
            .context("cannot prompt for the password")?;
        // Without the prompt the password can still be typed.
        let _ = write!(io::stderr(), "Password: ");
        Ok(Self(before))
    }
}

impl Drop for NoEcho {
    fn drop(&mut self) {
        // There is no other way to restore a terminal that fails here.
        let _ = tcsetattr(io::stdin(), OptionalActions::Flush, &self.0);
        let _ = writeln!(io::stderr());
    }
}
