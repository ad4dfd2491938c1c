//! Invalid settings.

use innkeeper_rest::filter::Compress;

#[test]
fn everything_that_is_wrong_is_told_at_once() {
    let builder = Compress::builder()
        .gzip_level(0)
        .brotli_level(12)
        .types(["text", "image/png"])
        .except_types(["*/*", "image/png"])
        .without_brotli()
        .without_gzip();
    assert_eq!(
        builder.build().unwrap_err().problems(),
        [
            "gzip has the levels 1 to 9, not 0",
            "Brotli has the levels 0 to 11, not 12",
            "`text` is not a content type such as `text/csv` or `text/*`",
            "`*/*` is not a content type such as `text/csv` or `text/*`",
            "gzip and Brotli cannot both be disabled",
            "`image/png` cannot be compressed both always and never",
        ]
    );
}
