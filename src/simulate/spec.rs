//! A strategy by name with its settings: `solar-offline:tau=0.88`.

use crate::error::{Error, Result};
use crate::schedule::Strategy;
use crate::schedule::registry::{COMPARED, Settings, strategy};

/// A strategy and its settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Spec {
    /// As it was written: the name in tables.
    pub label: String,
    /// The name of the strategy.
    pub name: String,
    /// What the strategy was told besides the site.
    pub settings: Settings,
}

impl Spec {
    /// Reads `name`, `name:tau=0.7`, `name:eta=0.5`. Missing settings are those of `base`.
    pub fn parse(text: &str, base: &Settings) -> Result<Self> {
        let (name, told) = text.split_once(':').unwrap_or((text, ""));
        let mut settings = *base;
        for pair in told.split(',').filter(|pair| !pair.is_empty()) {
            let wrong = || {
                Error::usage(format!("{pair:?} is not a setting of a strategy"))
                    .with_remedy("write solar-offline:tau=0.88 or inducible:eta=0.5")
            };
            let (key, value) = pair.split_once('=').ok_or_else(wrong)?;
            let value: f64 = value.parse().map_err(|_| wrong())?;
            match key {
                "tau" => settings.tau = Some(value),
                "eta" => settings.eta = Some(value),
                _ => return Err(wrong()),
            }
        }
        let spec = Spec { label: text.to_owned(), name: name.to_owned(), settings };
        spec.strategy()?;
        Ok(spec)
    }

    /// All strategies that a comparison lists.
    pub fn all(base: &Settings) -> Result<Vec<Self>> {
        COMPARED.iter().map(|name| Spec::parse(name, base)).collect()
    }

    /// The strategy that the name stands for; an error where there is none.
    pub fn strategy(&self) -> Result<Box<dyn Strategy>> {
        strategy(&self.name, &self.settings)
    }

    /// Whether its time may grow with the square of the number of pages.
    pub fn is_quadratic(&self) -> bool {
        matches!(
            self.name.as_str(),
            "solar-offline" | "solar-online" | "sharc-selective" | "sharc-selective-online"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strategy_is_told_by_name_with_its_settings() {
        let spec = Spec::parse("solar-offline:tau=0.88", &Settings::default()).unwrap();
        assert_eq!((spec.name.as_str(), spec.settings.tau), ("solar-offline", Some(0.88)));
        assert_eq!(spec.label, "solar-offline:tau=0.88");
        let base = Settings { eta: Some(0.6), ..Settings::default() };
        assert_eq!(Spec::parse("inducible", &base).unwrap().settings.eta, Some(0.6));
        for wrong in
            ["random", "solar-offline:tau", "solar-offline:tau=x", "solar-offline:tau=2", "bfs:speed=1"]
        {
            assert!(Spec::parse(wrong, &Settings::default()).is_err(), "{wrong}");
        }
        assert_eq!(Spec::all(&Settings::default()).unwrap().len(), COMPARED.len());
    }
}
