//! What a route tells about itself.
