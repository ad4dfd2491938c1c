//! QR codes as SVG images.

use std::fmt::Write as _;

use qrcode::{Color, EcLevel, QrCode};

/// The width of the white border, in modules.
const BORDER: usize = 4;
/// The side of a module in the image, in pixels.
const SCALE: usize = 4;

/// Returns the QR code of a text as an SVG image; `None` if the text is too long for one.
///
/// The image contains neither `#` nor `%`: clients put it into a `data:` URL without escaping it.
pub(crate) fn svg(text: &str) -> Option<String> {
    let symbol = QrCode::with_error_correction_level(text, EcLevel::M).ok()?;
    let size = symbol.width() + 2 * BORDER;
    let pixels = size * SCALE;
    let mut path = String::new();
    for (y, row) in symbol.to_colors().chunks(symbol.width()).enumerate() {
        let mut left = BORDER;
        for run in row.chunk_by(|one, next| one == next) {
            let width = run.len();
            if run.first() == Some(&Color::Dark) {
                let top = y + BORDER;
                // Writing to a string cannot fail.
                write!(path, "M{left} {top}h{width}v1h-{width}z").ok();
            }
            left += width;
        }
    }
    Some(format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{pixels}" height="{pixels}" viewBox="0 0 {size} {size}" shape-rendering="crispEdges"><rect width="{size}" height="{size}" fill="white"/><path d="{path}" fill="black"/></svg>"#
    ))
}

#[cfg(test)]
mod tests {
    use rqrr::PreparedImage;

    use super::svg;

    /// Draws the image as a viewer does and reads it as a camera does.
    fn read(image: &str) -> String {
        let (_, size) = image.split_once("viewBox=\"0 0 ").unwrap();
        let size: usize = size.split(' ').next().unwrap().parse().unwrap();
        let (_, path) = image.split_once("d=\"").unwrap();
        let (path, _) = path.split_once('"').unwrap();
        let mut is_dark = vec![false; size * size];
        for run in path.split('M').skip(1) {
            let (at, width) = run.split_once('h').unwrap();
            let (left, top) = at.split_once(' ').unwrap();
            let (left, top): (usize, usize) = (left.parse().unwrap(), top.parse().unwrap());
            let width: usize = width.split('v').next().unwrap().parse().unwrap();
            is_dark[top * size + left..][..width].fill(true);
        }
        let scale = 4;
        let mut camera =
            PreparedImage::prepare_from_greyscale(size * scale, size * scale, |x, y| {
                if is_dark[y / scale * size + x / scale] {
                    0
                } else {
                    255
                }
            });
        let grids = camera.detect_grids();
        assert_eq!(grids.len(), 1);
        grids[0].decode().unwrap().1
    }

    #[test]
    fn a_camera_reads_the_text() {
        let long = format!("otpauth://totp/{}", "long-name-".repeat(60));
        for text in [
            "x",
            "otpauth://totp/Shop:ada@example.com?secret=ABC",
            "Grüße ✓",
            &long,
        ] {
            assert_eq!(read(&svg(text).unwrap()), text);
        }
    }

    #[test]
    fn the_image_needs_no_escaping_in_a_data_url() {
        let image = svg("otpauth://totp/a?secret=%23").unwrap();
        assert!(image.starts_with("<svg "), "{image}");
        assert!(!image.contains(['#', '%']), "{image}");
    }

    #[test]
    fn a_text_that_no_code_holds_has_no_image() {
        assert!(svg(&"x".repeat(2331)).is_some());
        assert!(svg(&"x".repeat(2332)).is_none());
    }
}
