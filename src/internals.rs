//! Parts that the integration tests and benches of this package look into. Not for others: they change without notice.
#![allow(missing_docs)]

pub mod archive {
    pub mod blob {
        pub use crate::archive::blob::Blob;
    }
    pub mod cdx {
        pub use crate::archive::cdx::IndexItem;
        pub use crate::archive::cdx::IndexReader;
        pub use crate::archive::cdx::looks_like_index;
    }
    pub mod members {
        pub use crate::archive::members::Depth;
        pub use crate::archive::members::Members;
        pub use crate::archive::members::Tools;
        pub use crate::archive::members::walk_plain;
        pub use crate::archive::members::walk_zstd;
    }
    pub mod record {
        pub use crate::archive::record::RecordHead;
    }
    pub mod sniff {
        pub use crate::archive::sniff::Compression;
        pub use crate::archive::sniff::Content;
        pub use crate::archive::sniff::sniff;
    }
    pub mod source {
        pub use crate::archive::source::expand;
    }
    pub mod wacz {
        pub use crate::archive::wacz::Wacz;
    }
    pub mod walk {
        pub use crate::archive::walk::RecordEnd;
        pub use crate::archive::walk::Visitor;
    }
}
pub mod at {
    pub mod ask {
        pub use crate::at::ask::answer;
        pub use crate::at::ask::wanted;
    }
    pub mod compute {
        pub use crate::at::compute::AtInput;
        pub use crate::at::compute::at;
    }
    pub mod embed_model {
        pub use crate::at::embed_model::EmbedState;
        pub use crate::at::embed_model::Embeds;
    }
    pub mod model {
        pub use crate::at::model::At;
        pub use crate::at::model::AtParameters;
        pub use crate::at::model::Role;
        pub use crate::at::model::SiteVerdict;
    }
    pub mod phrase_model {
        pub use crate::at::phrase_model::PhraseAt;
        pub use crate::at::phrase_model::PhrasePage;
    }
    pub mod verify {
        pub use crate::at::verify::Verification;
        pub use crate::at::verify::reread;
        pub use crate::at::verify::verify;
    }
}
pub mod audit {
    pub use crate::audit::Audit;
    pub use crate::audit::AuditInput;
    pub use crate::audit::LinkMap;
    pub use crate::audit::Parameters;
    pub use crate::audit::audit;
    pub use crate::audit::page_record::PageRecord;
}
pub mod capture {
    pub use crate::capture::Kind;
    pub use crate::capture::Observation;
    pub use crate::capture::negotiation::Negotiation;
    pub use crate::capture::observation::observation_schema;
    pub mod graph {
        pub use crate::capture::graph::GraphBuilder;
    }
    pub mod page {
        pub use crate::capture::page::PageFilter;
        pub use crate::capture::page::is_failed;
        pub use crate::capture::page::path;
    }
    pub mod table {
        pub use crate::capture::table::Row;
        pub use crate::capture::table::Table;
        pub use crate::capture::table::TableBuilder;
    }
}
pub mod change {
    pub use crate::change::Compare;
    pub use crate::change::Grade;
    pub use crate::change::Judge;
    pub use crate::change::assumption::Assumption;
    pub mod at {
        pub use crate::change::at::State;
    }
    pub mod evidence {
        pub use crate::change::evidence::Grade;
    }
    pub mod history {
        pub use crate::change::history::History;
    }
    pub mod predict {
        pub use crate::change::predict::BINS;
        pub use crate::change::predict::Example;
        pub use crate::change::predict::Features;
        pub use crate::change::predict::Method;
        pub use crate::change::predict::Predictor;
        pub use crate::change::predict::cross_validate;
        pub use crate::change::predict::sample;
        pub mod cross {
            pub use crate::change::predict::cross::FOLDS;
        }
    }
    pub mod run {
        pub use crate::change::run::PageState;
    }
}
pub mod digest {
    pub use crate::digest::Algorithm;
    pub use crate::digest::BodyDigest;
    pub use crate::digest::Digest;
    pub use crate::digest::Hasher;
}
#[cfg(fuzzing)]
pub mod fuzz {
    pub fn targets() -> &'static [(&'static str, fn(&[u8]))] {
        crate::fuzz_targets::TARGETS
    }
}
pub mod html {
    pub mod links {
        pub use crate::html::links::LinkKind;
        pub use crate::html::links::LinkScanner;
    }
    pub mod page {
        pub use crate::html::page::PageScanner;
    }
    pub mod phrase {
        pub use crate::html::phrase::Found;
        pub use crate::html::phrase::How;
        pub use crate::html::phrase::Phrases;
    }
}
pub mod ingest {
    pub use crate::ingest::Digests;
    pub use crate::ingest::Fetcher;
    pub use crate::ingest::Options;
    pub use crate::ingest::ProblemLog;
    pub use crate::ingest::Sought;
    pub use crate::ingest::Wanted;
    pub use crate::ingest::read;
    pub mod assemble {
        pub use crate::ingest::assemble::Batch;
        pub use crate::ingest::assemble::Digests;
        pub use crate::ingest::assemble::Item;
    }
    pub mod index_line {
        pub use crate::ingest::index_line::IndexObserver;
    }
    pub mod scan {
        pub use crate::ingest::scan::Wanted;
    }
    pub mod unit {
        pub use crate::ingest::unit::How;
        pub use crate::ingest::unit::Message;
        pub use crate::ingest::unit::Unit;
        pub use crate::ingest::unit::Work;
        pub use crate::ingest::unit::Workbench;
    }
}
pub mod problem {
    pub use crate::problem::Level;
    pub use crate::problem::Problem;
}
pub mod quality {
    pub mod importance {
        pub use crate::quality::importance::by_pagerank;
    }
}
pub mod rebuild {
    pub use crate::rebuild::merge::copied;
}
pub mod report {
    pub use crate::report::json;
    pub mod at {
        pub use crate::report::at::Length;
        pub use crate::report::at::Seal;
        pub use crate::report::at::write;
    }
    pub mod csv {
        pub use crate::report::csv::FILES;
    }
    pub mod html {
        pub mod document {
            pub use crate::report::html::document::SCRIPT;
            pub use crate::report::html::document::STYLE;
            pub use crate::report::html::document::policy;
            pub use crate::report::html::document::policy_with;
        }
    }
    pub mod layout {
        pub use crate::report::layout::width;
    }
}
pub mod schedule {
    pub use crate::schedule::Settings;
    pub use crate::schedule::Site;
    pub use crate::schedule::strategy;
    pub mod build {
        pub use crate::schedule::build::Request;
        pub use crate::schedule::build::build;
    }
    pub mod expected {
        pub use crate::schedule::expected::coherence;
        pub use crate::schedule::expected::expected;
    }
    pub mod export {
        pub use crate::schedule::export::Format;
        pub use crate::schedule::export::export;
    }
    pub mod links {
        pub use crate::schedule::links::Links;
    }
    pub mod plan {
        pub use crate::schedule::plan::Plan;
    }
    pub mod model {
        pub use crate::schedule::model::DelaySource;
        pub use crate::schedule::model::Kind;
        pub use crate::schedule::model::Schedule;
    }
    pub mod page {
        pub use crate::schedule::page::Page;
    }
    pub mod parallel {
        pub use crate::schedule::parallel::threads;
    }
    pub mod registry {
        pub use crate::schedule::registry::COMPARED;
        pub use crate::schedule::registry::Settings;
    }
    pub mod subsite {
        pub use crate::schedule::subsite::GroupBy;
    }
}
pub mod simulate {
    pub mod replay {
        pub use crate::simulate::replay::Bulk;
        pub use crate::simulate::replay::Columns;
        pub use crate::simulate::replay::Crawls;
        pub use crate::simulate::replay::Happened;
        pub use crate::simulate::replay::Log;
        pub use crate::simulate::replay::Reach;
        pub use crate::simulate::replay::Replay;
        pub use crate::simulate::replay::Snapshot;
        pub use crate::simulate::replay::Training;
        pub use crate::simulate::replay::estimated;
        pub use crate::simulate::replay::from_archive;
        pub use crate::simulate::replay::from_log;
        pub use crate::simulate::replay::oracle;
        pub use crate::simulate::replay::predicted;
        pub use crate::simulate::replay::starts;
    }
    pub mod run {
        pub use crate::simulate::run::Planning;
        pub use crate::simulate::run::Seeds;
        pub use crate::simulate::run::judge;
        pub use crate::simulate::run::plan;
    }
    pub mod score {
        pub use crate::simulate::score::Score;
    }
    pub mod spec {
        pub use crate::simulate::spec::Spec;
    }
    pub mod synthetic {
        pub mod sharc {
            pub use crate::simulate::synthetic::sharc::Sharc;
        }
    }
    pub mod truth {
        pub use crate::simulate::truth::Case;
        pub use crate::simulate::truth::Crawler;
        pub use crate::simulate::truth::HOST;
        pub use crate::simulate::truth::History;
        pub use crate::simulate::truth::PHRASE;
        pub use crate::simulate::truth::Plan;
        pub use crate::simulate::truth::Says;
        pub use crate::simulate::truth::Seen;
        pub use crate::simulate::truth::Server;
        pub use crate::simulate::truth::Shown;
        pub use crate::simulate::truth::State;
    }
}
pub mod time {
    pub use crate::time::DAY;
    pub use crate::time::Instant;
    pub use crate::time::SECOND;
}
pub mod url {
    pub use crate::url::Canon;
    pub use crate::url::SiteBy;
}
