//! The weights used for the importance of a change.
//!
//! The defaults are `weights.toml` beside this file, embedded; a user's TOML file may override any of them. Unknown
//! names are an error.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::html::blocks::Role;

const DEFAULTS: &str = include_str!("weights.toml");

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChangeWeights {
    /// By a block's place.
    pub role: RoleWeights,
    /// By a block's content.
    pub block: BlockWeights,
    /// Number of words that an element counts for.
    pub element: ElementWeights,
    /// What counts as changed.
    pub changed: Changed,
    /// By operation and what it acts on.
    pub operation: OperationWeights,
}

/// What counts as changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Changed {
    /// Changes of less importance are noise.
    pub below: f64,
}

/// The weight of a block's place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct RoleWeights {
    pub title: f64,
    pub main: f64,
    pub article: f64,
    pub other: f64,
    pub header: f64,
    pub aside: f64,
    pub nav: f64,
    pub footer: f64,
    pub noise: f64,
}

impl RoleWeights {
    pub fn of(&self, role: Role) -> f64 {
        match role {
            Role::Title => self.title,
            Role::Main => self.main,
            Role::Article => self.article,
            Role::Other => self.other,
            Role::Header => self.header,
            Role::Aside => self.aside,
            Role::Nav => self.nav,
            Role::Footer => self.footer,
            Role::Noise => self.noise,
        }
    }
}

/// The weight of a block's size and content.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlockWeights {
    pub size_exponent: f64,
    /// The factor of a heading of level 1 or 2.
    pub heading: f64,
    /// The share of its weight that a block of only links loses.
    pub link_density: f64,
}

/// Number of words that an element counts for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct ElementWeights {
    pub text: f64,
    /// Words that a number counts for.
    pub number: u64,
    pub link: f64,
    pub image: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct OperationWeights {
    pub block: OnBlock,
    pub text: OnElement,
    pub link: OnElement,
    pub image: OnElement,
}

/// Weights of operations on whole blocks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct OnBlock {
    pub insert: f64,
    pub delete: f64,
    #[serde(rename = "move")]
    pub moved: f64,
}

/// Weights of operations on elements inside a block.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct OnElement {
    pub insert: f64,
    pub delete: f64,
    pub update: f64,
    #[serde(rename = "move")]
    pub moved: f64,
}

impl Default for ChangeWeights {
    fn default() -> Self {
        // A test parses the embedded table.
        ChangeWeights::with_overrides("")
            .unwrap_or_else(|error| unreachable!("the embedded weights: {error}"))
    }
}

impl ChangeWeights {
    /// The defaults, overridden by a user's table.
    ///
    /// # Errors
    ///
    /// If the text is not TOML, names an unknown weight, or a weight is out of range.
    pub fn with_overrides(text: &str) -> Result<ChangeWeights> {
        let mut table: toml::Table = DEFAULTS.parse().map_err(|e| Error::data(format!("weights: {e}")))?;
        let overrides: toml::Table = text.parse().map_err(|error| fault(text, &error))?;
        merge(&mut table, overrides);
        let weights: ChangeWeights = table.try_into().map_err(|error| fault(text, &error))?;
        weights.check()?;
        Ok(weights)
    }

    fn check(&self) -> Result<()> {
        let (role, element, operation) = (&self.role, &self.element, &self.operation);
        let roles = [
            role.title,
            role.main,
            role.article,
            role.other,
            role.header,
            role.aside,
            role.nav,
            role.footer,
            role.noise,
        ];
        if !(1..=1000).contains(&element.number) {
            return Err(Error::usage("weights: a number counts for 1 to 1000 words"));
        }
        let positive = [element.text, element.link, element.image, self.block.heading];
        let shares = [&operation.text, &operation.link, &operation.image]
            .into_iter()
            .flat_map(|on| [on.insert, on.delete, on.update, on.moved])
            .chain([operation.block.insert, operation.block.delete, operation.block.moved])
            .chain([self.block.link_density, self.block.size_exponent, self.changed.below]);
        if roles.iter().chain(&positive).any(|weight| !(weight.is_finite() && *weight >= 0.0)) {
            return Err(Error::usage("weights: a weight has to be a number of 0 or more"));
        }
        if roles.iter().all(|weight| *weight == 0.0) || positive.iter().all(|weight| *weight == 0.0) {
            return Err(Error::usage(
                "weights: at least one place and one kind of element has to weigh something",
            ));
        }
        if shares.into_iter().any(|share| !(0.0..=1.0).contains(&share)) {
            return Err(Error::usage(
                "weights: operations, link_density, size_exponent and changed.below lie between 0 and 1",
            ));
        }
        Ok(())
    }
}

/// The fault in one sentence, with its line.
fn fault(text: &str, error: &toml::de::Error) -> Error {
    let line =
        error.span().and_then(|span| text.get(..span.start)).map(|before| before.matches('\n').count() + 1);
    let line = line.map_or_else(String::new, |line| format!("line {line}: "));
    let message = error.message().split_whitespace().collect::<Vec<_>>().join(" ");
    Error::usage(format!("{line}{message}"))
        .with_remedy("docs/importance.md has the table of weights, a TOML file")
}

fn merge(table: &mut toml::Table, overrides: toml::Table) {
    for (key, value) in overrides {
        match (table.get_mut(&key), value) {
            (Some(toml::Value::Table(inner)), toml::Value::Table(value)) => merge(inner, value),
            (Some(toml::Value::Float(number)), toml::Value::Integer(value)) => *number = value as f64,
            (_, value) => {
                table.insert(key, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_table_is_complete_and_a_user_overrides_single_weights() {
        let weights =
            ChangeWeights::with_overrides("[role]\nfooter = 1\n[operation.text]\nmove = 0.5\n").unwrap();
        assert_eq!(weights.role.footer, 1.0);
        assert_eq!(weights.operation.text.moved, 0.5);
        assert_eq!(weights.role.main, ChangeWeights::default().role.main);
    }

    #[test]
    fn unknown_names_and_weights_out_of_range_are_refused() {
        for text in [
            "[role]\nfooder = 1.0",
            "[role]\nmain = -1.0",
            "[operation.text]\ninsert = 2.0",
            "nonsense",
            "[role]\nmain = nan",
        ] {
            assert!(ChangeWeights::with_overrides(text).is_err(), "{text}");
        }
    }
}
