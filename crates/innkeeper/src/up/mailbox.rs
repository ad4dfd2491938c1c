//! The mailbox of `innkeeper up`: captures all mail and prints the code and link of each.

use std::io::{self, Write};
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::bail;
use innkeeper_rest::Stop;
use innkeeper_service::smtp_sink::{Mail, SinkOptions, SmtpSink};
use serde_json::json;
use tokio::task::JoinHandle;

use super::address::LOOPBACK;
use crate::listen::ListenError;
use crate::output::{Colours, on_one_line};

/// How many lines are printed of a mail without a code and a link.
const MAX_LINES: usize = 12;

/// A mail server on loopback that captures mail instead of delivering it.
#[derive(Debug)]
pub(super) struct Mailbox {
    sink: Arc<SmtpSink>,
}

/// The task that prints each mail to standard output.
#[derive(Debug)]
pub(super) struct MailPrinter {
    stop: Stop,
    task: JoinHandle<()>,
}

impl Mailbox {
    /// Listens on the port, or on a free one for 0. The folder holds the mails of earlier starts.
    pub(super) async fn bind(port: u16, folder: PathBuf) -> anyhow::Result<Self> {
        let address = (Ipv4Addr::LOCALHOST, port).into();
        let options = SinkOptions {
            folder: Some(folder),
            ..SinkOptions::default()
        };
        match SmtpSink::bind(address, options).await {
            Ok(sink) => Ok(Self {
                sink: Arc::new(sink),
            }),
            // Errors of the folder have this kind; errors of sockets have others.
            Err(error) if error.kind() == io::ErrorKind::Other => bail!("the mailbox: {error}"),
            Err(error) => {
                let error = ListenError::new(LOOPBACK, port, error);
                bail!("the mailbox: {error}; to change the port, pass --mail-port")
            }
        }
    }

    pub(super) fn port(&self) -> u16 {
        self.sink.address().port()
    }

    pub(super) fn sink(&self) -> Arc<SmtpSink> {
        Arc::clone(&self.sink)
    }

    /// Prints each mail as it arrives.
    pub(super) fn print(&self, as_json: bool) -> MailPrinter {
        let (stop, sink) = (Stop::new(), Arc::clone(&self.sink));
        // Mails of earlier starts were printed then.
        let newest = sink.mails().last().map_or(0, |mail| mail.number);
        let colours = Colours::of_stdout();
        let show = move |mail: &Mail| {
            write(&if as_json {
                event(mail)
            } else {
                text(mail, colours)
            });
        };
        let told = stop.clone();
        let task = tokio::spawn(async move {
            let mut last = newest;
            loop {
                tokio::select! {
                    mail = sink.after(last) => {
                        last = mail.number;
                        show(&mail);
                    }
                    () = told.requested() => break,
                }
            }
            let remaining = sink.mails();
            remaining
                .iter()
                .filter(|mail| mail.number > last)
                .for_each(|mail| show(mail));
        });
        MailPrinter { stop, task }
    }
}

impl MailPrinter {
    /// Prints the remaining mails and ends.
    pub(super) async fn finish(self) {
        self.stop.now();
        // The task only ends early if it panicked, and then there is nothing left to print.
        let _ = self.task.await;
    }
}

fn write(text: &str) {
    let mut out = io::stdout().lock();
    // A closed standard output does not end the server.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

fn text(mail: &Mail, colours: Colours) -> String {
    let to = on_one_line(&mail.recipients.join(", "));
    let subject = on_one_line(mail.subject());
    let mut lines = Vec::new();
    if let Some(code) = mail.code() {
        lines.push(format!("code  {}", colours.green(code)));
    }
    if let Some(link) = mail.link() {
        lines.push(format!("link  {link}"));
    }
    if lines.is_empty() {
        lines.extend(mail.text.lines().take(MAX_LINES).map(on_one_line));
    }
    let to = colours.bold(&to);
    format!("\nMail to {to}: {subject}\n  {}\n", lines.join("\n  "))
}

fn event(mail: &Mail) -> String {
    let event = json!({
        "event": "mail",
        "to": mail.recipients,
        "subject": mail.subject(),
        "code": mail.code(),
        "link": mail.link().map(|link| link.to_string()),
    });
    format!("{event}\n")
}
