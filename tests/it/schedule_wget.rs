//! The export for GNU Wget, tried: a site on 127.0.0.1 is crawled by the script, and the result is audited.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::program::{crawl_with_wget, requested_path};
use acuity::internals::audit::{AuditInput, Parameters, audit};
use acuity::internals::ingest::{Options, ProblemLog};
use acuity::internals::schedule::build::{Request, build};
use acuity::internals::schedule::export::{Format, export};
use acuity::internals::schedule::model::Kind;
use acuity::internals::schedule::page::Page;

/// How many pages the site has.
const PAGES: usize = 5;

/// Answers one request: every page is always the same, but for the last one, which counts its visitors.
fn answer(stream: TcpStream, visitors: &AtomicUsize) -> std::io::Result<()> {
    let (path, mut stream) = requested_path(stream)?;
    let count = if path == format!("/{}", PAGES - 1) { visitors.fetch_add(1, Ordering::SeqCst) } else { 0 };
    let body = format!("<html><title>{path}</title><p>visitor {count}</p></html>");
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

#[test]
fn wget_crawls_the_schedule_and_the_audit_proves_what_was_planned() {
    if Command::new("wget").arg("--version").output().is_err() {
        let _ = std::io::Write::write_all(
            &mut std::io::stderr(),
            b"skipped: wget is not installed (tests/run installs it)\n",
        );
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        let visitors = AtomicUsize::new(0);
        for stream in listener.incoming().flatten() {
            // A client that goes away is its own affair.
            let _ = answer(stream, &visitors);
        }
    });
    let lane: std::sync::Arc<str> = format!("127.0.0.1:{port}").into();
    let pages: Vec<Page> = (0..PAGES)
        .map(|page| Page {
            lane: lane.clone(),
            ..Page::new(&format!("http://127.0.0.1:{port}/{page}"), 0.01 * (page + 1) as f64)
        })
        .collect();
    // Wget dates its records to the second, so a shorter pause could not be seen, and a busy machine starts it late.
    let schedule = build(&pages, &Request { delay: 2.0, ..Request::default() }).unwrap();
    let folder = tempfile::tempdir().unwrap();
    export(&schedule, Format::Wget).unwrap().write(folder.path()).unwrap();
    crawl_with_wget(folder.path());

    let inputs: Vec<String> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().path().display().to_string())
        .filter(|path| path.ends_with(".warc.gz"))
        .collect();
    assert_eq!(inputs.len(), 2, "{inputs:?}");
    let sources = acuity::internals::archive::source::expand(&inputs).unwrap();
    let mut log = ProblemLog::new(None);
    let reading = acuity::internals::ingest::read(&sources, &Options::default(), &mut log, &|_| {}).unwrap();
    let result = audit(&reading.table().unwrap(), &Parameters::default(), AuditInput::default());
    let site = &result.sites[0];
    assert_eq!(site.site, *lane);

    // Wget fetched what was planned, in the order planned; two that a busy machine started in one second have no order.
    let planned = |kind: Kind| {
        let slots = schedule.sites[0].slots.held().iter();
        slots.filter(move |slot| slot.kind == kind).map(|slot| &*slot.url)
    };
    let fetched = |url: &str| site.page_list.iter().find(|page| page.url == url).unwrap();
    assert_eq!(planned(Kind::Visit).count(), site.page_list.len());
    assert!(planned(Kind::Visit).map(fetched).is_sorted_by_key(|page| page.first_look));
    let twice = site.page_list.iter().filter(|page| page.observations > 1);
    assert_eq!(planned(Kind::Revisit).count(), twice.count());
    assert!(planned(Kind::Revisit).map(fetched).is_sorted_by_key(|page| page.last_look));
    assert!(planned(Kind::Revisit).all(|url| fetched(url).observations == 2));

    // The hottest page stands in the middle, and counts its visitors; all others are proven to have been online around it.
    assert_eq!((site.pages.total, site.pages.sharp, site.pages.single), (PAGES as u64, PAGES as u64 - 1, 0));
    assert_eq!(site.coherence.best.pages, PAGES as u64 - 1);
    let delay = site.delay_seconds.unwrap();
    assert!((1.0..8.0).contains(&delay), "{delay}");
    assert!(site.reschedule.as_ref().unwrap().gain.is_some());
}
