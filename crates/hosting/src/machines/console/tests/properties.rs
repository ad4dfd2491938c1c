//! What holds whatever happens.

use proptest::prelude::*;

use super::*;

#[derive(Debug, Clone)]
enum Step {
    Write(Vec<u8>),
    Type(String),
    DropAttachments,
    Kill,
    Reconnect,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let text = "[a-z]{0,6}(\r\n|\n|\r)?".prop_map(String::into_bytes);
    let step = prop_oneof![
        6 => text.prop_map(Step::Write),
        1 => "[A-Z]{1,5}".prop_map(Step::Type),
        1 => Just(Step::DropAttachments),
        1 => Just(Step::Kill),
        2 => Just(Step::Reconnect),
    ];
    proptest::collection::vec(step, 1..30)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever ends in between, a client that resumes by sequence number reads every line of the log once, and the log
    /// has the whole output once.
    #[test]
    fn nothing_is_lost_or_repeated(steps in steps()) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let result: Result<(), TestCaseError> = runtime.block_on(async {
            let mut fixture = Fixture::attached().await;
            let mut written: Vec<u8> = Vec::new();
            let mut typed = Vec::new();
            let mut read: Vec<String> = Vec::new();
            let mut last = 0;
            for step in steps {
                match step {
                    Step::Write(bytes) => {
                        fixture.engine.write(&bytes);
                        written.extend(bytes);
                    }
                    Step::Type(text) => {
                        // The command begins on a new line, or its echo is a part of another.
                        fixture.engine.write(b"\n");
                        written.push(b'\n');
                        let run = fixture.hub.open_room(MACHINE).unwrap().run().unwrap();
                        let is_attached = async || run.input.lock().await.is_some();
                        eventually("the console is attached", is_attached).await;
                        fixture.hub.write_line(MACHINE, &text).await.unwrap();
                        typed.push(text);
                    }
                    Step::DropAttachments => fixture.engine.drop_attachments(),
                    Step::Kill => fixture.restart().await,
                    Step::Reconnect => {
                        let mut reader = fixture.reader(ReplayStart::Since(last)).await;
                        let end = fixture.hub.log(MACHINE).await.unwrap().last_seq;
                        if end > last {
                            read.extend(read_until(&mut reader, end).await);
                            last = end;
                        }
                    }
                }
                tokio::task::yield_now().await;
            }
            fixture.engine.exit();
            fixture.finish_run().await;
            let lines = fixture.lines().await;
            let mut reader = fixture.reader(ReplayStart::Since(last)).await;
            if let Some(end) = lines.last().map(|line| line.0).filter(|end| *end > last) {
                read.extend(read_until(&mut reader, end).await);
            }
            let stored: Vec<String> = lines.into_iter().map(|line| line.1).collect();
            prop_assert_eq!(&read, &stored);
            let commands: Vec<&String> =
                stored.iter().filter(|line| typed.contains(line)).collect();
            prop_assert_eq!(commands, typed.iter().collect::<Vec<_>>());
            let output: String =
                stored.iter().filter(|line| !typed.contains(line)).map(String::as_str).collect();
            let expected: String = String::from_utf8(written).unwrap().replace(['\r', '\n'], "");
            prop_assert_eq!(output, expected);
            Ok(())
        });
        result?;
    }
}
