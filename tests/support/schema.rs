//! A small checker for the part of JSON Schema that the project's schemas use.

use serde_json::Value;

/// All faults of a value, each with its path.
pub fn faults(schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    check(schema, schema, value, "", &mut found);
    found
}

fn check(root: &Value, schema: &Value, value: &Value, path: &str, found: &mut Vec<String>) {
    if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
        let target = root.pointer(name.trim_start_matches('#')).unwrap_or_else(|| panic!("{name}"));
        return check(root, target, value, path, found);
    }
    if let Some(options) = schema.get("anyOf").and_then(Value::as_array) {
        let fits = |option: &Value| {
            let mut inner = Vec::new();
            check(root, option, value, path, &mut inner);
            inner.is_empty()
        };
        if !options.iter().any(fits) {
            found.push(format!("{path}: fits none"));
        }
        return;
    }
    let is = |name: &str| match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        "boolean" => value.is_boolean(),
        _ => value.is_null(),
    };
    let fits = match &schema["type"] {
        Value::String(name) => is(name),
        Value::Array(names) => names.iter().filter_map(Value::as_str).any(is),
        _ => panic!("{path}: no type"),
    };
    if !fits {
        found.push(format!("{path}: {value} is no {}", schema["type"]));
    }
    if schema.get("enum").and_then(Value::as_array).is_some_and(|options| !options.contains(value)) {
        found.push(format!("{path}: {value} is not listed"));
    }
    let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
    if let Some(number) = value.as_f64() {
        let outside = bound("minimum").is_some_and(|least| number < least - 1e-12)
            || bound("maximum").is_some_and(|most| number > most + 1e-12);
        if outside {
            found.push(format!("{path}: {number} is out of bounds"));
        }
    }
    if let Some(fields) = value.as_object() {
        for (name, field) in fields {
            match schema["properties"].get(name) {
                Some(property) => check(root, property, field, &format!("{path}.{name}"), found),
                None => found.push(format!("{path}.{name}: not described")),
            }
        }
        for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !fields.contains_key(name) {
                found.push(format!("{path}.{name}: missing"));
            }
        }
    }
    for item in value.as_array().into_iter().flatten() {
        check(root, &schema["items"], item, &format!("{path}[]"), found);
    }
}
