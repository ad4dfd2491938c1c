//! A socket of a console: sends events as they happen, and does what the client asks for.

use std::sync::Arc;
use std::time::Duration;

use innkeeper_rest::{Close, Message, Socket};
use tokio::time::{Instant, sleep_until, timeout};

use super::close::CloseReason;
use super::codec::{Answer, ClientRequest, ConsoleCodec};
use super::event::ConsoleEvent;
use super::native::NativeCodec;
use super::protocol::FRAMES_PER_SECOND;
use super::reader::{DEFAULT_TAIL, ReplayStart};
use super::session::Session;
use super::wings::{self, WingsCodec};

/// How many bytes are sent at once.
const BATCH: usize = 32 * 1024;
/// How often a busy socket is written to.
const BUSY_INTERVAL: Duration = Duration::from_millis(10);
/// How many times in a row a socket is written to at once. A command, the line that is typed and the answer of the
/// game server belong together and follow each other quickly.
const BURST: u32 = 4;
/// For how long a socket may be behind after it missed lines.
const SLOW_LIMIT: Duration = Duration::from_secs(30);
/// How long the last frame may take.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// Serves a socket until it closes.
pub(crate) async fn serve(socket: Socket, session: Session) {
    // Boxed, so that the task is only as large as the protocol needs.
    if socket.protocol() == Some(wings::PROTOCOL) {
        Box::pin(run(socket, session, WingsCodec::default())).await;
    } else {
        Box::pin(run(socket, session, NativeCodec)).await;
    }
}

async fn run<C: ConsoleCodec>(socket: Socket, session: Session, codec: C) {
    let mut served = ServedSocket {
        socket,
        session,
        codec,
        budget: FrameBudget::default(),
        pace: SendPace::default(),
    };
    if let SocketEnd::Close(reason) = served.run().await {
        Box::pin(served.close(reason)).await;
    }
}

/// Why a socket is not served any more.
enum SocketEnd {
    /// It is closed.
    Closed,
    /// It has to be closed.
    Close(CloseReason),
}

struct ServedSocket<C> {
    socket: Socket,
    session: Session,
    codec: C,
    budget: FrameBudget,
    pace: SendPace,
}

impl<C: ConsoleCodec> ServedSocket<C> {
    async fn run(&mut self) -> SocketEnd {
        match Box::pin(self.begin()).await {
            Ok(()) => {}
            Err(end) => return end,
        }
        loop {
            if let Err(end) = self.turn().await {
                return end;
            }
        }
    }

    async fn begin(&mut self) -> Result<(), SocketEnd> {
        let ticket = self.session.next_ticket().await;
        let mut frames = Vec::new();
        self.codec
            .begin(&self.session, ticket.as_ref(), &mut frames);
        self.send_all(frames).await
    }

    /// Sends what there is, or waits for something to do.
    async fn turn(&mut self) -> Result<(), SocketEnd> {
        self.check()?;
        if self.session.open.is_ticket_due() {
            Box::pin(self.send_ticket()).await?;
        }
        if !self.codec.is_begun() {
            return self.wait(None).await;
        }
        if let Some(next) = self.pace.next_at(Instant::now())
            && !self.session.reader.is_replaying()
            && self.session.reader.pending_bytes() < BATCH
        {
            return self.wait(Some(next)).await;
        }
        let mut events = Vec::new();
        self.session.reader.read(BATCH, &mut events).await;
        if events.is_empty() {
            if self.session.reader.is_replaying() {
                return Ok(());
            }
            return self.wait(None).await;
        }
        self.send_events(events).await
    }

    /// Waits until something happens, or until a time.
    async fn wait(&mut self, until: Option<Instant>) -> Result<(), SocketEnd> {
        let message = tokio::select! {
            message = self.socket.next() => message,
            () = self.session.reader.changed() => return Ok(()),
            () = sleep_until(until.unwrap_or_else(Instant::now)), if until.is_some() => return Ok(()),
        };
        match message {
            Some(Message::Text(text)) => Box::pin(self.receive(&text)).await,
            Some(Message::Binary(_)) => Err(SocketEnd::Close(CloseReason::BadFrame)),
            None => Err(SocketEnd::Closed),
        }
    }

    /// Returns an error if the socket has to close.
    fn check(&self) -> Result<(), SocketEnd> {
        match self.session.open.close_reason() {
            Some(reason) => Err(SocketEnd::Close(reason)),
            None => Ok(()),
        }
    }

    async fn send_events(&mut self, events: Vec<Arc<ConsoleEvent>>) -> Result<(), SocketEnd> {
        let mut frames = Vec::new();
        self.codec.encode(&self.session, &events, &mut frames);
        drop(events);
        self.send_all(frames).await?;
        self.pace.note_sent(Instant::now());
        Ok(())
    }

    async fn send_all(&mut self, frames: Vec<String>) -> Result<(), SocketEnd> {
        for frame in frames {
            self.send(frame).await?;
        }
        Ok(())
    }

    /// Sends a frame. A socket that has to close, or whose client does not read, does not wait for it.
    async fn send(&mut self, frame: String) -> Result<(), SocketEnd> {
        let Self {
            socket, session, ..
        } = self;
        let mut sending = std::pin::pin!(socket.send(frame));
        loop {
            tokio::select! {
                sent = &mut sending => return sent.map_err(|_| SocketEnd::Closed),
                () = session.reader.changed() => {}
            }
            if let Some(reason) = session.open.close_reason() {
                return Err(SocketEnd::Close(reason));
            }
            let now = session.open.hub().clock().instant();
            let slow_since = session.reader.slow_since();
            let is_slow = |since| now.saturating_duration_since(since) >= SLOW_LIMIT;
            // While it replays, a client reads what was written long ago.
            if slow_since.is_some_and(is_slow) && !session.reader.is_replaying() {
                return Err(SocketEnd::Close(CloseReason::TooSlow));
            }
        }
    }

    async fn answer(&mut self, answer: &Answer<'_>) -> Result<(), SocketEnd> {
        match self.codec.answer(&self.session, answer) {
            Some(frame) => self.send(frame).await,
            None => Ok(()),
        }
    }

    async fn send_ticket(&mut self) -> Result<(), SocketEnd> {
        match self.session.next_ticket().await {
            Some(ticket) => self.answer(&Answer::Ticket(&ticket)).await,
            None => Ok(()),
        }
    }

    async fn receive(&mut self, text: &str) -> Result<(), SocketEnd> {
        let now = Instant::now();
        if let Some(wait) = self.budget.spend(now) {
            if !self.budget.should_tell(now) {
                return Ok(());
            }
            return self.answer(&Answer::Throttled("frames", wait)).await;
        }
        let request = self.codec.decode(text);
        let request = request.ok_or(SocketEnd::Close(CloseReason::BadFrame))?;
        match request {
            ClientRequest::Command(reference, text) => {
                let reference = reference.as_ref();
                match self.session.type_command(&text).await {
                    Ok(seq) => self.answer(&Answer::Typed(reference, seq)).await,
                    Err(refusal) => self.answer(&Answer::Refused(reference, &refusal)).await,
                }
            }
            ClientRequest::Power(reference, command) => {
                let reference = reference.as_ref();
                match self.session.change_power(command).await {
                    Ok(action) => self.answer(&Answer::Accepted(reference, &action)).await,
                    Err(refusal) => self.answer(&Answer::Refused(reference, &refusal)).await,
                }
            }
            ClientRequest::Stats(is_wanted) => {
                self.session.reader.read_stats(is_wanted);
                Ok(())
            }
            ClientRequest::Ping => self.answer(&Answer::Pong).await,
            ClientRequest::Authenticate => {
                let mut frames = Vec::new();
                self.codec.begin(&self.session, None, &mut frames);
                self.session.reader.read_stats(true);
                self.send_all(frames).await
            }
            ClientRequest::Replay => {
                self.session
                    .read_from(ReplayStart::Tail(DEFAULT_TAIL))
                    .await;
                self.session.reader.read_stats(true);
                Ok(())
            }
            ClientRequest::Nothing => Ok(()),
        }
    }

    /// Says why, and closes the socket.
    async fn close(mut self, reason: CloseReason) {
        let bye = self.codec.answer(&self.session, &Answer::Bye(reason));
        let close = Close::new(reason.code(), reason.text());
        let closing = async {
            if let Some(bye) = bye {
                let _ = self.socket.send(bye).await;
            }
            self.socket.close(close.clone()).await;
        };
        // A client that does not read is not waited for.
        if timeout(CLOSE_TIMEOUT, closing).await.is_err() {
            let _ = timeout(CLOSE_TIMEOUT, self.socket.close(close)).await;
        }
    }
}

/// How often events are sent: a few times at once, and then every [`BUSY_INTERVAL`], so that the lines of a busy
/// server are sent together.
#[derive(Debug, Default)]
struct SendPace {
    /// When everything would have been sent at the steady rate.
    paid_until: Option<Instant>,
}

impl SendPace {
    /// Returns until when to wait; `None` if events may be sent now.
    fn next_at(&self, now: Instant) -> Option<Instant> {
        let next = self.paid_until?.checked_sub(BUSY_INTERVAL * (BURST - 1))?;
        (next > now).then_some(next)
    }

    fn note_sent(&mut self, now: Instant) {
        let paid = self.paid_until.map_or(now, |paid| paid.max(now)) + BUSY_INTERVAL;
        // A replay and large batches do not wait, and what follows them does not wait for longer than usual.
        self.paid_until = Some(paid.min(now + BUSY_INTERVAL * BURST));
    }
}

/// How many frames a client may send.
#[derive(Debug, Default)]
struct FrameBudget {
    /// When the frames that were sent would have been sent at the allowed rate.
    paid_until: Option<Instant>,
    /// When the client was last told.
    told_at: Option<Instant>,
}

impl FrameBudget {
    /// Counts a frame; returns how long to wait if it is one too many.
    fn spend(&mut self, now: Instant) -> Option<Duration> {
        let interval = Duration::from_secs(1) / FRAMES_PER_SECOND;
        let paid = self.paid_until.map_or(now, |paid| paid.max(now)) + interval;
        let ahead = paid.saturating_duration_since(now);
        if ahead > Duration::from_secs(1) {
            return Some(ahead.saturating_sub(Duration::from_secs(1)));
        }
        self.paid_until = Some(paid);
        None
    }

    /// Tells whether the client should be told, at most once a second.
    fn should_tell(&mut self, now: Instant) -> bool {
        let is_told = |at: Instant| now.saturating_duration_since(at) < Duration::from_secs(1);
        if self.told_at.is_some_and(is_told) {
            return false;
        }
        self.told_at = Some(now);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_answers_are_sent_at_once_and_a_stream_every_ten_milliseconds() {
        let mut pace = SendPace::default();
        let start = Instant::now();
        for _ in 0..BURST {
            assert_eq!(pace.next_at(start), None);
            pace.note_sent(start);
        }
        let next = pace.next_at(start);
        assert_eq!(next, Some(start + BUSY_INTERVAL));
        let later = start + BUSY_INTERVAL;
        assert_eq!(pace.next_at(later), None);
        pace.note_sent(later);
        assert_eq!(pace.next_at(later), Some(later + BUSY_INTERVAL));
        let much_later = later + Duration::from_secs(1);
        for _ in 0..BURST {
            assert_eq!(pace.next_at(much_later), None);
            pace.note_sent(much_later);
        }
        assert!(pace.next_at(much_later).is_some());
    }

    #[test]
    fn a_client_sends_ten_frames_a_second() {
        let mut budget = FrameBudget::default();
        let start = Instant::now();
        for _ in 0..10 {
            assert_eq!(budget.spend(start), None);
        }
        let wait = budget.spend(start).unwrap();
        assert_eq!(wait, Duration::from_millis(100));
        assert!(budget.should_tell(start) && !budget.should_tell(start));
        let later = start + wait;
        assert_eq!(budget.spend(later), None);
        assert!(budget.spend(later).is_some() && !budget.should_tell(later));
        let much_later = start + Duration::from_mins(1);
        for _ in 0..10 {
            assert_eq!(budget.spend(much_later), None);
        }
        assert!(budget.spend(much_later).is_some() && budget.should_tell(much_later));
    }
}
