//! The query of a canonical key: lower case, escapes normal, no session, parameters in order.

use super::escape::{escape_lower_into, is_plain, unescape_into};

/// Appends `?` and the canonical query; nothing where it is empty.
pub(super) fn write_query(query: &[u8], out: &mut Vec<u8>) {
    if query.is_empty() {
        return;
    }
    out.push(b'?');
    let start = out.len();
    if query.iter().fold(true, |plain, byte| plain & is_plain(*byte)) {
        out.extend(query.iter().map(u8::to_ascii_lowercase));
    } else {
        let mut unescaped = Vec::with_capacity(query.len());
        unescape_into(query, &mut unescaped);
        escape_lower_into(&unescaped, out);
    }
    strip_sessions(out, start);
    if memchr::memchr(b'&', &out[start..]).is_some() {
        sort_parameters(out, start);
    }
    if out.len() == start {
        out.pop();
    }
}

/// What the value of a session parameter looks like.
struct Session {
    name: &'static [u8],
    /// Letters between the name and the equals sign.
    suffix: usize,
    length: usize,
    digits: bool,
}

/// The session parameters, in the order in which they are looked for: each once, at its last place.
const SESSIONS: [Session; 4] = [
    Session { name: b"jsessionid", suffix: 0, length: 32, digits: true },
    Session { name: b"phpsessid", suffix: 0, length: 32, digits: true },
    Session { name: b"sid", suffix: 0, length: 32, digits: true },
    Session { name: b"aspsessionid", suffix: 8, length: 24, digits: false },
];

impl Session {
    /// The length of the parameter at the start of `text`; it has to end there or at a `&`.
    fn length_at(&self, text: &[u8]) -> Option<usize> {
        let after_name = text.strip_prefix(self.name)?;
        let (suffix, value) = after_name.split_at_checked(self.suffix)?;
        let value = value.strip_prefix(b"=")?.get(..self.length)?;
        let fits = suffix.iter().all(u8::is_ascii_lowercase)
            && value.iter().all(|byte| byte.is_ascii_lowercase() || (self.digits && byte.is_ascii_digit()));
        let length = self.name.len() + self.suffix + 1 + self.length;
        (fits && matches!(text.get(length), None | Some(b'&'))).then_some(length)
    }
}

fn strip_sessions(out: &mut Vec<u8>, start: usize) {
    // Every name ends in `id`, and queries without are the rule.
    if memchr::memmem::find(&out[start..], b"id").is_none() {
        return;
    }
    for session in &SESSIONS {
        let query = &out[start..];
        let found = memchr::memmem::rfind_iter(query, session.name)
            .find_map(|at| Some((at, session.length_at(&query[at..])?)));
        cut(out, start, found);
    }
    let found = cold_fusion(&out[start..]);
    cut(out, start, found);
}

/// Removes a parameter and the `&` behind it. The one before it stays, as `surt` has it.
fn cut(out: &mut Vec<u8>, start: usize, found: Option<(usize, usize)>) {
    if let Some((at, length)) = found {
        let end = start + at + length;
        let end = if out.get(end) == Some(&b'&') { end + 1 } else { end };
        out.drain(start + at..end);
    }
}

/// The last `cfid=…&cftoken=…`, by one walk from the end.
fn cold_fusion(query: &[u8]) -> Option<(usize, usize)> {
    const TOKEN: &[u8] = b"cftoken=";
    let (mut ampersand, mut later) = (query.len(), query.len());
    for at in (0..query.len()).rev() {
        if query[at] == b'&' {
            (later, ampersand) = (ampersand, at);
        } else if query[at] == b'c' && query[at..].starts_with(b"cfid=") && ampersand > at + 5 {
            let token = query.get(ampersand + 1..later).unwrap_or_default();
            if token.starts_with(TOKEN) && token.len() > TOKEN.len() {
                return Some((at, later - at));
            }
        }
    }
    None
}

/// Where a parameter lies in the key: its start, the end of its name, and its end.
type Parameter = (usize, usize, usize);

/// Sorts the parameters by name, then by value; a name without value comes first.
fn sort_parameters(out: &mut Vec<u8>, start: usize) {
    let (mut few, mut many) = ([(0, 0, 0); 16], Vec::new());
    let count = memchr::memchr_iter(b'&', &out[start..]).count() + 1;
    let parameters: &mut [Parameter] = if count <= few.len() {
        &mut few[..count]
    } else {
        many.resize(count, (0, 0, 0));
        &mut many
    };
    let mut at = start;
    for parameter in &mut *parameters {
        let end = memchr::memchr(b'&', &out[at..]).map_or(out.len(), |length| at + length);
        let name = memchr::memchr(b'=', &out[at..end]).map_or(end, |length| at + length);
        *parameter = (at, name, end);
        at = end + 1;
    }
    // What follows the name begins with the equals sign or is empty, and so orders as the value does.
    let order = |&(from, name, to): &Parameter| (&out[from..name], &out[name..to]);
    if parameters.is_sorted_by_key(order) {
        return;
    }
    parameters.sort_unstable_by(|one, other| order(one).cmp(&order(other)));
    let unsorted_end = out.len();
    for (from, _, to) in parameters {
        out.extend_from_within(*from..*to);
        out.push(b'&');
    }
    out.pop();
    out.drain(start..unsorted_end);
}
