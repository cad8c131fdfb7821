// Small SQLite databases with one hostile trait each, and what their adoption leaves out.
import type { Trait } from './adopt-trait.ts';

/** 1,500 columns of these types in turn. */
function manyColumns(types: readonly string[]): string {
  return Array.from({ length: 1500 }, (_, at) => `c${at} ${types[at % types.length]}`).join(', ');
}

/** By name. */
export const SQLITE_TRAITS: Readonly<Record<string, Trait>> = {
  'names with quotes': {
    sql: `CREATE TABLE "a""b" ("c""d" INTEGER PRIMARY KEY, "e'f" TEXT, "g\`h" TEXT, "[i]" TEXT); INSERT INTO "a""b" VALUES (1, 'x', 'y', 'z')`,
    rows: 1,
    left: [],
  },
  'reserved words': {
    sql: `CREATE TABLE "select" ("from" INTEGER PRIMARY KEY, "where" TEXT, "group" TEXT, "order" TEXT, "table" TEXT REFERENCES "index" ("primary")); CREATE TABLE "index" ("primary" TEXT PRIMARY KEY NOT NULL, "key" INT); INSERT INTO "index" VALUES ('p', 1); INSERT INTO "select" VALUES (1, 'a', 'b', 'c', 'p')`,
    rows: 2,
    left: [],
  },
  'long names': {
    sql: `CREATE TABLE ${'t'.repeat(200)} (${'c'.repeat(150)} INTEGER PRIMARY KEY, ${'c'.repeat(149)}d TEXT); INSERT INTO ${'t'.repeat(200)} VALUES (1, 'x')`,
    rows: 1,
    left: [],
  },
  'mixed case': {
    sql: `CREATE TABLE Orders (ID INTEGER PRIMARY KEY, CustomerId INT REFERENCES CUSTOMERS); CREATE TABLE customers (id INTEGER PRIMARY KEY, NAME TEXT); INSERT INTO customers VALUES (1, 'x'); INSERT INTO Orders VALUES (1, 1)`,
    rows: 2,
    left: [],
  },
  cycles: {
    sql: `CREATE TABLE a (id INTEGER PRIMARY KEY, b_id INT NOT NULL REFERENCES b DEFERRABLE INITIALLY DEFERRED); CREATE TABLE b (id INTEGER PRIMARY KEY, a_id INT NOT NULL REFERENCES a DEFERRABLE INITIALLY DEFERRED); INSERT INTO a VALUES (1, 1); INSERT INTO b VALUES (1, 1)`,
    rows: 2,
    left: [],
  },
  'self relations': {
    sql: `CREATE TABLE nodes (id INTEGER PRIMARY KEY, parent_id INT REFERENCES nodes, next_id INT UNIQUE REFERENCES nodes, node INT REFERENCES nodes); INSERT INTO nodes VALUES (1, NULL, NULL, 1), (2, 1, 1, 2)`,
    rows: 2,
    left: [],
  },
  'no keys': {
    sql: `CREATE TABLE k (id INTEGER PRIMARY KEY); CREATE TABLE logs (a TEXT, b INT); INSERT INTO logs VALUES ('x', 1); INSERT INTO k VALUES (1)`,
    rows: 1,
    left: ['logs: it has no primary key, and no unique index over columns that are never null'],
  },
  'many columns': {
    sql: `CREATE TABLE wide (id INTEGER PRIMARY KEY, ${manyColumns(['INTEGER', 'TEXT', 'REAL', 'BLOB'])}); INSERT INTO wide (id, c0, c1, c1499) VALUES (1, 2, 'x', NULL)`,
    rows: 1,
    left: [],
  },
  'untyped columns': {
    sql: `CREATE TABLE t (id PRIMARY KEY NOT NULL, a, b); INSERT INTO t VALUES ('x', 1, 'y'), ('y', 2, NULL)`,
    rows: 2,
    left: [],
  },
  strict: {
    sql: `CREATE TABLE t (id INTEGER PRIMARY KEY, a INT, b TEXT, c REAL, d BLOB, e ANY) STRICT; INSERT INTO t VALUES (1, 2, 'x', 1.5, x'00ff', 'any'), (2, NULL, NULL, NULL, NULL, NULL)`,
    rows: 2,
    left: [],
  },
  'without rowid': {
    sql: `CREATE TABLE t (a TEXT, b INTEGER, c REAL, PRIMARY KEY (a, b)) WITHOUT ROWID; INSERT INTO t VALUES ('x', 1, 1.5)`,
    rows: 1,
    left: [],
  },
  generated: {
    sql: `CREATE TABLE t (id INTEGER PRIMARY KEY, a INT, v INT GENERATED ALWAYS AS (a + 1) VIRTUAL, s TEXT GENERATED ALWAYS AS ('<' || a || '>') STORED NOT NULL); INSERT INTO t (id, a) VALUES (1, 2)`,
    rows: 1,
    left: [],
  },
  'affinity lies': {
    sql: `CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b DATE, c BOOLEAN, d VARCHAR(3), e DECIMAL(5,2), f FLOAT, g DATETIME); INSERT INTO t VALUES (1, 'text', 'not a date', 'maybe', 'longer than three', 'x', 'y', 'z'), (2, 1, '2020-01-01', 1, 'abc', 1.25, 1, '2020-01-01 10:00:00')`,
    rows: 2,
    left: [
      't.a: its values are of several types (texts, numbers, bytes)',
      't.c: its values are of several types (texts, numbers, bytes)',
      't.e: its values are of several types (texts, numbers, bytes)',
      't.f: its values are of several types (texts, numbers, bytes)',
    ],
  },
  'virtual tables': {
    sql: `CREATE VIRTUAL TABLE words USING fts5(body); INSERT INTO words VALUES ('hello'); CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1); CREATE VIRTUAL TABLE boxes USING rtree(id, minx, maxx)`,
    rows: 1,
    left: [
      'boxes: it is a virtual table, whose rows an extension makes',
      'words: it is a virtual table, whose rows an extension makes',
    ],
  },
  unicode: {
    sql: `CREATE TABLE "客户" ("编号" INTEGER PRIMARY KEY, "名称" TEXT, "Größe" TEXT, "naïve" TEXT, "😀" TEXT); INSERT INTO "客户" VALUES (1, '张', 'x', 'y', '😀')`,
    rows: 1,
    left: [],
  },
  'names that collide': {
    sql: `CREATE TABLE order_items (id INTEGER PRIMARY KEY, user_name TEXT, "userName" TEXT, "user-name" TEXT, "User Name" TEXT); CREATE TABLE "OrderItems" (id INTEGER PRIMARY KEY); CREATE TABLE "order items" (id INTEGER PRIMARY KEY); INSERT INTO order_items VALUES (1, 'a', 'b', 'c', 'd')`,
    rows: 1,
    left: [],
  },
  'graphql reserved': {
    sql: `CREATE TABLE __schema (id INTEGER PRIMARY KEY, __typename TEXT, __x TEXT, "true" INT, "null" INT, "on" INT); INSERT INTO __schema VALUES (1, 'a', 'b', 1, 2, 3)`,
    rows: 1,
    left: ['__schema.true: SQLite takes its name for a value; leave the field out of the schema, or rename the column'],
  },
  'own names': {
    sql: `CREATE TABLE Query (id INTEGER PRIMARY KEY); CREATE TABLE Mutation (id INTEGER PRIMARY KEY, query INT REFERENCES Query); CREATE TABLE Node (id INTEGER PRIMARY KEY); CREATE TABLE Subscription (id INTEGER PRIMARY KEY); CREATE TABLE lockstitch (id INTEGER PRIMARY KEY); CREATE TABLE page_info (id INTEGER PRIMARY KEY); CREATE TABLE string (id INTEGER PRIMARY KEY); CREATE TABLE string_filters (id INTEGER PRIMARY KEY); CREATE TABLE node_filters (id INTEGER PRIMARY KEY); CREATE TABLE node_orders (id INTEGER PRIMARY KEY); CREATE TABLE node_connections (id INTEGER PRIMARY KEY); CREATE TABLE order_directions (id INTEGER PRIMARY KEY); INSERT INTO Query VALUES (1); INSERT INTO Mutation VALUES (1, 1)`,
    rows: 2,
    left: [],
  },
  'argument names': {
    sql: `CREATE TABLE t (id INTEGER PRIMARY KEY, first INT, start INT, "where" TEXT, "orderBy" TEXT, input TEXT, "and" INT, "or" INT, "not" INT, any_ INT, "values" INT, count INT); INSERT INTO t VALUES (1, 1, 2, 'a', 'b', 'c', 1, 2, 3, 4, 5, 6); CREATE TABLE first (first INTEGER PRIMARY KEY); CREATE TABLE t_counts (id INTEGER PRIMARY KEY, t_count INT)`,
    rows: 1,
    left: [],
  },
  'id that is no key': {
    sql: `CREATE TABLE t (nr INTEGER PRIMARY KEY, id TEXT, key TEXT, "objectId" TEXT); INSERT INTO t VALUES (1, 'x', 'y', 'z'); CREATE TABLE u (a INT, b INT, id INT, key INT, PRIMARY KEY (a, b)); INSERT INTO u VALUES (1, 2, 3, 4)`,
    rows: 2,
    left: [],
  },
  'two foreign keys': {
    sql: `CREATE TABLE teams (id INTEGER PRIMARY KEY); CREATE TABLE games (id INTEGER PRIMARY KEY, home INT REFERENCES teams, away INT REFERENCES teams, home_id INT REFERENCES teams, team_id INT REFERENCES teams, games_as_home INT); INSERT INTO teams VALUES (1), (2); INSERT INTO games VALUES (1, 1, 2, 1, 2, 5)`,
    rows: 3,
    left: [],
  },
  'views on views': {
    sql: `CREATE TABLE t (id INTEGER PRIMARY KEY, a INT); CREATE VIEW v AS SELECT id, a FROM t; CREATE VIEW w AS SELECT * FROM v; CREATE VIEW broken AS SELECT * FROM gone; INSERT INTO t VALUES (1, 1)`,
    rows: 1,
    left: [
      'broken: it is a view, and nothing in the database says which column is its key',
      'v: it is a view, and nothing in the database says which column is its key',
      'w: it is a view, and nothing in the database says which column is its key',
    ],
  },
  'checks as enums': {
    sql: `CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT CHECK (a IN ('x', 'y z', '', '1st', 'true', 'x')), b INT CHECK (b IN (1, 2)), c TEXT CHECK (c IN ('only')), d VARCHAR(5) CHECK (d = 'p' OR d = 'q'), e TEXT CHECK (e IN ('__a', 'b-c', 'b_c'))); INSERT INTO t VALUES (1, 'y z', 1, 'only', 'p', 'b-c'), (2, '', 2, NULL, 'q', '__a'), (3, 'true', NULL, NULL, NULL, 'b_c')`,
    rows: 3,
    left: [],
  },
  'function defaults': {
    sql: `CREATE TABLE t (id TEXT PRIMARY KEY NOT NULL DEFAULT (lower(hex(randomblob(8)))), at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, n INT DEFAULT (abs(random()) % 10)); INSERT INTO t (id) VALUES ('a')`,
    rows: 1,
    left: [],
  },
  'collation nocase': {
    sql: `CREATE TABLE t (code TEXT COLLATE NOCASE PRIMARY KEY NOT NULL, x TEXT COLLATE RTRIM); CREATE TABLE u (id INTEGER PRIMARY KEY, code TEXT REFERENCES t (code)); INSERT INTO t VALUES ('Abc', 'x '), ('Def', NULL); INSERT INTO u VALUES (1, 'ABC'), (2, 'def'), (3, 'Abc')`,
    rows: 5,
    left: [],
  },
  'foreign key to nothing': {
    sql: `CREATE TABLE t (id INTEGER PRIMARY KEY, x INT REFERENCES gone (id), y INT REFERENCES t (nowhere)); INSERT INTO t VALUES (1, 2, NULL)`,
    rows: 1,
    left: [],
  },
  'foreign key to unique': {
    sql: `CREATE TABLE t (id INTEGER PRIMARY KEY, code TEXT UNIQUE NOT NULL); CREATE TABLE u (id INTEGER PRIMARY KEY, code TEXT REFERENCES t (code)); CREATE TABLE tu (a TEXT REFERENCES t (code), b INT REFERENCES u, PRIMARY KEY (a, b)); INSERT INTO t VALUES (1, 'a'); INSERT INTO u VALUES (1, 'a'); INSERT INTO tu VALUES ('a', 1)`,
    rows: 3,
    left: [],
  },
  triggers: {
    sql: `CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b TEXT); CREATE TRIGGER tr AFTER INSERT ON t BEGIN UPDATE t SET b = upper(a) WHERE id = new.id; END; INSERT INTO t (a) VALUES ('x')`,
    rows: 1,
    left: [],
  },
  'instead triggers': {
    sql: `CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); CREATE VIEW v AS SELECT id, a FROM t; CREATE TRIGGER tr INSTEAD OF INSERT ON v BEGIN INSERT INTO t VALUES (new.id, new.a); END; INSERT INTO t (a) VALUES ('x')`,
    rows: 1,
    left: ['v: it is a view, and nothing in the database says which column is its key'],
  },
  numbers: {
    sql: `CREATE TABLE t (id INTEGER PRIMARY KEY, big INTEGER, r REAL, n NUMERIC, u "UNSIGNED BIG INT", inf REAL); INSERT INTO t VALUES (9223372036854775807, -9223372036854775808, 1e308, 12345678901234567, 5, 9e999), (-9223372036854775808, 1, -0.0, 0.1, 1, -9e999), (0, 0, 5e-324, 1e20, 0, 1)`,
    rows: 3,
    left: ['t.inf: some of its numbers are infinite'],
  },
  texts: {
    sql: `CREATE TABLE t (id TEXT PRIMARY KEY NOT NULL, a TEXT); INSERT INTO t VALUES ('', 'empty'), (' ', 'blank'), ('a,b%2C', 'comma'), ('é', 'nfc'), ('é', 'nfd'), ('"''\\', 'quotes')`,
    rows: 6,
    left: [],
  },
  'nul and broken text': {
    sql: `CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); INSERT INTO t VALUES (1, 'a' || char(0) || 'b'), (2, CAST(x'ff41' AS TEXT))`,
    rows: 2,
    left: [],
  },
  'expression indexes': {
    sql: `CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b TEXT); CREATE UNIQUE INDEX i ON t (lower(a)); CREATE UNIQUE INDEX j ON t (b) WHERE b IS NOT NULL; CREATE UNIQUE INDEX k ON t (a, lower(b)); INSERT INTO t VALUES (1, 'x', NULL), (2, 'y', NULL)`,
    rows: 2,
    left: [],
  },
  'unique null key': {
    sql: `CREATE TABLE t (a TEXT UNIQUE, b TEXT NOT NULL, UNIQUE (b)); INSERT INTO t VALUES (NULL, 'x'), (NULL, 'y'); CREATE TABLE u (a TEXT UNIQUE); INSERT INTO u VALUES (NULL)`,
    rows: 2,
    left: ['u: it has no primary key, and no unique index over columns that are never null'],
  },
  'real key': {
    sql: `CREATE TABLE t (id REAL PRIMARY KEY NOT NULL, a TEXT); INSERT INTO t VALUES (1.5, 'x'), (2, 'y'); CREATE TABLE d (day DATE PRIMARY KEY NOT NULL); INSERT INTO d VALUES ('2020-01-01'); CREATE TABLE b (k BLOB PRIMARY KEY NOT NULL); INSERT INTO b VALUES (x'00')`,
    rows: 1,
    left: ['b: its key k is of type BLOB, which is no key', 't: its key id is of type REAL, which is no key'],
  },
  'composite of foreign keys': {
    sql: `CREATE TABLE a (x INT, y TEXT, PRIMARY KEY (x, y)); CREATE TABLE b (x INT, y TEXT, z INT, PRIMARY KEY (x, y, z), FOREIGN KEY (x, y) REFERENCES a); CREATE TABLE c (id INTEGER PRIMARY KEY, bx INT, by_ TEXT, bz INT, FOREIGN KEY (bx, by_, bz) REFERENCES b (x, y, z)); INSERT INTO a VALUES (1, 'p,q'); INSERT INTO b VALUES (1, 'p,q', 2); INSERT INTO c VALUES (1, 1, 'p,q', 2), (2, NULL, 'p,q', 2)`,
    rows: 4,
    left: [],
  },
  'shared key chain': {
    sql: `CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (a_id INTEGER PRIMARY KEY REFERENCES a); CREATE TABLE c (b_id INT PRIMARY KEY NOT NULL REFERENCES b); CREATE TABLE d (c_id INT PRIMARY KEY NOT NULL REFERENCES c); INSERT INTO a VALUES (1); INSERT INTO b VALUES (1); INSERT INTO c VALUES (1); INSERT INTO d VALUES (1)`,
    rows: 4,
    left: [],
  },
  'join table with order': {
    sql: `CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (id INTEGER PRIMARY KEY); CREATE TABLE ab (a INT REFERENCES a, b INT REFERENCES b, position INT, PRIMARY KEY (a, b)); CREATE TABLE aa (x INT REFERENCES a, y INT REFERENCES a, PRIMARY KEY (x, y)); INSERT INTO a VALUES (1), (2); INSERT INTO b VALUES (1); INSERT INTO ab VALUES (1, 1, 5); INSERT INTO aa VALUES (1, 2), (2, 1)`,
    rows: 4,
    left: [],
  },
  'empty database': {
    sql: ``,
    rows: 0,
    left: [],
  },
  'sqlite sequence': {
    sql: `CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, a); INSERT INTO t (a) VALUES (1); ANALYZE`,
    rows: 1,
    left: [],
  },
  'quoted types': {
    sql: `CREATE TABLE t (id INTEGER PRIMARY KEY, a "some type", b "INT); DROP TABLE t; --", c [double precision], d 'varchar(5)'); INSERT INTO t VALUES (1, 'x', 2, 1.5, 'abc')`,
    rows: 1,
    left: [],
  },
  'secret keys': {
    sql: `CREATE TABLE sessions (token TEXT PRIMARY KEY NOT NULL, user_id INT); CREATE TABLE users (id INTEGER PRIMARY KEY, password TEXT NOT NULL); INSERT INTO sessions VALUES ('s3cret', 1); INSERT INTO users VALUES (1, 'hunter2'); CREATE TABLE visits (id INTEGER PRIMARY KEY, session_token TEXT REFERENCES sessions (token)); INSERT INTO visits VALUES (1, 's3cret')`,
    rows: 2,
    left: ['sessions: its key token looks like a secret', 'users.password: it looks like a secret'],
  },
  'defaults with names': {
    sql: `CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT DEFAULT 'it''s "x"
y', b TEXT DEFAULT x'00', c INT DEFAULT -5, d BOOLEAN DEFAULT TRUE, e TEXT DEFAULT NULL); INSERT INTO t DEFAULT VALUES`,
    rows: 1,
    left: [],
  },
  json: {
    sql: `CREATE TABLE t (id INTEGER PRIMARY KEY, a JSON, b TEXT); INSERT INTO t VALUES (1, '{"a": [1, 2.50, null]}', '[]'), (2, 'broken', NULL); CREATE TABLE u (id INTEGER PRIMARY KEY, a JSON); INSERT INTO u VALUES (1, '{"a": 1}'), (2, NULL)`,
    rows: 4,
    left: [],
  },
};
