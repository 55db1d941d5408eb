//! The element tree of a page, with the line of each element.
//!
//! `scraper` parses the page as browsers do, but keeps no lines. This sink notes them while the tree grows.

use crate::input::chunk::count_lines;
use ego_tree::NodeId;
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::{Attribute, QualName};
use scraper::{Html, HtmlTreeSink};
use std::borrow::Cow;
use std::cell::{Cell, Ref, RefCell};
use std::collections::HashMap;

/// Elements that the parser adds if their tags are absent. The line at that moment is the end of a later text.
const IMPLIED: [&str; 5] = ["html", "head", "body", "tbody", "colgroup"];

/// A parsed page.
pub struct PageTree {
    /// The elements and texts.
    pub html: Html,
    /// For each element with a tag, the line on which its start tag ends, counted from 1.
    pub lines: HashMap<NodeId, u64>,
    /// The number of lines of the page.
    pub line_count: u64,
}

impl PageTree {
    /// Parses a page. HTML has no syntax errors that stop a parser.
    pub fn parse(html: &str) -> PageTree {
        let sink = LineSink {
            inner: HtmlTreeSink::new(Html::new_document()),
            line: Cell::new(1),
            lines: RefCell::default(),
        };
        let tree = html5ever::parse_document(sink, html5ever::ParseOpts::default()).one(html);
        PageTree { line_count: 1 + count_lines(html.as_bytes()), ..tree }
    }
}

/// Builds the tree with `scraper`'s own sink, and notes the line of each new element.
struct LineSink {
    inner: HtmlTreeSink,
    line: Cell<u64>,
    lines: RefCell<HashMap<NodeId, u64>>,
}

impl TreeSink for LineSink {
    type Output = PageTree;
    type Handle = NodeId;
    type ElemName<'a> = Ref<'a, QualName>;

    fn finish(self) -> PageTree {
        PageTree { html: self.inner.finish(), lines: self.lines.into_inner(), line_count: 1 }
    }

    fn set_current_line(&self, line: u64) {
        self.line.set(line);
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, flags: ElementFlags) -> NodeId {
        let is_implied = IMPLIED.contains(&&*name.local);
        let node = self.inner.create_element(name, attributes, flags);
        if !is_implied {
            self.lines.borrow_mut().insert(node, self.line.get());
        }
        node
    }

    fn parse_error(&self, message: Cow<'static, str>) {
        self.inner.parse_error(message);
    }

    fn get_document(&self) -> NodeId {
        self.inner.get_document()
    }

    fn elem_name<'a>(&'a self, target: &'a NodeId) -> Ref<'a, QualName> {
        self.inner.elem_name(target)
    }

    fn create_comment(&self, text: StrTendril) -> NodeId {
        self.inner.create_comment(text)
    }

    fn create_pi(&self, target: StrTendril, data: StrTendril) -> NodeId {
        self.inner.create_pi(target, data)
    }

    fn append(&self, parent: &NodeId, child: NodeOrText<NodeId>) {
        self.inner.append(parent, child);
    }

    fn append_based_on_parent_node(&self, element: &NodeId, previous: &NodeId, child: NodeOrText<NodeId>) {
        self.inner.append_based_on_parent_node(element, previous, child);
    }

    fn append_doctype_to_document(&self, name: StrTendril, public: StrTendril, system: StrTendril) {
        self.inner.append_doctype_to_document(name, public, system);
    }

    fn get_template_contents(&self, target: &NodeId) -> NodeId {
        self.inner.get_template_contents(target)
    }

    fn same_node(&self, one: &NodeId, other: &NodeId) -> bool {
        one == other
    }

    fn set_quirks_mode(&self, mode: QuirksMode) {
        self.inner.set_quirks_mode(mode);
    }

    fn append_before_sibling(&self, sibling: &NodeId, new: NodeOrText<NodeId>) {
        self.inner.append_before_sibling(sibling, new);
    }

    fn add_attrs_if_missing(&self, target: &NodeId, attributes: Vec<Attribute>) {
        self.inner.add_attrs_if_missing(target, attributes);
    }

    fn remove_from_parent(&self, target: &NodeId) {
        self.inner.remove_from_parent(target);
    }

    fn reparent_children(&self, node: &NodeId, new_parent: &NodeId) {
        self.inner.reparent_children(node, new_parent);
    }
}
