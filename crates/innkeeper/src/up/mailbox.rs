//! The mailbox of `innkeeper up`: captures all mail and prints the code and link of each.

use std::io::{self, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::anyhow;
use innkeeper_rest::Stop;
use innkeeper_service::smtp_sink::{Mail, SinkOptions, SmtpSink};
use serde_json::json;
use tokio::task::JoinHandle;

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
    /// Receives mails on a socket. The folder holds the mails of earlier starts.
    pub(super) fn open(listener: TcpListener, folder: PathBuf) -> anyhow::Result<Self> {
        let options = SinkOptions {
            folder: Some(folder),
            ..SinkOptions::default()
        };
        let sink = SmtpSink::from_listener(listener, options)
            .map_err(|error| anyhow!("the mailbox: {error}"))?;
        Ok(Self {
            sink: Arc::new(sink),
        })
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
