//! `innkeeper up`, as a process.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::Path;
use std::process::{ExitStatus, Stdio};

use innkeeper_service::testing::{TestDatabase, eventually};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;

use crate::support::{
    FREE_PORTS, Process, Up, answer, complaint, folder, innkeeper, is_used, program, run, text,
};

const PASSWORD: &str = "correct-horse-9";

async fn sign_up(up: &Up, email: &str) {
    let body = json!({ "email": email, "password": PASSWORD });
    let (status, user) = up.post("/signup", body).await;
    assert_eq!(status, 200, "{user}");
}

/// Confirms the address with the code in the next mail.
async fn confirm(up: &mut Up, email: &str) {
    let mail = up.next_mail().await;
    assert_eq!(mail["to"], json!([email]));
    let body = json!({ "type": "signup", "email": email, "token": mail["code"] });
    let (status, session) = up.post("/verify", body).await;
    assert_eq!(status, 200, "{session}");
    assert!(session["access_token"].is_string(), "{session}");
}

fn settings(data: &Path) -> String {
    fs::read_to_string(data.join(".env")).unwrap()
}

#[tokio::test]
async fn an_account_outlives_a_kill_and_nothing_keeps_running_after_the_end() {
    let folder = folder();
    let data = folder.path().join("inn");
    let mut up = Up::start(&data).await;
    sign_up(&up, "ada@example.com").await;
    assert_eq!(up.sign_in("ada@example.com", PASSWORD).await, 400);
    confirm(&mut up, "ada@example.com").await;
    let before = (settings(&data), mails(&up).await);
    assert_eq!(before.1[0]["to"], json!(["ada@example.com"]));
    up.process.kill().await;

    let mut up = Up::start(&data).await;
    assert_eq!(up.sign_in("ada@example.com", PASSWORD).await, 200);
    assert_eq!((settings(&data), mails(&up).await), before);
    // Only new mails are printed, although the mailbox has old ones.
    sign_up(&up, "grace@example.com").await;
    confirm(&mut up, "grace@example.com").await;
    assert_eq!(mails(&up).await.as_array().unwrap().len(), 2);
    up.process.stop().await;
    assert!(!data.join("up.json").exists());
    assert!(!is_used(&data));

    let up = Up::start(&data).await;
    let (status, errors) = postgres_dies(up).await;
    assert_eq!(status.code(), Some(1));
    let told = "PostgreSQL ended by itself; its log is ";
    assert!(
        errors.contains(told) && errors.contains("postgres/postgres.log"),
        "{errors}"
    );
}

/// Returns the mails of the mailbox, newest first.
async fn mails(up: &Up) -> Value {
    get(&format!("{}/portal/mails", up.portal_url)).await
}

/// Kills the private PostgreSQL and waits for the end of `innkeeper up`.
async fn postgres_dies(up: Up) -> (ExitStatus, String) {
    let lock = fs::read_to_string(up.data.join("postgres/data/postmaster.pid")).unwrap();
    let pid = Pid::from_raw(lock.lines().next().unwrap().parse().unwrap());
    kill_process(pid.unwrap(), Signal::QUIT).unwrap();
    up.process.ended().await
}

#[tokio::test]
async fn programs_find_addresses_and_tokens_in_a_private_file() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let up = Up::on(&database, &folder.path().join("inn")).await;
    let document = up.document();
    let mode = |name: &str| {
        let file = fs::metadata(up.data.join(name)).unwrap();
        file.permissions().mode() & 0o777
    };
    for name in ["up.json", ".env", "innkeeper.log", "up.lock"] {
        assert_eq!(mode(name), 0o600, "{name}");
    }
    assert_eq!(document["auth_url"], up.url);
    assert_eq!(document["database_url"], database.url());
    // A named database is used, and no private one is created.
    assert!(!up.data.join("postgres").exists());

    let users = |token: &str| {
        let request = reqwest::Client::new().get(format!("{}/admin/users", up.url));
        request.bearer_auth(token.to_owned()).send()
    };
    let service = document["service_role_token"].as_str().unwrap();
    assert_eq!(users(service).await.unwrap().status(), 200);
    let anon = document["anon_token"].as_str().unwrap();
    assert_eq!(users(anon).await.unwrap().status(), 403);
    up.process.stop().await;
}

#[tokio::test]
async fn the_banner_fits_and_its_commands_work_as_printed() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let data = folder.path().join("inn");
    let mut command = innkeeper(&["up", "--no-machines"]);
    command
        .args(FREE_PORTS)
        .arg("--data-dir")
        .arg(&data)
        .env("DATABASE_URL", database.url());
    let mut process = Process::start(&mut command);
    let mut banner = vec![process.line().await];
    while !banner.last().unwrap().starts_with("Press Ctrl-C") {
        banner.push(process.line().await);
    }
    let path = data.to_str().unwrap();
    for line in banner.iter().filter(|line| !line.contains(path)) {
        assert!(line.chars().count() <= 80, "{line}");
        assert!(!line.contains('\u{1b}'), "{line}");
    }
    let banner = banner.join("\n");
    let commands: Vec<&str> = banner
        .split("\n\n")
        .filter(|block| block.trim_start().starts_with("curl "))
        .collect();
    let [sign_up, verify, read] = commands[..] else {
        panic!("{banner}");
    };
    let shell = async |script: &str| {
        let mut sh = program(Path::new("/bin/sh"), &["-c", script]);
        answer(&mut sh).await
    };
    let user = shell(sign_up).await;
    assert!(user.contains("\"email\":\"ada@example.com\""), "{user}");

    let mut mail = vec![process.line().await];
    while !mail
        .last()
        .unwrap()
        .starts_with("  link  http://127.0.0.1:")
    {
        mail.push(process.line().await);
    }
    let head = mail
        .iter()
        .position(|line| line.starts_with("Mail to ada@example.com: "));
    let code = mail[head.unwrap() + 1].strip_prefix("  code  ").unwrap();
    let session = shell(&verify.replace("CODE", code)).await;
    assert!(session.contains("\"access_token\":"), "{session}");
    let shown = shell(read).await;
    assert!(shown.contains("/kb/vps/first-steps"), "{shown}");
    assert!(shown.contains("\"indicator\":"), "{shown}");
    process.stop().await;
}

#[tokio::test]
async fn two_run_side_by_side_and_one_begins_anew() {
    let folder = folder();
    let (first, second) = (folder.path().join("first"), folder.path().join("second"));
    let (mut one, other) = tokio::join!(Up::start(&first), Up::start(&second));
    sign_up(&one, "ada@example.com").await;
    confirm(&mut one, "ada@example.com").await;
    assert_eq!(one.sign_in("ada@example.com", PASSWORD).await, 200);
    assert_eq!(other.sign_in("ada@example.com", PASSWORD).await, 400);

    for more in [&[][..], &["--fresh"]] {
        let refused = complaint(Up::command(&first).args(more)).await;
        assert!(
            refused.contains("another `innkeeper up` runs there"),
            "{refused}"
        );
        assert!(
            refused.contains(&one.document()["pid"].to_string()),
            "{refused}"
        );
    }
    assert_eq!(one.sign_in("ada@example.com", PASSWORD).await, 200);
    other.process.stop().await;

    let before = settings(&first);
    fs::write(first.join("content/kb/mine.md"), "---\ntitle: Mine\n---\n").unwrap();
    one.process.kill().await;
    // Nobody can be asked, and a setting is wrong: nothing is moved.
    let said = complaint(Up::command(&first).arg("--fresh")).await;
    assert!(said.contains("to agree, pass --yes"), "{said}");
    fs::write(
        first.join(".env"),
        format!("{before}AUTH_URI_ALLOW_LIST=[\n"),
    )
    .unwrap();
    let said = complaint(Up::command(&first).args(["--fresh", "--yes"])).await;
    assert!(said.contains("URI_ALLOW_LIST"), "{said}");
    assert_eq!(backups(&first), [""; 0]);
    fs::write(first.join(".env"), &before).unwrap();

    let fresh = Up::from(Up::command(&first).args(["--fresh", "--yes"]), &first).await;
    assert_eq!(fresh.sign_in("ada@example.com", PASSWORD).await, 400);
    assert_eq!(mails(&fresh).await, json!([]));
    // Settings, with the ports, and content stay.
    assert_eq!(settings(&first), before);
    assert!(titles(&fresh).await.contains(&"Mine".to_owned()));
    fresh.process.stop().await;

    // The backup can be moved back.
    let [backup] = &backups(&first)[..] else {
        panic!("{:?}", backups(&first));
    };
    let backup = first.join(backup);
    assert_eq!(
        fs::metadata(&backup).unwrap().permissions().mode() & 0o777,
        0o700
    );
    fs::remove_dir_all(first.join("postgres")).unwrap();
    fs::rename(backup.join("postgres"), first.join("postgres")).unwrap();
    assert_eq!(fs::read_to_string(backup.join(".env")).unwrap(), before);
    let again = Up::start(&first).await;
    assert_eq!(again.sign_in("ada@example.com", PASSWORD).await, 200);
    again.process.stop().await;
}

/// Returns the names of the backups in a data folder.
fn backups(data: &Path) -> Vec<String> {
    let entries = fs::read_dir(data).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with("backup-")).collect()
}

#[tokio::test]
async fn a_new_start_is_made_only_after_a_yes() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let data = folder.path().join("inn");
    Up::on(&database, &data).await.process.stop().await;
    // The third is Ctrl-C.
    for (answer, is_success, is_fresh) in [
        ("n\n", false, false),
        ("\n", false, false),
        ("\u{3}", true, false),
        ("yes\n", true, true),
    ] {
        // `script` gives the program a terminal.
        let up = format!(
            "exec {} up --fresh --no-machines --data-dir {} {}",
            env!("CARGO_BIN_EXE_innkeeper"),
            data.display(),
            FREE_PORTS.join(" ")
        );
        let mut command = program(Path::new("script"), &["-qec", &up, "/dev/null"]);
        command
            .env("DATABASE_URL", database.url())
            .stdin(Stdio::piped());
        let mut process = Process::start(&mut command);
        let mut input = process.take_input();
        // The last line of the question has no end.
        let mut said = String::new();
        while !said.contains("and your database stay.") {
            said.push_str(&process.line().await);
        }
        input.write_all(answer.as_bytes()).await.unwrap();
        if is_fresh {
            while !process.line().await.contains("Innkeeper is up.") {}
            input.write_all(&[3]).await.unwrap();
        }
        let (status, _) = process.ended().await;
        assert_eq!(status.success(), is_success, "{answer:?}");
        assert_eq!(backups(&data).len(), usize::from(is_fresh), "{answer:?}");
    }
}

#[tokio::test]
async fn a_folder_that_cannot_be_used_is_described_in_words() {
    let folder = folder();
    let file = folder.path().join("file");
    fs::write(&file, "mine").unwrap();
    let shown = file.display();
    for data in [file.clone(), file.join("inn")] {
        assert_eq!(
            complaint(&mut Up::command(&data)).await,
            format!(
                "innkeeper: {shown} is a file and not a folder; choose another folder with --data-dir\n"
            )
        );
    }
    if !is_root() {
        return;
    }
    // Root may write everywhere, so another user tries.
    let copy = folder.path().join("innkeeper");
    fs::copy(env!("CARGO_BIN_EXE_innkeeper"), &copy).unwrap();
    let data = folder.path().join("inn");
    let mut command = program(&copy, &["up", "--data-dir"]);
    let said = complaint(command.arg(&data).uid(65534).gid(65534)).await;
    assert_eq!(
        said,
        format!(
            "innkeeper: this user may not write to {}; choose another folder with --data-dir\n",
            folder.path().display()
        )
    );
}

#[tokio::test]
async fn a_start_that_was_killed_at_any_moment_is_finished_by_the_next() {
    let folder = folder();
    let data = folder.path().join("inn");
    // Killed during initdb, the start of the server, and the migration.
    for sign in [
        "postgres/data.new",
        "postgres/data/postmaster.pid",
        "up.json",
    ] {
        let process = Process::start(&mut Up::command(&data));
        eventually(sign, async || data.join(sign).exists()).await;
        process.kill().await;
    }
    // Killed while the content was written.
    let (content, unfinished) = (data.join("content"), data.join("content.new"));
    fs::rename(&content, &unfinished).unwrap();
    fs::write(unfinished.join("plans.toml"), "").unwrap();
    let up = Up::start(&data).await;
    let plans = fs::read_to_string(content.join("plans.toml")).unwrap();
    assert!(!plans.is_empty(), "half a file is not believed");
    assert!(!unfinished.exists());
    sign_up(&up, "ada@example.com").await;
    up.process.stop().await;
}

#[tokio::test]
async fn a_port_in_use_is_named_and_nothing_is_started() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let folder = folder();
    let data = folder.path().join("inn");
    for (flag, part) in [
        ("--auth-port", "the auth server"),
        ("--hosting-port", "the hosting server"),
        ("--portal-port", "the portal"),
        ("--mail-port", "the mailbox"),
    ] {
        let mut command = innkeeper(&["up"]);
        for known in [
            "--auth-port",
            "--hosting-port",
            "--portal-port",
            "--mail-port",
        ] {
            command.args([known, if known == flag { &port } else { "0" }]);
        }
        let said = complaint(command.arg("--data-dir").arg(&data)).await;
        assert_eq!(
            said,
            format!(
                "innkeeper: {part}: port {port} is in use by another program; to change the port, pass {flag}\n"
            )
        );
    }
    let mut command = innkeeper(&["up", "--auth-port", &port, "--hosting-port", "0"]);
    command.args(["--portal-port", &port, "--mail-port", &port]);
    let said = complaint(command.arg("--data-dir").arg(&data)).await;
    let line = |part: &str, flag: &str| {
        format!(
            "  {part}: port {port} is in use by another program; to change the port, pass {flag}\n"
        )
    };
    assert_eq!(
        said,
        format!(
            "innkeeper: 3 ports cannot be used:\n{}{}{}",
            line("the auth server", "--auth-port"),
            line("the portal", "--portal-port"),
            line("the mailbox", "--mail-port")
        )
    );
    drop(taken);
    let mut command = innkeeper(&["up", "--auth-port", &port, "--hosting-port", "0"]);
    command.args(["--portal-port", "0", "--mail-port", &port]);
    let said = complaint(command.arg("--data-dir").arg(&data)).await;
    assert_eq!(
        said,
        format!(
            "innkeeper: the mailbox: port {port} is also that of the auth server; to change the port, pass \
             --mail-port\n"
        )
    );
    assert!(!data.join("postgres").exists());
    // A port that was in use is not saved for the next start.
    assert!(!data.join(".env").exists());
}

#[tokio::test]
async fn settings_can_be_changed_and_all_faults_are_told_before_anything_starts() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let data = folder.path().join("inn");
    let up = Up::on(&database, &data).await;
    up.process.stop().await;
    let good = settings(&data);
    fs::write(
        data.join(".env"),
        good.clone() + "AUTH_SITE_URL=:\nAUTH_JWT_EXP=soon\n",
    )
    .unwrap();

    let said = complaint(&mut Up::command(&data)).await;
    assert!(
        said.starts_with("innkeeper: 2 settings are wrong:\n"),
        "{said}"
    );
    for part in [
        "AUTH_SITE_URL: ",
        "AUTH_JWT_EXP: ",
        "inn/.env and the environment",
    ] {
        assert!(said.contains(part), "{said}");
    }
    assert!(!is_used(&data));
    let mut command = innkeeper(&["up", "--data-dir"]);
    let said = complaint(command.arg(&data).env("PORTAL_PORT", "many")).await;
    assert!(said.contains("PORTAL_PORT: "), "{said}");

    fs::write(data.join(".env"), good + "AUTH_DISABLE_SIGNUP=true\n").unwrap();
    let up = Up::on(&database, &data).await;
    let body = json!({ "email": "ada@example.com", "password": PASSWORD });
    assert_eq!(up.post("/signup", body).await.0, 422);
    up.process.stop().await;
}

#[tokio::test]
async fn a_bare_port_a_database_that_is_away_and_a_strange_folder_are_refused() {
    let folder = folder();
    let mut command = innkeeper(&["up", "--data-dir"]);
    let said = complaint(command.arg(folder.path().join("inn")).env("PORT", "80")).await;
    assert!(said.contains("PORT is set"), "{said}");

    let mut command = Up::command(&folder.path().join("inn"));
    command.env("DATABASE_URL", "postgres://ada:hunter2@127.0.0.1:1/x");
    let said = complaint(&mut command).await;
    assert!(said.starts_with("innkeeper: the database: "), "{said}");
    assert!(!said.contains("hunter2"), "{said}");

    let other = folder.path().join("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join(".env"), "MINE=1\n").unwrap();
    let said = complaint(Up::command(&other).arg("--fresh")).await;
    assert!(said.contains("is not empty"), "{said}");
    assert_eq!(settings(&other), "MINE=1\n");
}

#[tokio::test]
async fn data_of_another_postgresql_is_refused_and_kept() {
    let folder = folder();
    let data = folder.path().join("inn");
    Up::start(&data).await.process.stop().await;
    let version = data.join("postgres/data/PG_VERSION");
    let ours = fs::read_to_string(&version).unwrap();
    if is_root() {
        let owner = fs::metadata(&version).unwrap().uid();
        assert_ne!(owner, 0, "PostgreSQL does not run as root");
    }
    fs::write(&version, "9.6\n").unwrap();
    let said = complaint(&mut Up::command(&data)).await;
    assert!(said.contains("9.6") && said.contains(ours.trim()), "{said}");
    fs::write(&version, ours).unwrap();
    Up::start(&data).await.process.stop().await;
}

#[tokio::test]
async fn ctrl_c_during_the_first_start_leaves_nothing_running() {
    let folder = folder();
    let data = folder.path().join("inn");
    let process = Process::start(&mut Up::command(&data));
    eventually("the data is created", async || {
        data.join("postgres/data.new").exists()
    })
    .await;
    process.signal(Signal::INT);
    let (status, errors) = process.ended().await;
    assert_eq!(status.code(), Some(0), "{errors}");
    eventually("everything has ended", async || !is_used(&data)).await;
}

/// Whether this is root; other users skip these tests.
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[tokio::test]
async fn root_keeps_the_database_elsewhere_when_postgresql_cannot_enter_the_folder() {
    if !is_root() {
        return;
    }
    let folder = folder();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).unwrap();
    let data = folder.path().join("inn");
    let up = Up::start(&data).await;
    let link = data.join("postgres");
    let first = fs::read_link(&link).unwrap();
    assert!(first.starts_with("/var/lib/innkeeper"), "{first:?}");
    sign_up(&up, "ada@example.com").await;
    let (_, errors) = {
        up.process.signal(Signal::TERM);
        up.process.ended().await
    };
    assert!(errors.contains("cannot enter"), "{errors}");

    let up = Up::from(Up::command(&data).args(["--fresh", "--yes"]), &data).await;
    let second = fs::read_link(&link).unwrap();
    // The backup leads to the old data.
    let [backup] = &backups(&data)[..] else {
        panic!("{:?}", backups(&data));
    };
    let kept = fs::read_link(data.join(backup).join("postgres")).unwrap();
    assert!(kept == first && second != first);
    up.process.stop().await;
    fs::remove_dir_all(first).unwrap();

    fs::remove_dir_all(&second).unwrap();
    let said = complaint(&mut Up::command(&data)).await;
    assert!(said.contains("the database is gone"), "{said}");
    // Only removed if it is empty.
    let _ = fs::remove_dir("/var/lib/innkeeper");
}

#[tokio::test]
async fn a_normal_user_needs_no_help() {
    if !is_root() {
        // In that case all other tests cover this.
        return;
    }
    let nobody = 65534;
    let folder = folder();
    chown(folder.path(), Some(nobody), Some(nobody)).unwrap();
    // The other user may not be able to enter the build folder.
    let copy = folder.path().join("innkeeper");
    fs::copy(env!("CARGO_BIN_EXE_innkeeper"), &copy).unwrap();
    let data = folder.path().join("inn");
    let mut command = program(&copy, &["up", "--json", "--no-machines"]);
    command.args(FREE_PORTS);
    command.arg("--data-dir").arg(&data).uid(nobody).gid(nobody);
    let up = Up::from(&mut command, &data).await;
    sign_up(&up, "ada@example.com").await;
    up.process.stop().await;
    // Root can continue with that user's data, and the user with root's.
    Up::start(&data).await.process.stop().await;
    Up::from(&mut command, &data).await.process.stop().await;
}

#[tokio::test]
async fn the_private_settings_work_for_the_server_alone() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let up = Up::on(&database, &folder.path().join("inn")).await;
    let shown = answer(&mut up.auth(&["settings"])).await;
    assert!(shown.starts_with("profile "), "{shown}");
    let mut lines = shown.lines();
    let value = lines.find_map(|line| line.strip_prefix("AUTH_JWT_SECRET "));
    assert_eq!(value.unwrap().trim(), "(set, not shown)", "{shown}");
    let secret = settings(&up.data);
    let secret = secret
        .lines()
        .find_map(|line| line.strip_prefix("AUTH_JWT_SECRET="));
    assert!(!shown.contains(secret.unwrap()), "{shown}");
    up.process.stop().await;
    let output = run(&mut innkeeper(&[
        "auth",
        "settings",
        "--data-dir",
        folder.path().to_str().unwrap(),
    ]))
    .await;
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("no `innkeeper up` runs in"));
}

async fn get(url: &str) -> Value {
    let answer = reqwest::get(url).await.unwrap();
    assert_eq!(answer.status(), 200, "{url}");
    answer.json().await.unwrap()
}

async fn titles(up: &Up) -> Vec<String> {
    let list = get(&format!("{}/kb/list?limit=100", up.hosting_url)).await;
    let items = list["items"].as_array().unwrap().iter();
    let titles = items.map(|item| item["title"].as_str().unwrap().to_owned());
    titles.collect()
}

#[tokio::test]
async fn the_hosting_server_runs_with_demo_content_that_can_be_changed() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let data = folder.path().join("inn");
    let mut command = Up::command(&data);
    // Looking for the new article must not reach a rate limit.
    command
        .env("DATABASE_URL", database.url())
        .env("HOSTING_RATE_LIMIT_CONTENT", "1000000");
    let up = Up::from(&mut command, &data).await;
    assert_eq!(up.document()["hosting_url"], up.hosting_url);
    assert!(up.hosting_url.ends_with("/v1"));
    let root = up.hosting_url.strip_suffix("/v1").unwrap();
    let health = get(&format!("{root}/health?deep=1")).await;
    assert_eq!(
        health["parts"],
        json!({ "content": "ok", "database": "ok" })
    );

    let article = up.data.join("content/kb/new.md");
    fs::write(&article, "---\ntitle: Brand new\n---\nHello\n").unwrap();
    eventually("the new article is shown", async || {
        titles(&up).await.contains(&"Brand new".to_owned())
    })
    .await;
    let mut operator = innkeeper(&["hosting", "incident", "open", "Slow disks", "-i", "minor"]);
    answer(operator.arg("--data-dir").arg(&up.data)).await;
    let feedback = json!({ "path": "/kb/new", "helpful": true });
    let request = reqwest::Client::new().post(format!("{}/kb/feedback", up.hosting_url));
    assert_eq!(request.json(&feedback).send().await.unwrap().status(), 202);

    // Deletions and changes survive a restart.
    fs::remove_file(up.data.join("content/blog/turku-is-open.md")).unwrap();
    up.process.stop().await;
    let up = Up::on(&database, &folder.path().join("inn")).await;
    assert!(!up.data.join("content/blog/turku-is-open.md").exists());
    assert!(titles(&up).await.contains(&"Brand new".to_owned()));
    up.process.stop().await;
}
