//! Mail delivery: mail servers that are slow or refuse mail, and the contents of the mails.

use futures_util::future::join_all;
use innkeeper_auth::config::Config;
use innkeeper_rest::Method;
use innkeeper_service::secret::Secret;
use innkeeper_service::smtp_sink::SinkBehaviour;
use serde_json::json;

use crate::support::TestApp;
use crate::support::log::Log;
use crate::support::mail_flows::without_pauses;
use crate::support::mailbox::ReceivedMail;
use crate::support::profile::gotrue;

#[tokio::test]
async fn a_silent_mail_server_delays_nobody_and_costs_no_account() {
    let app = TestApp::with(|config| {
        config.api.max_request_duration = jiff::SignedDuration::from_secs(20);
    })
    .await;
    app.confirmed("ada@example.com").await;
    app.mailbox.sink().set_behaviour(SinkBehaviour::Silent);
    // If requests waited for the mail, they would get 504: the mail timeout is longer than the deadline.
    let sign_up = |number: usize| {
        let email = format!("user-{number}@example.com");
        let body = json!({ "email": email, "password": "correct horse" });
        app.post("/signup", body)
    };
    for number in (0..10).step_by(2) {
        for answer in join_all((number..number + 2).map(sign_up)).await {
            assert!(answer.ok()["confirmation_sent_at"].is_string());
        }
    }
    app.sign_in("ada@example.com", "correct horse").await.ok();
    app.post("/recover", json!({ "email": "ada@example.com" }))
        .await
        .ok();
    for number in 0..10 {
        assert_eq!(app.accounts(&format!("user-{number}@example.com")).await, 1);
    }
    assert!(app.mailbox.sink().connections() > 0);
}

#[tokio::test]
async fn a_mail_that_is_refused_for_now_is_tried_again() {
    let app = TestApp::start().await;
    app.mailbox.sink().set_behaviour(SinkBehaviour::Refuse {
        reply: "451 try later".to_owned(),
        times: 1,
    });
    let body = json!({ "email": "ada@example.com", "password": "correct horse" });
    app.post("/signup", body).await.ok();
    app.mails_until("waiting", |mail| mail["tries"] == 1).await;
    app.advance(6);
    let mail = app.mailbox.next_to("ada@example.com").await;
    app.verify_code("signup", "ada@example.com", &mail.code())
        .await
        .ok();
}

#[tokio::test]
async fn credentials_are_no_hindrance_where_nobody_wants_them() {
    let app = TestApp::with(|config| {
        config.smtp.user = Some("user".to_owned());
        config.smtp.pass = Some(Secret::new("password".to_owned()));
    })
    .await;
    let mail = app.mail_of_signup("ada@example.com").await;
    assert!(!mail.is_authenticated);
    assert_eq!(mail.sender, "admin@example.com");
}

/// What is asserted about a mail.
struct SentMail {
    subject: String,
    code: String,
    /// The link without its query.
    link: Option<String>,
}

/// Returns all mails that a user can request.
async fn every_mail(change: fn(&mut Config)) -> Vec<SentMail> {
    let app = TestApp::with(|config| {
        change(config);
        without_pauses(config);
    })
    .await;
    let mut mails = vec![app.mail_of_signup("ada@example.com").await];
    let body = json!({ "email": "eve@example.com" });
    app.post_as(&app.service_key(), "/invite", body).await.ok();
    mails.push(app.mailbox.next_to("eve@example.com").await);
    app.verify_link("signup", &mails[0].token()).await.ok();
    mails.push(app.mail_of("/otp", "ada@example.com").await);
    mails.push(app.mail_of("/recover", "ada@example.com").await);
    let session = app.sign_in("ada@example.com", "correct horse").await.ok();
    let access_token = session["access_token"].as_str().unwrap();
    let body = json!({ "email": "new@example.com" });
    app.put_as(access_token, "/user", body).await.ok();
    mails.push(app.mailbox.next_to("ada@example.com").await);
    mails.push(app.mailbox.next_to("new@example.com").await);
    for mail in &mails {
        // Every mail contains the link and the code, as text and as HTML.
        let (link, code) = (mail.link().to_string(), mail.code());
        assert!(
            mail.text.contains(&link) && mail.text.contains(&code),
            "{}",
            mail.text
        );
        let shown = link.replace('&', "&#38;");
        assert!(
            mail.html.contains(&shown) && mail.html.contains(&code),
            "{}",
            mail.html
        );
    }
    app.get_as(access_token, "/reauthenticate").await.ok();
    mails.push(app.mailbox.next_to("ada@example.com").await);
    let shown = |mail: &ReceivedMail| SentMail {
        subject: mail.subject().to_owned(),
        code: mail.code(),
        link: (**mail).link().map(|mut link| {
            link.set_query(None);
            link.to_string()
        }),
    };
    mails.iter().map(shown).collect()
}

#[tokio::test]
async fn std_uses_the_subjects_and_paths_of_the_specification() {
    let mails = every_mail(|_| {}).await;
    let mails: Vec<(&str, Option<&str>)> = mails
        .iter()
        .map(|mail| (mail.subject.as_str(), mail.link.as_deref()))
        .collect();
    let verify = Some("http://localhost:8081/verify");
    assert_eq!(
        mails,
        [
            ("Confirm Your Signup", verify),
            ("You have been invited", verify),
            ("Your Magic Link", verify),
            ("Reset Your Password", verify),
            ("Confirm Email Change", verify),
            ("Confirm Email Change", verify),
            ("Confirm Reauthentication", None),
        ]
    );
}

#[tokio::test]
async fn gotrue_uses_that_servers_subjects_and_shows_the_nonce_in_one() {
    let mails = every_mail(gotrue).await;
    let last = mails.last().unwrap();
    let expected = format!("{} is your verification code", last.code);
    assert_eq!(last.subject, expected);
    let subjects: Vec<&str> = mails.iter().map(|mail| mail.subject.as_str()).collect();
    assert_eq!(
        subjects[..6],
        [
            "Confirm your email address",
            "You've been invited",
            "Your sign-in link",
            "Reset your password",
            "Confirm your new email address",
            "Confirm your new email address",
        ]
    );
}

#[tokio::test]
async fn paths_of_links_are_settings() {
    let app = TestApp::with(|config| {
        without_pauses(config);
        config.api.external_url = "https://inn.example/auth/v1".parse().unwrap();
        config.mailer.urlpaths.confirmation = "/auth/v1/verify".to_owned();
        config.mailer.urlpaths.recovery = "https://app.example/reset".to_owned();
        config.mailer.urlpaths.magic_link = "https://app.example/reset".to_owned();
        config.mailer.urlpaths.invite = "https://app.example/welcome".to_owned();
        config.mailer.urlpaths.email_change = "https://app.example/moved".to_owned();
    })
    .await;
    let mail = app.mail_of_signup("ada@example.com").await;
    let link = mail.link().to_string();
    assert!(
        link.starts_with("https://inn.example/auth/v1/verify?token="),
        "{link}"
    );
    app.verify_link("signup", &mail.token()).await.ok();
    for target in ["/recover", "/otp"] {
        let link = app
            .mail_of(target, "ada@example.com")
            .await
            .link()
            .to_string();
        assert!(
            link.starts_with("https://app.example/reset?token="),
            "{link}"
        );
    }
    let body = json!({ "email": "bob@example.com" });
    app.post_as(&app.service_key(), "/invite", body).await.ok();
    let link = app.mailbox.next_to("bob@example.com").await.link();
    let link = link.to_string();
    assert!(
        link.starts_with("https://app.example/welcome?token="),
        "{link}"
    );
    let session = app.mail_of("/otp", "ada@example.com").await;
    let session = app
        .verify_code("magiclink", "ada@example.com", &session.code())
        .await
        .ok();
    let token = session["access_token"].as_str().unwrap();
    let body = json!({ "email": "new@example.com" });
    app.put_as(token, "/user", body).await.ok();
    for address in ["ada@example.com", "new@example.com"] {
        let link = app.mailbox.next_to(address).await.link().to_string();
        assert!(
            link.starts_with("https://app.example/moved?token="),
            "{link}"
        );
    }
}

#[tokio::test]
async fn links_name_the_host_that_was_asked_if_it_is_one_of_ours() {
    let app = TestApp::with(|config| {
        without_pauses(config);
        config.api.external_url = "https://auth.example/auth/v1".parse().unwrap();
        config.mailer.external_hosts = vec!["inn.example".to_owned(), "inn.test:8443".to_owned()];
    })
    .await;
    for (asked, origin) in [
        ("inn.example", "https://inn.example/verify?"),
        ("INN.example", "https://inn.example/verify?"),
        ("inn.test:8443", "https://inn.test:8443/verify?"),
        ("eve.example", "https://auth.example/verify?"),
        ("inn.example, eve.example", "https://auth.example/verify?"),
        ("inn.example@eve.example", "https://auth.example/verify?"),
        ("", "https://auth.example/verify?"),
    ] {
        let headers = [("x-forwarded-host", asked), ("x-forwarded-proto", "http")];
        let body = json!({ "email": "ada@example.com" });
        app.send(Method::POST, "/otp", &headers, Some(&body))
            .await
            .ok();
        let link = app
            .mailbox
            .next_to("ada@example.com")
            .await
            .link()
            .to_string();
        assert!(link.starts_with(origin), "{asked}: {link}");
    }
}

#[tokio::test]
async fn logs_hold_no_link_no_code_no_token_and_no_mail() {
    let log = Log::capture();
    let app = TestApp::with(without_pauses).await;
    let mut secrets = vec!["Follow this link".to_owned(), "correct horse".to_owned()];
    app.mailbox.sink().set_behaviour(SinkBehaviour::Refuse {
        reply: "550 no".to_owned(),
        times: 1,
    });
    app.post("/recover", json!({ "email": "nobody@example.com" }))
        .await
        .ok();
    let signup = json!({ "email": "lost@example.com", "password": "correct horse" });
    app.post("/signup", signup).await.ok();
    // The mail server refuses this mail.
    app.mail_becomes("failed", "lost@example.com").await;
    let mail = app.mail_of_signup("ada@example.com").await;
    secrets.extend([mail.token(), mail.code()]);
    app.verify_code("signup", "ada@example.com", "000000x")
        .await
        .failed(403);
    app.verify_link("signup", "forged-secret").await.failed(403);
    secrets.push("forged-secret".to_owned());
    let answer = app.follow(&mail).await;
    secrets.extend([answer.said("access_token"), answer.said("refresh_token")]);
    let body = json!({
        "email": "ada@example.com",
        "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
        "code_challenge_method": "s256",
    });
    app.post("/otp", body).await.ok();
    let mail = app.mailbox.next_to("ada@example.com").await;
    secrets.extend([mail.token(), mail.code()]);
    secrets.push(app.follow(&mail).await.query()["code"].clone());
    app.follow(&mail).await.sent_back_with("otp_expired");
    let mail = app.mail_of("/recover", "ada@example.com").await;
    let session = app
        .verify_code("recovery", "ada@example.com", &mail.code())
        .await
        .ok();
    secrets.extend([mail.token(), mail.code()]);
    secrets.push(session["access_token"].as_str().unwrap().to_owned());
    let text = log.text();
    assert!(text.contains("/verify"), "{text}");
    for secret in secrets {
        let line = text.lines().find(|line| line.contains(&secret));
        assert!(line.is_none(), "{secret} in {line:?}");
    }
    assert!(!text.contains("token="), "{text}");
    assert!(!text.contains("redirect_to="), "{text}");
}
