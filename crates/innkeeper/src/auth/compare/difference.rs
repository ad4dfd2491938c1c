//! Where two answers differ.

use std::collections::BTreeSet;

use serde_json::Value;

use super::recording::Answer;

/// One place with different values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Difference {
    /// Such as `status`, `header.allow` or `body.user.identities.0.id`.
    pub(super) place: String,
    /// As JSON; `None` where one answer has nothing.
    pub(super) with: Option<Value>,
    pub(super) against: Option<Value>,
}

/// Returns all places where two answers differ.
pub(super) fn differences(with: &Answer, against: &Answer) -> Vec<Difference> {
    let mut found = Vec::new();
    match (with, against) {
        (Answer::Received(with), Answer::Received(against)) => {
            walk("", Some(with), Some(against), &mut found);
        }
        (Answer::NotSent(_), Answer::NotSent(_)) => {}
        _ => found.push(Difference {
            place: "request".to_owned(),
            with: Some(sent(with)),
            against: Some(sent(against)),
        }),
    }
    found
}

fn sent(answer: &Answer) -> Value {
    Value::String(match answer {
        Answer::Received(_) => "sent".to_owned(),
        Answer::NotSent(variable) => format!("not sent: no earlier answer has ${{{variable}}}"),
    })
}

fn walk(place: &str, with: Option<&Value>, against: Option<&Value>, found: &mut Vec<Difference>) {
    if with == against {
        return;
    }
    let inner = |name: &str| match place {
        "" => name.to_owned(),
        place => format!("{place}.{name}"),
    };
    match (with, against) {
        (Some(Value::Object(with)), Some(Value::Object(against))) => {
            let names: BTreeSet<_> = with.keys().chain(against.keys()).collect();
            for name in names {
                walk(&inner(name), with.get(name), against.get(name), found);
            }
        }
        (Some(Value::Array(with)), Some(Value::Array(against))) => {
            for index in 0..with.len().max(against.len()) {
                let place = inner(&index.to_string());
                walk(&place, with.get(index), against.get(index), found);
            }
        }
        _ => found.push(Difference {
            place: place.to_owned(),
            with: with.cloned(),
            against: against.cloned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Answer, Difference, differences};

    fn compared(with: Value, against: Value) -> Vec<Difference> {
        differences(&Answer::Received(with), &Answer::Received(against))
    }

    fn difference(place: &str, with: Option<Value>, against: Option<Value>) -> Difference {
        Difference {
            place: place.to_owned(),
            with,
            against,
        }
    }

    #[test]
    fn equal_answers_have_no_differences() {
        let answer = json!({ "status": 200, "body": { "a": [1, { "b": null }] } });
        assert_eq!(compared(answer.clone(), answer), []);
    }

    #[test]
    fn every_place_is_told_with_its_type() {
        let with = json!({ "status": 400, "body": { "code": 400, "list": [1, 2], "null": null } });
        let against = json!({ "status": 422, "body": { "code": "400", "list": [1] } });
        assert_eq!(
            compared(with, against),
            [
                difference("body.code", Some(json!(400)), Some(json!("400"))),
                difference("body.list.1", Some(json!(2)), None),
                difference("body.null", Some(json!(null)), None),
                difference("status", Some(json!(400)), Some(json!(422))),
            ]
        );
    }

    #[test]
    fn values_of_different_kinds_are_shown_whole() {
        let found = compared(
            json!({ "body": { "a": [] } }),
            json!({ "body": { "a": {} } }),
        );
        assert_eq!(
            found,
            [difference("body.a", Some(json!([])), Some(json!({})))]
        );
        let found = compared(json!({ "body": null }), json!({ "text": "" }));
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn a_request_that_only_one_server_could_get_is_a_difference() {
        let not_sent = Answer::NotSent("ada".to_owned());
        let received = Answer::Received(json!({}));
        let found = differences(&received, &not_sent);
        assert_eq!(found.len(), 1);
        let said = found[0].against.as_ref().and_then(Value::as_str).unwrap();
        assert!(said.contains("${ada}"), "{said}");
        assert_eq!(differences(&not_sent, &not_sent), []);
    }
}
