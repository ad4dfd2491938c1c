//! A machine in memory: its run, its console and the behaviour of its guest.

use bytes::Bytes;
use tokio::sync::mpsc;

use super::demo_guest::{DemoGuest, DemoReaction};
use crate::machines::engine::RunState;
use crate::model::Exit;

/// How a guest behaves.
#[derive(Debug, Clone)]
pub struct Guest {
    /// Whether it ignores signals, its stop command and the power button.
    pub is_deaf: bool,
    /// How many requests to end it misses, because it is booting.
    pub misses: u32,
    /// The code with which it exits when it is asked to.
    pub exit_code: i32,
    /// The lines that it writes when it is turned on.
    pub banner: Vec<String>,
    /// How it ends as soon as it is turned on, if it does.
    pub exits_at_start: Option<Exit>,
}

impl Default for Guest {
    fn default() -> Self {
        Self {
            is_deaf: false,
            misses: 0,
            exit_code: 0,
            banner: vec!["Loading".to_owned(), "Ready".to_owned()],
            exits_at_start: None,
        }
    }
}

/// A machine in memory.
#[derive(Default)]
pub(super) struct MemoryMachine {
    pub(super) is_game: bool,
    pub(super) guest: Guest,
    pub(super) run: Option<Run>,
    pub(super) has_data: bool,
    pub(super) disk_bytes: u64,
    /// The command that ends a game server.
    pub(super) stop_command: Option<String>,
    /// The demo game server, if that is the guest.
    pub(super) demo: Option<DemoGuest>,
}

/// A run of a machine.
pub(super) struct Run {
    id: String,
    state: RunState,
    /// How often the guest has booted.
    boots: usize,
    /// What the run wrote, without the first `forgotten` bytes.
    log: Vec<u8>,
    forgotten: u64,
    outputs: Vec<mpsc::UnboundedSender<Bytes>>,
    was_attached: bool,
    typed: Vec<String>,
    /// The beginning of a line that is being typed.
    line: Vec<u8>,
}

impl MemoryMachine {
    pub(super) fn create(&mut self, id: String) {
        self.has_data = true;
        self.run = Some(Run {
            id,
            state: RunState::Created,
            boots: 0,
            log: Vec::new(),
            forgotten: 0,
            outputs: Vec::new(),
            was_attached: false,
            typed: Vec::new(),
            line: Vec::new(),
        });
    }

    pub(super) fn run_id(&self) -> Option<String> {
        self.run.as_ref().map(|run| run.id.clone())
    }

    pub(super) fn state(&self) -> RunState {
        match &self.run {
            Some(run) => run.state,
            // The disk of a virtual private server is all that a run needs.
            None if self.has_data && !self.is_game => RunState::Created,
            None => RunState::Absent,
        }
    }

    /// Returns how often the guest has booted in the current run.
    pub(super) fn boots(&self) -> usize {
        self.run.as_ref().map_or(0, |run| run.boots)
    }

    /// Turns on what was created.
    pub(super) fn begin(&mut self) {
        if let Some(run) = &mut self.run {
            run.state = RunState::Running;
        }
        self.boot();
        if let Some(exit) = self.guest.exits_at_start {
            self.end(exit);
        }
    }

    /// Boots the guest, for the first time or after a reset.
    pub(super) fn boot(&mut self) {
        if let Some(run) = &mut self.run {
            run.boots += 1;
        }
        let banner = match &mut self.demo {
            Some(demo) => {
                // It saves its world.
                self.disk_bytes = self.disk_bytes.max(4096);
                demo.boot()
            }
            None => self.guest.banner.clone(),
        };
        for line in banner {
            self.print(&line);
        }
    }

    /// Prints what a demo game server answers, and ends it if it says so.
    fn react(&mut self, reaction: DemoReaction) {
        for line in reaction.lines {
            self.print(&line);
        }
        if reaction.exit_code.is_some() {
            self.end(Exit {
                code: reaction.exit_code,
                ..Exit::default()
            });
        }
    }

    /// Ends the run if it is on, or prepared for its start by an attachment. Attachments end with it.
    pub(super) fn end(&mut self, exit: Exit) {
        if let Some(run) = &mut self.run
            && (run.state == RunState::Running || run.is_prepared())
        {
            run.state = RunState::Exited(exit);
            run.outputs.clear();
        }
    }

    /// Asks the guest to end.
    pub(super) fn ask_to_end(&mut self, by_guest: bool) {
        if let Some(demo) = &self.demo {
            let reaction = demo.terminate();
            return self.react(reaction);
        }
        if self.guest.misses > 0 {
            self.guest.misses -= 1;
        } else if !self.guest.is_deaf {
            let code = Some(self.guest.exit_code);
            self.end(Exit {
                code,
                by_guest,
                ..Exit::default()
            });
        }
    }

    /// Writes a line, as on a terminal.
    pub(super) fn print(&mut self, line: &str) {
        if let Some(run) = &mut self.run {
            run.write(&format!("{line}\r\n").into());
        }
    }

    pub(super) fn cut_consoles(&mut self) {
        if let Some(run) = &mut self.run {
            run.outputs.clear();
        }
    }

    pub(super) fn forget_log(&mut self, bytes: usize) {
        if let Some(run) = &mut self.run {
            let bytes = bytes.min(run.log.len());
            run.log.drain(..bytes);
            run.forgotten += u64::try_from(bytes).unwrap_or_default();
        }
    }

    pub(super) fn typed(&self) -> Vec<String> {
        self.run
            .as_ref()
            .map_or_else(Vec::new, |run| run.typed.clone())
    }

    /// Types on the console of a run; returns false if it is not on.
    pub(super) fn type_bytes(&mut self, run_id: &str, bytes: &[u8]) -> bool {
        let mut lines = Vec::new();
        match &mut self.run {
            Some(run) if run.id == run_id && run.state == RunState::Running => {
                // The terminal echoes what is typed.
                run.write(&Bytes::from(echo(bytes)));
                for byte in bytes {
                    if *byte == b'\n' {
                        let line = std::mem::take(&mut run.line);
                        lines.push(String::from_utf8_lossy(&line).into_owned());
                    } else {
                        run.line.push(*byte);
                    }
                }
                run.typed.extend(lines.iter().cloned());
            }
            _ => return false,
        }
        for line in lines {
            self.obey(&line);
        }
        true
    }

    /// Does what a typed line says.
    fn obey(&mut self, line: &str) {
        if let Some(demo) = &mut self.demo {
            let reaction = demo.obey(line);
            return self.react(reaction);
        }
        if self.stop_command.as_deref() == Some(line) {
            self.ask_to_end(false);
        } else if line == "crash" {
            self.end(Exit {
                code: Some(1),
                ..Exit::default()
            });
        } else if let Some(text) = line.strip_prefix("say ") {
            self.print(&format!("[Server] {text}"));
        } else {
            self.print(&format!("unknown command: {line}"));
        }
    }

    /// Returns a receiver of what is written from now on, and how much was written before.
    pub(super) fn listen(&mut self) -> Option<(u64, mpsc::UnboundedReceiver<Bytes>)> {
        let run = self.run.as_mut()?;
        if matches!(run.state, RunState::Exited(_)) {
            return None;
        }
        let (sender, receiver) = mpsc::unbounded_channel();
        run.outputs.push(sender);
        run.was_attached = true;
        Some((run.written(), receiver))
    }

    /// Returns the log from an offset, and how many bytes after it are forgotten.
    pub(super) fn log_from(&self, offset: u64) -> Option<(u64, Bytes)> {
        let run = self.run.as_ref()?;
        let lost = run.forgotten.saturating_sub(offset);
        let skipped = offset.saturating_sub(run.forgotten);
        let skipped = usize::try_from(skipped).unwrap_or(usize::MAX);
        let kept = run.log.get(skipped..).unwrap_or_default();
        Some((lost, Bytes::copy_from_slice(kept)))
    }
}

impl Run {
    fn is_prepared(&self) -> bool {
        self.state == RunState::Created && self.was_attached
    }

    fn write(&mut self, bytes: &Bytes) {
        self.log.extend_from_slice(bytes);
        self.outputs
            .retain(|output| output.send(bytes.clone()).is_ok());
    }

    fn written(&self) -> u64 {
        self.forgotten + u64::try_from(self.log.len()).unwrap_or_default()
    }
}

/// Returns what a terminal shows of typed bytes.
fn echo(bytes: &[u8]) -> Vec<u8> {
    let mut shown = Vec::with_capacity(bytes.len() + 1);
    for byte in bytes {
        if *byte == b'\n' {
            shown.push(b'\r');
        }
        shown.push(*byte);
    }
    shown
}
