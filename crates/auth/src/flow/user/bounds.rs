//! The bounds of metadata, which the database stores and access tokens repeat.

use serde_json::Value;

use super::Object;
use crate::app::App;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;

/// How deep arrays and objects may be nested.
const MAX_DEPTH: usize = 32;
/// How many bytes of the size allow for one more value.
const BYTES_PER_VALUE: usize = 16;

/// Refuses metadata of the user that is too large. What is stored already may stay, and shrink.
pub(crate) fn check_user_metadata(app: &App, stored: &Object, changed: &Object) -> Result<()> {
    check(
        "user_metadata",
        app.config.metadata.max_user_size,
        stored,
        changed,
    )
}

/// Refuses metadata of the application that is too large. What is stored already may stay, and shrink.
pub(crate) fn check_app_metadata(app: &App, stored: &Object, changed: &Object) -> Result<()> {
    check(
        "app_metadata",
        app.config.metadata.max_app_size,
        stored,
        changed,
    )
}

fn check(name: &str, max_size: u32, stored: &Object, changed: &Object) -> Result<()> {
    let max_size = usize::try_from(max_size).unwrap_or(usize::MAX);
    match excess(max_size, &Extent::of(stored), &Extent::of(changed)) {
        Some(problem) => Err(AuthError::refused(
            ErrorCode::MetadataTooLarge,
            format!("{name} {problem}"),
        )),
        None => Ok(()),
    }
}

/// How large metadata is.
#[derive(Debug, Default)]
struct Extent {
    size: usize,
    depth: usize,
    values: usize,
}

impl Extent {
    fn of(metadata: &Object) -> Self {
        let mut extent = Self {
            // Metadata is always representable as JSON.
            size: serde_json::to_vec(metadata).map_or(usize::MAX, |json| json.len()),
            ..Self::default()
        };
        for value in metadata.values() {
            extent.visit(value, 1);
        }
        extent
    }

    /// Bodies are parsed with a limit of their depth, so that this ends.
    fn visit(&mut self, value: &Value, depth: usize) {
        self.values += 1;
        self.depth = self.depth.max(depth);
        match value {
            Value::Array(elements) => {
                for value in elements {
                    self.visit(value, depth + 1);
                }
            }
            Value::Object(members) => {
                for value in members.values() {
                    self.visit(value, depth + 1);
                }
            }
            _ => {}
        }
    }
}

/// Returns which bound changed metadata exceeds, unless what was stored exceeds it as much.
fn excess(max_size: usize, stored: &Extent, changed: &Extent) -> Option<String> {
    let exceeds = |changed: usize, stored: usize, max: usize| changed > max && changed > stored;
    let max_values = max_size / BYTES_PER_VALUE;
    if exceeds(changed.size, stored.size, max_size) {
        return Some(format!("must not have more than {max_size} bytes as JSON"));
    }
    if exceeds(changed.depth, stored.depth, MAX_DEPTH) {
        return Some(format!("must not be nested deeper than {MAX_DEPTH} levels"));
    }
    if exceeds(changed.values, stored.values, max_values) {
        return Some(format!("must not have more than {max_values} values"));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{Extent, excess};

    #[test]
    fn bounds_are_inclusive_and_what_is_larger_may_shrink() {
        let extent = |size, depth, values| Extent {
            size,
            depth,
            values,
        };
        let small = extent(2, 0, 0);
        for (stored, changed, is_refused) in [
            (&small, extent(1600, 32, 100), false),
            (&small, extent(1601, 1, 1), true),
            (&small, extent(9, 33, 1), true),
            (&small, extent(9, 1, 101), true),
            (&extent(2000, 1, 1), extent(1999, 1, 1), false),
            (&extent(2000, 1, 1), extent(2000, 1, 1), false),
            (&extent(2000, 1, 1), extent(2001, 1, 1), true),
            (&extent(2000, 40, 1), extent(1999, 40, 1), false),
            (&extent(2000, 40, 1), extent(1999, 41, 1), true),
            (&extent(2000, 1, 200), extent(1999, 1, 201), true),
        ] {
            let refused = excess(1600, stored, &changed).is_some();
            assert_eq!(refused, is_refused, "{stored:?} {changed:?}");
        }
    }

    #[test]
    fn every_value_and_every_level_counts() {
        let metadata = serde_json::json!({ "a": [1, { "b": null }], "c": "d" });
        let extent = Extent::of(metadata.as_object().unwrap());
        assert_eq!((extent.depth, extent.values), (3, 5));
        assert_eq!(extent.size, r#"{"a":[1,{"b":null}],"c":"d"}"#.len());
        let empty = Extent::of(&serde_json::Map::new());
        assert_eq!((empty.size, empty.depth, empty.values), (2, 0, 0));
    }
}
