//! Reading by content type, writing by `Accept`.
