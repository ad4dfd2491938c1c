//! The mailbox of `innkeeper up`: it takes all mail and prints what people need from it.

use std::io::{self, Write};
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::bail;
use innkeeper_rest::Stop;
use innkeeper_service::smtp_sink::{Mail, SinkOptions, SmtpSink};
use serde_json::json;
use tokio::task::JoinHandle;

use super::settings::LOOPBACK;
use crate::listen::ListenError;
use crate::output::{Colours, on_one_line};

/// How many lines of a mail without link and code are shown.
const LINES: usize = 12;

/// A mail server on loopback whose mails appear on standard output.
#[derive(Debug)]
pub(super) struct Mailbox {
    sink: Arc<SmtpSink>,
}

/// The task that prints.
#[derive(Debug)]
pub(super) struct Printing {
    done: Stop,
    task: JoinHandle<()>,
}

impl Mailbox {
    /// Listens; port 0 takes a free one. The mails of earlier starts are in the folder.
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
            // Of the folder: those of sockets have kinds of their own.
            Err(error) if error.kind() == io::ErrorKind::Other => bail!("the mailbox: {error}"),
            Err(error) => {
                let error = ListenError::new(LOOPBACK, port, error);
                bail!("the mailbox: {error}; --mail-port chooses another")
            }
        }
    }

    pub(super) fn port(&self) -> u16 {
        self.sink.address().port()
    }

    /// What took the mails, for those who show them.
    pub(super) fn sink(&self) -> Arc<SmtpSink> {
        Arc::clone(&self.sink)
    }

    /// Prints each mail as it arrives.
    pub(super) fn print(&self, as_json: bool) -> Printing {
        let (done, sink) = (Stop::new(), Arc::clone(&self.sink));
        // Those of earlier starts were printed then.
        let newest = sink.mails().last().map_or(0, |mail| mail.number);
        let colours = Colours::of_stdout();
        let show = move |mail: &Mail| {
            write(&if as_json {
                event(mail)
            } else {
                text(mail, colours)
            });
        };
        let told = done.clone();
        let task = tokio::spawn(async move {
            let mut last = newest;
            loop {
                tokio::select! {
                    mail = sink.after(last) => {
                        last = mail.number;
                        show(&mail);
                    }
                    () = told.told() => break,
                }
            }
            let left = sink.mails();
            left.iter()
                .filter(|mail| mail.number > last)
                .for_each(|mail| show(mail));
        });
        Printing { done, task }
    }
}

impl Printing {
    /// Prints what is left and ends.
    pub(super) async fn finish(self) {
        self.done.now();
        // The task only ends early if it panicked, and then there is nothing left to print.
        let _ = self.task.await;
    }
}

fn write(text: &str) {
    let mut out = io::stdout().lock();
    // A reader that has gone does not end the server.
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
        lines.extend(mail.text.lines().take(LINES).map(on_one_line));
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
