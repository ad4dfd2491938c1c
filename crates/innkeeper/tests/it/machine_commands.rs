//! The operator's commands for machines and game profiles, as processes.

use std::fs;
use std::path::Path;

use innkeeper_hosting::demo;
use innkeeper_service::testing::TestDatabase;
use serde_json::{Value, json};
use tokio::process::Command;

use crate::machines::MachinesGuard;
use crate::support::{Process, answer, complaint, folder, innkeeper, run, text};

/// A profile of a game that is never started.
const PROFILE: &str = "name = \"blocks\"\nversion = \"1.21\"\nimage = \"registry.example/blocks:1.21\"\n\
                       data_path = \"/data\"\nports = [\"25565/tcp\"]\nstop = { command = \"stop\" }\n";

fn hosting(arguments: &[&str], database: &TestDatabase) -> Command {
    let mut command = innkeeper(&["hosting"]);
    command
        .args(arguments)
        .env("DATABASE_URL", database.url())
        .env("HOSTING_GAME_PORTS", "30000-30001");
    command
}

/// Runs a command whose arguments are separated by spaces, and returns what it prints.
async fn asked(line: &str, database: &TestDatabase) -> String {
    let arguments: Vec<&str> = line.split(' ').collect();
    answer(&mut hosting(&arguments, database)).await
}

async fn listed(line: &str, database: &TestDatabase) -> Value {
    serde_json::from_str(&asked(line, database).await).unwrap()
}

/// Runs a command that fails, and returns what it says.
async fn refused(line: &str, database: &TestDatabase) -> String {
    let arguments: Vec<&str> = line.split(' ').collect();
    complaint(&mut hosting(&arguments, database)).await
}

/// Writes a profile into a file, and returns the command that saves it.
fn set_profile(folder: &Path, text: &str) -> String {
    let file = folder.join("blocks.toml");
    fs::write(&file, text).unwrap();
    format!("profile set {}", file.display())
}

#[tokio::test]
async fn profiles_are_set_listed_and_removed() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let set = set_profile(folder.path(), PROFILE);
    assert_eq!(asked(&set, &database).await, "blocks\n");
    let table = asked("profile list", &database).await;
    assert_eq!(
        table,
        "NAME    VERSION     IMAGE\nblocks  1.21        registry.example/blocks:1.21\n"
    );
    let profiles = listed("profile list --json", &database).await;
    assert_eq!(profiles[0]["dataPath"], "/data");
    assert_eq!(profiles[0]["readOnlyRoot"], true);

    let wrong = PROFILE.replace("25565/tcp", "25565/sctp");
    let set = set_profile(folder.path(), &wrong);
    let said = refused(&set, &database).await;
    assert!(said.contains("blocks.toml:5"), "the line is named: {said}");
    let unchanged = listed("profile list --json", &database).await;
    assert_eq!(unchanged, profiles);

    let removed = asked("profile remove blocks", &database).await;
    assert_eq!(removed, "Profile blocks is removed.\n");
    let said = refused("profile remove blocks", &database).await;
    assert!(said.contains("blocks"), "{said}");
}

#[tokio::test]
async fn game_servers_are_added_with_their_ports_and_listed_by_customer() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    for customer in ["north", "south"] {
        asked(&format!("customer add X --id {customer}"), &database).await;
    }
    let set = set_profile(folder.path(), PROFILE);
    asked(&set, &database).await;
    let size = "--profile blocks --memory 512M --disk 1G";
    let add = format!("game add --customer north --id Old.Id~7_a {size}");
    assert_eq!(asked(&add, &database).await, "Old.Id~7_a\n");
    let add = format!("game add --customer south {size} --port 31000:25565/tcp --json");
    let south = listed(&add, &database).await;
    let port = json!({"port": 31000, "machinePort": 25565, "protocol": "tcp"});
    assert_eq!(south["ports"], json!([port]));

    let table = asked("game list --customer north", &database).await;
    let row = "Old.Id~7_a  north     stopped     30000:25565/tcp  Old.Id~7_a\n";
    assert!(table.starts_with("ID          CUSTOMER"), "{table}");
    assert!(table.ends_with(row), "{table}");
    assert_eq!(table.lines().count(), 2, "{table}");
    let all = listed("game list --json", &database).await;
    assert_eq!(all.as_array().map(Vec::len), Some(2));
    assert_eq!(asked("vps list", &database).await.lines().count(), 1);

    for (line, reason) in [
        (format!("game add --customer nobody {size}"), "nobody"),
        (
            format!("game add --customer north --id Old.Id~7_a {size}"),
            "Old.Id~7_a",
        ),
        (
            format!("game add --customer north {size} --port 31000:25565/tcp"),
            "31000",
        ),
        ("game show missing".to_owned(), "missing"),
        // It is a game server.
        ("vps show Old.Id~7_a".to_owned(), "Old.Id~7_a"),
        ("profile remove blocks".to_owned(), "blocks"),
    ] {
        let said = refused(&line, &database).await;
        assert!(said.starts_with("innkeeper: "), "{said}");
        assert!(said.contains(reason), "{line}: {said}");
    }
}

#[tokio::test]
async fn an_operator_controls_a_virtual_private_server() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let machines = folder.path().join("m");
    let _guard = MachinesGuard::new(&machines).await;
    fs::create_dir_all(machines.join("images")).unwrap();
    demo::write_demo_image(&machines.join("images")).unwrap();
    asked("customer add North --id north", &database).await;
    let mut serve = hosting(&["serve"], &database);
    serve
        .env("HOSTING_MACHINES_DIR", &machines)
        .env("HOSTING_CONTAINER_SOCKET", "/nowhere/podman.sock")
        .env("HOSTING_VPS_ACCEL", "tcg")
        .env("HOSTING_HOST", "127.0.0.1")
        .env("HOSTING_PORT", "0");
    let server = Process::start(&mut serve);
    let image = demo::DEMO_IMAGE;
    let add = format!(
        "vps add --customer north --id web-1 --image {image} --disk 16M --memory 32M --network none"
    );
    asked(&add, &database).await;
    for (line, state) in [
        ("vps start web-1 --wait 60", "running"),
        ("vps reset web-1 --wait 60", "running"),
        ("vps stop web-1 --wait 60", "stopped"),
        ("vps start web-1 --wait 60", "running"),
        ("vps kill web-1 --wait 60", "stopped"),
        ("vps start web-1 --wait 60", "running"),
        ("vps suspend web-1 --wait 60", "suspended"),
    ] {
        let said = asked(line, &database).await;
        let expected = format!("vps web-1 is {state}. Action act_");
        assert!(said.starts_with(&expected), "{line}: {said}");
        assert!(said.ends_with(": done.\n"), "{line}: {said}");
    }
    let said = refused("vps start web-1", &database).await;
    assert!(said.contains("suspended"), "{said}");
    let said = asked("vps unsuspend web-1", &database).await;
    assert_eq!(said, "vps web-1 is not suspended any more.\n");
    let unconfirmed = run(&mut hosting(&["vps", "remove", "web-1"], &database)).await;
    assert_eq!(unconfirmed.status.code(), Some(2));
    assert!(text(&unconfirmed.stderr).contains("--yes"));
    let said = asked("vps remove web-1 --yes --wait 60", &database).await;
    assert!(said.starts_with("vps web-1 is removed."), "{said}");
    assert_eq!(listed("vps list --json", &database).await, json!([]));
    server.stop().await;
}
