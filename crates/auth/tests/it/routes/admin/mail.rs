//! `/admin/mail`: the state of mails, and retries.

use innkeeper_service::smtp_sink::{SinkBehaviour, SinkFault, SmtpStep};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::TestApp;
use crate::support::outbox::{always, once};

const ADA: &str = "ada@example.com";

fn retry(mail: &Value) -> String {
    format!("/admin/mail/{}/retry", mail["id"].as_str().unwrap())
}

#[tokio::test]
async fn a_mail_is_listed_with_everything_but_what_it_says() {
    let app = TestApp::start().await;
    let refusal = SinkFault::Reply("450 greylisted".to_owned());
    app.mailbox
        .sink()
        .set_behaviour(once(SmtpStep::Rcpt, refusal));
    let before = app.clock.now();
    app.invite(ADA).await;
    let mail = app.mails_until("waiting", |mail| mail["tries"] == 1).await;
    let time = |name: &str| -> jiff::Timestamp { mail[name].as_str().unwrap().parse().unwrap() };
    assert!(time("created_at") >= before);
    let pause = time("next_try_at").duration_since(time("created_at"));
    assert!(pause.as_secs() >= 4, "{pause:?}");
    assert_eq!(
        mail,
        json!({
            "id": mail["id"],
            "kind": "invite",
            "to": ADA,
            "state": "waiting",
            "tries": 1,
            "last_error": "RCPT: transient error (450): greylisted",
            "next_try_at": mail["next_try_at"],
            "created_at": mail["created_at"],
            "ended_at": null,
        })
    );
    app.advance(6);
    app.mailbox.next_to(ADA).await;
    let mail = app.mail_becomes("delivered", ADA).await;
    assert_eq!(
        (&mail["tries"], &mail["last_error"]),
        (&json!(2), &Value::Null)
    );
    assert!(mail["ended_at"].is_string() && mail["next_try_at"].is_null());
}

#[tokio::test]
async fn the_list_has_pages_and_can_be_narrowed_to_a_state() {
    let app = TestApp::start().await;
    let refusal = SinkFault::Reply("550 no".to_owned());
    app.mailbox
        .sink()
        .set_behaviour(once(SmtpStep::Rcpt, refusal));
    app.invite("user-0@example.com").await;
    app.mail_becomes("failed", "user-0@example.com").await;
    for number in 1..=4 {
        let email = format!("user-{number}@example.com");
        app.invite(&email).await;
        app.mail_becomes("delivered", &email).await;
    }
    let operator = app.operator();
    let answer = operator.get("/admin/mail?per_page=2&page=2").await;
    assert_eq!(answer.header("x-total-count"), Some("5"));
    let links = answer.header("link").unwrap();
    assert!(links.starts_with("</admin/mail?page=3&per_page=2>; rel=\"next\""));
    let to = |list: &Value| -> Vec<String> {
        let mails = list["mails"].as_array().unwrap();
        let to = |mail: &Value| mail["to"].as_str().unwrap().to_owned();
        mails.iter().map(to).collect()
    };
    // Newest first.
    assert_eq!(
        to(&answer.ok()),
        ["user-2@example.com", "user-1@example.com"]
    );
    let failed = operator.get("/admin/mail?state=failed").await;
    assert_eq!(failed.header("x-total-count"), Some("1"));
    assert_eq!(to(&failed.ok()), ["user-0@example.com"]);
    assert!(to(&operator.get("/admin/mail?state=waiting").await.ok()).is_empty());
    for bad in ["state=lost", "page=-1", "per_page=x"] {
        operator
            .get(&format!("/admin/mail?{bad}"))
            .await
            .refused(400, "validation_failed");
    }
}

#[tokio::test]
async fn a_mail_is_tried_at_once_when_an_operator_says_so() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let sink = app.mailbox.sink();
    sink.set_behaviour(always(SmtpStep::Rcpt, "450 greylisted"));
    app.invite(ADA).await;
    for tries in 1..=3 {
        let mail = app
            .mails_until("waiting", |mail| mail["tries"] == tries)
            .await;
        if tries == 3 {
            sink.set_behaviour(SinkBehaviour::Accept);
        }
        let tried = operator.post(&retry(&mail), json!({})).await.ok();
        assert_eq!(
            (&tried["id"], &tried["state"]),
            (&mail["id"], &json!("waiting"))
        );
    }
    app.mailbox.next_to(ADA).await;
    let mail = app.mail_becomes("delivered", ADA).await;
    operator
        .post(&retry(&mail), json!({}))
        .await
        .refused(409, "mail_delivered");
    assert_eq!(app.mails("delivered").await.len(), 1);
}

#[tokio::test]
async fn what_cannot_be_tried_is_refused() {
    let app = TestApp::start().await;
    let operator = app.operator();
    app.mailbox
        .sink()
        .set_behaviour(once(SmtpStep::Content, SinkFault::Silence));
    app.invite(ADA).await;
    let mail = app.mail_becomes("sending", ADA).await;
    operator
        .post(&retry(&mail), json!({}))
        .await
        .refused(409, "mail_sending");
    let unknown = json!({ "id": Uuid::new_v4() });
    operator
        .post(&retry(&unknown), json!({}))
        .await
        .refused(404, "mail_not_found");
    operator
        .post("/admin/mail/ada/retry", json!({}))
        .await
        .refused(404, "validation_failed");
}
