//! What a resource may look like: generics, cfg, raw names, renamed crates, local futures.
