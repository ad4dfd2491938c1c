//! Rows of statements.

use jiff::Timestamp;
use serde_json::Value;
use tokio_postgres::types::{FromSql, Type};
use tokio_postgres::{Error, Row};
use uuid::Uuid;

/// A value that is read from a row.
pub trait FromRow<'r>: Sized {
    /// The columns that are read, in this order.
    const COLUMNS: &'static [Column];

    /// Reads the value.
    fn from_row(row: &'r Row) -> Result<Self, Error>;
}

/// A column as the code reads it.
#[derive(Debug)]
pub struct Column {
    /// Its name; `None` if it may have any.
    pub name: Option<&'static str>,
    /// Returns whether this type can be read.
    pub accepts: fn(&Type) -> bool,
    /// Returns whether null can be read.
    pub reads_null: fn() -> bool,
    /// Why the column is null, or is not, although the table says something else.
    pub reason: Option<&'static str>,
}

/// Returns whether this type can be null.
pub fn reads_null<'r, T: FromSql<'r>>() -> bool {
    T::from_sql_null(&Type::UNKNOWN).is_ok()
}

/// Declares structs that are read from rows: a field for each column, in the order of the statement. An `Option` may
/// be null.
///
/// A test compares this with the tables; where a statement knows better, the field says why.
///
/// ```
/// innkeeper_service::database::rows! {
///     /// A user with an address.
///     #[derive(Debug)]
///     pub struct Reachable<'r> {
///         pub id: i64,
///         pub name: Option<&'r str>,
///         pub address: &'r str where "others are not selected",
///     }
/// }
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! rows {
    ($(
        $(#[$attribute:meta])*
        $visibility:vis struct $name:ident $(<$lifetime:lifetime>)? {
            $(
                $(#[$field_attribute:meta])*
                $field_visibility:vis $field:ident: $type:ty $(where $reason:literal)?
            ),* $(,)?
        }
    )*) => { $(
        $(#[$attribute])*
        $visibility struct $name $(<$lifetime>)? {
            $($(#[$field_attribute])* $field_visibility $field: $type),*
        }

        $crate::row!([$($lifetime)?] $name [$($field: $type [$($reason)?]),*]);
    )* };
}

/// The parts of [`rows`].
#[doc(hidden)]
#[macro_export]
macro_rules! row {
    ([] $name:ident $fields:tt) => {
        $crate::row!(@implement 'r ($name) $fields);
        $crate::row!(@outcome $name);
    };
    (@outcome $name:ty) => {
        impl $crate::database::Outcome for $name {
            const COLUMNS: &'static [$crate::database::Column] =
                <Self as $crate::database::FromRow<'static>>::COLUMNS;

            async fn run(
                conn: &dyn $crate::database::Executor,
                text: &str,
                values: $crate::database::Values<'_>,
            ) -> ::std::result::Result<Self, $crate::database::DatabaseError> {
                $crate::database::only_row(conn, text, values).await
            }
        }
    };
    ([$lifetime:lifetime] $name:ident $fields:tt) => {
        $crate::row!(@implement $lifetime ($name<$lifetime>) $fields);
    };
    (@implement $lifetime:lifetime ($name:ty) [$($field:ident: $type:ty [$($reason:literal)?]),*]) => {
        impl<$lifetime> $crate::database::FromRow<$lifetime> for $name {
            const COLUMNS: &'static [$crate::database::Column] = &[$(
                $crate::database::Column {
                    name: Some(stringify!($field)),
                    accepts: <$type as $crate::database::FromSql<$lifetime>>::accepts,
                    reads_null: $crate::database::reads_null::<$lifetime, $type>,
                    reason: $crate::row!(@reason $($reason)?),
                }
            ),*];

            fn from_row(
                row: &$lifetime $crate::database::Row,
            ) -> ::std::result::Result<Self, $crate::database::RowError> {
                let mut columns = 0_usize..;
                Ok(Self { $(
                    $field: row.try_get::<usize, $type>(columns.next().unwrap_or_default())?
                ),* })
            }
        }
    };
    (@reason) => { None };
    (@reason $reason:literal) => { Some($reason) };
}

/// A row of one column.
macro_rules! of_one_column {
    ($($type:ty),*) => { $(
        impl<'r> FromRow<'r> for $type {
            const COLUMNS: &'static [Column] = &[Column {
                name: None,
                accepts: <$type as FromSql<'r>>::accepts,
                reads_null: reads_null::<'r, $type>,
                reason: None,
            }];

            fn from_row(row: &'r Row) -> Result<Self, Error> {
                row.try_get(0)
            }
        }

        crate::row!(@outcome $type);
    )* };
}

of_one_column!(bool, i32, i64, f64, String, Uuid, Timestamp, Value);
