//! The queue between the callers of the hashing pool and its threads.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::counts::{PoolCounts, QueueCounters};
use super::job::{HashError, Job};

/// A bounded queue of jobs that drops jobs whose caller went away.
pub(super) struct JobQueue {
    state: Mutex<QueueState>,
    changed: Condvar,
    limit: usize,
    hashes: QueueCounters,
    checks: QueueCounters,
}

#[derive(Default)]
struct QueueState {
    jobs: VecDeque<Job>,
    stopped: bool,
}

/// What a thread takes out of the queue.
pub(super) enum NextJob {
    Job(Job),
    /// No job came within the time limit.
    Idle,
    /// The pool was dropped.
    Stopped,
}

impl JobQueue {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            state: Mutex::default(),
            changed: Condvar::new(),
            limit,
            hashes: QueueCounters::default(),
            checks: QueueCounters::default(),
        }
    }

    pub(super) fn counters(&self, job: &Job) -> &QueueCounters {
        match job {
            Job::Hash { .. } => &self.hashes,
            Job::Verify { .. } | Job::Measure { .. } => &self.checks,
        }
    }

    pub(super) fn counts(&self) -> PoolCounts {
        PoolCounts {
            hashes: self.hashes.read(),
            checks: self.checks.read(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a job, unless the queue is full.
    pub(super) fn push(&self, job: Job) -> Result<(), HashError> {
        let mut state = self.lock();
        if state.jobs.len() >= self.limit {
            state.jobs.retain(|job| !job.is_abandoned());
        }
        if state.jobs.len() >= self.limit {
            return Err(HashError::Busy);
        }
        self.counters(&job).count_submitted();
        state.jobs.push_back(job);
        self.changed.notify_one();
        Ok(())
    }

    /// Takes the oldest job whose caller still waits. Waits for a job up to `timeout`.
    pub(super) fn next(&self, timeout: Duration) -> NextJob {
        let mut state = self.lock();
        loop {
            if state.stopped {
                return NextJob::Stopped;
            }
            while let Some(job) = state.jobs.pop_front() {
                if !job.is_abandoned() {
                    return NextJob::Job(job);
                }
            }
            let waited = self.changed.wait_timeout(state, timeout);
            let (after, result) = waited.unwrap_or_else(PoisonError::into_inner);
            if result.timed_out() && after.jobs.is_empty() && !after.stopped {
                return NextJob::Idle;
            }
            state = after;
        }
    }

    /// Drops all jobs and tells the threads to end.
    pub(super) fn stop(&self) {
        let mut state = self.lock();
        state.stopped = true;
        state.jobs.clear();
        self.changed.notify_all();
    }
}
