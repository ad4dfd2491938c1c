//! How operators add machines and profiles.

use std::net::IpAddr;

use innkeeper_hosting::OperateError;
use innkeeper_hosting::machine::{
    NewServer, NewVps, OperatorRecord, add_game, add_vps, list_machines, list_profiles,
    remove_profile, set_profile, show_machine,
};
use innkeeper_hosting::model::{MachineKind, VpsNetwork};
use serde_json::{Value, json};

use super::bench::{Bench, PROFILE, new_game};

fn vps(bench: &Bench, change: impl FnOnce(&mut NewVps)) -> NewVps {
    let mut new = NewVps {
        server: NewServer {
            customer: bench.customer.id.clone(),
            ..NewServer::default()
        },
        image: "/srv/debian.qcow2".to_owned(),
        disk: "20G".parse().unwrap(),
        memory: "2G".parse().unwrap(),
        cpus: 2,
        network: VpsNetwork::User,
    };
    change(&mut new);
    new
}

async fn add(
    bench: &Bench,
    change: impl FnOnce(&mut NewVps),
) -> Result<OperatorRecord, OperateError> {
    let (config, clock) = (bench.site().config(), &bench.site().clock);
    add_vps(&config, clock, vps(bench, change)).await
}

#[tokio::test]
async fn a_vps_gets_an_id_or_keeps_the_one_that_it_has() {
    let bench = Bench::start().await;
    let first = add(&bench, |_| {}).await.unwrap();
    assert!(
        first.id.starts_with("vps_") && first.id.len() == 30,
        "{}",
        first.id
    );
    assert_eq!(first.name, first.id);
    let own = add(&bench, |new| {
        new.server.id = Some("4711.~old-Name".to_owned());
        new.server.addresses = vec!["192.0.2.7".parse::<IpAddr>().unwrap()];
        new.server.ports = vec!["2222:22/tcp".parse().unwrap(), "53:53/udp".parse().unwrap()];
    });
    let own = own.await.unwrap();
    assert_eq!(
        (own.id.as_str(), own.state.word()),
        ("4711.~old-Name", "stopped")
    );
    assert_ne!(own.machine_id.to_string(), own.id);
    let shown = json!(
        show_machine(&bench.site().config(), MachineKind::Vps, &own.id)
            .await
            .unwrap()
    );
    assert_eq!(shown["customer"], bench.customer.id);
    assert_eq!(shown["ipv4"], json!(["192.0.2.7"]));
    assert_eq!(shown["ports"].as_array().unwrap().len(), 2, "{shown}");
    assert_eq!(shown["type"], "vps");
    let listed = list_machines(&bench.site().config(), MachineKind::Vps, None)
        .await
        .unwrap();
    assert_eq!(listed.len(), 2);
    let nobody = list_machines(&bench.site().config(), MachineKind::Vps, Some("cus_x")).await;
    assert!(nobody.unwrap().is_empty());
    // The customer sees it under that id.
    let path = "/v1/hosting/cloud/vps-custom/4711.~old-Name";
    assert_eq!(bench.get(path).await.json()["id"], "4711.~old-Name");
    // The audit log tells of it.
    let row = "select count(*) from audit_log where event = 'machine.add' and actor = 'operator'";
    assert_eq!(
        bench
            .sql
            .query_one(row, &[])
            .await
            .unwrap()
            .get::<_, i64>(0),
        2
    );
}

type Change = fn(&mut NewVps);

/// Changes that make a server impossible to add, with a part of the reason.
const REFUSED: &[(Change, &str)] = &[
    (
        |new| new.server.id = Some("taken".to_owned()),
        "vps taken exists already",
    ),
    (
        |new| new.server.id = Some("-x".to_owned()),
        "\"-x\" is not an id",
    ),
    (
        |new| new.server.id = Some("a/b".to_owned()),
        "\"a/b\" is not an id",
    ),
    (|new| new.server.id = Some("x".repeat(65)), "is not an id"),
    (
        |new| "cus_nobody".clone_into(&mut new.server.customer),
        "customer cus_nobody does not exist",
    ),
    (
        |new| new.server.name = Some("a\nb".to_owned()),
        "the name must be one line",
    ),
    (
        |new| new.server.plan = Some(String::new()),
        "the plan must be one line",
    ),
    (
        |new| new.server.stop_seconds = Some(601),
        "stop-seconds: expected 0 to 600",
    ),
    (|new| new.cpus = 0, "cpus: expected 1 to 256"),
    (
        |new| new.memory = "0".parse().unwrap(),
        "memory: expected a whole number",
    ),
    (
        |new| new.memory = "1500K".parse().unwrap(),
        "memory: expected a whole number",
    ),
    (
        |new| new.disk = "1K".parse().unwrap(),
        "disk in bytes: expected",
    ),
    (
        |new| new.image = String::new(),
        "the image must be one line",
    ),
    (
        |new| new.network = VpsNetwork::Tap("../x".to_owned()),
        "is not the name of a bridge",
    ),
    (
        |new| {
            new.network = VpsNetwork::None;
            new.server.ports = vec!["1:1".parse().unwrap()];
        },
        "only the network `user` forwards ports",
    ),
    (
        |new| new.server.ports = vec!["9:1".parse().unwrap(), "9:2/tcp".parse().unwrap()],
        "port 9/tcp is named twice",
    ),
    (
        |new| new.server.ports = vec!["2222:80".parse().unwrap()],
        "port 2222/tcp of the host belongs to another machine",
    ),
];

#[tokio::test]
async fn what_cannot_be_added_is_refused_with_a_reason() {
    let bench = Bench::start().await;
    add(&bench, |new| new.server.id = Some("taken".to_owned()))
        .await
        .unwrap();
    add(&bench, |new| {
        new.server.ports = vec!["2222:22".parse().unwrap()];
    })
    .await
    .unwrap();
    let refused = async |change: fn(&mut NewVps)| {
        let before = list_machines(&bench.site().config(), MachineKind::Vps, None)
            .await
            .unwrap();
        let error = add(&bench, change).await.unwrap_err();
        let after = list_machines(&bench.site().config(), MachineKind::Vps, None)
            .await
            .unwrap();
        assert_eq!(before.len(), after.len());
        error.to_string()
    };
    for (change, reason) in REFUSED {
        let said = refused(*change).await;
        assert!(said.contains(reason), "{reason}: {said}");
    }
    // The other protocol is another port.
    add(&bench, |new| {
        new.server.ports = vec!["2222:22/udp".parse().unwrap()];
    })
    .await
    .unwrap();
}

#[tokio::test]
async fn game_servers_get_ports_of_the_pool_until_it_is_empty() {
    let bench = Bench::start_with(|config| {
        config.game.ports = Some("30000-30002".parse().unwrap());
    });
    let bench = bench.await;
    let (config, clock) = (bench.site().config(), &bench.site().clock);
    let both = PROFILE.replace("[\"25565/tcp\"]", "[\"25565/tcp\", \"25565/udp\"]");
    set_profile(&config, clock, &both).await.unwrap();
    add(&bench, |new| {
        new.server.ports = vec!["30001:22/udp".parse().unwrap()];
    })
    .await
    .unwrap();
    let ports = async |id: &str| {
        let added = add_game(&config, clock, new_game(&bench.customer, id)).await;
        added.map(|machine| {
            let ports = machine.ports.iter().map(ToString::to_string);
            ports.collect::<Vec<_>>()
        })
    };
    assert_eq!(
        ports("a").await.unwrap(),
        ["30000:25565/tcp", "30000:25565/udp"]
    );
    assert_eq!(
        ports("b").await.unwrap(),
        ["30002:25565/tcp", "30002:25565/udp"]
    );
    let full = ports("c").await.unwrap_err().to_string();
    assert_eq!(
        full,
        "GAME_PORTS 30000-30002 has too few ports that are free"
    );
    let mut named = new_game(&bench.customer, "d");
    named.server.ports = vec!["25565:25565/tcp".parse().unwrap()];
    add_game(&config, clock, named).await.unwrap();
    let mut unknown = new_game(&bench.customer, "e");
    unknown.profile = "nothing".to_owned();
    let said = add_game(&config, clock, unknown)
        .await
        .unwrap_err()
        .to_string();
    assert!(said.contains("profile nothing"), "{said}");
    let mut config = config.clone();
    config.game.ports = None;
    let said = add_game(&config, clock, new_game(&bench.customer, "f")).await;
    assert!(said.unwrap_err().to_string().contains("--port"));
}

#[tokio::test]
async fn many_servers_are_added_at_once_without_sharing_a_port() {
    let bench = Bench::start().await;
    let config = bench.site().config();
    let added = (0..8).map(|number| {
        let (config, clock) = (config.clone(), bench.site().clock.clone());
        let new = new_game(&bench.customer, &format!("mc-{number}"));
        tokio::spawn(async move { add_game(&config, &clock, new).await })
    });
    let added: Vec<_> = added.collect();
    let mut ports = Vec::new();
    for added in added {
        ports.push(added.await.unwrap().unwrap().ports[0].to_string());
    }
    ports.sort();
    ports.dedup();
    assert_eq!(ports.len(), 8, "{ports:?}");
}

#[tokio::test]
async fn profiles_are_replaced_listed_and_removed_when_nobody_uses_them() {
    let bench = Bench::start().await;
    let (config, clock) = (bench.site().config(), &bench.site().clock);
    let newer = PROFILE.replace("1.2", "1.3");
    set_profile(&config, clock, &newer).await.unwrap();
    let profiles = list_profiles(&config).await.unwrap();
    assert_eq!(profiles.len(), 1);
    assert_eq!(profiles[0].version.as_deref(), Some("1.3"));
    bench.game("mc").await;
    let shown: Value = bench.get("/v1/hosting/game/mc").await.json();
    assert_eq!(shown["version"], "1.3");
    let used = remove_profile(&config, "demo")
        .await
        .unwrap_err()
        .to_string();
    assert!(used.contains("game servers use the profile demo"), "{used}");
    let other = PROFILE.replace("\"demo\"", "\"other\"");
    set_profile(&config, clock, &other).await.unwrap();
    remove_profile(&config, "other").await.unwrap();
    assert!(remove_profile(&config, "other").await.is_err());
    let faults = set_profile(&config, clock, "name = \"x\"\n")
        .await
        .unwrap_err()
        .to_string();
    assert!(faults.lines().count() >= 3, "{faults}");
}
