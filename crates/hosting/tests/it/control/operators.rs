//! What operators do with customers and keys.

use innkeeper_hosting::config::Config;
use innkeeper_hosting::model::{Customer, PublicId, Scope};
use innkeeper_hosting::{
    NewApiKey, add_customer, create_key, list_customers, list_keys, remove_customer, revoke_key,
    rotate_key, show_key,
};
use innkeeper_service::clock::Clock;
use jiff::SignedDuration;
use serde_json::{Value, json};

use super::{Control, assert_refused};
use crate::support::eventually;

fn parts(control: &Control) -> (Config, &Clock) {
    (control.site.config(), &control.site.clock)
}

fn new_key(customer: &Customer) -> NewApiKey {
    NewApiKey {
        customer_id: customer.id.clone(),
        name: "CI".to_owned(),
        scopes: vec![Scope::VpsRead],
        machines: Vec::new(),
        networks: Vec::new(),
        expires_at: None,
    }
}

#[tokio::test]
async fn customers_are_added_listed_and_removed() {
    let control = Control::start().await;
    let (config, clock) = parts(&control);
    let north = add_customer(&config, clock, "  North Ltd ", None)
        .await
        .unwrap();
    assert!(north.id.starts_with("cus_"), "{}", north.id);
    assert_eq!(north.name, "North Ltd");
    let own = PublicId::parse("south.4711").unwrap();
    let south = add_customer(&config, clock, "South", Some(&own))
        .await
        .unwrap();
    assert_eq!(south.id, "south.4711");
    let twice = add_customer(&config, clock, "South", Some(&own)).await;
    let message = twice.unwrap_err().to_string();
    assert_eq!(message, "customer south.4711 exists already");
    for wrong in ["", "  ", "a\nb", &"x".repeat(101)] {
        assert!(
            add_customer(&config, clock, wrong, None).await.is_err(),
            "{wrong:?}"
        );
    }
    control.machine(&south, "game", "mc-1").await;
    let key = control.key(&north, &[Scope::All]).await;
    let listed = async || {
        let listed = list_customers(&config).await.unwrap().into_iter();
        let listed = listed.map(|one| (one.customer.id, one.machines, one.keys));
        listed.collect::<Vec<_>>()
    };
    let expected = [(north.id.clone(), 0, 1), (south.id.clone(), 1, 0)];
    assert_eq!(listed().await, expected);

    let refused = remove_customer(&config, clock, &south.id)
        .await
        .unwrap_err();
    assert!(refused.to_string().contains("has machines"), "{refused}");
    remove_customer(&config, clock, &north.id).await.unwrap();
    assert_eq!(listed().await, [(south.id, 1, 0)]);
    let gone = remove_customer(&config, clock, &north.id)
        .await
        .unwrap_err();
    assert_eq!(
        gone.to_string(),
        format!("customer {} does not exist", north.id)
    );
    let gone = show_key(&config, &key.key.key.id).await.unwrap_err();
    assert!(gone.to_string().contains("does not exist"), "{gone}");
}

#[tokio::test]
async fn keys_are_created_with_checked_rights() {
    let control = Control::start().await;
    let (config, clock) = parts(&control);
    let (north, south) = (
        control.customer("North").await,
        control.customer("South").await,
    );
    for (customer, kind, id) in [
        (&north, "game", "one"),
        (&north, "vps", "one"),
        (&north, "vps", "two"),
        (&south, "vps", "theirs"),
    ] {
        control.machine(customer, kind, id).await;
    }
    let new = new_key(&north);
    let with_machines = |names: &[&str]| {
        let mut new = new.clone();
        new.machines = names.iter().map(|name| (*name).to_owned()).collect();
        create_key(&config, clock, new)
    };
    let created = with_machines(&["game:one", "two"]).await.unwrap();
    let machines: Vec<String> = created
        .key
        .machines
        .unwrap()
        .iter()
        .map(|machine| format!("{}:{}", machine.kind, machine.id))
        .collect();
    assert_eq!(machines, ["game:one", "vps:two"]);
    for (wrong, message) in [
        ("one", "a virtual private server and a game server one"),
        ("three", "has no machine three"),
        ("theirs", "has no machine theirs"),
        ("vps:theirs", "has no machine vps:theirs"),
        ("game:two", "has no machine game:two"),
        ("cloud:two", "has no machine cloud:two"),
        ("../two", "has no machine ../two"),
    ] {
        let refused = with_machines(&[wrong]).await.unwrap_err().to_string();
        assert!(refused.contains(message), "{wrong}: {refused}");
    }
}

#[tokio::test]
async fn a_key_that_makes_no_sense_is_not_created() {
    let control = Control::start().await;
    let (config, clock) = parts(&control);
    let new = new_key(&control.customer("North").await);
    let refused = async |change: fn(&mut NewApiKey)| {
        let mut new = new.clone();
        change(&mut new);
        let created = create_key(&config, clock, new).await;
        created.unwrap_err().to_string()
    };
    let message = refused(|new| new.scopes.clear()).await;
    assert_eq!(message, "a key needs at least one scope");
    let message = refused(|new| new.customer_id = "nobody".to_owned()).await;
    assert_eq!(message, "customer nobody does not exist");
    let message = refused(|new| new.name = "\u{1b}[2J".to_owned()).await;
    assert!(message.contains("the name must be one line"), "{message}");
    let message = refused(|new| new.networks = vec!["192.0.2.7/24".parse().unwrap()]).await;
    assert!(message.contains("did you mean 192.0.2.0/24?"), "{message}");
    let message = refused(|new| new.expires_at = Some(jiff::Timestamp::UNIX_EPOCH)).await;
    assert_eq!(message, "the key would have expired already");
    let mut bare = config.clone();
    bare.keys.peppers.clear();
    let unpeppered = create_key(&bare, clock, new.clone()).await.unwrap_err();
    assert!(
        unpeppered
            .to_string()
            .starts_with("HOSTING_KEY_PEPPERS is not set"),
        "{unpeppered}"
    );
    assert!(list_keys(&config, None).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_key_is_rotated_with_an_overlap() {
    let control = Control::start().await;
    let (config, clock) = parts(&control);
    let north = control.customer("North").await;
    control.machine(&north, "game", "mc-1").await;
    let end = clock.now() + SignedDuration::from_hours(24 * 30);
    let old = control.key_with(&north, &[Scope::GameRead], |new| {
        new.machines = vec!["mc-1".to_owned()];
        new.networks = vec!["127.0.0.0/8".parse().unwrap()];
        new.expires_at = Some(end);
    });
    let old = old.await;
    assert_eq!(control.ask(old.text.reveal()).await.status, 200);
    clock.advance(SignedDuration::from_hours(24 * 10));
    let id = &old.key.key.id;
    let new = rotate_key(&config, clock, id, SignedDuration::from_hours(1))
        .await
        .unwrap();
    let described = async |key: &str| {
        let mut body = control.ask(key).await.json();
        let body = body.as_object_mut().unwrap();
        for varying in ["id", "createdAt", "expiresAt", "lastUsedAt"] {
            body.remove(varying);
        }
        json!(body)
    };
    let (rights, old_rights) = (
        described(new.text.reveal()).await,
        described(old.text.reveal()).await,
    );
    assert_eq!(rights, old_rights);
    let lifetime = new
        .key
        .key
        .expires_at
        .unwrap()
        .duration_since(new.key.key.created_at);
    assert_eq!(
        lifetime.as_hours(),
        24 * 30 - 1,
        "rounded down: a moment had passed"
    );
    assert_eq!(new.key.key.last_used_at, None);

    clock.advance(SignedDuration::from_mins(59));
    assert_eq!(control.ask(old.text.reveal()).await.status, 200);
    clock.advance(SignedDuration::from_mins(1));
    assert_refused(&control.ask(old.text.reveal()).await, 401, "key_expired");
    assert_eq!(control.ask(new.text.reveal()).await.status, 200);
    let again = rotate_key(&config, clock, id, SignedDuration::ZERO)
        .await
        .unwrap_err();
    assert_eq!(
        again.to_string(),
        format!("key {id} no longer works: create a new one")
    );
    // An overlap is no longer than the old key would have worked.
    let long = SignedDuration::from_hours(24 * 365);
    let id = &new.key.key.id;
    rotate_key(&config, clock, id, long).await.unwrap();
    let shown = show_key(&config, id).await.unwrap().key;
    assert_eq!(shown.expires_at, new.key.key.expires_at);
}

#[tokio::test]
async fn what_operators_do_is_in_the_audit_log_for_90_days() {
    let control = Control::start().await;
    let (config, clock) = parts(&control);
    let north = control.customer("North").await;
    let key = control.key(&north, &[Scope::All]).await.key.key;
    let rotated = rotate_key(&config, clock, &key.id, SignedDuration::ZERO)
        .await
        .unwrap();
    revoke_key(&config, clock, &rotated.key.key.id)
        .await
        .unwrap();
    remove_customer(&config, clock, &north.id).await.unwrap();
    let sql = control.sql().await;
    let entries = async || {
        let select = "select event, target, details from audit_log where actor = 'operator' \
                      and outcome = 'accepted' and customer_id is not null order by id";
        let rows = sql.query(select, &[]).await.unwrap();
        let rows = rows.iter().map(|row| {
            let (event, target): (String, String) = (row.get(0), row.get(1));
            (event, target, row.get::<_, Value>(2))
        });
        rows.collect::<Vec<_>>()
    };
    let new = rotated.key.key.id;
    let named = json!({ "name": "CI" });
    let rotation = json!({ "name": "CI", "replaces": key.id });
    let expected = [
        (
            "customer.add".to_owned(),
            north.id.clone(),
            json!({ "name": "North" }),
        ),
        ("key.create".to_owned(), key.id, named.clone()),
        ("key.rotate".to_owned(), new.clone(), rotation),
        ("key.revoke".to_owned(), new, named),
        ("customer.remove".to_owned(), north.id, json!({})),
    ];
    assert_eq!(entries().await, expected);
    control.site.pass(24 * 3600 * 90 - 3600).await;
    assert_eq!(entries().await.len(), 5);
    eventually("the entries are deleted", async || {
        control.site.pass(3600 + 60).await;
        entries().await.is_empty()
    })
    .await;
}

#[tokio::test]
async fn tickets_that_nobody_used_are_deleted() {
    let control = Control::start().await;
    let north = control.customer("North").await;
    control.machine(&north, "game", "mc-1").await;
    let key = control.key(&north, &[Scope::All]).await.key.key;
    let sql = control.sql().await;
    let now = control.site.clock.now();
    for (hash, seconds) in [("a", 30), ("b", 2 * 3600 + 30)] {
        let insert = "insert into console_tickets (hash, key_id, machine_id, expires_at) \
                      select $1::text::bytea, $2, id, $3 from machines";
        let end = now + SignedDuration::from_secs(seconds);
        sql.execute(insert, &[&hash, &key.id, &end]).await.unwrap();
    }
    control.site.pass(3600).await;
    let rows = sql
        .query("select encode(hash, 'escape') from console_tickets", &[])
        .await;
    let left: Vec<String> = rows.unwrap().iter().map(|row| row.get(0)).collect();
    assert_eq!(left, ["b"]);
}
