//! Which part of a page is its text? The part that the user, Pagefind's attributes or a landmark names, or else the part
//! with most of the prose.

use super::attributes::Attributes;
use super::chrome::{Surroundings, heading_level, is_chrome, looks_like_chrome};
use super::{HtmlRules, PageRefusal};
use ego_tree::iter::Edge;
use ego_tree::{NodeId, NodeRef};
use scraper::{ElementRef, Html, Node};
use std::collections::{HashMap, HashSet};

/// The text of a page, as elements.
#[derive(Debug, Default)]
pub struct PageContent {
    /// The elements that hold the text, in order. None is within another.
    pub roots: Vec<NodeId>,
    /// Elements within the roots that are no text of the page.
    pub dropped: HashSet<NodeId>,
    /// Whether the page names its text with `data-pagefind-body`.
    pub is_marked: bool,
}

/// The share of a page's prose that the main element of a page without landmarks holds.
const MOST: f64 = 0.75;
/// The greatest share of the prose in an element beside it. More is a part of the text.
const BESIDE: f64 = 0.05;
/// The elements that may hold the text of a page without landmarks.
const TEXT_CONTAINERS: [&str; 10] =
    ["div", "section", "center", "form", "table", "tbody", "tr", "td", "font", "span"];
/// A block with a greater share of its text in links is navigation, if it has several links and no heading.
const LINKED_SHARE: f64 = 0.6;

/// The text in an element, without the text of dropped elements.
#[derive(Clone, Copy, Debug, Default)]
struct Measure {
    /// The number of characters that are not white space.
    chars: usize,
    /// How many of them are in links.
    linked: usize,
    links: usize,
    headings: usize,
    has_h1: bool,
}

impl Measure {
    fn add(&mut self, inner: Measure) {
        self.chars += inner.chars;
        self.linked += inner.linked;
        self.links += inner.links;
        self.headings += inner.headings;
        self.has_h1 |= inner.has_h1;
    }

    fn prose(self) -> usize {
        self.chars - self.linked
    }

    fn is_mostly_links(self, share: f64) -> bool {
        self.linked as f64 >= share * self.chars as f64
    }
}

impl PageContent {
    /// Finds the text of a page.
    pub fn of(html: &Html, rules: &HtmlRules) -> Result<PageContent, PageRefusal> {
        if let Some(root) = &rules.root {
            let roots = outermost(html.select(root));
            return if roots.is_empty() {
                Err(PageRefusal::NoRoot)
            } else {
                Ok(PageContent::chosen(roots, rules))
            };
        }
        let is_body = |element: &ElementRef| element.attribute("data-pagefind-body").is_some();
        let marked = outermost(html.root_element().descendent_elements().filter(is_body));
        if !marked.is_empty() {
            return Ok(PageContent { is_marked: true, ..PageContent::chosen(marked, rules) });
        }
        let is_body = |element: &ElementRef| element.value().name() == "body";
        let Some(body) = html.root_element().child_elements().find(is_body) else {
            return Ok(PageContent::default());
        };
        let mut page = Measured::default();
        page.measure(body, Surroundings::default(), rules);
        let roots = match page.landmarks(body) {
            landmarks if !landmarks.is_empty() => landmarks,
            _ => vec![page.readable(body)],
        };
        let mut content =
            PageContent { roots: roots.iter().map(|root| root.id()).collect(), ..PageContent::default() };
        roots.iter().for_each(|root| page.drop_look_alikes(*root));
        content.dropped = page.dropped;
        Ok(content)
    }

    /// Takes elements that the user or the page has chosen. The rules hold for everything within them.
    fn chosen(roots: Vec<ElementRef>, rules: &HtmlRules) -> PageContent {
        let mut page = Measured::default();
        let around = Surroundings { is_in_section: true, is_quoted: false };
        for root in &roots {
            page.measure(*root, around, rules);
            page.drop_look_alikes(*root);
        }
        PageContent {
            roots: roots.iter().map(|root| root.id()).collect(),
            dropped: page.dropped,
            is_marked: false,
        }
    }
}

/// Removes elements that are within an earlier one.
fn outermost<'a>(elements: impl Iterator<Item = ElementRef<'a>>) -> Vec<ElementRef<'a>> {
    let mut kept: Vec<ElementRef> = Vec::new();
    for element in elements {
        if !element.ancestors().any(|outer| kept.iter().any(|known| known.id() == outer.id())) {
            kept.push(element);
        }
    }
    kept
}

/// The measures of elements, and the elements that were dropped.
#[derive(Default)]
struct Measured {
    measures: HashMap<NodeId, Measure>,
    dropped: HashSet<NodeId>,
}

impl Measured {
    /// Measures an element and all elements within it, and drops those that are certainly no text. The element itself
    /// stays, whatever it is.
    fn measure(&mut self, top: ElementRef, around: Surroundings, rules: &HtmlRules) {
        let mut open: Vec<(NodeId, Measure, Surroundings)> = Vec::new();
        let mut link_depth = 0;
        let mut skipped: Option<NodeId> = None;
        for edge in top.traverse() {
            match edge {
                Edge::Open(node) => {
                    if skipped.is_some() {
                        continue;
                    }
                    if let Some(text) = node.value().as_text() {
                        let chars = text.chars().filter(|letter| !letter.is_whitespace()).count();
                        let linked = if link_depth > 0 { chars } else { 0 };
                        if let Some((_, measure, _)) = open.last_mut() {
                            measure.add(Measure { chars, linked, ..Measure::default() });
                        }
                        continue;
                    }
                    let Some(element) = ElementRef::wrap(node) else { continue };
                    let around = open.last().map_or(around, |(.., around)| *around);
                    if node.id() != top.id() && is_chrome(element, around, &rules.excluded) {
                        self.dropped.insert(node.id());
                        skipped = Some(node.id());
                        continue;
                    }
                    let level = heading_level(element);
                    let is_link = is_link(element);
                    link_depth += usize::from(is_link);
                    let measure = Measure {
                        links: usize::from(is_link),
                        headings: usize::from(level.is_some()),
                        has_h1: level == Some(1),
                        ..Measure::default()
                    };
                    open.push((node.id(), measure, within(element, around)));
                }
                Edge::Close(node) => {
                    if skipped.is_some() {
                        skipped = skipped.filter(|skipped| *skipped != node.id());
                        continue;
                    }
                    let Some(element) = ElementRef::wrap(node) else { continue };
                    link_depth -= usize::from(is_link(element));
                    let Some((id, measure, _)) = open.pop() else { continue };
                    self.measures.insert(id, measure);
                    if let Some((_, outer, _)) = open.last_mut() {
                        outer.add(measure);
                    }
                }
            }
        }
    }

    fn of(&self, node: NodeRef<Node>) -> Measure {
        self.measures.get(&node.id()).copied().unwrap_or_default()
    }

    /// Returns the elements that the page marks as its main part; none if it has no landmark with text.
    fn landmarks<'a>(&self, body: ElementRef<'a>) -> Vec<ElementRef<'a>> {
        let with_text = |is_wanted: fn(ElementRef) -> bool| {
            let found = body.descendent_elements().filter(|element| is_wanted(*element));
            outermost(found.filter(|element| self.of(**element).chars > 0))
        };
        let mains = with_text(is_main);
        if !mains.is_empty() {
            return mains.into_iter().map(|main| self.only_article(main).unwrap_or(main)).collect();
        }
        let articles = with_text(is_article);
        let chars = articles.iter().map(|article| self.of(**article).chars).sum::<usize>();
        let has_title = articles.iter().any(|article| self.of(**article).has_h1);
        // Cards beside the text of a page may be articles, too.
        let body = self.of(*body);
        if chars * 2 >= body.chars && (has_title || !body.has_h1) { articles } else { Vec::new() }
    }

    /// Returns the article that makes up a main part. The rest of the main part is then around the text.
    fn only_article<'a>(&self, main: ElementRef<'a>) -> Option<ElementRef<'a>> {
        let mut articles = main.descendent_elements().filter(|element| is_article(*element));
        let article = articles.next()?;
        let (inner, outer) = (self.of(*article), self.of(*main));
        let is_only = articles.all(|other| other.ancestors().any(|node| node.id() == article.id()));
        let has_title = inner.has_h1 || !outer.has_h1;
        (is_only && has_title && inner.prose() * 2 >= outer.prose()).then_some(article)
    }

    /// Returns the innermost element with most of the prose, and drops the blocks of links within it.
    fn readable<'a>(&mut self, body: ElementRef<'a>) -> ElementRef<'a> {
        let all = self.of(*body).prose() as f64;
        let mut root = body;
        loop {
            let outer = self.of(*root);
            let share = |element: &ElementRef| self.of(**element).prose() as f64 / all.max(1.0);
            let holds_text = |child: &ElementRef| {
                let measure = self.of(**child);
                let is_container = TEXT_CONTAINERS.contains(&child.value().name());
                let others = root.child_elements().filter(|other| other.id() != child.id());
                let loose =
                    outer.prose() - root.child_elements().map(|child| self.of(*child).prose()).sum::<usize>();
                is_container
                    && (measure.has_h1 || !outer.has_h1)
                    && share(child) >= MOST
                    && others.map(|other| share(&other)).all(|other| other <= BESIDE)
                    && loose as f64 <= BESIDE * all
            };
            match root.child_elements().find(holds_text) {
                Some(child) if all > 0.0 => root = child,
                _ => break,
            }
        }
        for element in root.descendent_elements().skip(1) {
            let measure = self.of(*element);
            let is_block =
                matches!(element.value().name(), "ul" | "ol" | "div" | "table" | "p" | "center" | "tr");
            if is_block
                && measure.links >= 3
                && measure.headings == 0
                && measure.is_mostly_links(LINKED_SHARE)
            {
                self.dropped.insert(element.id());
            }
        }
        root
    }

    /// Drops the elements of a root that look like navigation by their class, if their text does, too.
    fn drop_look_alikes(&mut self, root: ElementRef) {
        let all = self.of(*root);
        for element in root.descendent_elements().skip(1).filter(|element| looks_like_chrome(*element)) {
            let measure = self.of(*element);
            let is_short = measure.headings == 0 && measure.chars * 3 <= all.chars;
            if !measure.has_h1 && (is_short || measure.is_mostly_links(0.5)) {
                self.dropped.insert(element.id());
            }
        }
    }
}

fn within(element: ElementRef, around: Surroundings) -> Surroundings {
    let tag = element.value().name();
    Surroundings {
        is_in_section: around.is_in_section || tag == "section" || is_main(element) || is_article(element),
        is_quoted: around.is_quoted || matches!(tag, "blockquote" | "figure"),
    }
}

fn is_main(element: ElementRef) -> bool {
    element.value().name() == "main" || element.attribute("role") == Some("main")
}

fn is_article(element: ElementRef) -> bool {
    element.value().name() == "article" || element.attribute("role") == Some("article")
}

fn is_link(element: ElementRef) -> bool {
    element.value().name() == "a" && element.attribute("href").is_some()
}
