//! Strategies by name.
//!
//! An order of visits (`bfs`, `sharc-offline`, …) is repeated in the same order unless its name ends in `-lifo`.

use super::baseline::{bfs::Bfs, dfs::Dfs, frequency::Frequency, hottest, op::Op, relevance::Relevance};
use super::optimal::Optimal;
use super::order::{Order, Ordered};
use super::pattern::{Kind, Urgency};
use super::plan::{Revisits, Strategy};
use super::threshold::{self, measurable::Measurable, pyramid};
use super::{sharc, solar};
use crate::error::{Error, Result};

/// Settings of strategies.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Settings {
    /// τ: least survival (SOLAR's confidence lengths, SHARC-threshold).
    pub tau: Option<f64>,
    /// η: greatest chance of a conflict (measurable, inducible).
    pub eta: Option<f64>,
    /// M: downloads a period (pattern, importance-pattern, importance).
    pub per_period: Option<usize>,
}

/// The strategies that a comparison lists, in its order.
pub const COMPARED: [&str; 26] = [
    "optimal",
    "sharc-selective",
    "sharc-selective-online",
    "solar-offline",
    "solar-online",
    "sharc-threshold",
    "inducible",
    "hottest-middle",
    "sharc-revisits",
    "sharc-offline",
    "sharc-online",
    "measurable",
    "bfs-fifo",
    "bfs-lifo",
    "dfs-fifo",
    "dfs-lifo",
    "hottest-first-fifo",
    "hottest-first-lifo",
    "hottest-last-fifo",
    "hottest-last-lifo",
    "op",
    "relevance",
    "frequency",
    "importance",
    "pattern",
    "importance-pattern",
];

/// Makes a strategy with its settings; an unknown name is an error that lists the known ones.
pub fn strategy(name: &str, settings: &Settings) -> Result<Box<dyn Strategy>> {
    let share = |name: &str, value: Option<f64>, default: f64| match value.unwrap_or(default) {
        share if share > 0.0 && share < 1.0 => Ok(share),
        share => Err(Error::usage(format!("{name} is a probability between 0 and 1, not {share}"))),
    };
    let solar = || share("tau", settings.tau, solar::TAU);
    Ok(match name {
        "optimal" => Box::new(Optimal { settings: *settings }),
        "sharc-selective" => Box::new(sharc::selective::Selective),
        "sharc-selective-online" => {
            Box::new(Ordered::new(sharc::selective_online::SelectiveOnline, Revisits::Lifo))
        }
        "sharc-revisits" => Box::new(Ordered::new(sharc::offline::Offline, Revisits::Fifo)),
        "solar-offline" => Box::new(solar::offline::Offline { tau: solar()? }),
        "solar-online" => Box::new(solar::online::Online { tau: solar()? }),
        "hottest-middle" => Box::new(pyramid::HottestMiddle),
        "sharc-threshold" => Box::new(pyramid::Threshold::sharc(share("tau", settings.tau, threshold::TAU)?)),
        "inducible" => Box::new(pyramid::Threshold::inducible(share("eta", settings.eta, threshold::ETA)?)),
        _ => {
            let (base, revisits) = match (name.strip_suffix("-lifo"), name.strip_suffix("-fifo")) {
                (Some(base), _) => (base, Revisits::Lifo),
                (_, Some(base)) => (base, Revisits::Fifo),
                _ => (name, Revisits::Fifo),
            };
            let eta = || share("eta", settings.eta, threshold::ETA);
            let urgency = |kind| Urgency { kind, per_period: settings.per_period };
            match base {
                "sharc-offline" => ordered(sharc::offline::Offline, revisits),
                "sharc-online" => ordered(sharc::online::Online, revisits),
                "measurable" => ordered(Measurable { eta: eta()? }, revisits),
                "bfs" => ordered(Bfs, revisits),
                "dfs" => ordered(Dfs, revisits),
                "hottest-first" => ordered(hottest::HottestFirst, revisits),
                "hottest-last" => ordered(hottest::HottestLast, revisits),
                "op" => ordered(Op, revisits),
                "relevance" => ordered(Relevance, revisits),
                "frequency" => ordered(Frequency, revisits),
                "importance" => ordered(urgency(Kind::Importance), revisits),
                "pattern" => ordered(urgency(Kind::Pattern), revisits),
                "importance-pattern" => ordered(urgency(Kind::ImportancePattern), revisits),
                _ => {
                    return Err(Error::usage(format!("there is no strategy {name:?}"))
                        .with_remedy(format!("choose one of: {}", COMPARED.join(" "))));
                }
            }
        }
    })
}

fn ordered(order: impl Order + 'static, revisits: Revisits) -> Box<dyn Strategy> {
    Box::new(Ordered::new(order, revisits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_known_and_others_are_refused_with_a_list() {
        let also = ["bfs", "dfs", "hottest-first", "hottest-last", "op-lifo", "sharc-offline-lifo"];
        for name in COMPARED.iter().chain(&also) {
            assert!(strategy(name, &Settings::default()).is_ok(), "{name}");
        }
        let error = strategy("random", &Settings::default()).err().unwrap();
        assert!(error.remedy().unwrap().contains("sharc-selective"));
        assert!(strategy("solar-offline", &Settings { tau: Some(1.5), ..Settings::default() }).is_err());
        assert!(strategy("inducible", &Settings { eta: Some(f64::NAN), ..Settings::default() }).is_err());
    }
}
