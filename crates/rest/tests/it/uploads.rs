//! Large bodies, streamed.
