//! The links of one page in two allocations: a page has hundreds of links, an archive many millions.

use std::borrow::Cow;

use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::links::LinkKind;

/// Links and embedded resources: kinds and absolute URLs without fragments.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Links {
    text: String,
    ends: Vec<(LinkKind, u32)>,
}

/// A link as it appears in JSON.
#[derive(Serialize, Deserialize)]
struct Link<'a> {
    kind: LinkKind,
    #[serde(borrow)]
    url: Cow<'a, str>,
}

impl Links {
    /// An empty list with capacity for `links` links of `bytes` bytes in total.
    pub fn with_capacity(links: usize, bytes: usize) -> Self {
        Links { text: String::with_capacity(bytes), ends: Vec::with_capacity(links) }
    }

    /// Number of links.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Total bytes of all URLs.
    pub fn bytes(&self) -> usize {
        self.text.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Adds a link. A list holds at most 4 GiB.
    pub fn push(&mut self, kind: LinkKind, url: &str) {
        self.push_with(kind, |text| {
            text.push_str(url);
            Some(())
        });
    }

    /// Adds the link that `write` appends, if it returns one.
    pub fn push_with(&mut self, kind: LinkKind, write: impl FnOnce(&mut String) -> Option<()>) {
        let start = self.text.len();
        match (write(&mut self.text), u32::try_from(self.text.len())) {
            (Some(()), Ok(end)) => self.ends.push((kind, end)),
            _ => self.text.truncate(start),
        }
    }

    /// Adds all links of another list.
    pub fn append(&mut self, other: &Links) {
        for (kind, url) in other.iter() {
            self.push(kind, url);
        }
    }

    /// The links in their order.
    pub fn iter(&self) -> impl Iterator<Item = (LinkKind, &str)> + Clone {
        let mut start = 0;
        self.ends.iter().map(move |&(kind, end)| {
            let url = &self.text[start..end as usize];
            start = end as usize;
            (kind, url)
        })
    }
}

impl Serialize for Links {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(|(kind, url)| Link { kind, url: Cow::Borrowed(url) }))
    }
}

impl<'de> Deserialize<'de> for Links {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct List;
        impl<'de> Visitor<'de> for List {
            type Value = Links;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("a list of links")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Links, A::Error> {
                let mut links = Links::default();
                while let Some(link) = list.next_element::<Link<'de>>()? {
                    links.push(link.kind, &link.url);
                }
                Ok(links)
            }
        }
        deserializer.deserialize_seq(List)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_survive_json_and_one_that_fails_leaves_nothing() {
        let mut links = Links::default();
        links.push(LinkKind::Anchor, "http://a/\"1\"");
        links.push_with(LinkKind::Image, |text| {
            text.push_str("half");
            None
        });
        links.push(LinkKind::Image, "http://b/");
        let json = r#"[{"kind":"anchor","url":"http://a/\"1\""},{"kind":"image","url":"http://b/"}]"#;
        assert_eq!(serde_json::to_string(&links).unwrap(), json);
        assert_eq!(serde_json::from_str::<Links>(json).unwrap(), links);
        assert_eq!(links.iter().last(), Some((LinkKind::Image, "http://b/")));
        assert_eq!((links.len(), links.is_empty()), (2, false));
    }
}
