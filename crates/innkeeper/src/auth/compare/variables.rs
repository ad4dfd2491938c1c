//! The values that cases take from answers and put into later requests.

use std::collections::BTreeMap;

use serde_json::Value;
use url::{Url, form_urlencoded};

/// Shorter values occur in other texts by chance.
const SHORTEST_IN_TEXT: usize = 8;

/// Values by name: those of the run, and what the cases of a story captured.
#[derive(Debug, Clone)]
pub(super) struct Variables {
    /// The random part of addresses.
    pub(super) run: String,
    /// The address of the server, without a slash at the end.
    pub(super) server: String,
    service_token: String,
    captured: BTreeMap<String, String>,
}

impl Variables {
    pub(super) fn new(run: String, server: String, service_token: String) -> Self {
        Self {
            run,
            server,
            service_token,
            captured: BTreeMap::new(),
        }
    }

    /// Replaces every `${name}`; fails with the first name that has no value.
    pub(super) fn fill(&self, text: &str, tag: &str) -> Result<String, String> {
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            filled.push_str(before);
            let (name, after) = after.split_once('}').unwrap_or((after, ""));
            filled.push_str(self.get(name, tag).ok_or_else(|| name.to_owned())?);
            rest = after;
        }
        filled.push_str(rest);
        Ok(filled)
    }

    fn get<'a>(&'a self, name: &str, tag: &'a str) -> Option<&'a str> {
        match name {
            "run" => Some(&self.run),
            "tag" => Some(tag),
            "server" => Some(&self.server),
            "service_token" => Some(&self.service_token),
            _ => self.captured.get(name).map(String::as_str),
        }
    }

    /// Keeps a value, or forgets the former one if the answer had none.
    pub(super) fn set(&mut self, name: &str, value: Option<String>) {
        match value {
            Some(value) => self.captured.insert(name.to_owned(), value),
            None => self.captured.remove(name),
        };
    }

    /// Returns the name of the variable that holds this value.
    pub(super) fn name_of(&self, value: &str) -> Option<&str> {
        if value == self.service_token {
            return Some("service_token");
        }
        let mut captured = self.captured.iter();
        let found = captured.find(|(_, known)| *known == value && !value.is_empty());
        found.map(|(name, _)| name.as_str())
    }

    /// Replaces the address of the server, the random part of addresses and captured values by their names.
    pub(super) fn hide(&self, text: &str) -> String {
        let mut text = text.to_owned();
        let own = [("server", &self.server), ("run", &self.run)];
        let captured = self
            .captured
            .iter()
            .map(|(name, value)| (name.as_str(), value));
        for (name, value) in own.into_iter().chain(captured) {
            if value.len() >= SHORTEST_IN_TEXT {
                text = text.replace(value.as_str(), &format!("${{{name}}}"));
            }
        }
        text
    }
}

/// Reads the value at a place of an answer: a JSON pointer into the body, `location?name` or
/// `location#name`.
pub(super) fn captured(place: &str, location: Option<&str>, body: &Value) -> Option<String> {
    if place.starts_with('/') {
        return match body.pointer(place)? {
            Value::String(text) => Some(text.clone()),
            Value::Null => None,
            other => Some(other.to_string()),
        };
    }
    let name = place.strip_prefix("location")?;
    let url = Url::parse(location?).ok()?;
    let (parameters, name) = match name.strip_prefix('?') {
        Some(name) => (url.query()?, name),
        None => (url.fragment()?, name.strip_prefix('#')?),
    };
    let mut parameters = form_urlencoded::parse(parameters.as_bytes());
    let found = parameters.find(|(key, _)| key == name);
    found.map(|(_, value)| value.into_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Variables, captured};

    fn variables() -> Variables {
        let text = str::to_owned;
        let mut variables = Variables::new(text("0a1b2c3d"), text("http://a:1"), text("service"));
        variables.set("ada", Some("token-of-ada".to_owned()));
        variables
    }

    #[test]
    fn names_in_a_text_are_replaced_and_one_without_a_value_is_told() {
        let fill = |text| variables().fill(text, "plain");
        assert_eq!(
            fill("${tag}-${run}@x ${ada} ${service_token}").unwrap(),
            "plain-0a1b2c3d@x token-of-ada service"
        );
        assert_eq!(fill("no names, $5 {x}").unwrap(), "no names, $5 {x}");
        assert_eq!(fill("${eve}").unwrap_err(), "eve");
    }

    #[test]
    fn a_value_that_an_answer_lacks_is_forgotten() {
        let mut variables = variables();
        variables.set("ada", None);
        assert_eq!(variables.fill("${ada}", "plain").unwrap_err(), "ada");
    }

    #[test]
    fn known_values_are_hidden() {
        let variables = variables();
        assert_eq!(
            variables.hide("http://a:1/verify eve-0a1b2c3d@x token-of-ada"),
            "${server}/verify eve-${run}@x ${ada}"
        );
        assert_eq!(variables.name_of("token-of-ada"), Some("ada"));
        assert_eq!(variables.name_of(""), None);
    }

    #[test]
    fn values_are_read_from_body_query_and_fragment() {
        let body = json!({ "user": { "id": "7", "age": 36, "none": null } });
        let location = Some("http://x/?code=c%201#access_token=t");
        let read = |place| captured(place, location, &body);
        assert_eq!(read("/user/id").as_deref(), Some("7"));
        assert_eq!(read("/user/age").as_deref(), Some("36"));
        assert_eq!(read("/user/none"), None);
        assert_eq!(read("location?code").as_deref(), Some("c 1"));
        assert_eq!(read("location#access_token").as_deref(), Some("t"));
        assert_eq!(read("location#code"), None);
        assert_eq!(captured("location?code", None, &body), None);
    }
}
