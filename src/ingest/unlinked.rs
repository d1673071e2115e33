//! Requests that name no record: each belongs to a capture of its URL and date near it.
//!
//! Some writers put a request before its response and some behind it, so its place decides nothing. Where two captures could be
//! meant and the request was not GET, one of them is not a capture of the page, and which one is unknown: it speaks against both.

use std::collections::VecDeque;
use std::sync::Arc;

use super::assemble::{Capture, Companion};
use super::pair::give_request;
use crate::capture::{Contradiction, Witness};
use crate::ingest::message::{RecordKey, Request};
use crate::time::SECOND;

/// How far apart (in microseconds) a request and its response may be dated.
const APART: u64 = 60 * SECOND as u64;

/// Decides about the requests that may belong to the first of the captures held back: it is about to leave.
pub(super) fn decide(held: &mut VecDeque<Capture>, requests: &mut VecDeque<Companion<Request>>) {
    if requests.iter().all(|request| !request.belongs_to.is_empty()) {
        return;
    }
    let Some(leaving) = held.front().map(|capture| RecordKey::of(&capture.observation.url)) else { return };
    let mut place = 0;
    while place < requests.len() {
        let request = &requests[place];
        let is_asked = request.belongs_to.is_empty() && request.value.target == Some(leaving);
        if !is_asked || !settle(held, request) {
            place += 1;
            continue;
        }
        requests.remove(place);
    }
}

/// Gives a request to the capture that it belongs to; `false` where there is none.
fn settle(held: &mut VecDeque<Capture>, request: &Companion<Request>) -> bool {
    let apart = |capture: &Capture| match (capture.observation.time, request.value.time) {
        (Some(one), Some(other)) => one.0.abs_diff(other.0),
        _ => 0,
    };
    let may_be = |capture: &Capture| {
        capture.observation.method.is_none()
            && request.value.target == Some(RecordKey::of(&capture.observation.url))
            && apart(capture) <= APART
    };
    let mut found: Vec<&mut Capture> = held.iter_mut().filter(|capture| may_be(capture)).collect();
    // Most writers give both the same date.
    if found.iter().any(|capture| apart(capture) == 0) {
        found.retain(|capture| apart(capture) == 0);
    }
    match found.as_mut_slice() {
        [] => return false,
        // A capture that names records of its own names its request too, where it has one.
        [one] if one.concurrent_to.is_empty() => give_request(&mut one.observation, request.value.clone()),
        _ if request.value.method == "GET" => {}
        several => several.iter_mut().for_each(|capture| {
            let (file, offset) = (Arc::clone(&capture.observation.file), Some(request.value.offset));
            capture.observation.contradicts = Some(Contradiction { witness: Witness::Request, file, offset });
        }),
    }
    true
}
