//! Measures loading and searching many articles, beside PostgreSQL's full-text search.
//!
//! ```sh
//! cargo run --release -p innkeeper-hosting --example content_figures -- 10000
//! ```

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use innkeeper_hosting::Hosting;
use innkeeper_hosting::config::Config;
use innkeeper_rest::filter::Quota;
use innkeeper_rest::testing::Client;
use innkeeper_service::clock::Clock;
use innkeeper_service::testing::TestDatabase;

type Failure = Box<dyn Error>;

/// How often each kind of question is asked.
const QUESTIONS: usize = 2000;
/// PostgreSQL is asked only each so many of them, because it takes so long.
const EACH: usize = 20;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let wanted = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "10000".to_owned());
    let count: usize = wanted.parse()?;
    let folder = tempfile::tempdir()?;
    let articles = write_articles(folder.path(), count)?;
    let bytes: usize = articles.iter().map(|article| article.file.len()).sum();
    say(&format!("{count} articles, {:.1} MB of source", mb(bytes)))?;

    let start = Instant::now();
    drop(start_server(folder.path())?);
    say(&format!(
        "first load: {:.2} s",
        start.elapsed().as_secs_f64()
    ))?;

    let before = resident()?;
    let start = Instant::now();
    let hosting = start_server(folder.path())?;
    let loaded = start.elapsed();
    let grown = resident()?.saturating_sub(before);
    say(&format!("later load: {:.2} s", loaded.as_secs_f64()))?;
    let times = mb(grown) / mb(bytes);
    say(&format!(
        "resident growth: {:.0} MB, {times:.2} times the source",
        mb(grown)
    ))?;

    let client = Client::new(hosting.routes()?)?;
    let mut times = Vec::new();
    for words in questions() {
        let target = format!("/v1/kb/list?q={}", words.replace(' ', "+"));
        let start = Instant::now();
        let answer = client.get(&target).send().await;
        times.push(start.elapsed());
        if answer.status() != 200 {
            return Err(answer.text().into());
        }
    }
    report("tantivy, whole request", times)?;
    postgres(&articles).await
}

fn start_server(folder: &Path) -> Result<Hosting, Failure> {
    let mut config = Config::for_tests();
    config.content.dir = Some(folder.to_owned());
    config.limits.content = Quota::per_minute(1_000_000_000);
    Ok(Hosting::start(config, Clock::system())?)
}

/// The same articles and questions in PostgreSQL.
async fn postgres(articles: &[Written]) -> Result<(), Failure> {
    let database = TestDatabase::empty().await?;
    let (client, connection) =
        tokio_postgres::connect(database.url(), tokio_postgres::NoTls).await?;
    let connection = tokio::spawn(connection);
    let start = Instant::now();
    client
        .batch_execute(
            "create table article (id int primary key, title text, body text, words tsvector);",
        )
        .await?;
    let insert = client
        .prepare(
            "insert into article values ($1, $2, $3, setweight(to_tsvector('english', $2), 'A') \
             || setweight(to_tsvector('english', $3), 'D'))",
        )
        .await?;
    for (id, article) in (0_i32..).zip(articles) {
        client
            .execute(&insert, &[&id, &article.title, &article.body])
            .await?;
    }
    client
        .batch_execute("create index on article using gin (words); analyze article;")
        .await?;
    say(&format!(
        "PostgreSQL, index made: {:.2} s",
        start.elapsed().as_secs_f64()
    ))?;
    let query = client
        .prepare(
            "select id, ts_rank(words, query) as rank, count(*) over () \
               from article, plainto_tsquery('english', $1) as query \
              where words @@ query order by rank desc, id limit 20",
        )
        .await?;
    let mut times = Vec::new();
    for words in questions().step_by(EACH) {
        let start = Instant::now();
        client.query(&query, &[&words]).await?;
        times.push(start.elapsed());
    }
    report("PostgreSQL, query alone", times)?;
    drop(client);
    connection.await??;
    Ok(())
}

/// One word, two words, three; common ones and rare ones.
fn questions() -> impl Iterator<Item = String> {
    let mut dice = Dice(7);
    (0..QUESTIONS).map(move |number| {
        let words = (0..=number % 3).map(|_| dice.word());
        words.collect::<Vec<_>>().join(" ")
    })
}

fn report(what: &str, mut times: Vec<Duration>) -> Result<(), Failure> {
    times.sort_unstable();
    let at = |part: usize| {
        times
            .get(times.len() * part / 1000)
            .copied()
            .unwrap_or_default()
    };
    say(&format!(
        "{what}: p50 {:.2} ms, p99 {:.2} ms, longest {:.2} ms",
        at(500).as_secs_f64() * 1e3,
        at(990).as_secs_f64() * 1e3,
        times.last().copied().unwrap_or_default().as_secs_f64() * 1e3,
    ))
}

fn say(line: &str) -> Result<(), Failure> {
    Ok(writeln!(io::stdout(), "{line}")?)
}

#[expect(clippy::cast_precision_loss, reason = "shown with one digit")]
fn mb(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}

/// What this process has in memory.
fn resident() -> Result<usize, Failure> {
    let statm = fs::read_to_string("/proc/self/statm")?;
    let pages: usize = statm.split_whitespace().nth(1).ok_or("no statm")?.parse()?;
    Ok(pages * 4096)
}

struct Written {
    title: String,
    body: String,
    file: String,
}

/// Articles of about 10 kB with two code blocks each.
fn write_articles(folder: &Path, count: usize) -> Result<Vec<Written>, Failure> {
    let mut dice = Dice(1);
    let mut articles = Vec::new();
    for number in 0..count {
        let title = format!("{} {} {number}", dice.word(), dice.word());
        let mut body = String::new();
        for section in 0..6 {
            write!(body, "\n## {} {}\n\n", dice.word(), dice.word())?;
            for _ in 0..2 {
                for _ in 0..110 {
                    write!(body, "{} ", dice.word())?;
                }
                body.push_str("\n\n");
            }
            if section % 3 == 0 {
                body.push_str(CODE);
            }
        }
        let file = format!(
            "---\ntitle: \"{title}\"\ndescription: About {} and {}.\ndate: 2026-01-{:02}\ncategory: c{}\n---\n{body}",
            dice.word(),
            dice.word(),
            number % 28 + 1,
            number % 12,
        );
        let shelf = folder.join(format!("kb/{}", number % 50));
        fs::create_dir_all(&shelf)?;
        fs::write(shelf.join(format!("a{number}.md")), &file)?;
        articles.push(Written { title, body, file });
    }
    Ok(articles)
}

const CODE: &str = "```rust\n\
    /// Adds what is left of the credit to the account.\n\
    fn settle(account: &mut Account, credit: Option<u64>) -> Result<(), Error> {\n    \
        let amount = credit.unwrap_or(0); // cents\n    \
        account.balance += amount * 2 + 7;\n    \
        if account.balance > LIMIT { return Err(Error::TooMuch(\"limit\")); }\n    Ok(())\n}\n```\n\n";

/// Chance that is the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// A word; a few are common and most are rare, as in any language.
    fn word(&mut self) -> String {
        const SYLLABLES: [&str; 16] = [
            "ser", "ver", "back", "up", "do", "main", "pla", "net", "mo", "ra", "ti", "lu", "ken",
            "sto", "far", "gil",
        ];
        let range = 1 << (4 + self.roll() % 11);
        let mut number = self.roll() % range + 16;
        let mut word = String::new();
        while number > 0 {
            let syllable = usize::try_from(number % 16).unwrap_or_default();
            word.push_str(SYLLABLES.get(syllable).copied().unwrap_or_default());
            number /= 16;
        }
        word
    }
}
