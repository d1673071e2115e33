//! What a revisit shows: the body of its original, read as the revisit's own head and address say.
//!
//! The same bytes are a page under one media type and none under another, and relative links lead elsewhere from another address. So
//! text, signs of an error page, links and an undeclared media type are those that a response with this head and body would have. A
//! revisit without a head, and a 304, has the media type of its original. Bodies are read again, but for those just seen: what shows
//! nothing by its media type is not.

use std::io;
use std::sync::Arc;

use crate::archive::http::{charset, media_type};
use crate::capture::{Kind, Observation};
use crate::ingest::assemble::error_sign;
use crate::ingest::codec::{Names, decode};
use crate::ingest::fetch::{Body, Fetcher, Sought};
use crate::ingest::page_cache::PageCache;
use crate::ingest::revisit::resolution::Resolution;
use crate::ingest::scan::{Scanned, Scanner, Wanted};
use crate::ingest::spool::Spool;

/// Maximum bytes searched for originals that share a compressed member.
const MAX_SEARCHED: u64 = 8 << 30;

/// Gives every resolved revisit what it shows.
pub(crate) fn show(spool: Spool, wanted: Wanted) -> io::Result<Spool> {
    if spool.count(Kind::Revisit) == 0 {
        return Ok(spool);
    }
    let mut reader = Reader {
        wanted,
        fetcher: Fetcher::default(),
        seen: Arc::new(PageCache::default()),
        budget: MAX_SEARCHED,
    };
    let mut shown = Spool::new(spool.limit());
    spool.drain(&mut |bytes, names| {
        let (mut observation, input) = decode(bytes, names).ok_or(io::ErrorKind::InvalidData)?;
        if observation.kind == Kind::Revisit
            && let Some(resolution) = Resolution::read(bytes)
        {
            reader.read(&mut observation, &resolution, names);
        }
        shown.push(&observation, input)
    })?;
    Ok(shown)
}

struct Reader {
    wanted: Wanted,
    fetcher: Fetcher,
    seen: Arc<PageCache>,
    budget: u64,
}

impl Reader {
    /// Reads what a revisit shows, if its original can be read.
    fn read(&mut self, observation: &mut Observation, resolution: &Resolution, names: &Names) {
        let Some(digest) = resolution.body else { return };
        let has_head = observation.status.is_some() && !observation.is_not_modified();
        let mut body = None;
        let mut response = Observation {
            kind: Kind::Response,
            mime: observation.mime.clone(),
            charset: observation.charset.clone(),
            ..Observation::new(
                Kind::Response,
                observation.url.clone(),
                String::new(),
                Arc::clone(&observation.file),
            )
        };
        if !has_head {
            body = self.fetch(resolution, names);
            let Some(content_type) = body.as_ref().map(|body| body.content_type.as_deref()) else { return };
            response.mime = content_type.and_then(media_type);
            response.charset = content_type.and_then(charset);
        }
        let Some(mut scanner) = Scanner::of(&response, response.charset.as_deref(), self.wanted) else {
            return;
        };
        if !scanner.recall(digest, &self.seen) {
            let Some(body) = body.or_else(|| self.fetch(resolution, names)) else { return };
            scanner.read_whole(&body.bytes, digest, &self.seen);
        }
        let Scanned { text, soft404, page, links, mime, .. } = scanner.finish(&observation.url);
        let links = page.map_or(links, |page| page.links_at(observation.url.as_bytes()).0);
        // Links that a crawler guessed do not overrule those of the body.
        if !links.is_empty() || response.mime.as_deref() == Some("text/css") {
            observation.links = Some(links).filter(|links| !links.is_empty());
        }
        if has_head {
            observation.text = text;
            observation.soft404 = error_sign(observation.status, soft404);
            if let Some(mime) = mime {
                observation.mime = Some(mime.to_owned());
            }
        }
    }

    fn fetch(&mut self, resolution: &Resolution, names: &Names) -> Option<Body> {
        let Resolution { file, offset, length, body, .. } = *resolution;
        let file = names.text(u64::from(file?));
        let sought = Sought { file, offset: offset?, length, id: None, declared: None };
        // What cannot be read again shows nothing.
        self.fetcher.body_with(&sought, body?, &mut self.budget).ok()?.ok()
    }
}
