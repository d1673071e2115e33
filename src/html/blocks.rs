//! The visible parts of a page, called blocks.
//!
//! A block is a container element (`main`, `article`, `section`, `nav`, `aside`, `header`, `footer`, `div`…) with its
//! direct content, leaving out nested containers; the title is a block of its own. Where Ben Saad and
//! Gançarski (*Improving the Quality of Web Archives through the Importance of Changes*, DEXA 2011, section 3) segment
//! the rendered page, an archive has only markup; so a block's place comes from its element, its ARIA role and the usual
//! words in `id` and `class`, and its size from its text. Hidden elements are left out, also those that a style element of the page hides by a simple selector. Dates, times and counters are a
//! block of their own beside the block that they stand in.
//!
//! The segmentation looks at structure only, not at sizes: two versions of a page with the same structure have the
//! same blocks, however much of the text changed.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use scraper::{ElementRef, Html, Node};
use serde::{Deserialize, Serialize};

use super::block_role::{is_hidden, is_noise, role_of};
use super::block_words::words;
use super::charset::Charset;
use super::page_style::PageStyle;
use super::shape::{self, Shape};
use crate::problem::{Level, Problem};

/// Maximum size, in bytes, of a page that is split into blocks.
pub(crate) const MAX_PAGE_BYTES: usize = 8 * 1024 * 1024;
/// Maximum number of blocks of a page; further containers are merged into the block around them.
pub(crate) const MAX_BLOCKS: usize = 2000;

/// Where a block stands on the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    Title,
    Main,
    Article,
    Header,
    Nav,
    /// Beside the content.
    Aside,
    Footer,
    /// Advertising, cookie notices, clocks, dates, counters.
    Noise,
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    /// The `id` of the element, if it has one.
    pub id: Option<String>,
    /// The path of container elements from the root, with positions: `body/div[2]/section[1]`.
    pub path: String,
    pub role: Role,
    /// Hash of each paragraph, with the hashes of its words.
    pub paragraphs: Vec<(u64, Vec<u64>)>,
    /// Targets of links, as written.
    pub links: Vec<String>,
    /// Sources of images, as written.
    pub images: Vec<String>,
    /// Number of words inside links.
    pub linked_words: usize,
    /// The highest heading, 1 to 6.
    pub heading: Option<u8>,
    /// Beginning of the text, shown in reports.
    pub excerpt: String,
}

impl Block {
    fn new(id: Option<String>, path: String, role: Role) -> Self {
        Block {
            id,
            path,
            role,
            paragraphs: Vec::new(),
            links: Vec::new(),
            images: Vec::new(),
            linked_words: 0,
            heading: None,
            excerpt: String::new(),
        }
    }

    pub(crate) fn words(&self) -> usize {
        self.paragraphs.iter().map(|(_, words)| words.len()).sum()
    }

    /// Share of the words that are inside links.
    pub(crate) fn link_density(&self) -> f64 {
        match self.words() {
            0 if self.links.is_empty() => 0.0,
            0 => 1.0,
            words => (self.linked_words as f64 / words as f64).min(1.0),
        }
    }

    /// Hash of all content; equal blocks have equal hashes.
    pub(crate) fn content(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.paragraphs.hash(&mut hasher);
        self.links.hash(&mut hasher);
        self.images.hash(&mut hasher);
        hasher.finish()
    }

    fn is_empty(&self) -> bool {
        self.paragraphs.is_empty() && self.links.is_empty() && self.images.is_empty()
    }
}

/// Splits a page into blocks, in document order. The body has transfer and content coding removed.
///
/// # Errors
///
/// A problem if the page is too long, or its markup so deep or wide that building a tree would take minutes.
pub(crate) fn blocks(body: &[u8], content_type: Option<&[u8]>) -> Result<Vec<Block>, Box<Problem>> {
    if body.len() > MAX_PAGE_BYTES {
        let message =
            format!("the page has {} bytes; pages over {MAX_PAGE_BYTES} are not cut into blocks", body.len());
        return Err(Box::new(Problem::new(Level::Warning, "html-too-long", message)));
    }
    let charset = Charset::detect(body, content_type);
    let (text, _, _) = charset.encoding.decode(body);
    let shape = Shape::of(text.as_bytes());
    if let Some(message) = shape.too_hard() {
        return Err(Box::new(Problem::new(Level::Warning, "html-too-deep", message)));
    }
    Ok(Segmenter::run(&Html::parse_document(&text)))
}

struct Open {
    block: usize,
    /// The block of its dates, clocks and counters, once it has any.
    noise: Option<usize>,
    path: String,
    role: Role,
    /// Number of child containers of each name so far, for the positions in paths.
    children: HashMap<String, u32>,
}

#[derive(Default)]
struct Segmenter {
    blocks: Vec<Block>,
    open: Vec<Open>,
    /// Word hashes of the paragraph being read.
    paragraph: Vec<u64>,
    /// Word hashes of the paragraph that are noise.
    noise: Vec<u64>,
    links_open: u32,
    /// Number of open elements that are noise within a block.
    noise_open: u32,
}

const CONTAINERS: &[&str] = &[
    "body", "main", "article", "section", "nav", "aside", "header", "footer", "div", "form", "fieldset",
    "center", "details", "dialog", "frameset",
];
/// Elements without readable text.
pub(super) const HIDDEN: &[&str] =
    &["script", "style", "template", "noscript", "head", "svg", "iframe", "noembed", "noframes"];
/// Elements that end a paragraph.
const PARAGRAPHS: &[&str] = &[
    "p",
    "li",
    "td",
    "th",
    "tr",
    "dt",
    "dd",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "br",
    "hr",
    "pre",
    "blockquote",
    "figcaption",
    "caption",
    "option",
    "summary",
    "table",
    "ul",
    "ol",
    "dl",
    "address",
    "legend",
    "textarea",
];

/// What is done with a node of the tree.
#[derive(Debug, Clone, Copy)]
enum Step {
    Enter,
    Leave { noise: bool },
}

impl Segmenter {
    fn run(html: &Html) -> Vec<Block> {
        let mut segmenter = Segmenter::default();
        segmenter.title(html);
        let root = Block::new(None, String::new(), Role::Other);
        segmenter.blocks.push(root);
        segmenter.open.push(Open {
            block: segmenter.blocks.len() - 1,
            noise: None,
            path: String::new(),
            role: Role::Other,
            children: HashMap::new(),
        });
        let style = PageStyle::of(html);
        // An explicit stack, because a hostile tree may be deeper than the call stack.
        let mut stack = vec![(html.tree.root(), Step::Enter)];
        while let Some((node, step)) = stack.pop() {
            if let Step::Leave { noise } = step {
                if let Node::Element(element) = node.value() {
                    segmenter.leave(element, noise);
                }
                continue;
            }
            match node.value() {
                Node::Text(text) => segmenter.text(text),
                Node::Element(element) => {
                    if HIDDEN.contains(&element.name()) || is_hidden(element) || style.hides(element) {
                        continue;
                    }
                    let noise = ElementRef::wrap(node).is_some_and(is_noise);
                    segmenter.enter(element, noise);
                    stack.push((node, Step::Leave { noise }));
                    stack.extend(node.children().rev().map(|child| (child, Step::Enter)));
                }
                _ => stack.extend(node.children().rev().map(|child| (child, Step::Enter))),
            }
        }
        segmenter.end_paragraph();
        segmenter.blocks.retain(|block| !block.is_empty());
        segmenter.blocks
    }

    fn title(&mut self, html: &Html) {
        let title = html
            .tree
            .root()
            .descendants()
            .find(|node| matches!(node.value(), Node::Element(element) if element.name() == "title"));
        let Some(title) = title else { return };
        let text: String = title.children().filter_map(|child| Some(&**child.value().as_text()?)).collect();
        let mut block = Block::new(None, "title".to_owned(), Role::Title);
        push_text(&text, &mut block.excerpt, |word, _| self.paragraph.push(word));
        let words = std::mem::take(&mut self.paragraph);
        if !words.is_empty() {
            block.paragraphs.push((hash(&words), words));
            self.blocks.push(block);
        }
    }

    /// The block of what is read: that of the noise, inside an element of noise.
    fn current(&mut self) -> Option<&mut Block> {
        let block = if self.noise_open > 0 { self.noise_block()? } else { self.open.last()?.block };
        self.blocks.get_mut(block)
    }

    /// The block of the dates, clocks and counters of the container being read; `None`: the page has too many blocks.
    fn noise_block(&mut self) -> Option<usize> {
        let open = self.open.last_mut()?;
        if open.role == Role::Noise {
            return Some(open.block);
        }
        if open.noise.is_none() && self.blocks.len() < MAX_BLOCKS {
            open.noise = Some(self.blocks.len());
            self.blocks.push(Block::new(None, format!("{}#noise", open.path), Role::Noise));
        }
        open.noise
    }

    fn enter(&mut self, element: &scraper::node::Element, noise: bool) {
        let name = element.name();
        if CONTAINERS.contains(&name) {
            self.end_paragraph();
            self.enter_container(element, noise);
        } else {
            if PARAGRAPHS.contains(&name) {
                self.end_paragraph();
            }
            self.noise_open += u32::from(noise);
        }
        match name {
            "a" | "area" => {
                self.links_open += 1;
                if let Some(href) = element.attr("href") {
                    let href = cut(href);
                    if let Some(block) = self.current() {
                        block.links.push(href);
                    }
                }
            }
            "img" | "video" | "audio" | "object" | "embed" | "iframe" => {
                if let Some(src) = element.attr("src").or(element.attr("data")) {
                    let src = cut(src);
                    if let Some(block) = self.current() {
                        block.images.push(src);
                    }
                }
            }
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                let level = name.as_bytes()[1] - b'0';
                if let Some(block) = self.current() {
                    block.heading = Some(block.heading.map_or(level, |highest| highest.min(level)));
                }
            }
            _ => {}
        }
    }

    fn enter_container(&mut self, element: &scraper::node::Element, noise: bool) {
        let full = self.blocks.len() >= MAX_BLOCKS;
        let Some(parent) = self.open.last_mut() else { return };
        let position = parent.children.entry(element.name().to_owned()).or_insert(0);
        *position += 1;
        let path = match parent.path.len() {
            0 => element.name().to_owned(),
            _ => format!("{}/{}[{position}]", parent.path, element.name()),
        };
        let role = match parent.role {
            _ if noise => Role::Noise,
            Role::Noise => Role::Noise,
            role => role_of(element).unwrap_or(role),
        };
        let (block, path) = if full || path.len() > 1000 {
            (parent.block, parent.path.clone())
        } else {
            (self.blocks.len(), path)
        };
        if block == self.blocks.len() {
            self.blocks.push(Block::new(element.attr("id").map(cut), path.clone(), role));
        }
        self.open.push(Open { block, noise: None, path, role, children: HashMap::new() });
    }

    fn leave(&mut self, element: &scraper::node::Element, noise: bool) {
        let name = element.name();
        if CONTAINERS.contains(&name) {
            self.end_paragraph();
            self.open.pop();
            return;
        }
        if PARAGRAPHS.contains(&name) {
            self.end_paragraph();
        } else if matches!(name, "a" | "area") {
            self.links_open = self.links_open.saturating_sub(1);
        }
        self.noise_open = self.noise_open.saturating_sub(u32::from(noise));
    }

    fn text(&mut self, text: &str) {
        let (linked, in_noise) = (self.links_open > 0, self.noise_open > 0);
        let Some(open) = self.open.last() else { return };
        let all_noise = open.role == Role::Noise;
        let Some(block) = self.blocks.get_mut(open.block) else { return };
        let before = self.paragraph.len();
        push_text(text, &mut block.excerpt, |word, is_noise| {
            let is_noise = (is_noise || in_noise) && !all_noise;
            if is_noise { self.noise.push(word) } else { self.paragraph.push(word) }
        });
        if linked {
            block.linked_words += self.paragraph.len() - before;
        }
    }

    fn end_paragraph(&mut self) {
        let (words, noise) = (std::mem::take(&mut self.paragraph), std::mem::take(&mut self.noise));
        let block = self.open.last().map(|open| open.block);
        if let Some(block) = block.and_then(|block| self.blocks.get_mut(block))
            && !words.is_empty()
        {
            block.paragraphs.push((hash(&words), words));
        }
        if !noise.is_empty()
            && let Some(block) = self.noise_block()
            && let Some(block) = self.blocks.get_mut(block)
        {
            block.paragraphs.push((hash(&noise), noise));
        }
    }
}

/// Maximum length, in bytes, of the text of a block that is kept to be shown.
const MAX_EXCERPT_BYTES: usize = 16 << 10;

/// Tells the hash of every word and whether it is noise.
fn push_text(text: &str, excerpt: &mut String, mut tell: impl FnMut(u64, bool)) {
    for word in words(text) {
        tell(word_hash(word.text), word.is_noise);
    }
    for word in text.split_whitespace() {
        if excerpt.len() >= MAX_EXCERPT_BYTES {
            return;
        }
        if !excerpt.is_empty() {
            excerpt.push(' ');
        }
        excerpt.extend(word.chars().take(MAX_EXCERPT_BYTES));
    }
}

/// The lowest bit of the hash of a number is set, that of any other word is not.
fn word_hash(word: &str) -> u64 {
    let is_number = word.bytes().any(|byte| byte.is_ascii_digit());
    hash(word) & !1 | u64::from(is_number)
}

/// Whether the hash is that of a number: a price, a result, a quantity.
pub(crate) fn is_number(word: u64) -> bool {
    word & 1 == 1
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Keeps enough of names and addresses to distinguish them; longer ones hold embedded data.
fn cut(value: &str) -> String {
    value.trim().chars().take(2000).collect()
}

impl Shape {
    /// Why building a tree of this page would take too long, if it would.
    pub(super) fn too_hard(&self) -> Option<String> {
        if self.depth > shape::MAX_DEPTH {
            return Some(format!("elements nest {} deep, more than {}", self.depth, shape::MAX_DEPTH));
        }
        if self.attributes > shape::MAX_TAG_ATTRIBUTES {
            let most = shape::MAX_TAG_ATTRIBUTES;
            return Some(format!("a tag has {} attributes, more than {most}", self.attributes));
        }
        let work = self.elements.saturating_mul(u64::from(self.formatting) + 1);
        if work > shape::MAX_WORK {
            let Shape { elements, formatting, .. } = self;
            return Some(format!(
                "{elements} elements with {formatting} text formats open would multiply in a tree"
            ));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(html: &str) -> Vec<Block> {
        blocks(html.as_bytes(), None).expect("a page that is not too hard")
    }

    #[test]
    fn containers_are_blocks_with_what_stands_in_them_directly() {
        let page = parse(
            "<title>T t</title><body>loose<header id=h><h2>Site</h2></header><div class='x content'><p>One two.<p>Three <a href=l>four</a>\
             <div>inner <img src=i.png></div> after</div><div id=footer>Foot</div><script>no</script>",
        );
        let told: Vec<(&str, Role, usize)> =
            page.iter().map(|b| (b.path.as_str(), b.role, b.words())).collect();
        assert_eq!(
            told,
            [
                ("title", Role::Title, 2),
                ("body", Role::Other, 1),
                ("body/header[1]", Role::Header, 1),
                ("body/div[1]", Role::Main, 5),
                ("body/div[1]/div[1]", Role::Main, 1),
                ("body/div[2]", Role::Footer, 1),
            ]
        );
        assert_eq!(page[2].heading, Some(2));
        assert_eq!(page[3].links, ["l"]);
        assert_eq!(page[3].link_density(), 0.2);
        assert_eq!(page[4].images, ["i.png"]);
        assert_eq!(page[3].paragraphs.len(), 3);
        assert_eq!(page[5].excerpt, "Foot");
    }

    #[test]
    fn hostile_markup_ends_in_a_named_problem_in_no_time() {
        let wide: String = (0..3000).map(|i| format!(" a{i}=1")).collect();
        let formats: String = (0..400).map(|i| format!("<b x={i}>")).collect();
        for (html, kind) in [
            ("<div>".repeat(20_000), "html-too-deep"),
            (format!("<p{wide}>"), "html-too-deep"),
            (format!("<div>{formats}</div>{}", "<p>x</p>".repeat(100_000)), "html-too-deep"),
            ("x".repeat(MAX_PAGE_BYTES + 1), "html-too-long"),
        ] {
            let start = std::time::Instant::now();
            assert_eq!(blocks(html.as_bytes(), None).map_err(|p| p.kind).err().as_deref(), Some(kind));
            assert!(start.elapsed().as_secs() < 5);
        }
    }

    #[test]
    fn a_page_of_very_many_containers_has_a_bounded_number_of_blocks() {
        let html = "<div>x</div>".repeat(MAX_BLOCKS * 2);
        let page = parse(&html);
        assert!(page.len() <= MAX_BLOCKS);
        assert_eq!(page.iter().map(Block::words).sum::<usize>(), MAX_BLOCKS * 2);
    }
}
