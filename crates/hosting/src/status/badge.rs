//! The badge: the overall status as a small SVG image.

use super::indicator::Indicator;

/// The average width of a letter in tenths of a pixel, in the typeface and size of the badge.
const LETTER: usize = 66;
const PADDING: usize = 120;

/// Returns the word and the background colour; white text on each has a contrast of at least 4.5.
fn word_and_colour(indicator: Indicator) -> (&'static str, &'static str) {
    match indicator {
        Indicator::None => ("operational", "#1a7f37"),
        Indicator::Maintenance => ("maintenance", "#0969da"),
        Indicator::Minor => ("degraded", "#9a6700"),
        Indicator::Major => ("partial outage", "#bc4c00"),
        Indicator::Critical => ("major outage", "#cf222e"),
    }
}

/// Returns the badge as SVG.
pub(super) fn svg(indicator: Indicator) -> String {
    let (word, colour) = word_and_colour(indicator);
    let width = |text: &str| (text.len() * LETTER + PADDING) / 10;
    let (left, right) = (width("status"), width(word));
    let whole = left + right;
    let middle = left + right / 2;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{whole}\" height=\"20\" role=\"img\" \
         aria-label=\"status: {word}\"><title>status: {word}</title>\
         <clipPath id=\"r\"><rect width=\"{whole}\" height=\"20\" rx=\"3\"/></clipPath>\
         <g clip-path=\"url(#r)\"><rect width=\"{left}\" height=\"20\" fill=\"#444c56\"/>\
         <rect x=\"{left}\" width=\"{right}\" height=\"20\" fill=\"{colour}\"/></g>\
         <g fill=\"#fff\" text-anchor=\"middle\" font-family=\"Verdana,DejaVu Sans,sans-serif\" \
         font-size=\"11\"><text x=\"{}\" y=\"14\">status</text>\
         <text x=\"{middle}\" y=\"14\">{word}</text></g></svg>\n",
        left / 2,
    )
}

#[cfg(test)]
mod tests {
    use super::{Indicator, svg};

    #[test]
    fn the_badge_says_in_words_what_it_shows_in_colour() {
        for (indicator, word) in [
            (Indicator::None, "operational"),
            (Indicator::Maintenance, "maintenance"),
            (Indicator::Minor, "degraded"),
            (Indicator::Major, "partial outage"),
            (Indicator::Critical, "major outage"),
        ] {
            let picture = svg(indicator);
            assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
            assert!(picture.contains(&format!("aria-label=\"status: {word}\"")));
            assert_eq!(picture.matches(word).count(), 3, "{picture}");
        }
    }
}
