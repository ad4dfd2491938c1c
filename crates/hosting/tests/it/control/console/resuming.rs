//! Connections and processes that end: a client that resumes by sequence number reads every line once.

use innkeeper_hosting::testing::MemoryHost;

use super::{ConsoleBench, texts_of};

#[tokio::test]
async fn a_client_resumes_after_the_last_line_that_it_read() {
    let bench = ConsoleBench::start().await;
    let (mut socket, hello) = bench.greeted("?tail=0").await;
    let mut last = hello["sequence"].as_u64().unwrap();
    let mut read = Vec::new();
    for round in 0..10 {
        bench.print((0..30).map(|line| format!("{round}.{line}")));
        let lines = socket.lines_until(&format!("{round}.29")).await;
        last = lines.last().unwrap().0.max(last);
        read.extend(lines);
        drop(socket);
        // While it is away, lines are written and the engine ends the attachment.
        bench.print((0..30).map(|line| format!("{round}.away.{line}")));
        bench.host.cut_consoles(bench.machine);
        bench.print((0..30).map(|line| format!("{round}.cut.{line}")));
        socket = bench.socket(&format!("?since={last}")).await;
        let lines = socket.lines_until(&format!("{round}.cut.29")).await;
        last = lines.last().unwrap().0;
        read.extend(lines);
    }
    let expected: Vec<String> = (0..10)
        .flat_map(|round| {
            ["", "away.", "cut."]
                .into_iter()
                .flat_map(move |part| (0..30).map(move |line| format!("{round}.{part}{line}")))
        })
        .collect();
    assert_eq!(texts_of(&read), expected);
    let numbers: Vec<u64> = read.iter().map(|line| line.0).collect();
    let first = numbers[0];
    assert_eq!(numbers, (first..first + 900).collect::<Vec<u64>>());
}

#[tokio::test]
async fn a_client_resumes_at_another_process() {
    let bench = ConsoleBench::start().await;
    let (mut socket, hello) = bench.greeted("?tail=0").await;
    let first = hello["sequence"].as_u64().unwrap() + 1;
    bench.print((0..100).map(|line| format!("before {line}")));
    let mut read = socket.lines_until("before 99").await;
    let between = |host: &MemoryHost, machine| {
        for line in 0..100 {
            host.print(machine, &format!("between {line}"));
        }
    };
    let bench = bench.restarted(between).await;
    let since = read.last().unwrap().0;
    let mut socket = bench.socket(&format!("?since={since}")).await;
    bench.print((0..100).map(|line| format!("after {line}")));
    read.extend(socket.lines_until("after 99").await);
    let mut expected = Vec::new();
    for part in ["before", "between", "after"] {
        expected.extend((0..100).map(|line| format!("{part} {line}")));
    }
    assert_eq!(texts_of(&read), expected);
    let numbers: Vec<u64> = read.iter().map(|line| line.0).collect();
    assert_eq!(numbers, (first..first + 300).collect::<Vec<u64>>());
}

#[tokio::test]
async fn output_that_the_engine_has_lost_is_told() {
    let bench = ConsoleBench::start().await;
    bench.print(["before".to_owned()]);
    bench.until_logged("before").await;
    let (mut socket, hello) = bench.greeted("?tail=0").await;
    let since = hello["sequence"].as_u64().unwrap();
    assert!(socket.protocol.is_none());
    drop(socket);
    let between = |host: &MemoryHost, machine| {
        host.print(machine, "lost");
        host.forget_log(machine, usize::MAX);
        host.print(machine, "found");
    };
    let bench = bench.restarted(between).await;
    socket = bench.socket(&format!("?since={since}")).await;
    let dropped = socket.frame_of("dropped").await;
    assert_eq!(dropped["fromSeq"], since + 1);
    assert_eq!(dropped["bytes"], "lost\r\n".len());
    bench.print(["live".to_owned()]);
    let lines = socket.lines_until("live").await;
    assert_eq!(
        texts_of(&lines),
        ["6 bytes of output are missing", "found", "live"]
    );
}
