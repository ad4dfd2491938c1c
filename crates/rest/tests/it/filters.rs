//! Filters at every level, and the ones that are shipped.
