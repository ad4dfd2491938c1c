//! The command line: help, usage errors, exit codes.

use std::io;
use std::process::{Command, Output, Stdio};

fn innkeeper(arguments: &[&str]) -> io::Result<Output> {
    Command::new(env!("CARGO_BIN_EXE_innkeeper"))
        .args(arguments)
        .output()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Returns the commands in a help text, without `help`.
fn commands(help: &str) -> Vec<String> {
    help.lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .filter(|command| *command != "help")
        .map(str::to_owned)
        .collect()
}

#[test]
fn help_lists_the_commands_that_work() {
    let output = innkeeper(&["--help"]).unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        commands(&text(&output.stdout)),
        [
            "up",
            "status",
            "logs",
            "open",
            "auth",
            "hosting",
            "openapi",
            "doctor",
            "about",
            "completions",
            "man"
        ]
    );

    let output = innkeeper(&["auth", "--help"]).unwrap();
    let expected = [
        "serve", "health", "migrate", "takeover", "user", "session", "audit", "admin", "keys",
        "mail", "token", "compare", "settings",
    ];
    assert_eq!(commands(&text(&output.stdout)), expected);

    let output = innkeeper(&["hosting", "--help"]).unwrap();
    let expected = [
        "serve",
        "health",
        "content",
        "migrate",
        "incident",
        "maintenance",
        "feedback",
        "customer",
        "key",
        "vps",
        "game",
        "profile",
        "settings",
    ];
    assert_eq!(commands(&text(&output.stdout)), expected);
}

#[test]
fn every_command_has_help_with_an_example_that_fits_a_terminal() {
    let mut known: Vec<Vec<String>> = vec![Vec::new()];
    let mut seen = 0;
    while let Some(command) = known.pop() {
        let arguments: Vec<&str> = command
            .iter()
            .map(String::as_str)
            .chain(["--help"])
            .collect();
        let output = innkeeper(&arguments).unwrap();
        let help = text(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{command:?}");
        assert!(
            help.contains("Example:\n  ") || help.contains("Examples:\n  "),
            "{help}"
        );
        for line in help.lines() {
            assert!(line.chars().count() <= 80, "{command:?}: {line}");
        }
        known.extend(commands(&help).into_iter().map(|name| {
            let mut longer = command.clone();
            longer.push(name);
            longer
        }));
        seen += 1;
    }
    assert_eq!(seen, 98);
}

#[test]
fn version_names_the_binary_its_version_and_its_commit() {
    let output = innkeeper(&["--version"]).unwrap();

    assert_eq!(output.status.code(), Some(0));
    let said = text(&output.stdout);
    let rest = said.strip_prefix(concat!("innkeeper ", env!("CARGO_PKG_VERSION")));
    let commit = rest.unwrap().trim_end();
    // An archive without the repository has none.
    if !commit.is_empty() {
        let commit = commit
            .strip_prefix(" (")
            .unwrap()
            .strip_suffix(')')
            .unwrap();
        assert!(commit.len() >= 12, "{said}");
        assert!(
            commit.chars().all(|digit| digit.is_ascii_hexdigit()),
            "{said}"
        );
    }
}

#[test]
fn the_manual_has_a_page_for_each_command() {
    let folder = tempfile::tempdir().unwrap();
    let output = innkeeper(&["man", "--dir", folder.path().to_str().unwrap()]).unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));

    let mut pages = 0;
    for page in std::fs::read_dir(folder.path()).unwrap() {
        let page = page.unwrap();
        let name = page.file_name().into_string().unwrap();
        let command = name.strip_suffix(".1").unwrap().replace('-', "\\-");
        let source = std::fs::read_to_string(page.path()).unwrap();
        assert!(source.contains(&format!("SH NAME\n{command} ")), "{source}");
        assert!(!source.contains("help(1)"), "{source}");
        pages += 1;
    }
    assert_eq!(pages, 98);
    // Without a folder the first of them is printed.
    let output = innkeeper(&["man"]).unwrap();
    assert!(text(&output.stdout).contains("innkeeper\\-auth(1)"));
}

#[test]
fn bash_takes_its_completions_and_completes_a_command() {
    let complete = "source <(\"$0\" completions bash)
        COMP_WORDS=(innkeeper auth admin cre) COMP_CWORD=3
        _innkeeper innkeeper cre admin
        echo \"${COMPREPLY[@]}\"";
    let output = Command::new("bash")
        .args(["-c", complete, env!("CARGO_BIN_EXE_innkeeper")])
        .output()
        .unwrap();
    assert_eq!(
        text(&output.stdout).trim(),
        "create-user",
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn about_prints_a_table_of_the_parts() {
    let output = innkeeper(&["about"]).unwrap();
    let version = env!("CARGO_PKG_VERSION");

    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        text(&output.stdout),
        format!(
            "PART      VERSION   DESCRIPTION\n\
             rest      {version:<10}the REST framework, a library\n\
             auth      {version:<10}the authentication server, `innkeeper auth serve`\n\
             hosting   {version:<10}the hosting server, `innkeeper hosting serve`\n"
        )
    );
}

#[test]
fn about_prints_json_on_request() {
    let output = innkeeper(&["about", "--json"]).unwrap();
    let version = env!("CARGO_PKG_VERSION");

    assert_eq!(output.status.code(), Some(0));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["version"], version);
    let parts: Vec<_> = document["parts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|part| {
            (
                part["name"].as_str().unwrap(),
                part["version"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        parts,
        [("rest", version), ("auth", version), ("hosting", version)]
    );
}

#[test]
fn openapi_prints_a_document_without_settings_or_a_database() {
    let output = innkeeper(&["openapi", "auth"]).unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["openapi"], "3.1.0");
    assert!(document["paths"]["/signup"]["post"].is_object());
}

#[test]
fn the_version_is_a_semantic_one() {
    let version = env!("CARGO_PKG_VERSION");
    let (numbers, _) = version.split_once('-').unwrap_or((version, ""));
    let numbers: Vec<&str> = numbers.split('.').collect();
    assert_eq!(numbers.len(), 3, "{version}");
    for number in numbers {
        assert_eq!(number.parse::<u64>().unwrap().to_string(), number);
    }
}

#[test]
fn every_package_carries_the_workspace_version() {
    // `about` relies on it for the part without a version constant.
    for package in [
        "auth",
        "hosting",
        "innkeeper",
        "rest",
        "rest-macros",
        "service",
    ] {
        let manifest = format!("{}/../{package}/Cargo.toml", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&manifest).unwrap();
        assert!(
            text.lines().any(|line| line == "version.workspace = true"),
            "{manifest}"
        );
    }
}

#[test]
fn wrong_usage_exits_with_2() {
    for arguments in [
        &[][..],
        &["abuot"],
        &["about", "--yaml"],
        &["about", "more"],
        &["auth"],
        &["auth", "admin"],
        &["auth", "admin", "create-user", "ada@example.com"],
        &["auth", "admin", "delete-user"],
        &["auth", "keys"],
        &["auth", "keys", "generate", "--algorithm", "none"],
        &["auth", "compare", "--with", "http://localhost:8081"],
        &["auth", "migrate", "more"],
        &["auth", "serve", "--config"],
        &["auth", "token", "--expires", "soon"],
        &["auth", "user", "show"],
        &["auth", "user", "create"],
        &["auth", "user", "update", "ada@example.com"],
        &["auth", "user", "ban", "ada@example.com", "--for", "soon"],
        &["auth", "user", "ban", "a@b.c", "--for", "1h", "--lift"],
        &["auth", "user", "create", "a@b.c", "--user-metadata", "[]"],
        &["auth", "session", "end", "ada@example.com"],
        &["open", "everything"],
        &["up", "--yes"],
        &["up", "--auth-port", "many"],
        &["hosting"],
        &["hosting", "content"],
        &["hosting", "content", "check", "one", "two"],
        &["hosting", "incident"],
        &["hosting", "incident", "open"],
        &["hosting", "incident", "open", "Fire", "--impact", "huge"],
        &[
            "hosting",
            "maintenance",
            "schedule",
            "Work",
            "--from",
            "soon",
        ],
        &["hosting", "feedback", "--json", "--csv"],
        &["hosting", "vps"],
        &["hosting", "vps", "remove", "web-1"],
        &["hosting", "game", "add", "--customer", "cus_1"],
        &["hosting", "game", "stop", "mc", "--timeout", "601"],
        &["hosting", "profile", "set"],
        &["up", "more"],
    ] {
        let output = innkeeper(arguments).unwrap();

        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
        let said = text(&output.stderr);
        assert!(
            said.contains("Usage: innkeeper") || said.contains("try '--help'"),
            "{said}"
        );
    }
}

#[test]
fn every_task_of_the_auth_server_can_answer_in_json() {
    for command in [
        &["migrate"][..],
        &["user", "list"],
        &["user", "show"],
        &["user", "create"],
        &["user", "update"],
        &["user", "ban"],
        &["user", "delete"],
        &["user", "set-password"],
        &["session", "list"],
        &["session", "end"],
        &["audit"],
        &["admin", "create-user"],
        &["admin", "delete-user"],
        &["keys", "generate"],
        &["keys", "list"],
        &["keys", "rotate"],
        &["keys", "revoke"],
        &["token"],
        &["compare"],
        &["settings"],
    ] {
        let arguments: Vec<&str> = ["auth"]
            .iter()
            .chain(command)
            .chain(&["--help"])
            .copied()
            .collect();
        let help = text(&innkeeper(&arguments).unwrap().stdout);
        assert!(help.contains("--json"), "{help}");
    }
}

#[test]
fn a_misspelt_command_gets_a_suggestion() {
    let output = innkeeper(&["abuot"]).unwrap();

    assert!(
        text(&output.stderr).contains("'about'"),
        "{}",
        text(&output.stderr)
    );
}

#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_cannot_be_written_exits_with_1() {
    let full = std::fs::File::options()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_innkeeper"))
        .arg("about")
        .stdout(full)
        .stderr(Stdio::piped())
        .output()
        .unwrap();

    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).starts_with("innkeeper: cannot write to standard output: "));
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_innkeeper"))
        .arg("about")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();

    // The outcome is the same whether the pipe closes before or after the output is written.
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}
