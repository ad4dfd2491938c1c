//! The same articles and queries in PostgreSQL's full-text search, for comparison.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use innkeeper_service::cluster::Cluster;
use tokio_postgres::{Client, NoTls, Statement};

use crate::Plan;
use crate::articles::{self, Article, USUAL, questions};
use crate::many::at;

const DATABASE: &str = "search";
/// The maximum number of questions; [`PATIENCE`] limits the time.
const QUESTIONS: usize = 2000;
/// Only one in this many questions is asked.
const EACH: usize = 10;
const PATIENCE: Duration = Duration::from_mins(2);

const QUERY: &str = "select id, ts_rank(words, query) as rank, count(*) over () \
       from article, plainto_tsquery('english', $1) as query \
      where words @@ query order by rank desc, id limit 20";

pub(crate) async fn measure(plan: &Plan, cluster: &Cluster) -> Result<()> {
    cluster.ensure_database(DATABASE).await?;
    let (client, connection) = tokio_postgres::connect(&cluster.url(DATABASE), NoTls).await?;
    let connection = tokio::spawn(connection);
    let folder = plan.places.empty("search")?;
    let all = articles::write(&folder, plan.articles, USUAL)?;
    std::fs::remove_dir_all(&folder).context("removing the articles")?;
    println!("\n{} articles in PostgreSQL", all.len());
    let start = Instant::now();
    fill(&client, &all).await?;
    println!("index made in {:.1} s", start.elapsed().as_secs_f64());
    let query = client.prepare(QUERY).await?;
    for words in 1..=3 {
        ask(&client, &query, words).await?;
    }
    drop(client);
    connection.await?.context("the connection to PostgreSQL")
}

async fn fill(client: &Client, all: &[Article]) -> Result<()> {
    client
        .batch_execute(
            "create table article (id int primary key, title text, body text, words tsvector)",
        )
        .await?;
    let insert = client
        .prepare(
            "insert into article values ($1, $2, $3, setweight(to_tsvector('english', $2), 'A') \
             || setweight(to_tsvector('english', $3), 'D'))",
        )
        .await?;
    client.batch_execute("begin").await?;
    for (id, article) in (0_i32..).zip(all) {
        client
            .execute(&insert, &[&id, &article.title, &article.body])
            .await?;
    }
    for statement in [
        "commit",
        "create index on article using gin (words)",
        "vacuum analyze article",
    ] {
        client.batch_execute(statement).await?;
    }
    Ok(())
}

/// Runs the queries with this number of words, and prints how long they took.
async fn ask(client: &Client, query: &Statement, words: usize) -> Result<()> {
    let asked = questions(QUESTIONS).filter(|question| question.split(' ').count() == words);
    let start = Instant::now();
    let mut times = Vec::new();
    for question in asked.step_by(EACH) {
        if start.elapsed() > PATIENCE {
            println!("not all questions were asked: they took too long");
            break;
        }
        let begin = Instant::now();
        client.query(query, &[&question]).await?;
        times.push(begin.elapsed());
    }
    times.sort_unstable();
    println!(
        "{} questions of {words} words: median {:.2} ms, p99 {:.2} ms, longest {:.2} ms",
        times.len(),
        at(&times, 50),
        at(&times, 99),
        at(&times, 100)
    );
    Ok(())
}
