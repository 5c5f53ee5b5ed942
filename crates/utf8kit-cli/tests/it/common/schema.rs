//! JSON Schema (draft 7 and 2020-12), as far as the schemas of these tests use it. Any other keyword is rejected, so
//! that nothing passes unchecked. A crate that supports everything takes two minutes to compile.

use regex_lite::Regex;
use serde_json::{Map, Value};

/// A schema to check values against.
pub(crate) struct Schema<'s>(pub(crate) &'s Value);

impl Schema<'_> {
    /// Returns the errors in a value, each with a place and a reason.
    pub(crate) fn errors(&self, value: &Value) -> Vec<String> {
        let mut errors = Vec::new();
        self.check(self.0, value, "", &mut errors);
        errors
    }

    pub(crate) fn is_valid(&self, value: &Value) -> bool {
        self.errors(value).is_empty()
    }

    fn matches(&self, schema: &Value, value: &Value) -> bool {
        let mut errors = Vec::new();
        self.check(schema, value, "", &mut errors);
        errors.is_empty()
    }

    fn check(&self, schema: &Value, value: &Value, place: &str, errors: &mut Vec<String>) {
        let schema = match schema {
            Value::Bool(true) => return,
            Value::Bool(false) => return errors.push(format!("{place}: nothing is allowed here")),
            other => other.as_object().expect("a schema is an object"),
        };
        for (keyword, rule) in schema {
            let holds = match keyword.as_str() {
                "$schema" | "$id" | "$defs" | "definitions" | "title" | "description" | "default" => true,
                "$ref" => {
                    let pointer = rule.as_str().unwrap().strip_prefix('#').expect("a local reference");
                    self.check(self.0.pointer(pointer).expect("a definition"), value, place, errors);
                    true
                }
                "type" => match rule {
                    Value::Array(types) => types.iter().any(|one| is_of_type(value, one)),
                    one => is_of_type(value, one),
                },
                "enum" => rule.as_array().unwrap().contains(value),
                "const" => rule == value,
                "anyOf" => rule.as_array().unwrap().iter().any(|one| self.matches(one, value)),
                "oneOf" => rule.as_array().unwrap().iter().filter(|one| self.matches(one, value)).count() == 1,
                "minimum" => value.as_f64().is_none_or(|number| number >= rule.as_f64().unwrap()),
                "maximum" => value.as_f64().is_none_or(|number| number <= rule.as_f64().unwrap()),
                "minItems" => value.as_array().is_none_or(|items| items.len() as u64 >= rule.as_u64().unwrap()),
                "maxItems" => value.as_array().is_none_or(|items| items.len() as u64 <= rule.as_u64().unwrap()),
                "uniqueItems" => value
                    .as_array()
                    .is_none_or(|items| rule != true || (1..items.len()).all(|at| !items[..at].contains(&items[at]))),
                "pattern" => {
                    let pattern = Regex::new(rule.as_str().unwrap()).unwrap();
                    value.as_str().is_none_or(|text| pattern.is_match(text))
                }
                "format" => value.as_str().is_none_or(|text| has_format(text, rule.as_str().unwrap())),
                "required" => value.as_object().is_none_or(|object| {
                    rule.as_array().unwrap().iter().all(|name| object.contains_key(name.as_str().unwrap()))
                }),
                "items" => {
                    for (at, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.check(rule, item, &format!("{place}/{at}"), errors);
                    }
                    true
                }
                "properties" => {
                    for (name, rule) in rule.as_object().unwrap() {
                        if let Some(value) = value.get(name) {
                            self.check(rule, value, &format!("{place}/{name}"), errors);
                        }
                    }
                    true
                }
                "additionalProperties" => {
                    for (name, value) in others(schema, value) {
                        self.check(rule, value, &format!("{place}/{name}"), errors);
                    }
                    true
                }
                other => panic!("the keyword {other} is not understood"),
            };
            if !holds {
                errors.push(format!("{place}: {keyword} {rule}"));
            }
        }
    }
}

/// Returns the properties that `properties` does not name.
fn others<'v>(schema: &Map<String, Value>, value: &'v Value) -> impl Iterator<Item = (&'v String, &'v Value)> {
    let named = schema.get("properties").and_then(Value::as_object);
    let all = value.as_object().into_iter().flatten();
    all.filter(move |(name, _)| named.is_none_or(|named| !named.contains_key(*name)))
}

fn is_of_type(value: &Value, name: &Value) -> bool {
    match name.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        other => panic!("the type {other} is not understood"),
    }
}

fn has_format(text: &str, format: &str) -> bool {
    match format {
        // RFC 3986: the characters of a reference, with `%` before two digits.
        "uri" | "uri-reference" => {
            let reference = Regex::new("^([A-Za-z0-9._~:/?#@!$&'()*+,;=-]|\\[|\\]|%[0-9A-Fa-f]{2})*$").unwrap();
            reference.is_match(text) && (format != "uri" || text.contains(':'))
        }
        other => panic!("the format {other} is not understood"),
    }
}

#[test]
fn schemas_refuse_what_they_should() {
    let schema = serde_json::json!({
        "$defs": {"hex": {"type": "string", "pattern": "^([0-9a-f]{2})*$"}},
        "type": "object",
        "required": ["a"],
        "additionalProperties": false,
        "properties": {
            "a": {"type": ["integer", "null"], "minimum": 1, "maximum": 9},
            "b": {"type": "array", "items": {"$ref": "#/$defs/hex"}, "minItems": 1, "maxItems": 2, "uniqueItems": true},
            "c": {"enum": ["x", "y"]},
            "d": {"oneOf": [{"const": 1}, {"const": 2}, {"minimum": 2}]},
            "e": {"anyOf": [{"type": "string", "format": "uri-reference"}, {"type": "boolean"}]},
        },
    });
    let is_valid = |value| Schema(&schema).is_valid(&value);
    let good = [
        serde_json::json!({"a": 1}),
        serde_json::json!({"a": null, "b": ["00", "ff"], "c": "y", "d": 1, "e": "a%20b"}),
        serde_json::json!({"a": 9, "d": 3, "e": true}),
    ];
    assert!(good.into_iter().all(is_valid));
    let bad = [
        serde_json::json!([]),
        serde_json::json!({}),
        serde_json::json!({"a": 0}),
        serde_json::json!({"a": 10}),
        serde_json::json!({"a": 1.5}),
        serde_json::json!({"a": "1"}),
        serde_json::json!({"a": 1, "z": 1}),
        serde_json::json!({"a": 1, "b": []}),
        serde_json::json!({"a": 1, "b": ["00", "01", "02"]}),
        serde_json::json!({"a": 1, "b": ["00", "00"]}),
        serde_json::json!({"a": 1, "b": ["0"]}),
        serde_json::json!({"a": 1, "c": "z"}),
        serde_json::json!({"a": 1, "d": 2}),
        serde_json::json!({"a": 1, "d": 0}),
        serde_json::json!({"a": 1, "e": "a b"}),
        serde_json::json!({"a": 1, "e": 1}),
    ];
    for value in bad {
        assert!(!is_valid(value.clone()), "{value}");
    }
}
