//! Classes of similar pages, for Newton's method only.

use super::Curves;

/// How finely pages are classed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Grade {
    /// About 1,000 classes.
    Coarse,
    /// About 20,000 classes.
    Fine,
    /// About 150,000 classes.
    Finest,
    /// Only equal pages share a class.
    All,
}

impl Grade {
    pub(super) fn finer(self) -> Option<Self> {
        match self {
            Grade::Coarse => Some(Grade::Fine),
            Grade::Fine => Some(Grade::Finest),
            Grade::Finest => Some(Grade::All),
            Grade::All => None,
        }
    }
}

/// `count` pages of this weight and μ.
#[derive(Debug, Clone, Copy)]
pub(super) struct Class {
    pub(super) count: f64,
    pub(super) weight: f64,
    pub(super) mu: f64,
}

/// The heaviest tenth of the classes are single pages; the rest is cut by μ into strips of equal count, each strip by weight
/// into runs: mean weight, geometric mean of μ. (Where few pages differ, classes of equal pages alone would be exact, and
/// Newton's method crawls on them: a demand that steps is hard to meet.)
pub(super) fn classes(curves: &Curves, grade: Grade) -> Vec<Class> {
    let n = curves.len();
    let wanted = match grade {
        Grade::Coarse => 1_000,
        Grade::Fine => 20_000,
        Grade::Finest => 150_000,
        Grade::All => n,
    };
    let single = |page: &u32| Class {
        count: 1.0,
        weight: curves.weight[*page as usize],
        mu: curves.mu[*page as usize],
    };
    let mut pages: Vec<u32> = (0..n as u32).collect();
    let by_weight =
        |a: &u32, b: &u32| curves.weight[*b as usize].total_cmp(&curves.weight[*a as usize]).then(a.cmp(b));
    let by_mu = |a: &u32, b: &u32| {
        curves.mu[*a as usize].total_cmp(&curves.mu[*b as usize]).then_with(|| by_weight(a, b))
    };
    if wanted >= n {
        pages.sort_unstable_by(by_mu);
        let mut merged: Vec<Class> = Vec::new();
        for class in pages.iter().map(single) {
            match merged.last_mut() {
                Some(last) if last.mu == class.mu && last.weight == class.weight => last.count += 1.0,
                _ => merged.push(class),
            }
        }
        return merged;
    }
    pages.sort_unstable_by(by_weight);
    let (heavy, rest) = pages.split_at_mut(wanted / 10);
    let mut classes: Vec<Class> = heavy.iter().map(single).collect();
    rest.sort_unstable_by(by_mu);
    let cuts = ((wanted - heavy.len()) as f64).sqrt() as usize;
    let (total, least) = (rest.len(), 1e-9 / n as f64);
    for strip in 0..cuts {
        let strip = &mut rest[total * strip / cuts..total * (strip + 1) / cuts];
        strip.sort_unstable_by(by_weight);
        let length = strip.len();
        for run in 0..cuts {
            let run = &strip[length * run / cuts..length * (run + 1) / cuts];
            if !run.is_empty() {
                let count = run.len() as f64;
                let weight = run.iter().map(|&page| curves.weight[page as usize]).sum::<f64>() / count;
                let log_mu =
                    run.iter().map(|&page| curves.mu[page as usize].max(least).ln()).sum::<f64>() / count;
                classes.push(Class { count, weight, mu: log_mu.exp() });
            }
        }
    }
    classes
}
