//! Removes chunked transfer coding while the body streams through.
//!
//! Many writers keep the `Transfer-Encoding: chunked` header on a body that is no longer framed. The first line shows
//! whether it is, before any data is passed on.

/// How the framing ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// The body is framed, and its last chunk was seen.
    Complete,
    /// The body is framed, but its last chunk is missing.
    Open,
    /// The body does not start with a chunk: the header is wrong.
    Absent,
    /// The framing broke in the middle.
    Broken,
}

/// Removes chunk framing.
#[derive(Debug)]
pub(crate) struct Dechunker {
    state: State,
    line: Vec<u8>,
    chunks: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Size,
    Data(u64),
    DataEnd,
    Trailer,
    Done,
    Absent,
    Broken,
}

/// Maximum length of a chunk-size line with its extensions.
const LINE_LIMIT: usize = 4096;

impl Default for Dechunker {
    fn default() -> Self {
        Dechunker { state: State::Size, line: Vec::new(), chunks: 0 }
    }
}

impl Dechunker {
    /// Passes on the data in the next piece of the framed body. If the body turns out not to be framed, all of it is
    /// passed on unchanged.
    pub(crate) fn feed(&mut self, mut piece: &[u8], out: &mut dyn FnMut(&[u8])) {
        while !piece.is_empty() {
            match self.state {
                State::Size | State::Trailer | State::DataEnd => {
                    let Some(end) = memchr::memchr(b'\n', piece) else {
                        self.line.extend_from_slice(&piece[..piece.len().min(LINE_LIMIT + 1)]);
                        if self.line.len() > LINE_LIMIT {
                            self.fail(&piece[piece.len().min(LINE_LIMIT + 1)..], out);
                        }
                        return;
                    };
                    if self.line.len() + end > LINE_LIMIT {
                        self.fail(piece, out);
                        return;
                    }
                    self.line.extend_from_slice(&piece[..=end]);
                    piece = &piece[end + 1..];
                    if !self.end_line() {
                        self.fail(piece, out);
                        return;
                    }
                    self.line.clear();
                }
                State::Data(left) => {
                    let count = piece.len().min(usize::try_from(left).unwrap_or(usize::MAX));
                    out(&piece[..count]);
                    piece = &piece[count..];
                    let left = left - count as u64;
                    self.state = if left == 0 { State::DataEnd } else { State::Data(left) };
                }
                State::Absent => {
                    out(piece);
                    return;
                }
                State::Done | State::Broken => return,
            }
        }
    }

    /// Handles a complete line; `false` if it is not valid here.
    fn end_line(&mut self) -> bool {
        let line = self.line.trim_ascii();
        match self.state {
            State::DataEnd => {
                self.state = State::Size;
                line.is_empty()
            }
            State::Trailer => {
                if line.is_empty() {
                    self.state = State::Done;
                }
                true
            }
            _ => {
                let digits = line.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii_end();
                let size =
                    (1..=16).contains(&digits.len()).then(|| std::str::from_utf8(digits).ok()).flatten();
                let Some(size) = size.filter(|size| !size.starts_with('+')) else { return false };
                let Ok(size) = u64::from_str_radix(size, 16) else { return false };
                self.state = if size == 0 { State::Trailer } else { State::Data(size) };
                self.chunks += 1;
                true
            }
        }
    }

    fn fail(&mut self, rest: &[u8], out: &mut dyn FnMut(&[u8])) {
        if self.chunks == 0 {
            self.state = State::Absent;
            let line = std::mem::take(&mut self.line);
            out(&line);
            if !rest.is_empty() {
                out(rest);
            }
        } else {
            self.state = State::Broken;
        }
    }

    /// Ends the body: passes on the rest of an unframed one and returns the final state.
    pub(crate) fn finish(&mut self, out: &mut dyn FnMut(&[u8])) -> Framing {
        if self.chunks == 0 && self.state == State::Size {
            self.fail(&[], out);
        }
        match self.state {
            State::Absent => Framing::Absent,
            State::Broken => Framing::Broken,
            // Writers often leave out the last blank line.
            State::Done | State::Trailer => Framing::Complete,
            State::Size | State::Data(_) | State::DataEnd => Framing::Open,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dechunk(body: &[u8], step: usize) -> (Vec<u8>, Framing) {
        let (mut out, mut dechunker) = (Vec::new(), Dechunker::default());
        for piece in body.chunks(step) {
            dechunker.feed(piece, &mut |data| out.extend_from_slice(data));
        }
        let framing = dechunker.finish(&mut |data| out.extend_from_slice(data));
        (out, framing)
    }

    #[test]
    fn every_split_gives_the_same() {
        for (body, data, framing) in [
            (
                &b"3\r\nabc\r\n10;x=y\r\n0123456789abcdef\r\n0\r\nT: 1\r\n\r\n"[..],
                &b"abc0123456789abcdef"[..],
                Framing::Complete,
            ),
            (b"3\nabc\n0\n\n", b"abc", Framing::Complete),
            (b"3\r\nabc\r\n0\r\n", b"abc", Framing::Complete),
            (b"<html>not framed\n</html>", b"<html>not framed\n</html>", Framing::Absent),
            (b"no newline at all", b"no newline at all", Framing::Absent),
            (b"", b"", Framing::Absent),
            (b"3\r\nabc\r\nzz\r\nmore", b"abc", Framing::Broken),
            (b"3\r\nabcd\r\n", b"abc", Framing::Broken),
            (b"ff\r\nabc", b"abc", Framing::Open),
        ] {
            for step in 1..=body.len().max(1) {
                let (out, state) = dechunk(body, step);
                assert_eq!((out.as_slice(), state), (data, framing), "{body:?} by {step}");
            }
        }
    }

    #[test]
    fn a_huge_first_line_is_not_framing() {
        let body = vec![b'a'; 100_000];
        for step in [1, 7, 4096, 5000, 100_000] {
            assert_eq!(dechunk(&body, step), (body.clone(), Framing::Absent));
        }
    }
}
