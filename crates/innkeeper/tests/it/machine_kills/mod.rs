//! Kills of the server in the middle of actions on real machines: containers of Podman and guests of QEMU.
//!
//! A step of an action is held from outside: by a proxy before the socket of the engine, or by the program that
//! the engine runs. Then the server is killed by SIGKILL and started again with the same database and folder. It
//! must finish the action, and no machine may notice.

mod choices; // what customers do
mod containers; // what Podman knows
mod emulators; // the programs and processes of QEMU
mod game_cases; // the steps of game servers
mod games; // kills at each step of actions on game servers
mod host; // the server as a process
mod proxy; // a proxy that holds requests
mod random_kills; // kills at random moments under load
mod requests; // the requests of a customer
mod vps; // kills at each step of actions on virtual private servers
mod vps_cases; // the steps of virtual private servers

use std::time::Duration;

/// The time-out of everything, on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);
