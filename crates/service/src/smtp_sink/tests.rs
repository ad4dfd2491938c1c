use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use proptest::prelude::{any, proptest};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use super::store::MAX_MAILS;
use super::{Mail, SinkBehaviour, SinkFault, SinkOptions, SmtpSink, SmtpStep};
use crate::secret::Secret;

const LOOPBACK: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

async fn sink(options: SinkOptions) -> SmtpSink {
    SmtpSink::bind(LOOPBACK, options).await.unwrap()
}

struct Client(BufReader<TcpStream>);

impl Client {
    async fn connect(sink: &SmtpSink) -> Self {
        let mut client = Self::connect_silently(sink).await;
        assert!(client.reply().await.starts_with("220"));
        client
    }

    async fn connect_silently(sink: &SmtpSink) -> Self {
        Self(BufReader::new(
            TcpStream::connect(sink.address()).await.unwrap(),
        ))
    }

    /// Reads all lines of a reply.
    async fn reply(&mut self) -> String {
        let mut reply = String::new();
        loop {
            let start = reply.len();
            assert_ne!(self.0.read_line(&mut reply).await.unwrap(), 0, "closed");
            if reply.as_bytes().get(start + 3) != Some(&b'-') {
                return reply;
            }
        }
    }

    async fn send(&mut self, bytes: &[u8]) {
        self.0.get_mut().write_all(bytes).await.unwrap();
    }

    /// Sends each line and compares the start of each reply.
    async fn talk(&mut self, lines: &[(&str, &str)]) {
        for (line, expected) in lines {
            self.send(format!("{line}\r\n").as_bytes()).await;
            let reply = self.reply().await;
            assert!(reply.starts_with(expected), "{line}: {reply}");
        }
    }
}

const ENVELOPE: [(&str, &str); 4] = [
    ("EHLO laptop", "250-sink"),
    ("mail from:<inn@example.com> SIZE=100", "250"),
    ("RCPT TO:<ada@example.com>", "250"),
    ("data", "354"),
];

#[tokio::test]
async fn a_page_cannot_make_a_browser_send_mail() {
    let sink = sink(SinkOptions::default()).await;
    for verb in ["POST", "put", "GET", "OPTIONS"] {
        let mut client = Client::connect(&sink).await;
        let request = format!(
            "{verb} / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nEHLO page\r\nMAIL FROM:<eve@example.com>\r\n\
             RCPT TO:<ada@example.com>\r\nDATA\r\nSubject: x\r\n\r\nHello\r\n.\r\n"
        );
        client.send(request.as_bytes()).await;
        let mut replies = String::new();
        // The connection may be reset, because not all of it was read.
        let _ = client.0.read_to_string(&mut replies).await;
        assert_eq!(replies, "", "{verb}");
    }
    assert_eq!(sink.mails().len(), 0);
}

#[tokio::test]
async fn a_mail_is_kept_with_its_envelope() {
    let sink = sink(SinkOptions::default()).await;
    let mut client = Client::connect(&sink).await;
    client.talk(&ENVELOPE).await;
    client
        .talk(&[(
            "Subject: =?utf-8?b?R3LDvMOfZQ==?=\r\n =?utf-8?q?_an_A=64a?=\r\nX-Long: one\r\n two\r\n\r\n\
             Hello,\r\n..dot\r\n.",
            "250",
        )])
        .await;
    client.talk(&[("QUIT", "221")]).await;
    let mail = sink.after(0).await;
    assert_eq!(mail.number, 1);
    assert_eq!(mail.hello, "laptop");
    assert_eq!(mail.sender, "inn@example.com");
    assert_eq!(mail.recipients, ["ada@example.com"]);
    assert_eq!(mail.subject(), "Grüße an Ada");
    assert_eq!(mail.header("x-long"), Some("one two"));
    assert_eq!(mail.text, "Hello,\n.dot\n");
    assert!(mail.is_to("ADA@example.com") && !mail.is_to("eve@example.com"));
    assert!(!mail.is_authenticated);
}

#[tokio::test]
async fn waiting_ends_with_the_mail_that_is_wanted() {
    let sink = sink(SinkOptions::default()).await;
    let mut client = Client::connect(&sink).await;
    let wanted = sink.take(|mail| mail.subject() == "second");
    let sent = async {
        for subject in ["first", "second", "third"] {
            client.talk(&ENVELOPE).await;
            client
                .talk(&[(&format!("Subject: {subject}\r\n\r\n."), "250")])
                .await;
        }
    };
    let (mail, ()) = tokio::join!(wanted, sent);
    assert_eq!((mail.number, mail.subject()), (2, "second"));
    let left: Vec<u64> = sink.mails().iter().map(|mail| mail.number).collect();
    assert_eq!(left, [1, 3]);
    assert_eq!(sink.after(1).await.number, 3);
    assert_eq!(sink.connections(), 1);
}

#[tokio::test]
async fn commands_out_of_order_and_nonsense_are_answered() {
    let sink = sink(SinkOptions::default()).await;
    let mut client = Client::connect(&sink).await;
    client
        .talk(&[
            ("RCPT TO:<ada@example.com>", "503"),
            ("DATA", "503"),
            ("MAIL TO:<x>", "501"),
            ("MAIL FROM:inn@example.com", "501"),
            ("MAIL FROM:<>", "250"),
            ("RCPT TO:<>", "501"),
            ("RCPT", "501"),
            ("DATA", "503"),
            ("RCPT TO:<ada@example.com>", "250"),
            ("RSET", "250"),
            ("DATA", "503"),
            ("NOOP", "250"),
            ("VRFY ada", "252"),
            ("HELO laptop", "250"),
            ("AUTH PLAIN AGEAYg==", "502"),
            ("STARTTLS", "500"),
            ("", "500"),
            ("ü", "500"),
            ("QUIT", "221"),
        ])
        .await;
    assert!(sink.mails().is_empty());
}

#[tokio::test]
async fn with_a_login_mail_is_taken_after_the_right_password_only() {
    let sink = sink(SinkOptions {
        login: Some(("inn".to_owned(), Secret::new("key".to_owned()))),
        ..SinkOptions::default()
    })
    .await;
    let mut client = Client::connect(&sink).await;
    client.send(b"EHLO laptop\r\n").await;
    assert!(client.reply().await.contains("250-AUTH PLAIN LOGIN\r\n"));
    client
        .talk(&[
            ("MAIL FROM:<inn@example.com>", "530"),
            // inn, lock
            ("AUTH PLAIN AGlubgBsb2Nr", "535"),
            ("AUTH PLAIN !", "535"),
            ("AUTH CRAM-MD5", "504"),
            ("MAIL FROM:<inn@example.com>", "530"),
            ("AUTH LOGIN", "334 VXNlcm5hbWU6"),
            ("aW5u", "334 UGFzc3dvcmQ6"),
            ("a2V5", "235"),
            ("MAIL FROM:<inn@example.com>", "250"),
            // inn, key
            ("AUTH PLAIN AGlubgBrZXk=", "235"),
            ("AUTH PLAIN", "334"),
            ("AGlubgBrZXk=", "235"),
            ("AUTH LOGIN aW5u", "334"),
            ("a2V5", "235"),
        ])
        .await;
    client.talk(&ENVELOPE).await;
    client.talk(&[(".", "250")]).await;
    assert!(sink.after(0).await.is_authenticated);
}

#[tokio::test]
async fn refusals_are_counted_and_then_mail_is_taken() {
    let sink = sink(SinkOptions::default()).await;
    sink.set_behaviour(SinkBehaviour::Refuse {
        reply: "451 try later".to_owned(),
        times: 2,
    });
    let mut client = Client::connect(&sink).await;
    client
        .talk(&[
            ("MAIL FROM:<a@example.com>", "451 try later"),
            ("MAIL FROM:<a@example.com>", "451 try later"),
            ("MAIL FROM:<a@example.com>", "250"),
        ])
        .await;
}

#[tokio::test]
async fn a_silent_sink_takes_connections_and_says_nothing() {
    let sink = sink(SinkOptions {
        behaviour: SinkBehaviour::Silent,
        ..SinkOptions::default()
    })
    .await;
    let mut client = Client::connect_silently(&sink).await;
    client.send(b"EHLO laptop\r\n").await;
    let reply = tokio::time::timeout(Duration::from_millis(50), client.reply()).await;
    assert!(reply.is_err(), "{reply:?}");
}

#[tokio::test]
async fn what_is_too_large_is_refused() {
    let sink = sink(SinkOptions::default()).await;
    let mut client = Client::connect(&sink).await;
    client.talk(&ENVELOPE).await;
    let line = format!("{}\r\n", "x".repeat(8000));
    for _ in 0..1400 {
        client.send(line.as_bytes()).await;
    }
    client.talk(&[(".", "552")]).await;
    // An endless line closes the connection instead of filling the memory.
    client.send(&vec![b'x'; 20_000]).await;
    let mut rest = String::new();
    let end = client.0.read_line(&mut rest).await;
    assert!(matches!(end, Ok(0) | Err(_)));
    assert!(sink.mails().is_empty());
}

#[tokio::test]
async fn the_oldest_mails_make_room() {
    let sink = sink(SinkOptions::default()).await;
    for _ in 0..MAX_MAILS + 5 {
        let added = sink.store.add(Mail::default()).await;
        added.unwrap();
    }
    let mails = sink.mails();
    assert_eq!(mails.len(), MAX_MAILS);
    assert_eq!(mails[0].number, 6);
}

#[test]
fn both_bodies_of_an_alternative_are_found_and_decoded() {
    let raw = "Content-Type: multipart/mixed; boundary=\"outer\"\r\n\r\npreamble\r\n\
               --outer\r\nContent-Type: multipart/alternative; charset=x; boundary=inner\r\n\r\n\
               --inner\r\nContent-Type: text/plain; charset=utf-8\r\n\
               Content-Transfer-Encoding: quoted-printable\r\n\r\n\
               Gr=C3=BC=C3=9Fe=\r\n!=3D =zz\r\n\
               --inner\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n\r\n\
               PGI+R3LD\r\nvMOfZTwvYj4=\r\n\
               --inner--\r\n\r\n--outer\r\nContent-Type: text/plain\r\n\r\nattached\r\n--outer--\r\n";
    let mail = Mail::parse(raw);
    assert_eq!(mail.text, "Grüße!= =zz");
    assert_eq!(mail.html, "<b>Grüße</b>");
}

#[test]
fn colours_are_no_codes() {
    let colours = "<style>p { color: #374151; margin: 0 111827 }</style><p style=\"color: #374151;\">Hello</p>";
    let mail = |end: &str| Mail {
        text: "Your password was changed.".to_owned(),
        html: format!("{colours}{end}"),
        ..Mail::default()
    };
    assert_eq!(mail("").code(), None);
    assert_eq!(mail("<p>Code: 246810</p>").code(), Some("246810"));
}

#[test]
fn link_and_code_are_found_in_text_and_html() {
    let text = Mail {
        text: "See https://inn.example/help/123456 or follow\n\
               https://inn.example/verify?token=ab12&type=signup&redirect_to=http://localhost:3000\n\
               or type 987654.\n"
            .to_owned(),
        ..Mail::default()
    };
    assert_eq!(text.code(), Some("987654"));
    assert_eq!(
        text.link().unwrap().as_str(),
        "https://inn.example/verify?token=ab12&type=signup&redirect_to=http://localhost:3000"
    );
    let html = Mail {
        html: "<p><a href=\"https://inn.example/verify?token=a&amp;type=b\">here</a></p><b>01234567</b>"
            .to_owned(),
        ..Mail::default()
    };
    assert_eq!(html.code(), Some("01234567"));
    assert_eq!(
        html.link().unwrap().as_str(),
        "https://inn.example/verify?token=a&type=b"
    );
    let subject = Mail {
        headers: vec![("subject".to_owned(), "123456 is your code".to_owned())],
        ..Mail::default()
    };
    assert_eq!(subject.code(), Some("123456"));
    assert_eq!(
        (Mail::default().code(), Mail::default().link()),
        (None, None)
    );
}

proptest! {
    #[test]
    fn broken_messages_are_read_as_far_as_they_go(
        raw in any::<String>(),
        pieces in "(Content-Type: multipart/x; boundary=b\r\n|\r\n|--b|--b--|=|=\\?|\\?=|\\?b\\?|:| |x){0,20}",
    ) {
        for text in [raw, pieces] {
            let mail = Mail::parse(&text);
            mail.code();
            mail.link();
        }
    }
}

#[tokio::test]
async fn mails_in_a_folder_are_there_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let options = || SinkOptions {
        folder: Some(folder.path().join("mail")),
        ..SinkOptions::default()
    };
    let first = sink(options()).await;
    for text in ["one", "two"] {
        let mut client = Client::connect(&first).await;
        client.talk(&ENVELOPE).await;
        let mail =
            format!("Subject: {text}\r\nX-Envelope-To: eve@example.com\r\n\r\n{text}\r\n.\r\n");
        client.send(mail.as_bytes()).await;
        assert!(client.reply().await.starts_with("250"));
    }
    let before = first.mails();
    drop(first);

    let second = sink(options()).await;
    let after = second.mails();
    assert_eq!(after.len(), 2);
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(before.number, after.number);
        assert_eq!(before.sender, after.sender);
        assert_eq!(before.recipients, after.recipients);
        assert_eq!(before.headers, after.headers);
        assert_eq!(before.text, after.text);
        assert_eq!(before.source, after.source);
    }
    let (gone, left) = (after[0].number, after[1].number);
    assert!(second.delete(gone).await.unwrap());
    assert!(!second.delete(gone).await.unwrap(), "it is gone");
    let third = sink(options()).await.mails();
    assert_eq!(
        third.iter().map(|mail| mail.number).collect::<Vec<_>>(),
        [left]
    );

    second.clear().await.unwrap();
    assert!(second.mails().is_empty());
    drop(second);
    assert!(sink(options()).await.mails().is_empty());
}

#[tokio::test]
async fn it_misbehaves_at_one_step_as_often_as_it_was_told() {
    let sink = sink(SinkOptions::default()).await;
    let fail = |at, fault| SinkBehaviour::Fail {
        at,
        fault,
        times: 1,
    };
    sink.set_behaviour(fail(
        SmtpStep::Rcpt,
        SinkFault::Reply("450 greylisted".to_owned()),
    ));
    let mut client = Client::connect(&sink).await;
    client.talk(&ENVELOPE[..2]).await;
    assert!(!sink.has_misbehaved());
    client
        .talk(&[
            ("RCPT TO:<ada@example.com>", "450 greylisted"),
            ("RCPT TO:<ada@example.com>", "250"),
            ("data", "354"),
        ])
        .await;
    assert!(sink.has_misbehaved());
    sink.set_behaviour(fail(SmtpStep::Content, SinkFault::Disconnect));
    client.send(b"Subject: kept\r\n\r\n.\r\n").await;
    let mut rest = String::new();
    assert_eq!(client.0.read_line(&mut rest).await.unwrap(), 0);
    assert_eq!(sink.after(0).await.subject(), "kept");
    assert_eq!(sink.received(), 1);

    sink.set_behaviour(fail(SmtpStep::StartTls, SinkFault::Silence));
    let mut client = Client::connect(&sink).await;
    client.send(b"EHLO laptop\r\n").await;
    assert!(client.reply().await.contains("STARTTLS"));
    client.send(b"STARTTLS\r\nNOOP\r\n").await;
    let silence = Duration::from_millis(50);
    let reply = tokio::time::timeout(silence, client.reply()).await;
    assert!(reply.is_err(), "{reply:?}");
}
