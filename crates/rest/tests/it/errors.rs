//! Rejections and the formats that write them.
