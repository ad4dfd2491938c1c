//! Templates of the operator's own: fetched in the background, kept, and fetched again.
//!
//! Whoever writes a mail takes what is there. A template that cannot be had or is wrong changes nothing:
//! the copy that was fetched last stays in use, and without one the built-in mail is sent.

use std::fs::File;
use std::io::Read;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use innkeeper_service::outbound::{Outbound, OutboundError, OutboundOptions};
use jiff::SignedDuration;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::Instant;
use url::Url;

use super::MailSettingError;
use super::content::{NAMES, own_content, sample};
use super::template::{Template, TemplateError};
use crate::config::{Config, MessageKind, TemplatesConfig};

/// For the whole exchange.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Templates that are fetched at once.
const AT_ONCE: usize = 4;

/// The templates of the settings.
#[derive(Debug)]
pub(super) struct Library {
    shelf: Arc<Shelf>,
    /// None when there is nothing to fetch.
    keeper: Option<JoinHandle<()>>,
}

impl Drop for Library {
    fn drop(&mut self) {
        if let Some(keeper) = &self.keeper {
            keeper.abort();
        }
    }
}

#[derive(Debug)]
struct Shelf {
    books: Vec<Arc<Book>>,
    default_locale: String,
    /// None when there is nothing to fetch.
    outbound: Option<Outbound>,
    max_size: usize,
    max_age: Duration,
    retry_interval: Duration,
    /// Held while templates are fetched, so that it is done once at a time.
    round: tokio::sync::Mutex<()>,
}

/// A template in a language.
#[derive(Debug)]
struct Book {
    kind: MessageKind,
    /// None if it is the same in all.
    locale: Option<String>,
    url: Url,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    template: Option<Arc<Template>>,
    due: Instant,
    /// What was last wrong, so that the log says it once.
    problem: Option<String>,
}

/// Why a template is not taken.
#[derive(Debug, thiserror::Error)]
enum LoadError {
    #[error(transparent)]
    Outbound(#[from] OutboundError),
    #[error("the answer is {0}, not 200")]
    Status(u16),
    #[error("cannot be read: {0}")]
    File(#[from] std::io::Error),
    #[error("is longer than {0} bytes")]
    TooLarge(usize),
    #[error("is not UTF-8")]
    Encoding,
    #[error(transparent)]
    Template(#[from] TemplateError),
    #[error("was given up")]
    Stopped,
}

impl Library {
    /// Begins to fetch what the settings name; call it within a runtime.
    pub(super) fn new(config: &Config) -> Result<Self, MailSettingError> {
        let settings = &config.mailer.templates;
        let books = books(settings);
        let is_asked = books.iter().any(|book| !book.is_file());
        let shelf = Arc::new(Shelf {
            outbound: is_asked.then(|| outbound(settings)).transpose()?,
            books,
            default_locale: settings.locales.first().cloned().unwrap_or_default(),
            max_size: settings.max_size,
            max_age: SignedDuration::unsigned_abs(settings.max_age),
            retry_interval: SignedDuration::unsigned_abs(settings.retry_interval),
            round: tokio::sync::Mutex::default(),
        });
        let keeper = match Handle::try_current() {
            Ok(runtime) if !shelf.books.is_empty() => Some(runtime.spawn(keep(Arc::clone(&shelf)))),
            _ => None,
        };
        Ok(Self { shelf, keeper })
    }

    /// The template of that mail in that language, or else in the first of our languages, if it is
    /// there. Nothing is fetched.
    pub(super) fn get(&self, kind: MessageKind, locale: &str) -> Option<Arc<Template>> {
        let find = |locale: &str| {
            let is_it = |book: &&Arc<Book>| {
                let speaks = book.locale.as_deref().is_none_or(|known| known == locale);
                book.kind == kind && speaks
            };
            let book = self.shelf.books.iter().find(is_it)?;
            book.state().template.clone()
        };
        find(locale).or_else(|| find(&self.shelf.default_locale))
    }

    /// Fetches everything anew and waits until that is done.
    pub(super) async fn reload(&self) {
        self.shelf.fetch(true).await;
    }
}

fn outbound(settings: &TemplatesConfig) -> Result<Outbound, MailSettingError> {
    Outbound::new(OutboundOptions {
        timeout: TIMEOUT,
        max_response: settings.max_size,
        ..OutboundOptions::default()
    })
    .map_err(|error| MailSettingError::Templates(error.to_string()))
}

fn books(settings: &TemplatesConfig) -> Vec<Arc<Book>> {
    let mut books = Vec::new();
    for kind in MessageKind::ALL {
        let Some(source) = settings.sources.get(kind) else {
            continue;
        };
        let locales: Vec<Option<String>> = if source.is_per_locale() {
            settings.locales.iter().cloned().map(Some).collect()
        } else {
            vec![None]
        };
        for locale in locales {
            if let Some(url) = source.at(locale.as_deref().unwrap_or_default()) {
                books.push(Arc::new(Book {
                    kind,
                    locale,
                    url,
                    state: Mutex::new(State {
                        template: None,
                        due: Instant::now(),
                        problem: None,
                    }),
                }));
            }
        }
    }
    books
}

/// Fetches what is due, for ever.
async fn keep(shelf: Arc<Shelf>) {
    loop {
        shelf.fetch(false).await;
        let next = shelf.books.iter().map(|book| book.state().due).min();
        let Some(next) = next else {
            return;
        };
        tokio::time::sleep_until(next).await;
    }
}

impl Shelf {
    /// Fetches what is due, or everything.
    async fn fetch(self: &Arc<Self>, all: bool) {
        let _one_at_a_time = self.round.lock().await;
        let now = Instant::now();
        let slots = Arc::new(Semaphore::new(AT_ONCE));
        let mut work = JoinSet::new();
        for book in &self.books {
            if all || book.state().due <= now {
                let (this, book) = (Arc::clone(self), Arc::clone(book));
                let slots = Arc::clone(&slots);
                work.spawn(async move {
                    // The semaphore is never closed.
                    let _slot = slots.acquire_owned().await;
                    let loaded = this.load(&book).await;
                    this.note(&book, loaded);
                });
            }
        }
        work.join_all().await;
    }

    async fn load(&self, book: &Book) -> Result<Template, LoadError> {
        let bytes = match &self.outbound {
            Some(outbound) if !book.is_file() => {
                let answer = outbound.get(&book.url).await?;
                if answer.status != 200 {
                    return Err(LoadError::Status(answer.status));
                }
                answer.body
            }
            _ => {
                let (url, max_size) = (book.url.clone(), self.max_size);
                let read = tokio::task::spawn_blocking(move || read_file(&url, max_size));
                read.await.map_err(|_| LoadError::Stopped)??
            }
        };
        let kind = book.kind;
        let check = tokio::task::spawn_blocking(move || check(&bytes, kind));
        check.await.map_err(|_| LoadError::Stopped)?
    }

    /// Keeps what was fetched, or says why it is not.
    fn note(&self, book: &Book, loaded: Result<Template, LoadError>) {
        let mut state = book.state();
        let (kind, template) = (book.kind.setting(), book.shown());
        match loaded {
            Ok(loaded) => {
                if state.template.is_none() || state.problem.is_some() {
                    tracing::info!(mail.kind = kind, template, "a mail template is in use");
                }
                state.template = Some(Arc::new(loaded));
                state.problem = None;
                state.due = Instant::now() + self.max_age;
            }
            Err(error) => {
                let problem = error.to_string();
                let instead = match state.template {
                    Some(_) => "the copy from before",
                    None => "the built-in one",
                };
                if state.problem.as_ref() != Some(&problem) {
                    tracing::error!(
                        mail.kind = kind,
                        template,
                        problem,
                        "a mail template cannot be used; {instead} is used instead"
                    );
                }
                state.problem = Some(problem);
                state.due = Instant::now() + self.retry_interval;
            }
        }
    }
}

impl Book {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_file(&self) -> bool {
        self.url.scheme() == "file"
    }

    /// The address without what may be secret in it.
    fn shown(&self) -> String {
        let mut url = self.url.clone();
        url.set_query(None);
        url.set_fragment(None);
        // Addresses without a host have neither.
        url.set_username("").ok();
        url.set_password(None).ok();
        url.into()
    }
}

/// Reads a file, but nothing that is none: a pipe would never end.
fn read_file(url: &Url, max_size: usize) -> Result<Vec<u8>, LoadError> {
    let no_file = || std::io::Error::new(std::io::ErrorKind::InvalidInput, "it is not a file");
    let path = url.to_file_path().map_err(|()| no_file())?;
    if !std::fs::metadata(&path)?.is_file() {
        return Err(no_file().into());
    }
    let limit = u64::try_from(max_size)
        .unwrap_or(u64::MAX)
        .saturating_add(1);
    let mut bytes = Vec::new();
    File::open(&path)?.take(limit).read_to_end(&mut bytes)?;
    if bytes.len() > max_size {
        return Err(LoadError::TooLarge(max_size));
    }
    Ok(bytes)
}

/// Reads a template and writes it out once, so that one that does too much is not found out by users.
fn check(bytes: &[u8], kind: MessageKind) -> Result<Template, LoadError> {
    let text = str::from_utf8(bytes).map_err(|_| LoadError::Encoding)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let template = Template::parse(text, NAMES)?;
    own_content(&template, &sample(kind))?;
    Ok(template)
}
