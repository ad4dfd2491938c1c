//! A server that is killed loses no mail.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::Duration;

use innkeeper_service::smtp_sink::{SinkBehaviour, SinkFault, SinkOptions, SmtpSink, SmtpStep};
use innkeeper_service::testing::{TestDatabase, eventually};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_postgres::{Client, NoTls};

use crate::support::{Process, answer, complaint, folder, innkeeper};

/// The time-out of everything, on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

fn settings(folder: &Path, database: &TestDatabase, sink: &SmtpSink) -> String {
    let path = folder.join("auth.env");
    let text = format!(
        "AUTH_SITE_URL=http://localhost:3000\n\
         AUTH_API_EXTERNAL_URL=http://localhost:8081\n\
         AUTH_API_HOST=127.0.0.1\n\
         AUTH_PORT=0\n\
         AUTH_DB_DRIVER=postgres\n\
         AUTH_DATABASE_URL={}\n\
         AUTH_JWT_SECRET=a-secret-of-more-than-thirty-two-bytes\n\
         AUTH_SMTP_HOST=127.0.0.1\n\
         AUTH_SMTP_PORT={}\n\
         AUTH_SMTP_ADMIN_EMAIL=inn@example.com\n\
         AUTH_RATE_LIMIT_EMAIL_SENT=100000\n\
         AUTH_RATE_LIMIT_OTP=100000\n",
        database.url(),
        sink.address().port(),
    );
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

async fn sink() -> SmtpSink {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    SmtpSink::bind(address, SinkOptions::default())
        .await
        .unwrap()
}

/// Starts a server, waits until it is ready and returns its URL.
async fn serve(file: &str) -> (Process, String) {
    let mut server = Process::start(&mut innkeeper(&["auth", "serve", "-c", file]));
    let line = server.error_line().await;
    let (_, address) = line.trim().split_once("address=").unwrap();
    let url = format!("http://{address}");
    eventually("the server is ready", async || {
        let answer = reqwest::get(format!("{url}/settings")).await;
        answer.is_ok_and(|answer| answer.status() == 200)
    })
    .await;
    (server, url)
}

async fn sign_up(url: &str, email: &str) {
    let body = json!({ "email": email, "password": "correct horse 9" });
    let request = reqwest::Client::new().post(format!("{url}/signup"));
    let answer = request.json(&body).send().await.unwrap();
    assert_eq!(answer.status(), 200, "{:?}", answer.text().await);
}

async fn connect(database: &TestDatabase) -> Client {
    let (client, connection) = tokio_postgres::connect(database.url(), NoTls)
        .await
        .unwrap();
    tokio::spawn(connection);
    client
}

/// Waits until this number of mails is in a state.
async fn until(sql: &Client, state: &str, mails: i64) {
    let count = "select count(*) from auth.innkeeper_outbox where state = $1";
    eventually(format!("{mails} are {state}"), async || {
        let row = sql.query_one(count, &[&state]).await.unwrap();
        row.get::<_, i64>(0) == mails
    })
    .await;
}

/// Waits until the mail server has stopped responding.
async fn silence(sink: &SmtpSink) {
    let is_silent = async || sink.has_misbehaved();
    eventually("the mail server is silent", is_silent).await;
}

async fn arrives(sink: &SmtpSink, email: &str) {
    let mail = timeout(PATIENCE, sink.take(|mail| mail.is_to(email))).await;
    assert!(mail.is_ok(), "no mail to {email}");
    assert_eq!(mail.unwrap().sender, "inn@example.com");
}

#[tokio::test]
async fn a_server_that_is_killed_while_it_sends_loses_no_mail() {
    let (database, folder, sink) = (TestDatabase::empty().await.unwrap(), folder(), sink().await);
    let file = settings(folder.path(), &database, &sink);
    let sql = connect(&database).await;
    let steps = [
        SmtpStep::Connect,
        SmtpStep::Hello,
        SmtpStep::Mail,
        SmtpStep::Rcpt,
        SmtpStep::Data,
        SmtpStep::Content,
    ];
    for (number, at) in (0..).zip(steps) {
        let email = format!("user-{number}@example.com");
        // It is not connected to the mail server yet, so all steps are still to come.
        let (server, url) = serve(&file).await;
        sink.set_behaviour(SinkBehaviour::Fail {
            at,
            fault: SinkFault::Silence,
            times: 1,
        });
        sign_up(&url, &email).await;
        silence(&sink).await;
        until(&sql, "sending", 1).await;
        server.kill().await;
        // No other server takes the mail before its lease expires, which is soon.
        let soon = "select bool_and(next_try_at between now() and now() + interval '31 s')
            from auth.innkeeper_outbox where state = 'sending'";
        let is_soon: bool = sql.query_one(soon, &[]).await.unwrap().get(0);
        assert!(is_soon, "{at:?}");
        let over = "update auth.innkeeper_outbox set next_try_at = now() where state = 'sending'";
        sql.execute(over, &[]).await.unwrap();
        let (server, _) = serve(&file).await;
        arrives(&sink, &email).await;
        until(&sql, "delivered", number + 1).await;
        server.stop().await;
    }
}

#[tokio::test]
async fn whoever_was_told_that_a_mail_is_sent_gets_it_though_the_server_is_killed_at_once() {
    let (database, folder, sink) = (TestDatabase::empty().await.unwrap(), folder(), sink().await);
    let file = settings(folder.path(), &database, &sink);
    let sql = connect(&database).await;
    for number in 0..3 {
        let (server, url) = serve(&file).await;
        sign_up(&url, &format!("user-{number}@example.com")).await;
        server.kill().await;
    }
    let over = "update auth.innkeeper_outbox set next_try_at = now()
        where state in ('waiting', 'sending')";
    sql.execute(over, &[]).await.unwrap();
    let (server, _) = serve(&file).await;
    for number in 0..3 {
        arrives(&sink, &format!("user-{number}@example.com")).await;
    }
    server.stop().await;
}

#[tokio::test]
async fn whenever_a_busy_server_is_killed_everybody_who_was_answered_gets_the_mail() {
    let (database, folder, sink) = (TestDatabase::empty().await.unwrap(), folder(), sink().await);
    let file = settings(folder.path(), &database, &sink);
    let sql = connect(&database).await;
    let mut answered = Vec::new();
    for round in 0..4 {
        let (server, url) = serve(&file).await;
        let written = count(&sql).await;
        let mut clients = JoinSet::new();
        for client in 0..4 {
            let (url, name) = (url.clone(), format!("user-{round}-{client}"));
            clients.spawn(ask_until_it_ends(url, name));
        }
        // The kill comes at a different moment each time, with mails in every state.
        let is_busy = async || count(&sql).await >= written + 3 + 2 * round;
        eventually("the server is busy", is_busy).await;
        server.kill().await;
        answered.extend(clients.join_all().await.into_iter().flatten());
    }
    let over = "update auth.innkeeper_outbox set next_try_at = now()
        where state in ('waiting', 'sending')";
    sql.execute(over, &[]).await.unwrap();
    let (server, _) = serve(&file).await;
    assert!(answered.len() >= 4, "{answered:?}");
    for email in &answered {
        arrives(&sink, email).await;
    }
    server.stop().await;
}

/// Returns the number of mails ever queued.
async fn count(sql: &Client) -> i64 {
    let count = "select count(*) from auth.innkeeper_outbox";
    sql.query_one(count, &[]).await.unwrap().get(0)
}

/// Requests mails to new addresses until the server is gone; returns the acknowledged addresses.
async fn ask_until_it_ends(url: String, name: String) -> Vec<String> {
    let client = reqwest::Client::new();
    let mut answered = Vec::new();
    for number in 0.. {
        let email = format!("{name}-{number}@example.com");
        let request = client.post(format!("{url}/otp"));
        let request = request.header("x-supabase-api-version", "2024-01-01");
        let answer = request.json(&json!({ "email": email })).send().await;
        match answer {
            Ok(answer) if answer.status() == 200 => answered.push(email),
            Ok(answer) => panic!("{answer:?}"),
            Err(_) => break,
        }
    }
    answered
}

#[tokio::test]
async fn operators_see_mails_that_were_given_up_and_have_them_tried_again() {
    let (database, folder, sink) = (TestDatabase::empty().await.unwrap(), folder(), sink().await);
    let file = settings(folder.path(), &database, &sink);
    let sql = connect(&database).await;
    let (server, url) = serve(&file).await;
    sink.set_behaviour(SinkBehaviour::Fail {
        at: SmtpStep::Rcpt,
        fault: SinkFault::Reply("550 no such mailbox".to_owned()),
        times: 1,
    });
    sign_up(&url, "ada@example.com").await;
    until(&sql, "failed", 1).await;

    let mail = |arguments: &[&str]| {
        let mut all = vec!["auth", "mail"];
        all.extend(arguments);
        all.extend(["-c", file.as_str()]);
        innkeeper(&all)
    };
    let table = answer(&mut mail(&["list", "--state", "failed"])).await;
    let error = "ada@example.com (RCPT: permanent error (550): no such mailbox)\n";
    assert!(
        table.starts_with("ID ") && table.ends_with(error),
        "{table}"
    );
    let list = answer(&mut mail(&["list", "--json"])).await;
    let list: Value = serde_json::from_str(&list).unwrap();
    assert_eq!(list["total"], 1);
    assert!(!list.to_string().contains("verify"), "{list}");

    let id = list["mails"][0]["id"].as_str().unwrap();
    let due = answer(&mut mail(&["retry", id])).await;
    assert_eq!(due, format!("Mail {id} will be sent now.\n"));
    arrives(&sink, "ada@example.com").await;
    until(&sql, "delivered", 1).await;
    let said = complaint(&mut mail(&["retry", id])).await;
    // With a slow database, a progress message comes first.
    let refusal = "innkeeper: The mail was delivered, and what it said is erased\n";
    assert!(said.ends_with(refusal), "{said}");
    let due = answer(&mut mail(&["retry", "--failed"])).await;
    assert_eq!(due, "0 mails will be sent now.\n");
    complaint(&mut mail(&["retry", "ada"])).await;
    server.stop().await;
}
