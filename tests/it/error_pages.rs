//! Error pages with status 200: what careless archives must not be accused of, and no false verdict on real pages.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::support::data;

fn audit(path: &Path) -> Option<Value> {
    let output = Command::new(env!("CARGO_BIN_EXE_acuity"))
        .args(["audit", "-q", "--json"])
        .arg(path)
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout).ok()
}

/// The addresses that look like error pages, and those that are missing.
fn doubted(audit: &Value) -> Vec<String> {
    let mut urls = Vec::new();
    for site in audit["sites"].as_array().unwrap() {
        let soft = site["findings"]["soft404"].as_array().into_iter().flatten();
        let missing = site["missing"].as_array().into_iter().flatten();
        urls.extend(soft.chain(missing).filter_map(|entry| Some(entry["url"].as_str()?.to_owned())));
    }
    urls.sort();
    urls.dedup();
    urls
}

#[test]
fn query_variants_script_shells_and_entrances_of_a_site_are_not_missing() {
    for (file, expected) in [
        ("query-variants", &[][..]),
        ("single-page-app", &[]),
        ("redirects-to-root", &["http://x.example/old/article-17"]),
    ] {
        let Some(path) = data::data(&format!("careless/{file}.warc.gz")) else { return };
        let found = audit(&path).unwrap();
        assert_eq!(doubted(&found), expected, "{file}");
    }
}

#[test]
fn no_real_page_looks_like_an_error_page() {
    let Some(folder) = data::data("warcs") else { return };
    let mut pages = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let Some(found) = audit(&entry.unwrap().path()) else { continue };
        for site in found["sites"].as_array().unwrap() {
            pages += site["page_list"].as_array().unwrap().len();
            assert_eq!(site["findings"]["soft404_urls"], 0, "{:?}", site["findings"]["soft404"]);
        }
    }
    assert!(pages > 50, "{pages}");
}

#[test]
fn importance_flows_through_redirects() {
    let Some(path) = data::data("careless/importance-through-redirects.warc.gz") else { return };
    let found = audit(&path).unwrap();
    let pages = found["sites"][0]["page_list"].as_array().unwrap();
    let weight = |url: &str| {
        let page = pages.iter().find(|page| page["url"] == format!("http://r.example/{url}")).unwrap();
        page["weight"].as_f64().unwrap()
    };
    assert!(weight("new") > 2.0 * weight("direct"), "{} {}", weight("new"), weight("direct"));
}
