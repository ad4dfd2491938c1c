//! The tests of the `innkeeper` binary and of the repository as a whole.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a helper of a test may fail like the test"
)]

#[cfg(feature = "portal-client")]
mod account_pages; // the pages of the auth server, in a browser
mod asvs; // docs/asvs.md names tests and files that exist
mod auth_commands; // the auth server and its operator's tasks, as processes
#[cfg(feature = "portal-client")]
mod browser; // a headless browser
mod command_line; // help, usage errors, exit codes
mod compare; // two auth servers, answer by answer
#[cfg(all(feature = "portal-client", feature = "console-page"))]
mod console_page; // the console page, in a browser
mod container; // the container image and the compose file
mod crashes; // kill -9 loses no acknowledged change
mod demo_provider; // the demo provider of `innkeeper up`
#[cfg(feature = "portal-client")]
mod docs_page; // the documentation pages, in a browser
mod doctor; // checks of the installation
mod example; // the framework's example with a database
mod guides; // every command of the documentation
mod hostile; // hostile requests against both servers
mod hosting_commands; // the hosting server and its operator's tasks, as processes
mod import_cycles; // cycles of imports, and layers
mod key_commands; // customers and their keys, by command
mod machine_commands; // machines and game profiles, by command
mod machine_kills; // kill -9 in the middle of an action on a machine
mod machines; // the demo machines of `innkeeper up`, on real engines
mod mail_survives; // a killed server loses no mail
mod mailbox_page; // the mailbox in a browser, and the keyboard on the start page
mod monitoring; // logs, metrics and reloading, of a server as a process
mod named_tests; // tests that pages of the documentation name
mod packaging; // installed files and packages
mod portal; // the HTTP interface of the start page and the mailbox
mod replicas; // several servers on one database
#[cfg(feature = "portal-client")]
mod sign_in_page; // the demo provider and anonymous users on the start page, in a browser
mod spec_coverage; // docs/spec-coverage.md names tests that exist
mod status_commands; // status and feedback, by command
#[cfg(feature = "portal-client")]
mod status_page; // the status page and articles, in a browser
mod support; // shared helpers: processes, folders, requests
#[cfg(feature = "portal-client")]
mod takeover_commands; // `auth takeover`, and `auth migrate` on a database of GoTrue
mod tour; // the start page and the mailbox, in a browser
mod unread_settings; // settings that nothing reads are marked
mod up; // everything on one machine
mod up_commands; // commands that find a running `innkeeper up`
mod user_commands; // users, sessions and the audit log, by command
mod versioning; // docs/versioning.md states what stays compatible
mod warned_starts; // settings that give a warning do not stop the start
