//! Transcodes bytes of any encoding to UTF-8, in pieces.
//!
//! The first bytes decide the encoding ([`Charset::of`]); UTF-8 passes unchanged, including
//! invalid sequences, everything else is decoded. A byte order mark is removed.

use encoding_rs::{CoderResult, Decoder, Encoding};

use super::charset::{Charset, PRESCAN};

pub(crate) struct Transcoder {
    declared: Option<&'static Encoding>,
    /// The first bytes, until there are enough to decide the encoding.
    head: Vec<u8>,
    charset: Option<Charset>,
    decoder: Option<Decoder>,
    decoded: Vec<u8>,
}

impl Transcoder {
    /// At the start of a body, with the encoding that its `Content-Type` header declares.
    pub(crate) fn new(declared: Option<&'static Encoding>) -> Self {
        Transcoder { declared, head: Vec::new(), charset: None, decoder: None, decoded: Vec::new() }
    }

    pub(crate) fn feed(&mut self, piece: &[u8], out: &mut impl FnMut(&[u8])) {
        if self.charset.is_some() {
            return self.decode(piece, false, out);
        }
        // The same bytes decide however the body is cut: the first PRESCAN, or all if there are fewer.
        if self.head.is_empty() && piece.len() >= PRESCAN {
            let (_, mark) = self.begin(&piece[..PRESCAN]);
            return self.decode(&piece[mark..], false, out);
        }
        let missing = PRESCAN.saturating_sub(self.head.len()).min(piece.len());
        self.head.extend_from_slice(&piece[..missing]);
        if self.head.len() >= PRESCAN {
            self.decode_head(out);
            self.decode(&piece[missing..], false, out);
        }
    }

    /// Decides the encoding from the first bytes. Returns it and the length of the byte order mark.
    fn begin(&mut self, head: &[u8]) -> (Charset, usize) {
        let charset = Charset::of(head, self.declared);
        self.charset = Some(charset);
        if !charset.is_utf8() {
            self.decoder = Some(charset.encoding.new_decoder_without_bom_handling());
        }
        (charset, Encoding::for_bom(head).map_or(0, |(_, length)| length))
    }

    fn decode_head(&mut self, out: &mut impl FnMut(&[u8])) -> Charset {
        let head = std::mem::take(&mut self.head);
        let (charset, mark) = self.begin(&head);
        self.decode(&head[mark..], false, out);
        charset
    }

    fn decode(&mut self, mut piece: &[u8], last: bool, out: &mut impl FnMut(&[u8])) {
        let Some(decoder) = &mut self.decoder else {
            return out(piece);
        };
        self.decoded.resize(32 * 1024, 0);
        loop {
            let (result, read, written, _) = decoder.decode_to_utf8(piece, &mut self.decoded, last);
            out(&self.decoded[..written]);
            piece = &piece[read..];
            if result == CoderResult::InputEmpty {
                return;
            }
        }
    }

    /// Ends the body and returns its encoding.
    pub(crate) fn finish(&mut self, out: &mut impl FnMut(&[u8])) -> Charset {
        let charset = match self.charset {
            Some(charset) => charset,
            None => self.decode_head(out),
        };
        self.decode(b"", true, out);
        charset
    }
}
