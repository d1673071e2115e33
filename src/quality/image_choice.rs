//! Images in several sizes: a page needs the image or one of its candidates, whichever a browser would choose.
//!
//! The graph says of each page which images it has with candidates and nowhere alone ([`LinkKind::Source`]), and which
//! candidates it names ([`LinkKind::Candidate`]); an image is joined to its candidates by edges of that kind, too. What one
//! page has in place of an image counts for that page only: where another one links to the image, or shows it alone, it is
//! needed itself.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use crate::capture::graph::LinkGraph;
use crate::html::links::LinkKind;

/// Finds what was captured in place of images.
pub(super) struct Choices<'a> {
    graph: &'a LinkGraph,
    /// Whether a node was captured as what a use needs.
    captured: &'a dyn Fn(u32, LinkKind) -> bool,
    known: RefCell<HashMap<(u32, LinkKind), bool>>,
}

/// What one page or style sheet names of images in several sizes.
#[derive(Debug, Default)]
pub(super) struct Sizes {
    images: HashSet<u32>,
    candidates: HashSet<u32>,
}

impl<'a> Choices<'a> {
    pub(super) fn new(graph: &'a LinkGraph, captured: &'a dyn Fn(u32, LinkKind) -> bool) -> Self {
        Choices { graph, captured, known: RefCell::default() }
    }

    pub(super) fn is_captured(&self, node: u32, kind: LinkKind) -> bool {
        if let Some(known) = self.known.borrow().get(&(node, kind)) {
            return *known;
        }
        let is_captured = (self.captured)(node, kind);
        self.known.borrow_mut().insert((node, kind), is_captured);
        is_captured
    }

    /// The images of a page or style sheet that have candidates.
    pub(super) fn sizes(&self, from: u32) -> Sizes {
        let mut sizes = Sizes::default();
        for (to, kind) in self.graph.out(from) {
            match kind {
                LinkKind::Source => sizes.images.insert(to),
                LinkKind::Candidate => sizes.candidates.insert(to),
                _ => continue,
            };
        }
        sizes
    }

    /// The image itself, or the first of its candidates that was captured where the image was not.
    pub(super) fn chosen(&self, sizes: &Sizes, image: u32, kind: LinkKind) -> u32 {
        if !sizes.images.contains(&image) || self.is_captured(image, kind) {
            return image;
        }
        let mut candidates = self.graph.out(image).filter(|(_, kind)| *kind == LinkKind::Candidate);
        let is_here = |candidate: &u32| sizes.candidates.contains(candidate);
        let found = candidates.find(|(to, _)| is_here(to) && self.is_captured(*to, kind));
        found.map_or(image, |(to, _)| to)
    }
}
