//! A rolling restart of all servers, without a failed request.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use innkeeper_service::testing::{TestDatabase, eventually};
use serde_json::json;
use tokio::task::JoinSet;

use super::proxy::{Proxy, Upstreams};
use super::{PLENTY, Replica, answered, client, sign_up};
use crate::support::folder;

/// Requests of each kind that must succeed before the next server is restarted.
const ROUNDS: usize = 5;

#[tokio::test]
async fn servers_restart_one_after_the_other_without_a_failed_request() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let mut deployment = Deployment::start(folder.path(), database.url()).await;
    let mut load = Load::start(&deployment.proxy).await;
    load.goes_on().await;

    for number in 0..2 {
        deployment.restart_auth(number).await;
        load.goes_on().await;
        deployment.restart_hosting(number).await;
        load.goes_on().await;
    }

    load.end().await;
    deployment.stop().await;
}

/// Two servers of each kind, and the proxy.
struct Deployment<'a> {
    folder: &'a Path,
    database: &'a str,
    auth: Vec<Replica>,
    hosting: Vec<Replica>,
    proxy: Proxy,
}

impl<'a> Deployment<'a> {
    async fn start(folder: &'a Path, database: &'a str) -> Self {
        let mut auth = Vec::new();
        let mut hosting = Vec::new();
        for _ in 0..2 {
            auth.push(Replica::auth(folder, database, &[]).await);
            hosting.push(Replica::hosting(folder, database, &LIMITS).await);
        }
        let proxy = Proxy::start(&upstreams(&auth, &hosting)).await;
        Self {
            folder,
            database,
            auth,
            hosting,
            proxy,
        }
    }

    /// Takes the server out of the proxy, restarts it and puts it back.
    async fn restart_auth(&mut self, number: usize) {
        let old = self.auth.remove(number);
        self.proxy
            .reload(&upstreams(&self.auth, &self.hosting))
            .await;
        old.process.stop().await;
        let new = Replica::auth(self.folder, self.database, &[]).await;
        self.auth.insert(number, new);
        self.proxy
            .reload(&upstreams(&self.auth, &self.hosting))
            .await;
    }

    async fn restart_hosting(&mut self, number: usize) {
        let old = self.hosting.remove(number);
        self.proxy
            .reload(&upstreams(&self.auth, &self.hosting))
            .await;
        old.process.stop().await;
        let new = Replica::hosting(self.folder, self.database, &LIMITS).await;
        self.hosting.insert(number, new);
        self.proxy
            .reload(&upstreams(&self.auth, &self.hosting))
            .await;
    }

    async fn stop(self) {
        self.proxy.stop().await;
        for replica in self.auth.into_iter().chain(self.hosting) {
            replica.process.stop().await;
        }
    }
}

const LIMITS: [(&str, &str); 2] = [
    ("HOSTING_RATE_LIMIT_CONTENT", PLENTY),
    ("HOSTING_RATE_LIMIT_PUBLIC", PLENTY),
];

fn upstreams(auth: &[Replica], hosting: &[Replica]) -> Upstreams {
    let addresses = |replicas: &[Replica]| {
        let addresses = replicas.iter().map(|replica| replica.address.clone());
        addresses.collect()
    };
    Upstreams {
        auth: addresses(auth),
        hosting: addresses(hosting),
    }
}

/// Clients that send requests. A failed request fails the test.
struct Load {
    clients: JoinSet<()>,
    progress: Arc<LoadProgress>,
}

/// Counters of completed requests, and the signal to stop.
#[derive(Default)]
struct LoadProgress {
    stop: AtomicBool,
    users: AtomicUsize,
    refreshes: AtomicUsize,
    lists: AtomicUsize,
}

impl LoadProgress {
    fn go_on(&self) -> bool {
        !self.stop.load(Ordering::Relaxed)
    }

    fn served(&self) -> [usize; 3] {
        let kinds = [&self.users, &self.refreshes, &self.lists];
        kinds.map(|count| count.load(Ordering::Relaxed))
    }
}

impl Load {
    async fn start(proxy: &Proxy) -> Self {
        let progress = Arc::<LoadProgress>::default();
        let mut clients = JoinSet::new();
        let auth = proxy.auth_url();
        let session = sign_up(&client(), &auth, "ada@example.com").await;
        let text = |name: &str| session[name].as_str().unwrap().to_owned();
        let tokens = (text("access_token"), text("refresh_token"));
        clients.spawn(read_user(Arc::clone(&progress), auth.clone(), tokens.0));
        clients.spawn(refresh(Arc::clone(&progress), auth, tokens.1));
        clients.spawn(list(Arc::clone(&progress), proxy.hosting_url()));
        Self { clients, progress }
    }

    /// Waits until every kind of client has completed some more requests.
    async fn goes_on(&mut self) {
        let before = self.progress.served();
        let is_enough = |(now, before): (usize, usize)| now - before >= ROUNDS;
        eventually("more requests are served", async || {
            if let Some(ended) = self.clients.try_join_next() {
                ended.unwrap();
            }
            let served = self.progress.served().into_iter();
            served.zip(before).all(is_enough)
        })
        .await;
    }

    async fn end(mut self) {
        self.progress.stop.store(true, Ordering::Relaxed);
        while let Some(ended) = self.clients.join_next().await {
            ended.unwrap();
        }
    }
}

async fn read_user(progress: Arc<LoadProgress>, auth: String, token: String) {
    let client = client();
    while progress.go_on() {
        let asked = client.get(format!("{auth}/user")).bearer_auth(&token);
        answered(asked.send().await.unwrap()).await;
        progress.users.fetch_add(1, Ordering::Relaxed);
    }
}

async fn refresh(progress: Arc<LoadProgress>, auth: String, mut token: String) {
    let client = client();
    while progress.go_on() {
        let url = format!("{auth}/token?grant_type=refresh_token");
        let asked = client.post(url).json(&json!({ "refresh_token": token }));
        let session = answered(asked.send().await.unwrap()).await;
        session["refresh_token"]
            .as_str()
            .unwrap()
            .clone_into(&mut token);
        progress.refreshes.fetch_add(1, Ordering::Relaxed);
    }
}

async fn list(progress: Arc<LoadProgress>, hosting: String) {
    let client = client();
    while progress.go_on() {
        let asked = client.get(format!("{hosting}/v1/kb/list"));
        answered(asked.send().await.unwrap()).await;
        progress.lists.fetch_add(1, Ordering::Relaxed);
    }
}
