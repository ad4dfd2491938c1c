//! Settings that cannot be meant.

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
            "gzip has levels from 1 to 9, and not 0",
            "Brotli has levels from 0 to 11, and not 12",
            "`text` is no content type such as `text/csv` or `text/*`",
            "`*/*` is no content type such as `text/csv` or `text/*`",
            "without gzip and Brotli nothing is left to compress with",
            "`image/png` cannot be compressed both always and never",
        ]
    );
}
