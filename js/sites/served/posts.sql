create table posts (id integer primary key, title text, body text, author text);
insert into posts values
  (1, 'Baking bread', 'Flour, water, salt and a night of patience.', 'Ada'),
  (2, 'Baking in a pot', 'A hot pot gives the bread its crust.', 'Ben'),
  (3, 'Sourdough <starter>', 'Feed it with flour & water every day.', 'Ada');
create virtual table posts_fts using fts5(title, body, content=posts, content_rowid=id, tokenize='porter unicode61');
insert into posts_fts(posts_fts) values ('rebuild');
insert into posts_fts(posts_fts, rank) values ('rank', 'bm25(10.0, 1.0)');
