//! The chapters of the guide. The front page of the crate is the first one.

#[doc = include_str!("../docs/declaring.md")]
pub mod declaring {}

/// [Declaring]: crate::guide::declaring
/// [Formats]: crate::guide::formats
#[doc = include_str!("../docs/sources.md")]
pub mod sources {}

/// [Declaring]: crate::guide::declaring
/// [Errors]: crate::guide::errors
/// [Caching]: crate::guide::caching
#[doc = include_str!("../docs/responses.md")]
pub mod responses {}

#[doc = include_str!("../docs/caching.md")]
pub mod caching {}

/// [Caching]: crate::guide::caching
#[doc = include_str!("../docs/files.md")]
pub mod files {}

#[doc = include_str!("../docs/paging.md")]
pub mod paging {}

#[doc = include_str!("../docs/formats.md")]
pub mod formats {}

#[doc = include_str!("../docs/validation.md")]
pub mod validation {}

/// [Server]: crate::guide::server
#[doc = include_str!("../docs/errors.md")]
pub mod errors {}

/// [Server]: crate::guide::server
/// [Compression]: crate::guide::compression
#[doc = include_str!("../docs/filters.md")]
pub mod filters {}

#[doc = include_str!("../docs/compression.md")]
pub mod compression {}

#[doc = include_str!("../docs/openapi.md")]
pub mod openapi {}

#[doc = include_str!("../docs/events.md")]
pub mod events {}

#[doc = include_str!("../docs/websockets.md")]
pub mod websockets {}

/// [Transport]: crate::guide::transport
#[doc = include_str!("../docs/server.md")]
pub mod server {}

#[doc = include_str!("../docs/transport.md")]
pub mod transport {}

#[doc = include_str!("../docs/testing.md")]
pub mod testing {}

/// [Sources]: crate::guide::sources
/// [Responses]: crate::guide::responses
/// [Server]: crate::guide::server
/// [Errors]: crate::guide::errors
/// [Formats]: crate::guide::formats
/// [Filters]: crate::guide::filters
#[doc = include_str!("../docs/coming-from.md")]
pub mod coming_from {}

/// Compiles the programs in both READMEs.
#[cfg(doctest)]
mod readmes {
    #[doc = include_str!("../README.md")]
    mod of_the_framework {}

    #[doc = include_str!("../../../README.md")]
    mod of_the_workspace {}
}
