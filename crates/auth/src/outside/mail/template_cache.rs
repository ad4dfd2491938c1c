//! The operator's templates: fetched in the background, cached, and fetched again when they are old.
//!
//! A mail is written with the cached template. A template that cannot be fetched or has a mistake changes
//! nothing: the copy that was fetched last stays in use, and without one the built-in mail is sent.

use std::fs::File;
use std::io::Read;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use innkeeper_gotemplate::{Template, TemplateError};
use innkeeper_service::outbound::{Outbound, OutboundError, OutboundOptions};
use jiff::SignedDuration;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::Instant;
use url::Url;

use super::content::{render_template, sample_data};
use super::error::MailSettingError;
use crate::config::{Config, MessageKind, TEMPLATE_OPTIONS, TemplatesConfig};

/// How long a fetch may take.
const FETCH_TIMEOUT: Duration = Duration::from_secs(10);
/// How many templates are fetched at once.
const CONCURRENT_FETCHES: usize = 4;

/// The templates of the settings, and the task that keeps them up to date.
#[derive(Debug)]
pub(super) struct TemplateCache {
    templates: Arc<TemplateSet>,
    /// `None` without templates.
    refresh_task: Option<JoinHandle<()>>,
}

impl Drop for TemplateCache {
    fn drop(&mut self) {
        if let Some(task) = &self.refresh_task {
            task.abort();
        }
    }
}

/// All templates, and how they are fetched.
#[derive(Debug)]
struct TemplateSet {
    templates: Vec<Arc<CachedTemplate>>,
    default_locale: String,
    /// `None` if all templates are files.
    outbound: Option<Outbound>,
    max_size: usize,
    max_age: Duration,
    retry_interval: Duration,
    /// Held during a fetch, so that there is one at a time.
    fetching: tokio::sync::Mutex<()>,
}

/// The template of one kind of mail in one language.
#[derive(Debug)]
struct CachedTemplate {
    kind: MessageKind,
    /// `None` if it is the same in all languages.
    locale: Option<String>,
    url: Url,
    entry: Mutex<CacheEntry>,
}

#[derive(Debug)]
struct CacheEntry {
    /// The copy that was fetched last.
    template: Option<Arc<Template>>,
    /// When it is fetched again.
    due: Instant,
    /// The last problem, so that it is logged once.
    problem: Option<String>,
}

/// A template that cannot be used.
#[derive(Debug, thiserror::Error)]
enum TemplateLoadError {
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
    #[error("was cancelled")]
    Stopped,
}

impl TemplateCache {
    /// Starts to fetch the templates of the settings. Must be called within a runtime.
    pub(super) fn new(config: &Config) -> Result<Self, MailSettingError> {
        let settings = &config.mailer.templates;
        let templates = templates(settings);
        let needs_http = templates.iter().any(|template| !template.is_file());
        let templates = Arc::new(TemplateSet {
            outbound: needs_http.then(|| outbound(settings)).transpose()?,
            templates,
            default_locale: settings.locales.first().cloned().unwrap_or_default(),
            max_size: settings.max_size,
            max_age: SignedDuration::unsigned_abs(settings.max_age),
            retry_interval: SignedDuration::unsigned_abs(settings.retry_interval),
            fetching: tokio::sync::Mutex::default(),
        });
        let refresh_task = match Handle::try_current() {
            Ok(runtime) if !templates.templates.is_empty() => {
                Some(runtime.spawn(refresh(Arc::clone(&templates))))
            }
            _ => None,
        };
        Ok(Self {
            templates,
            refresh_task,
        })
    }

    /// Returns the cached template of a kind of mail in a language, or else in the default language. Fetches
    /// nothing.
    pub(super) fn get(&self, kind: MessageKind, locale: &str) -> Option<Arc<Template>> {
        let find = |locale: &str| {
            let matches = |template: &&Arc<CachedTemplate>| {
                let own_locale = template.locale.as_deref();
                template.kind == kind && own_locale.is_none_or(|own| own == locale)
            };
            let template = self.templates.templates.iter().find(matches)?;
            template.entry().template.clone()
        };
        find(locale).or_else(|| find(&self.templates.default_locale))
    }

    /// Fetches all templates again and waits for the end.
    pub(super) async fn reload(&self) {
        self.templates.fetch(true).await;
    }
}

fn outbound(settings: &TemplatesConfig) -> Result<Outbound, MailSettingError> {
    Outbound::new(OutboundOptions {
        timeout: FETCH_TIMEOUT,
        max_response: settings.max_size,
        ..OutboundOptions::default()
    })
    .map_err(|error| MailSettingError::Templates(error.to_string()))
}

/// Returns the templates of the settings, none of them fetched yet.
fn templates(settings: &TemplatesConfig) -> Vec<Arc<CachedTemplate>> {
    let mut templates = Vec::new();
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
                templates.push(Arc::new(CachedTemplate {
                    kind,
                    locale,
                    url,
                    entry: Mutex::new(CacheEntry {
                        template: None,
                        due: Instant::now(),
                        problem: None,
                    }),
                }));
            }
        }
    }
    templates
}

/// Fetches templates when they are due, forever.
async fn refresh(templates: Arc<TemplateSet>) {
    loop {
        templates.fetch(false).await;
        let all = templates.templates.iter();
        let next = all.map(|template| template.entry().due).min();
        let Some(next) = next else {
            return;
        };
        tokio::time::sleep_until(next).await;
    }
}

impl TemplateSet {
    /// Fetches all templates, or only those that are due.
    async fn fetch(self: &Arc<Self>, all: bool) {
        let _one_at_a_time = self.fetching.lock().await;
        let now = Instant::now();
        let slots = Arc::new(Semaphore::new(CONCURRENT_FETCHES));
        let mut fetches = JoinSet::new();
        for template in &self.templates {
            if all || template.entry().due <= now {
                let (this, template) = (Arc::clone(self), Arc::clone(template));
                let slots = Arc::clone(&slots);
                fetches.spawn(async move {
                    // The semaphore is never closed.
                    let _slot = slots.acquire_owned().await;
                    let loaded = this.load(&template).await;
                    this.update(&template, loaded);
                });
            }
        }
        fetches.join_all().await;
    }

    async fn load(&self, template: &CachedTemplate) -> Result<Template, TemplateLoadError> {
        let bytes = match &self.outbound {
            Some(outbound) if !template.is_file() => {
                let answer = outbound.get(&template.url).await?;
                if answer.status != 200 {
                    return Err(TemplateLoadError::Status(answer.status));
                }
                answer.body
            }
            _ => {
                let (url, max_size) = (template.url.clone(), self.max_size);
                let read = tokio::task::spawn_blocking(move || read_file(&url, max_size));
                read.await.map_err(|_| TemplateLoadError::Stopped)??
            }
        };
        let kind = template.kind;
        let check = tokio::task::spawn_blocking(move || check(&bytes, kind));
        check.await.map_err(|_| TemplateLoadError::Stopped)?
    }

    /// Caches a template that was loaded, or logs why it cannot be used.
    fn update(&self, cached: &CachedTemplate, loaded: Result<Template, TemplateLoadError>) {
        let mut entry = cached.entry();
        let (kind, template) = (cached.kind.setting(), cached.url_without_secrets());
        match loaded {
            Ok(loaded) => {
                if entry.template.is_none() || entry.problem.is_some() {
                    tracing::info!(mail.kind = kind, template, "a mail template is in use");
                }
                entry.template = Some(Arc::new(loaded));
                entry.problem = None;
                entry.due = Instant::now() + self.max_age;
            }
            Err(error) => {
                let problem = error.to_string();
                let substitute = match entry.template {
                    Some(_) => "the previous copy",
                    None => "the built-in mail",
                };
                if entry.problem.as_ref() != Some(&problem) {
                    tracing::error!(
                        mail.kind = kind,
                        template,
                        problem,
                        "a mail template cannot be used; {substitute} is used instead"
                    );
                }
                entry.problem = Some(problem);
                entry.due = Instant::now() + self.retry_interval;
            }
        }
    }
}

impl CachedTemplate {
    fn entry(&self) -> std::sync::MutexGuard<'_, CacheEntry> {
        self.entry.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_file(&self) -> bool {
        self.url.scheme() == "file"
    }

    /// Returns the URL without the parts that may be secret.
    fn url_without_secrets(&self) -> String {
        let mut url = self.url.clone();
        url.set_query(None);
        url.set_fragment(None);
        // URLs without a host have neither.
        url.set_username("").ok();
        url.set_password(None).ok();
        url.into()
    }
}

/// Reads a regular file: a pipe would never end.
fn read_file(url: &Url, max_size: usize) -> Result<Vec<u8>, TemplateLoadError> {
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
        return Err(TemplateLoadError::TooLarge(max_size));
    }
    Ok(bytes)
}

/// Parses a template and renders it once, so that one that exceeds a limit is found now and not when a mail is
/// sent.
fn check(bytes: &[u8], kind: MessageKind) -> Result<Template, TemplateLoadError> {
    let text = str::from_utf8(bytes).map_err(|_| TemplateLoadError::Encoding)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let template = Template::parse_with(text, TEMPLATE_OPTIONS)?;
    render_template(&template, &sample_data(kind))?;
    Ok(template)
}
