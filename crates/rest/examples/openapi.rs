//! A lending library whose OpenAPI document is generated from its code.
//!
//! `cargo run -p innkeeper-rest --example openapi` listens on 127.0.0.1:8080, or on the port in `PORT`, and
//! serves the document at `/openapi.json` and a documentation page at `/docs`. With the argument `print` it
//! prints the document and ends. Loans require the token `library-card`.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::io::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use innkeeper_rest::filter::Bearer;
use innkeeper_rest::{
    ApiError, App, Async, Body, ErasedEntity, Format, Invalid, Multipart, OpenApi, PlainText,
    Rejection, Response, RestApi, SecurityScheme, Server, Stop, location, resource,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A book on a shelf.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(example = Book::example())]
struct Book {
    /// Given by the library.
    #[serde(skip_deserializing)]
    id: u32,
    #[schemars(length(min = 1, max = 200))]
    title: String,
    #[serde(default)]
    genre: Genre,
    /// Everyone who wrote it.
    #[serde(default)]
    authors: Vec<String>,
    #[schemars(range(min = 1450, max = 2100))]
    year: Option<u16>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Genre {
    #[default]
    Novel,
    NonFiction,
    Poetry,
}

/// How lists are ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Order {
    Title,
    Year,
}

/// What narrows a shelf down, as matrix parameters: `genre=poetry;year=1922`.
#[derive(Debug, Deserialize, JsonSchema)]
struct Shelf {
    genre: Option<Genre>,
    year: Option<u16>,
}

/// The errors of books, each with a status.
#[derive(Debug, ApiError)]
enum BookError {
    #[api(status = 404)]
    NoSuchBook { id: u32 },
    #[api(status = 422)]
    TitleMissing,
    #[api(status = 422)]
    YearUnknown,
}

impl fmt::Display for BookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchBook { id } => write!(f, "there is no book {id}"),
            Self::TitleMissing => f.write_str("a title has between 1 and 200 characters"),
            Self::YearUnknown => f.write_str("a year is between 1450 and 2100"),
        }
    }
}

impl Book {
    fn example() -> Self {
        Self {
            id: 1,
            title: "The Waste Land".to_owned(),
            genre: Genre::Poetry,
            authors: vec!["T. S. Eliot".to_owned()],
            year: Some(1922),
        }
    }

    fn check(self) -> Result<Self, BookError> {
        if !(1..=200).contains(&self.title.chars().count()) {
            return Err(BookError::TitleMissing);
        }
        match self.year {
            Some(year) if !(1450..=2100).contains(&year) => Err(BookError::YearUnknown),
            _ => Ok(self),
        }
    }
}

/// The catalogue.
#[derive(Debug, Default)]
struct Books {
    store: Mutex<BTreeMap<u32, Book>>,
}

/// What the library has.
#[resource("/books")]
impl Books {
    /// A page of books.
    ///
    /// Books that match all filters, in the requested order.
    #[get]
    fn list(
        &self,
        /// The number of the page, from 1.
        #[param(default = 1)]
        page: u16,
        #[param(default = 20)] size: u8,
        genre: Vec<Genre>,
        #[separated_by(",")] authors: Vec<String>,
        order: Option<Order>,
    ) -> Vec<Book> {
        let store = self.store();
        let mut found: Vec<&Book> = store
            .values()
            .filter(|book| genre.is_empty() || genre.contains(&book.genre))
            .filter(|book| authors.iter().all(|author| book.authors.contains(author)))
            .collect();
        match order {
            Some(Order::Title) => found.sort_by_key(|book| &book.title),
            Some(Order::Year) => found.sort_by_key(|book| book.year),
            None => {}
        }
        let (page, size) = (usize::from(page), usize::from(size));
        let page = found.into_iter().skip(page.saturating_sub(1) * size);
        page.take(size).cloned().collect()
    }

    /// One book.
    #[get("/{id}")]
    fn get(&self, id: u32) -> Result<Book, BookError> {
        self.find(id)
    }

    /// Adds a book and says where it is.
    #[post]
    #[consumes("application/json")]
    #[responds(201, Book, "the book with its number")]
    fn add(&self, book: Book) -> Result<Response, BookError> {
        let mut book = book.check()?;
        let mut store = self.store();
        book.id = store.keys().last().map_or(1, |last| last + 1);
        store.insert(book.id, book.clone());
        Ok(Response::created_at(location!("/books/{id}", book.id), ()).entity(book))
    }

    /// Replaces a book.
    #[put("/{id}")]
    #[consumes("application/json")]
    fn replace(&self, id: u32, book: Book) -> Result<Book, BookError> {
        let mut book = book.check()?;
        let mut store = self.store();
        let known = store.get_mut(&id).ok_or(BookError::NoSuchBook { id })?;
        book.id = id;
        known.clone_from(&book);
        Ok(book)
    }

    /// Removes a book.
    #[delete("/{id}")]
    fn remove(&self, id: u32) -> Result<(), BookError> {
        let removed = self.store().remove(&id);
        removed.map(drop).ok_or(BookError::NoSuchBook { id })
    }

    /// The title alone, as text.
    #[get("/{id}/title")]
    fn title(&self, id: u32) -> Result<String, BookError> {
        self.find(id).map(|book| book.title)
    }

    /// The books on a shelf.
    #[get("/shelves/{place}")]
    fn on_shelf(&self, #[matrix] place: Shelf) -> Vec<Book> {
        let wanted = |book: &&Book| {
            place.genre.is_none_or(|genre| genre == book.genre)
                && place.year.is_none_or(|year| book.year == Some(year))
        };
        self.store().values().filter(wanted).cloned().collect()
    }

    /// A book by its old shelf mark.
    #[get("/marks/{mark:[A-Z]{2}-[0-9]{1,4}}")]
    #[deprecated = "use the number"]
    fn by_mark(&self, mark: &str) -> Result<Book, BookError> {
        let digits = mark.rsplit('-').next().unwrap_or_default();
        self.find(digits.parse().unwrap_or_default())
    }

    /// Books that match an expression, sent as the body of a SEARCH.
    #[route(method = "SEARCH", path = "/search")]
    fn search(&self, #[body] expression: String) -> Vec<Book> {
        let store = self.store();
        let found = store
            .values()
            .filter(|book| book.title.contains(&expression));
        found.cloned().collect()
    }
}

impl Books {
    fn store(&self) -> MutexGuard<'_, BTreeMap<u32, Book>> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, id: u32) -> Result<Book, BookError> {
        let book = self.store().get(&id).cloned();
        book.ok_or(BookError::NoSuchBook { id })
    }
}

/// Types of the desk; `Order` shares its name with a type above.
mod desk {
    use super::{ApiError, BookError, Deserialize, JsonSchema, Serialize, fmt};

    /// An order of a reader; not the order of a list.
    #[derive(Debug, Serialize, Deserialize, JsonSchema)]
    pub(crate) struct Order {
        pub(crate) book: u32,
        /// How many weeks.
        #[serde(default = "weeks")]
        #[schemars(range(min = 1, max = 8))]
        pub(crate) weeks: u8,
    }

    fn weeks() -> u8 {
        2
    }

    /// The errors of the desk, each with a status.
    #[derive(Debug, ApiError)]
    pub(crate) enum DeskError {
        #[api(status = 409)]
        Lent,
        #[api(status = 422)]
        TooLong,
        #[api(transparent)]
        Book(BookError),
    }

    impl fmt::Display for DeskError {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            match self {
                Self::Lent => f.write_str("someone else has it"),
                Self::TooLong => f.write_str("a loan is for 1 to 8 weeks"),
                Self::Book(error) => error.fmt(f),
            }
        }
    }
}

use desk::DeskError;

#[derive(Debug, Clone)]
struct Reader;

/// Loans of the authenticated reader.
#[derive(Debug, Default)]
struct Loans {
    loans: Mutex<HashMap<u32, u8>>,
}

#[resource("/loans")]
#[security(card("loans"))]
#[filter(Bearer::new(reader))]
#[meta(area = "desk")]
impl Loans {
    /// Lends a book.
    #[post]
    #[responds(201, desk::Order)]
    async fn lend(&self, order: desk::Order) -> Result<Response, DeskError> {
        if !(1..=8).contains(&order.weeks) {
            return Err(DeskError::TooLong);
        }
        if order.book == 0 {
            return Err(DeskError::Book(BookError::NoSuchBook { id: 0 }));
        }
        if self.loans().insert(order.book, order.weeks).is_some() {
            return Err(DeskError::Lent);
        }
        Ok(Response::created().entity(order))
    }

    /// Takes a book back. Its reader may leave a note.
    #[post("/{book}/return")]
    fn give_back(&self, book: u32, note: Option<HashMap<String, String>>) -> Async<bool> {
        let _ = note;
        let was_lent = self.loans().remove(&book).is_some();
        Async::new(async move { was_lent })
    }

    /// Renews loans, with the fields of a form.
    #[post("/renewals")]
    fn renew(
        &self,
        #[param] book: u32,
        #[param(default = 1)] weeks: u8,
        #[param] reason: Option<String>,
    ) -> Option<u8> {
        let _ = reason;
        let mut loans = self.loans();
        let known = loans.get_mut(&book)?;
        *known = known.saturating_add(weeks);
        Some(*known)
    }

    /// Who is asking, from the card and a cookie.
    #[get("/reader")]
    fn reader(
        &self,
        #[value] reader: Reader,
        #[cookie("desk")] desk: Option<u8>,
        #[header("X-Languages")]
        #[separated_by(",")]
        languages: Vec<String>,
    ) -> HashMap<&'static str, usize> {
        let Reader = reader;
        let desk = usize::from(desk.unwrap_or_default());
        HashMap::from([("desk", desk), ("languages", languages.len())])
    }
}

impl Loans {
    fn loans(&self) -> MutexGuard<'_, HashMap<u32, u8>> {
        self.loans.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Looks up a token; only `library-card` is valid.
async fn reader(token: String) -> Result<Option<Reader>, Rejection> {
    Ok((token == "library-card").then_some(Reader))
}

/// Scans of pages, without conversion.
#[derive(Debug)]
struct Scans;

#[resource("/scans")]
impl Scans {
    /// A scan by its path.
    #[get("/pages/{*path}")]
    fn get(&self, path: String) -> Bytes {
        Bytes::from(path)
    }

    /// Stores a scan and says how large it is.
    #[put("/new/{name}")]
    async fn store(&self, name: &str, #[stream] mut scan: Body) -> Result<u64, Rejection> {
        let _ = name;
        let mut size = 0;
        while let Some(chunk) = scan.next_chunk().await? {
            size += chunk.len() as u64;
        }
        Ok(size)
    }

    /// Stores scans that are sent as a form and says how many there are.
    #[post]
    async fn store_all(&self, #[stream] mut form: Multipart) -> Result<u64, Rejection> {
        let mut count = 0;
        while form.next_part().await?.is_some() {
            count += 1;
        }
        Ok(count)
    }

    /// Reads what is written on a scan, and answers with it as it is.
    #[post("/text")]
    #[produces("text/plain")]
    fn text(&self, #[body] text: String) -> String {
        text
    }
}

/// A format in addition to JSON, with one value per line.
struct Lines;

impl Format for Lines {
    fn media_type(&self) -> &'static str {
        "text/x-lines"
    }

    fn write(&self, entity: &dyn ErasedEntity, out: &mut Vec<u8>) -> Result<(), Invalid> {
        let value = serde_json::to_value(entity).map_err(Invalid::because)?;
        for line in value.as_array().map_or(&[value.clone()][..], Vec::as_slice) {
            out.extend_from_slice(format!("{line}\n").as_bytes());
        }
        Ok(())
    }
}

fn app() -> App {
    let books = RestApi::new(Books::default())
        .with(Loans::default())
        .register(Lines);
    App::new()
        .mount("/", books)
        .mount("/archive", RestApi::new(Scans).errors(PlainText))
}

fn document() -> OpenApi {
    OpenApi::new("Library", "1.0.0")
        .summary("Books, loans and scans")
        .description("What the library has, and who has it at home.")
        .contact("The desk", "desk@library.example")
        .license("MIT", Some("MIT"))
        .security(
            "card",
            SecurityScheme::bearer().description("The number on the card."),
        )
        .tag("Scans", "Pictures of pages.")
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = std::io::stdout();
    if std::env::args().any(|argument| argument == "print") {
        writeln!(out, "{}", document().json(&app()))?;
        return Ok(());
    }
    let port = match std::env::var_os("PORT") {
        Some(port) => port.to_string_lossy().parse()?,
        None => 8080_u16,
    };
    let server = Server::bind(("127.0.0.1", port))?.stop_on(Stop::on_signals());
    writeln!(out, "listening on http://{}", server.address())?;
    let app = app()
        .openapi("/openapi.json", document())
        .docs_page("/docs", "/openapi.json");
    server.serve(app).await?;
    Ok(())
}
