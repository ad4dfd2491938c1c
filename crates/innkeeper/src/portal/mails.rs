//! The API of the mailbox, for its page.

use std::sync::Arc;

use futures_util::stream;
use innkeeper_rest::{Event, Events, LastEventId, Response, resource};
use innkeeper_service::smtp_sink::{Mail, SmtpSink};
use serde_json::{Value, json};

/// The policy of an HTML mail in its frame: it may have styles and open links in new windows.
const HTML_POLICY: &str = "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; \
                      style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'self'";

/// Precedes the HTML of a mail. Links open in a new window, because they would not work inside the
/// sandboxed frame. The mail's own styles come later and override these.
const HTML_PREFIX: &str = "<!doctype html><base target=\"_blank\">\
                     <style>body{font:16px/1.5 system-ui,sans-serif;margin:16px;overflow-wrap:anywhere}</style>";

pub(super) struct Mails {
    /// `None` if mail goes to another server.
    pub(super) mailbox: Option<Arc<SmtpSink>>,
}

#[resource("/")]
impl Mails {
    /// Lists the mails, newest first; with `search` only those that have the text in their subject, their text or
    /// an address.
    #[get]
    fn list(&self, #[param] search: Option<String>) -> Value {
        let wanted = search.unwrap_or_default().trim().to_lowercase();
        let mails = self.mails();
        let newest = mails.iter().rev().filter(|mail| has_text(mail, &wanted));
        newest
            .map(|mail| {
                json!({
                    "number": mail.number,
                    "to": mail.recipients,
                    "subject": mail.subject(),
                    "date": mail.header("Date"),
                })
            })
            .collect()
    }

    /// Deletes all mails.
    #[delete]
    async fn clear(&self) -> Response {
        let Some(mailbox) = &self.mailbox else {
            return Response::no_content();
        };
        match mailbox.clear().await {
            Ok(()) => Response::no_content(),
            Err(error) => {
                tracing::error!(%error, "cannot delete the mails");
                Response::error(500)
            }
        }
    }

    /// Deletes a mail.
    #[delete("/{number}")]
    async fn delete(&self, number: u64) -> Response {
        let deleted = match &self.mailbox {
            Some(mailbox) => mailbox.delete(number).await,
            None => Ok(false),
        };
        match deleted {
            Ok(true) => Response::no_content(),
            Ok(false) => no_such_mail(),
            Err(error) => {
                tracing::error!(%error, "cannot delete a mail");
                Response::error(500)
            }
        }
    }

    /// Returns a mail as it was received.
    #[get("/{number}/source")]
    fn source(&self, number: u64) -> Response {
        let Some(mail) = self.find(number) else {
            return no_such_mail();
        };
        Response::ok()
            .content_type("text/plain; charset=utf-8")
            .body(mail.source.clone())
    }

    /// Streams the number of each mail that arrives.
    #[get("/events")]
    fn events(&self, #[header("Last-Event-ID")] last: LastEventId<u64>) -> Events {
        let newest = self.mails().last().map_or(0, |mail| mail.number);
        let last = last.get().copied().unwrap_or(newest);
        let start = (self.mailbox.clone(), last);
        Events::new(stream::unfold(start, async |(mailbox, last)| {
            let mail = match &mailbox {
                Some(mailbox) => mailbox.after(last).await,
                None => std::future::pending().await,
            };
            let number = mail.number;
            let event = Event::text(number.to_string())
                .name("mail")
                .id(number.to_string());
            Some((event, (mailbox, number)))
        }))
    }

    /// Returns a mail.
    #[get("/{number}")]
    fn mail(&self, number: u64) -> Response {
        let Some(mail) = self.find(number) else {
            return no_such_mail();
        };
        Response::ok().entity(json!({
            "number": mail.number,
            "to": mail.recipients,
            "from": mail.header("From").unwrap_or(&mail.sender),
            "date": mail.header("Date"),
            "subject": mail.subject(),
            "text": mail.text,
            "has_html": !mail.html.is_empty(),
            "link": mail.link(),
            "code": mail.code(),
        }))
    }

    /// Returns the HTML of a mail, for a sandboxed frame.
    #[get("/{number}/html")]
    fn html(&self, number: u64) -> Response {
        let Some(mail) = self.find(number) else {
            return no_such_mail();
        };
        Response::ok()
            .content_type("text/html; charset=utf-8")
            .header("content-security-policy", HTML_POLICY)
            .header("x-frame-options", "SAMEORIGIN")
            .body(format!("{HTML_PREFIX}{}", mail.html))
    }
}

fn no_such_mail() -> Response {
    Response::not_found_with("no mail has this number")
}

/// Whether a mail has a text, in lower case, in its subject, its text or an address.
fn has_text(mail: &Mail, wanted: &str) -> bool {
    let texts = [mail.subject(), &mail.text, &mail.sender];
    let recipients = mail.recipients.iter().map(String::as_str);
    let mut all = texts.into_iter().chain(recipients);
    all.any(|text| text.to_lowercase().contains(wanted))
}

impl Mails {
    fn mails(&self) -> Vec<Arc<Mail>> {
        self.mailbox
            .as_ref()
            .map_or_else(Vec::new, |sink| sink.mails())
    }

    fn find(&self, number: u64) -> Option<Arc<Mail>> {
        self.mails().into_iter().find(|mail| mail.number == number)
    }
}
