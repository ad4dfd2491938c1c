//! Temporary: memory of sockets.
use std::sync::Arc;
use std::time::Duration;
use innkeeper_rest::{App, Origins, Response, RestApi, Server, Stop, Upgrade, resource};
use innkeeper_rest::filter::{Quota, RateLimit};
use innkeeper_service::clock::Clock;
use innkeeper_service::limiter::{LimiterOptions, SharedLimiter};
use innkeeper_service::database::{Database, DatabaseOptions};
use uuid::Uuid;
use super::*;
use super::hub::ConsoleHub;
use crate::database::ServerDatabase;
use crate::key::VerifiedKey;
use crate::model::*;
use crate::power::PowerControl;
use crate::engine::memory::MemoryHost;

struct Ws { hub: Arc<ConsoleHub>, services: Arc<SessionServices> }

#[resource("/ws/{n}")]
impl Ws {
    #[get]
    async fn open(&self, n: u64, #[upgrade] upgrade: Upgrade) -> Response {
        let machine = Uuid::from_u128(u128::from(n / 10));
        let key = Arc::new(VerifiedKey { key: ApiKey {
            id: format!("k{}", n % 10), customer_id: "c".into(), name: String::new(),
            scopes: Scopes::new([Scope::All]), machines: None, networks: None,
            created_at: jiff::Timestamp::UNIX_EPOCH, expires_at: None, revoked_at: None,
            last_used_at: None, last_used_from: None } });
        let open = self.hub.open_socket(machine, &key).unwrap();
        let details = SessionDetails { server_id: "gsv_1".into(), state: PublicState::Running, memory_limit_bytes: 0,
            address: None, request_id: None, is_by_ticket: false, origin: None };
        let session = Session::begin(Arc::clone(&self.services), open, details, ReplayStart::Tail(0)).await.unwrap();
        upgrade.origins(Origins::any()).protocols(PROTOCOLS).max_message(MAX_FRAME).ping_after(PING_AFTER).pong_within(PONG_WITHIN)
            .accept(|socket| serve_socket(socket, session))
    }
}

fn rss() -> u64 {
    let s = std::fs::read_to_string("/proc/self/smaps_rollup").unwrap();
    s.lines().find(|l| l.starts_with("Rss:")).unwrap().split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn measure() {
    let rt = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    rt.block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let clock = Clock::system();
        let hub = ConsoleHub::new(folder.path().to_owned(), 16 << 20, clock.clone());
        let host = MemoryHost::default();
        let engine = host.engines().game.unwrap();
        let limiter = Arc::new(SharedLimiter::new(LimiterOptions::local(), &clock));
        let limit = || RateLimit::builder(Quota::per_minute(60)).limiter(Arc::clone(&limiter)).build().unwrap();
        let database = Arc::new(ServerDatabase::new(Database::new(DatabaseOptions::new("postgres://localhost/x".to_owned(), "hosting".to_owned())).unwrap()));
        let services = Arc::new(SessionServices { power: PowerControl::new(Arc::clone(&database), clock.clone()), database,
            command_limit: limit(), power_limit: limit(), power_key_limit: limit() });
        for m in 0..200u128 {
            let id = Uuid::from_u128(m);
            host.start_behind(id);
            let profile = GameProfile { name: "d".into(), version: None, image: "d".into(), command: vec![], environment: Default::default(),
                data_path: "/d".into(), stop: StopMethod::Command("stop".into()), ready_pattern: Some("Ready".into()), ready_seconds: 5, ports: vec![], read_only_root: true };
            let run = engine.observe(id).await.unwrap().run.unwrap();
            hub.attach(id, &profile, &engine, &run).await.unwrap();
        }
        let server = Server::bind("127.0.0.1:0").unwrap();
        let address = server.address();
        let app = App::new().mount("/", RestApi::new(Ws { hub: Arc::clone(&hub), services }));
        let stop = Stop::new();
        tokio::spawn(server.stop_on(stop).serve(app));
        tokio::time::sleep(Duration::from_secs(1)).await;
        eprintln!("PORT {}", address.port());
        std::fs::write("/tmp/mem_port", address.port().to_string()).unwrap();
        let mut last = 0;
        let secs: u64 = std::env::args().nth(9).and_then(|s| s.parse().ok()).unwrap_or(40);
        for i in 0..secs * 5 {
            if i % 5 == 0 { let r = rss(); eprintln!("t={} rss={} kB (+{})", i / 5, r, r as i64 - last as i64); last = r; }
            if std::path::Path::new("/tmp/mem_print").exists() {
                for m in 0..200u128 { host.print(Uuid::from_u128(m), &format!("{} line of a game server with some text {i}", jiff::Timestamp::now().as_microsecond())); }
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    });
}
