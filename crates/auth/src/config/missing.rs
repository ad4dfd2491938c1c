//! Settings of features that are not built yet. They give a warning and have no effect, whatever their value.

use innkeeper_service::settings::{Kind, Reader, Section, Setting, Support, Value};

pub(super) const SETTINGS: &[Setting] = &[
    switch("SAML_ENABLED"),
    switch("OAUTH_SERVER_ENABLED"),
    switch("PROFILER_ENABLED"),
    switch("EXPERIMENTAL_SCIM_ENABLED"),
    switch("EXTERNAL_WEB3_<CHAIN>_ENABLED").words(&["SOLANA", "ETHEREUM"]),
    any_of("SAML_<SETTING>").secret(),
    any_of("OAUTH_SERVER_<SETTING>"),
    any_of("PROFILER_<SETTING>"),
    any_of("EXTERNAL_WEB3_<SETTING>"),
];

const fn switch(name: &'static str) -> Setting {
    Setting::new(name, Kind::Boolean, "Gives a warning if it is on.")
        .default(&["false"])
        .not_yet()
}

const fn any_of(name: &'static str) -> Setting {
    Setting::new(name, Kind::Text, "Gives a warning.").not_yet()
}

/// The missing features, by a part of the names of their settings. The first one that is found counts.
const FEATURES: &[(&str, &str)] = &[
    ("SAML_", "sign-in by SAML"),
    ("_SSO", "sign-in by SAML"),
    ("OAUTH_", "the OAuth server"),
    ("WEB3", "sign-in by wallet"),
    ("SCIM_", "the SCIM server"),
    ("PROFILER_", "the profiler"),
];

/// Warns of every setting of a missing feature that is set, unless it says that the feature is off.
pub(super) fn check(reader: &mut Reader, table: &'static [Section]) {
    let settings = table.iter().flat_map(|section| section.settings);
    for setting in settings.filter(|setting| setting.support == Support::NotYet) {
        for name in names(reader, setting) {
            if is_off(reader, setting, &name) {
                continue;
            }
            let problem = match setting.kind {
                Kind::Boolean => format!("{} is not available yet and stays off", feature(&name)),
                _ => format!("has no effect: {} is not available yet", feature(&name)),
            };
            reader.warn(&name, &problem);
        }
    }
}

/// Returns the names of a setting that are set.
fn names(reader: &mut Reader, setting: &Setting) -> Vec<String> {
    let Some((before, rest)) = setting.name.split_once('<') else {
        let is_set = reader.is_set(setting.name);
        return is_set
            .then(|| setting.name.to_owned())
            .into_iter()
            .collect();
    };
    let after = rest.split_once('>').map_or("", |(_, after)| after);
    let words = reader.words_of(setting.name).into_iter();
    words.map(|word| format!("{before}{word}{after}")).collect()
}

fn is_off(reader: &mut Reader, setting: &Setting, name: &str) -> bool {
    let text: Option<String> = reader.optional(name);
    let value = text.and_then(|text| bool::parse(&text, setting.kind));
    setting.kind == Kind::Boolean && value == Some(false)
}

fn feature(name: &str) -> &'static str {
    let mut features = FEATURES.iter();
    features
        .find(|(part, _)| name.contains(part))
        .map_or("the feature", |(_, feature)| feature)
}
