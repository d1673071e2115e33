//! What careless crawlers do to a capture.

use rand::RngExt;
use rand_pcg::Pcg64;

use super::capture::{Capture, Kind, Says};
use super::crawl::{chunked, gzip};
use super::response::Asked;
use super::{Case, HOST};
use crate::time::Instant;

/// Spoils a capture in one of many ways, or leaves it as it is. Gives what is written before it.
pub(crate) fn spoil(case: &Case, capture: &mut Capture, at: Instant, random: &mut Pcg64) -> Vec<Capture> {
    let body = capture.body.clone();
    let without_length = |head: &str| {
        let lines = head.split('\n').filter(|line| !line.starts_with("Content-Length"));
        lines.collect::<Vec<_>>().join("\n")
    };
    let set = |capture: &mut Capture, head: String, body: Vec<u8>| {
        (capture.head, capture.payload, capture.body) = (head, body.clone(), body);
    };
    let nothing = |capture: &mut Capture, why: &'static str| {
        if let Some(seen) = &mut capture.seen {
            (seen.says, seen.why) = (Says::Nothing, why);
        }
    };
    let is_page = capture.status == 200 && body.len() > 40;
    let fault = random.random_range(0..22);
    match fault {
        // Cut: by its length, its chunks, its coding, or as the record declares.
        0 if is_page => {
            let cut = body[..body.len() / 2].to_vec();
            let head = capture.head.clone();
            set(capture, head, cut);
            nothing(capture, "its body is cut");
        }
        1 if is_page => {
            let framed = chunked(&body);
            let head = format!("{}\nTransfer-Encoding: chunked", without_length(&capture.head));
            set(capture, head, framed[..framed.len() * 2 / 3].to_vec());
            nothing(capture, "its chunks are cut");
        }
        2 if is_page => {
            let packed = gzip(&body);
            let head = format!("{}\nContent-Encoding: gzip", without_length(&capture.head));
            set(capture, head, packed[..packed.len() / 2].to_vec());
            nothing(capture, "its coding is cut");
        }
        3 if is_page => {
            let head = without_length(&capture.head);
            set(capture, head, body[..body.len() / 2].to_vec());
            capture.truncated = true;
            nothing(capture, "its record says that it is cut");
        }
        // A redirect to another spelling of the same address.
        4 => {
            capture.status = 301;
            let page = capture.page;
            let head = format!("HTTP/1.1 301 Moved Permanently\nLocation: https://www.{HOST}/p{page}");
            set(capture, head, Vec::new());
            nothing(capture, "a redirect to another spelling of its address");
        }
        // A screenshot under the URL of the page.
        5 => {
            capture.kind = Kind::Resource("image/png");
            capture.head.clear();
            set(capture, String::new(), b"\x89PNG\r\n\x1a\n of the page".to_vec());
            nothing(capture, "a screenshot");
        }
        // HEAD without its request: a length, and no body.
        6 if is_page => {
            let head = capture.head.clone();
            set(capture, head, Vec::new());
            nothing(capture, "the answer to HEAD");
        }
        // POST with its request.
        7 => {
            let head = without_length(&capture.head);
            set(capture, head, b"<html><body>Thank you.</body></html>".to_vec());
            capture.request =
                Some(format!("POST /p{} HTTP/1.1\nHost: {HOST}\nContent-Length: 0", capture.page));
            nothing(capture, "the answer to POST");
        }
        8 if is_page => {
            capture.status = 206;
            let rest = capture.head.split_once('\n').map_or("", |(_, rest)| rest).to_owned();
            let part = body[..body.len() / 2].to_vec();
            let head = format!(
                "HTTP/1.1 206 Partial Content\n{}\nContent-Range: bytes 0-{}/{}\nContent-Length: {}",
                without_length(&rest),
                part.len() - 1,
                body.len(),
                part.len()
            );
            set(capture, head, part);
            nothing(capture, "a part of the page: 206");
        }
        // Another spelling of the address: on some servers another page.
        9 => {
            let history = case.history(capture.page, true);
            let asked =
                Asked { page: capture.page, history, language: super::response::Language::English, at };
            let answer = case.server.answer(&asked, random);
            capture.url = capture.url.replace("/p", "/P");
            capture.status = answer.status;
            let length = answer.body.len();
            set(capture, format!("{}\nContent-Length: {length}", answer.head()), answer.body.clone());
            if let Some(seen) = &mut capture.seen {
                seen.url.clone_from(&capture.url);
                (seen.upper, seen.shown) = (true, answer.shown);
                seen.says = if answer.says == Says::Nothing { Says::Nothing } else { Says::Doubt };
                seen.made = capture.date.plus(answer.made.0 - at.0);
            }
        }
        // The same record twice.
        10 => return vec![Capture { seen: None, ..capture.clone() }],
        _ => {}
    }
    Vec::new()
}
