use std::fs;
use std::time::Duration;

use tokio::sync::oneshot;
use zeroize::Zeroizing;

use super::{HashCost, HashError, HashPool, Job, JobQueue, NextJob, PasswordCheck};

const BCRYPT: &str = "$2a$04$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e";
const NO: PasswordCheck = PasswordCheck {
    matches: false,
    needs_rehash: false,
};

fn hash_job(password: &[u8]) -> (Job, oneshot::Receiver<Result<String, HashError>>) {
    let (reply, hashed) = oneshot::channel();
    let password = Zeroizing::new(password.to_vec());
    (Job::Hash { password, reply }, hashed)
}

#[tokio::test]
async fn what_was_hashed_is_verified() {
    let pool = HashPool::new(2, HashCost::RECOMMENDED).unwrap();
    let hash = pool.hash("correct horse").await.unwrap();
    let right = pool.verify("correct horse", Some(&hash)).await;
    assert_eq!(
        right,
        Ok(PasswordCheck {
            matches: true,
            needs_rehash: false
        })
    );
    assert_eq!(pool.verify("wrong horse", Some(&hash)).await, Ok(NO));
}

#[tokio::test]
async fn a_weaker_hash_is_replaced_only_when_the_password_is_right() {
    let pool = HashPool::new(1, HashCost::RECOMMENDED).unwrap();
    let right = pool.verify("correct horse", Some(BCRYPT)).await;
    assert_eq!(
        right,
        Ok(PasswordCheck {
            matches: true,
            needs_rehash: true
        })
    );
    assert_eq!(pool.verify("wrong horse", Some(BCRYPT)).await, Ok(NO));
}

#[tokio::test]
async fn nobody_never_matches() {
    let pool = HashPool::new(1, HashCost::RECOMMENDED).unwrap();
    for password in ["", "correct horse"] {
        assert_eq!(pool.verify(password, None).await, Ok(NO));
        assert_eq!(pool.verify(password, Some("")).await, Ok(NO));
        assert_eq!(pool.verify(password, Some("broken")).await, Ok(NO));
    }
    pool.set_dummy(BCRYPT).unwrap();
    assert_eq!(pool.verify("correct horse", None).await, Ok(NO));
    assert!(pool.set_dummy("broken").is_err());
}

#[tokio::test]
async fn a_password_too_long_to_have_been_accepted_never_matches() {
    let pool = HashPool::new(1, HashCost::RECOMMENDED).unwrap();
    let long = "a".repeat(5000);
    let hash = pool.hash(&long).await.unwrap();
    assert_eq!(pool.verify(&long, Some(&hash)).await, Ok(NO));
}

#[tokio::test]
async fn many_callers_are_all_answered() {
    let pool = HashPool::new(2, HashCost::RECOMMENDED).unwrap();
    let calls = (0..40).map(|number| {
        let password = if number % 2 == 0 {
            "correct horse"
        } else {
            "wrong horse"
        };
        pool.verify(password, Some(BCRYPT))
    });
    let checks = futures_util::future::join_all(calls).await;
    let matching = checks.iter().filter(|check| check.unwrap().matches);
    assert_eq!(matching.count(), 20);
}

#[test]
fn a_full_queue_says_so_at_once() {
    let queue = JobQueue::new(2);
    let (first, first_caller) = hash_job(b"first");
    let (second, _second_caller) = hash_job(b"second");
    let (third, mut third_caller) = hash_job(b"third");
    let (fourth, _fourth_caller) = hash_job(b"fourth");
    assert_eq!(queue.push(first), Ok(()));
    assert_eq!(queue.push(second), Ok(()));
    assert_eq!(queue.push(third), Err(HashError::Busy));
    assert!(third_caller.try_recv().is_err());

    // A job whose caller is gone makes room.
    drop(first_caller);
    assert_eq!(queue.push(fourth), Ok(()));
}

#[test]
fn a_job_whose_caller_went_away_is_not_started() {
    let queue = JobQueue::new(8);
    let (first, first_caller) = hash_job(b"first");
    let (second, _second_caller) = hash_job(b"second");
    queue.push(first).unwrap();
    queue.push(second).unwrap();
    drop(first_caller);
    let NextJob::Job(Job::Hash { password, .. }) = queue.next(Duration::ZERO) else {
        panic!("the second job is there");
    };
    assert_eq!(password.as_slice(), b"second");
    assert!(matches!(queue.next(Duration::ZERO), NextJob::Idle));
}

#[tokio::test]
async fn when_the_pool_ends_those_who_wait_are_told() {
    let queue = JobQueue::new(8);
    let (job, caller) = hash_job(b"first");
    queue.push(job).unwrap();
    queue.stop();
    assert!(matches!(queue.next(Duration::ZERO), NextJob::Stopped));
    assert!(caller.await.is_err());
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn threads_run_at_low_priority_and_others_do_not() {
    let own = rustix::process::getpriority_process(None).unwrap();
    let pool = HashPool::new(1, HashCost::RECOMMENDED).unwrap();
    // Once `verify` returns, the thread has set its priority.
    pool.verify("password", Some(BCRYPT)).await.unwrap();
    let mut hashing = Vec::new();
    for task in fs::read_dir("/proc/self/task").unwrap() {
        let stat = fs::read_to_string(task.unwrap().path().join("stat")).unwrap_or_default();
        let Some((name, fields)) = stat.rsplit_once(')') else {
            continue;
        };
        let niceness: i32 = fields.split_whitespace().nth(16).unwrap().parse().unwrap();
        if name.ends_with("(password-0") {
            hashing.push(niceness);
        }
    }
    assert!(hashing.contains(&(own + 10).min(19)), "{hashing:?}");
    assert_eq!(rustix::process::getpriority_process(None).unwrap(), own);
}

/// Prints the duration of one hash: `cargo test --release -- --ignored --nocapture cost_of`.
#[tokio::test]
#[ignore = "a measurement, not a test"]
#[expect(clippy::print_stdout, reason = "it prints measurements")]
async fn cost_of_hashing() {
    let pool = HashPool::new(1, HashCost::RECOMMENDED).unwrap();
    let start = std::time::Instant::now();
    for _ in 0..50 {
        pool.hash("correct horse").await.unwrap();
    }
    println!("argon2id: {:?}", start.elapsed() / 50);
}
