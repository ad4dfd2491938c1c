//! Statements: functions whose body is SQL.

use std::future::Future;
use std::sync::Arc;

use deadpool_postgres::{Client, ClientWrapper, StatementCache, Transaction};
use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};

use super::DatabaseError;
use super::row::{Column, FromRow};
use super::sql::positional;

/// The values of a statement's parameters.
pub type Values<'a> = &'a [&'a (dyn ToSql + Sync)];

/// A connection or a transaction that statements run on. Each prepares a statement once and keeps it.
pub trait Executor: Send + Sync {
    /// The connection.
    fn client(&self) -> &tokio_postgres::Client;

    /// The statements that are prepared on the connection.
    fn prepared(&self) -> &StatementCache;

    /// Returns whether changes can still be rolled back.
    fn is_transaction(&self) -> bool {
        false
    }
}

impl Executor for ClientWrapper {
    fn client(&self) -> &tokio_postgres::Client {
        self
    }

    fn prepared(&self) -> &StatementCache {
        &self.statement_cache
    }
}

impl Executor for Arc<ClientWrapper> {
    fn client(&self) -> &tokio_postgres::Client {
        self
    }

    fn prepared(&self) -> &StatementCache {
        &self.statement_cache
    }
}

impl Executor for Client {
    fn client(&self) -> &tokio_postgres::Client {
        self
    }

    fn prepared(&self) -> &StatementCache {
        &self.statement_cache
    }
}

impl Executor for Transaction<'_> {
    fn client(&self) -> &tokio_postgres::Client {
        let transaction: &tokio_postgres::Transaction<'_> = self;
        transaction.client()
    }

    fn prepared(&self) -> &StatementCache {
        &self.statement_cache
    }

    fn is_transaction(&self) -> bool {
        true
    }
}

/// Runs a statement, and returns its rows.
pub async fn query(
    conn: &dyn Executor,
    text: &str,
    values: Values<'_>,
) -> Result<Vec<Row>, DatabaseError> {
    let statement = conn.prepared().prepare(conn.client(), text).await?;
    Ok(conn.client().query(&statement, values).await?)
}

/// Runs a statement, and returns its row if there is one. More are an error.
pub async fn query_opt(
    conn: &dyn Executor,
    text: &str,
    values: Values<'_>,
) -> Result<Option<Row>, DatabaseError> {
    let statement = conn.prepared().prepare(conn.client(), text).await?;
    Ok(conn.client().query_opt(&statement, values).await?)
}

/// Runs a statement, and returns its only row.
pub async fn query_one(
    conn: &dyn Executor,
    text: &str,
    values: Values<'_>,
) -> Result<Row, DatabaseError> {
    let statement = conn.prepared().prepare(conn.client(), text).await?;
    Ok(conn.client().query_one(&statement, values).await?)
}

/// Runs a statement, and returns how many rows it has changed or found.
pub async fn execute(
    conn: &dyn Executor,
    text: &str,
    values: Values<'_>,
) -> Result<u64, DatabaseError> {
    let statement = conn.prepared().prepare(conn.client(), text).await?;
    Ok(conn.client().execute(&statement, values).await?)
}

/// What a statement returns: nothing, the number of changed rows, one row, an optional row or all rows.
pub trait Outcome: Sized {
    /// The columns that are read from each row.
    const COLUMNS: &'static [Column];

    /// Runs the statement.
    fn run(
        conn: &dyn Executor,
        text: &str,
        values: Values<'_>,
    ) -> impl Future<Output = Result<Self, DatabaseError>> + Send;
}

impl Outcome for () {
    const COLUMNS: &'static [Column] = &[];

    async fn run(
        conn: &dyn Executor,
        text: &str,
        values: Values<'_>,
    ) -> Result<Self, DatabaseError> {
        execute(conn, text, values).await.map(drop)
    }
}

impl Outcome for u64 {
    const COLUMNS: &'static [Column] = &[];

    async fn run(
        conn: &dyn Executor,
        text: &str,
        values: Values<'_>,
    ) -> Result<Self, DatabaseError> {
        execute(conn, text, values).await
    }
}

impl<T: for<'r> FromRow<'r> + Send> Outcome for Option<T> {
    const COLUMNS: &'static [Column] = T::COLUMNS;

    async fn run(
        conn: &dyn Executor,
        text: &str,
        values: Values<'_>,
    ) -> Result<Self, DatabaseError> {
        let row = query_opt(conn, text, values).await?;
        Ok(row.as_ref().map(T::from_row).transpose()?)
    }
}

impl<T: for<'r> FromRow<'r> + Send> Outcome for Vec<T> {
    const COLUMNS: &'static [Column] = T::COLUMNS;

    async fn run(
        conn: &dyn Executor,
        text: &str,
        values: Values<'_>,
    ) -> Result<Self, DatabaseError> {
        let rows = query(conn, text, values).await?;
        let rows: Result<_, _> = rows.iter().map(T::from_row).collect();
        Ok(rows?)
    }
}

/// Runs a statement that always returns one row.
pub async fn only_row<T: for<'r> FromRow<'r>>(
    conn: &dyn Executor,
    text: &str,
    values: Values<'_>,
) -> Result<T, DatabaseError> {
    let row = query_one(conn, text, values).await?;
    Ok(T::from_row(&row)?)
}

/// What the code says about a statement. A test compares it with what the database says.
#[derive(Debug)]
pub struct Declaration {
    /// The path of the module.
    pub module: &'static str,
    /// The name of the function.
    pub name: &'static str,
    /// The parts of the text.
    pub text: &'static [&'static str],
    /// The parameters.
    pub parameters: &'static [Parameter],
    /// The columns of the result.
    pub columns: &'static [Column],
}

impl Declaration {
    /// Returns the statement as the database gets it.
    pub fn sql(&self) -> String {
        let names: Vec<&str> = self.parameters.iter().map(|known| known.name).collect();
        positional(self.text, &names)
    }
}

/// A parameter of a statement.
#[derive(Debug)]
pub struct Parameter {
    /// Its name in the text.
    pub name: &'static str,
    /// The code of its value.
    pub value: &'static str,
    /// Returns whether its value can be sent as this type.
    pub accepts: fn(&Type) -> bool,
}

/// Declares functions whose body is SQL, and the constant `STATEMENTS`, which describes all of them to
/// `testing::check_statements`.
///
/// ```
/// use innkeeper_service::database::statements;
///
/// statements! {
///     /// Deletes a user. Returns how many there were.
///     pub async fn delete(id: i64) -> u64 {
///         "delete from users where id = :id"
///     }
///
///     /// Adds a user, and returns its id.
///     pub async fn insert(name: &str, addresses: &[String]) -> i64
///     where { name: &str, first: Option<&str> = addresses.first().map(String::as_str) }
///     {
///         "insert into users (name, address) values (:name, :first) returning id"
///     }
/// }
/// # fn main() { assert_eq!(STATEMENTS.len(), 2); }
/// ```
///
/// Each function has the connection as a further argument, before the others. `:name` is a parameter: an argument, or
/// what `where` says. Text in several parts is joined, so that parts can be constants or files. The return type says
/// what is read, see [`Outcome`].
#[macro_export]
macro_rules! statements {
    ($(
        $(#[$attribute:meta])*
        $visibility:vis async fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $outcome:ty)?
        $(where { $($parameters:tt)* })?
        { $($text:expr),+ $(,)? }
    )*) => {
        $(
            $(#[$attribute])*
            $visibility async fn $name(
                conn: &dyn $crate::database::Executor,
                $($argument: $type),*
            ) -> ::std::result::Result<
                $crate::statement!(@outcome $($outcome)?),
                $crate::database::DatabaseError,
            > {
                $crate::statement!(
                    @run conn [$($outcome)?] [$($text),+] [$($argument: $type),*] $({ $($parameters)* })?
                )
            }
        )*

        /// All statements of this file.
        pub(crate) const STATEMENTS: &[$crate::database::Declaration] = &[$(
            $crate::statement!(
                @declare $name [$($outcome)?] [$($text),+] [$($argument: $type),*] $({ $($parameters)* })?
            )
        ),*];
    };
}

/// The parts of [`statements`].
#[doc(hidden)]
#[macro_export]
macro_rules! statement {
    (@outcome) => { () };
    (@outcome $outcome:ty) => { $outcome };
    (@value $name:ident) => { $name };
    (@value $name:ident $value:expr) => { $value };
    // The arguments are the parameters.
    (@run $conn:ident $outcome:tt $text:tt [$($parameters:tt)*]) => {
        $crate::statement!(@run $conn $outcome $text [] { $($parameters)* })
    };
    (
        @run $conn:ident [$($outcome:ty)?] [$($text:expr),+] $arguments:tt
        { $($name:ident: $type:ty $(= $value:expr)?),* $(,)? }
    ) => {{
        static TEXT: ::std::sync::LazyLock<::std::string::String> = ::std::sync::LazyLock::new(|| {
            $crate::database::positional(&[$($text),+], &[$(stringify!($name)),*])
        });
        <$crate::statement!(@outcome $($outcome)?) as $crate::database::Outcome>::run(
            $conn,
            &TEXT,
            &[$(&{
                let value: $type = $crate::statement!(@value $name $($value)?);
                value
            }),*],
        )
        .await
    }};
    (@declare $function:ident $outcome:tt $text:tt [$($parameters:tt)*]) => {
        $crate::statement!(@declare $function $outcome $text [] { $($parameters)* })
    };
    (
        @declare $function:ident [$($outcome:ty)?] [$($text:expr),+] $arguments:tt
        { $($name:ident: $type:ty $(= $value:expr)?),* $(,)? }
    ) => {
        $crate::database::Declaration {
            module: module_path!(),
            name: stringify!($function),
            text: &[$($text),+],
            parameters: &[$($crate::database::Parameter {
                name: stringify!($name),
                value: stringify!($($value)?),
                accepts: <$type as $crate::database::ToSql>::accepts,
            }),*],
            columns: <$crate::statement!(@outcome $($outcome)?) as $crate::database::Outcome>::COLUMNS,
        }
    };
}
