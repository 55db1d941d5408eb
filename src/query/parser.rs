//! How do tokens become a tree?
//!
//! This is a recursive descent parser for FTS5's grammar with one token of lookahead. SQLite's own parser keeps its
//! symbols on a stack of fixed size and refuses expressions that do not fit. This parser counts the symbols that would be
//! on that stack: it refuses the same expressions, and the same number bounds its recursion. If an expression has
//! several faults, the order of steps decides which one is reported: a token is pushed, the next token is read, and
//! only then is the first one evaluated.

use super::lexer::{Lexer, Token, TokenKind};
use super::{NearGroup, Phrase, Query, QueryError, QueryFault, QueryNode, QueryTerm};
use crate::analysis::{Analyzer, Purpose};
use crate::ids::{FieldId, FieldSet};

/// The largest number of operators between the root of a tree and a phrase; FTS5's limit.
///
/// A run of AND is one operator with many operands, and so is a run of OR. A run of NOT is nested.
pub const MAX_DEPTH: usize = 256;

/// The largest number of unfinished grammar symbols; FTS5's limit.
///
/// A parenthesis takes one place, an operator that waits for its right operand takes two, and a column filter on a
/// parenthesis takes three in all. The innermost word takes two, which leaves 97 for plain parentheses.
pub const MAX_STACK: usize = 99;

/// The distance of a NEAR group without an explicit distance.
const DEFAULT_DISTANCE: u32 = 10;

/// The lowest [`binding`] strength, which admits every operator.
const LOOSEST: u8 = 1;

impl Query {
    /// Parses `expression` as FTS5 would for a table with the columns `fields`.
    ///
    /// Time and memory are linear in the length of the expression. The expression ends at its first NUL. Column names
    /// are compared without regard to ASCII case.
    ///
    /// ```
    /// use snapseek::analysis::Analyzer;
    /// use snapseek::query::Query;
    ///
    /// let analyzer = Analyzer::parse("porter unicode61")?;
    /// let query = Query::parse("title : (fast OR quick) NOT slow", &["title", "body"], &analyzer)?;
    /// assert_eq!(query.phrases.len(), 3);
    ///
    /// let error = Query::parse("author : knuth", &["title", "body"], &analyzer).unwrap_err();
    /// assert_eq!(error.to_string(), "no such column: author");
    /// assert_eq!(error.span(), 0..6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails with FTS5's message when FTS5 refuses the expression. Also fails for `*reads` and `*id`, with which FTS5
    /// reports the state of its table.
    ///
    /// # Panics
    ///
    /// Panics when there are more than [`FieldId::LIMIT`] fields; no schema has more.
    pub fn parse(
        expression: &str,
        fields: &[impl AsRef<str>],
        analyzer: &Analyzer,
    ) -> Result<Query, QueryError> {
        assert!(fields.len() <= FieldId::LIMIT, "a schema holds at most {} text fields", FieldId::LIMIT);
        refuse_special(expression)?;
        let fields: Vec<&str> = fields.iter().map(AsRef::as_ref).collect::<Vec<_>>();
        let mut lexer = Lexer::new(expression);
        let next = lexer.next()?;
        let mut parser = Parser { lexer, next, stack: 0, fields: &fields, analyzer, phrases: Vec::new() };
        let tree = parser.expression(LOOSEST, FieldSet::ALL)?;
        match parser.next.kind {
            TokenKind::End => Ok(Query { root: tree.node, phrases: parser.phrases }),
            _ => Err(parser.unexpected()),
        }
    }
}

/// Refuses an expression that starts with `*`, which FTS5 takes for a question about the table.
fn refuse_special(expression: &str) -> Result<(), QueryError> {
    let Some(rest) = expression.strip_prefix('*') else { return Ok(()) };
    let word = rest.trim_start_matches(' ');
    let name = &word[..word.find([' ', '\0']).unwrap_or(word.len())];
    let end = expression.len() - word.len() + name.len();
    Err(QueryFault::UnknownSpecialQuery { name: name.into(), span: 0..end }.into())
}

/// Returns how strongly an operator binds its operands, or 0 if the token is not an operator.
fn binding(kind: TokenKind) -> u8 {
    match kind {
        TokenKind::Or => LOOSEST,
        TokenKind::And => 2,
        TokenKind::Not => 3,
        _ => 0,
    }
}

/// A node with the number of operators on the longest path below it.
struct Tree {
    node: QueryNode,
    depth: usize,
}

impl Tree {
    /// Builds `left operator right`. A run of AND or of OR becomes one node.
    fn join(operator: TokenKind, left: Tree, right: Tree) -> Tree {
        let depth = left.depth_under(operator).max(right.depth_under(operator)) + 1;
        let node = match operator {
            TokenKind::Not => QueryNode::Not(Box::new(left.node), Box::new(right.node)),
            TokenKind::And => QueryNode::And(concat(left.operands(operator), right.operands(operator))),
            _ => QueryNode::Or(concat(left.operands(operator), right.operands(operator))),
        };
        Tree { node, depth }
    }

    /// Returns whether this node's operands become operands of a parent with this `operator`.
    fn dissolves_in(&self, operator: TokenKind) -> bool {
        matches!(
            (operator, &self.node),
            (TokenKind::And, QueryNode::And(_)) | (TokenKind::Or, QueryNode::Or(_))
        )
    }

    fn depth_under(&self, operator: TokenKind) -> usize {
        if self.dissolves_in(operator) { self.depth - 1 } else { self.depth }
    }

    fn operands(self, operator: TokenKind) -> Vec<QueryNode> {
        let dissolves = self.dissolves_in(operator);
        match self.node {
            QueryNode::And(operands) | QueryNode::Or(operands) if dissolves => operands,
            node => vec![node],
        }
    }
}

fn concat(mut first: Vec<QueryNode>, mut second: Vec<QueryNode>) -> Vec<QueryNode> {
    first.append(&mut second);
    first
}

/// The tokens before a phrase.
enum Head<'a> {
    /// A column filter and its colon.
    Filter(FieldSet),
    /// A string that could have been a column name, but no colon follows.
    String(Token<'a>),
    /// Neither a filter nor a string.
    Nothing,
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    /// The lookahead token: read but not taken.
    next: Token<'a>,
    /// The number of symbols that SQLite's parser would have on its stack.
    stack: usize,
    fields: &'a [&'a str],
    analyzer: &'a Analyzer,
    phrases: Vec<Phrase>,
}

impl<'a> Parser<'a> {
    /// Counts one more symbol on the stack.
    fn push(&mut self) -> Result<(), QueryError> {
        if self.stack == MAX_STACK {
            return Err(QueryFault::StackOverflow { span: self.next.span() }.into());
        }
        self.stack += 1;
        Ok(())
    }

    /// Takes the lookahead token and reads the next one.
    fn take(&mut self) -> Result<(), QueryError> {
        self.push()?;
        self.next = self.lexer.next()?;
        Ok(())
    }

    /// Takes the lookahead token, which must be of this kind.
    fn expect(&mut self, kind: TokenKind) -> Result<(), QueryError> {
        if self.next.kind == kind { self.take() } else { Err(self.unexpected()) }
    }

    fn unexpected(&self) -> QueryError {
        syntax_error(&self.next)
    }

    /// Parses operands joined by operators that bind at least as strongly as `loosest`. All operators associate to the
    /// left.
    fn expression(&mut self, loosest: u8, within: FieldSet) -> Result<Tree, QueryError> {
        let base = self.stack;
        let mut tree = self.operand(within)?;
        while binding(self.next.kind) >= loosest {
            let operator = self.next;
            self.take()?;
            let right = self.expression(binding(operator.kind) + 1, within)?;
            tree = Tree::join(operator.kind, tree, right);
            if tree.depth > MAX_DEPTH {
                return Err(QueryFault::TooDeep { span: operator.span() }.into());
            }
            self.stack = base + 1;
        }
        Ok(tree)
    }

    /// Parses an expression in parentheses, or a run of phrases that must all match.
    fn operand(&mut self, within: FieldSet) -> Result<Tree, QueryError> {
        let base = self.stack;
        let tree = if self.next.kind == TokenKind::LeftParenthesis {
            self.parenthesised(within)?
        } else {
            match self.head()? {
                Head::Filter(filter) if self.next.kind == TokenKind::LeftParenthesis => {
                    self.parenthesised(within.and(filter))?
                }
                head => self.run(base, head, within)?,
            }
        };
        self.stack = base + 1;
        Ok(tree)
    }

    fn parenthesised(&mut self, within: FieldSet) -> Result<Tree, QueryError> {
        self.expect(TokenKind::LeftParenthesis)?;
        let tree = self.expression(LOOSEST, within)?;
        self.expect(TokenKind::RightParenthesis)?;
        Ok(tree)
    }

    /// Parses consecutive phrases and NEAR groups, which form an implicit AND.
    ///
    /// Members without tokens are dropped from the run and from the list of phrases, unless the run has no other member.
    fn run(&mut self, base: usize, head: Head<'a>, within: FieldSet) -> Result<Tree, QueryError> {
        let first = self.phrases.len();
        let mut members = vec![self.near(head, within)?];
        self.stack = base + 1;
        while self.next.kind.starts_member() {
            let head = self.head()?;
            let mut member = self.near(head, within)?;
            self.stack = base + 1;
            if self.has_no_terms(member.phrases[0]) {
                self.phrases.pop();
                continue;
            }
            if self.has_no_terms(first) {
                self.phrases.remove(first);
                members.clear();
                member.phrases.iter_mut().for_each(|place| *place -= 1);
            }
            members.push(member);
        }
        let mut nodes: Vec<QueryNode> = members.into_iter().map(|near| self.node(near)).collect::<Vec<_>>();
        match nodes.pop() {
            Some(node) if nodes.is_empty() => Ok(Tree { node, depth: 0 }),
            last => {
                nodes.extend(last);
                Ok(Tree { node: QueryNode::And(nodes), depth: 1 })
            }
        }
    }

    /// Returns whether the phrase at this index has no tokens.
    fn has_no_terms(&self, place: usize) -> bool {
        self.phrases[place].terms.is_empty()
    }

    fn node(&self, near: NearGroup) -> QueryNode {
        let is_dead = self.has_no_terms(near.phrases[0]) || near.fields.is_empty_among(self.fields.len());
        if is_dead { QueryNode::Nothing } else { QueryNode::Near(near) }
    }

    /// Parses `column :` or `{column …} :`, each with an optional `-`, or the string that looks like the start of one.
    fn head(&mut self) -> Result<Head<'a>, QueryError> {
        let base = self.stack;
        let is_inverted = self.next.kind == TokenKind::Minus;
        if is_inverted {
            self.take()?;
        }
        let columns = match self.next.kind {
            TokenKind::LeftBrace => self.columns()?,
            TokenKind::String => {
                let string = self.next;
                self.take()?;
                if !is_inverted && self.next.kind != TokenKind::Colon {
                    return Ok(Head::String(string));
                }
                self.column(&string)?
            }
            _ if is_inverted => return Err(self.unexpected()),
            _ => return Ok(Head::Nothing),
        };
        self.stack = base + 1;
        self.expect(TokenKind::Colon)?;
        Ok(Head::Filter(if is_inverted { columns.complement() } else { columns }))
    }

    /// Parses `{column …}`.
    fn columns(&mut self) -> Result<FieldSet, QueryError> {
        self.expect(TokenKind::LeftBrace)?;
        let name = self.next;
        self.expect(TokenKind::String)?;
        let mut columns = self.column(&name)?;
        let listed = self.stack;
        while self.next.kind == TokenKind::String {
            let name = self.next;
            self.take()?;
            columns = columns.or(self.column(&name)?);
            self.stack = listed;
        }
        self.expect(TokenKind::RightBrace)?;
        Ok(columns)
    }

    fn column(&self, name: &Token) -> Result<FieldSet, QueryError> {
        let unquoted = name.unquoted();
        let fields = (0..).map(FieldId).zip(self.fields);
        for (field, known) in fields {
            if known.eq_ignore_ascii_case(&unquoted) {
                return Ok(FieldSet::only(field));
            }
        }
        Err(QueryFault::NoSuchColumn { name: unquoted.into_owned(), span: name.span() }.into())
    }

    /// Parses a phrase, a phrase after `^`, or a NEAR group. Its phrases are appended to the list.
    fn near(&mut self, head: Head<'a>, within: FieldSet) -> Result<NearGroup, QueryError> {
        let first = self.phrases.len();
        let (fields, string) = match head {
            Head::Filter(filter) => {
                let string = Some(self.next).filter(|next| next.kind == TokenKind::String);
                if string.is_some() {
                    self.take()?;
                }
                (within.and(filter), string)
            }
            Head::String(string) => (within, Some(string)),
            Head::Nothing => (within, None),
        };
        let mut distance = DEFAULT_DISTANCE;
        match string {
            Some(name) if self.next.kind == TokenKind::LeftParenthesis => {
                distance = self.near_group(&name)?
            }
            Some(string) => self.phrase(string)?,
            None => {
                self.expect(TokenKind::Caret)?;
                let string = self.next;
                self.expect(TokenKind::String)?;
                self.phrase(string)?;
                self.phrases[first].is_initial = !self.has_no_terms(first);
            }
        }
        for phrase in &mut self.phrases[first..] {
            phrase.fields = fields;
        }
        Ok(NearGroup { phrases: (first..self.phrases.len()).collect::<Vec<_>>(), distance, fields })
    }

    /// Parses `(phrase … , distance)` after `name`, which must be `NEAR`. Appends the phrases and returns the distance.
    ///
    /// As in a run, phrases without tokens are dropped unless there is no other.
    fn near_group(&mut self, name: &Token) -> Result<u32, QueryError> {
        self.expect(TokenKind::LeftParenthesis)?;
        let first = self.phrases.len();
        let string = self.next;
        self.expect(TokenKind::String)?;
        self.phrase(string)?;
        let listed = self.stack;
        while self.next.kind == TokenKind::String {
            let string = self.next;
            self.take()?;
            self.phrase(string)?;
            self.stack = listed;
            if self.has_no_terms(self.phrases.len() - 1) {
                self.phrases.pop();
            } else if self.has_no_terms(first) {
                self.phrases.remove(first);
            }
        }
        let distance = if self.next.kind == TokenKind::Comma {
            self.take()?;
            let distance = self.next;
            self.expect(TokenKind::String)?;
            Some(distance)
        } else {
            // SQLite's grammar has a symbol for the absent distance.
            self.push()?;
            None
        };
        self.stack = listed + 1;
        self.expect(TokenKind::RightParenthesis)?;
        if name.text != "NEAR" {
            return Err(syntax_error(name));
        }
        distance.map_or(Ok(DEFAULT_DISTANCE), |distance| distance_of(&distance))
    }

    /// Parses `string + string …` with an optional `*` after each string; the first is `string`. Appends the phrase.
    fn phrase(&mut self, mut string: Token<'a>) -> Result<(), QueryError> {
        let base = self.stack;
        let mut terms = Vec::new();
        loop {
            let is_prefix = self.next.kind == TokenKind::Star;
            if is_prefix {
                self.take()?;
            } else {
                // SQLite's grammar has a symbol for the absent star.
                self.push()?;
            }
            self.stack = base;
            self.add_terms(&string, &mut terms);
            // The star, or its absence, applies to the last term so far, even if this string added none.
            if let Some(QueryTerm::Exact(bytes) | QueryTerm::Prefix(bytes)) = terms.pop() {
                terms.push(if is_prefix { QueryTerm::Prefix(bytes) } else { QueryTerm::Exact(bytes) });
            }
            if self.next.kind != TokenKind::Plus {
                break;
            }
            self.take()?;
            string = self.next;
            self.expect(TokenKind::String)?;
        }
        if self.analyzer.is_bigramming() {
            self.widen_lone_characters(&mut terms);
        }
        self.phrases.push(Phrase { terms, is_initial: false, fields: FieldSet::ALL });
        Ok(())
    }

    fn add_terms(&self, string: &Token, terms: &mut Vec<QueryTerm>) {
        let text = string.unquoted();
        self.analyzer.spans(&text, Purpose::Query, |span| {
            let mut term = Vec::new();
            self.analyzer.term(&text[span.start..span.end], &mut term);
            terms.push(QueryTerm::Exact(term));
        });
    }

    /// Turns each term that is a single CJK character into a prefix.
    ///
    /// An index of bigrams has such a character mostly as the first of a pair; see [`crate::analysis`].
    fn widen_lone_characters(&self, terms: &mut [QueryTerm]) {
        for term in terms {
            if let QueryTerm::Exact(bytes) = term
                && str::from_utf8(bytes).is_ok_and(|text| self.is_lone_character(text))
            {
                *term = QueryTerm::Prefix(std::mem::take(bytes));
            }
        }
    }

    /// Returns whether `text` is a single character that the analyzer breaks into bigrams.
    ///
    /// Doubling such a character gives two tokens, the pair and the last character; other text stays one token.
    fn is_lone_character(&self, text: &str) -> bool {
        let mut count = 0;
        self.analyzer.spans(&text.repeat(2), Purpose::Document, |_| count += 1);
        count == 2
    }
}

fn syntax_error(token: &Token) -> QueryError {
    Box::new(QueryFault::Syntax { near: token.text.into(), span: token.span() })
}

/// Returns the number that `token` holds. As in FTS5, digits that would overflow FTS5's limit are ignored.
fn distance_of(token: &Token) -> Result<u32, QueryError> {
    const LAST_THAT_GROWS: u32 = 214_748_362;
    let mut distance = 0;
    for byte in token.text.bytes() {
        if !byte.is_ascii_digit() {
            return Err(QueryFault::ExpectedInteger { got: token.text.into(), span: token.span() }.into());
        }
        if distance <= LAST_THAT_GROWS {
            distance = distance * 10 + u32::from(byte - b'0');
        }
    }
    Ok(distance)
}
