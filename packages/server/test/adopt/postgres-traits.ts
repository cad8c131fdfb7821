// Small PostgreSQL databases with one hostile trait each, and what their adoption leaves out.
import type { Trait } from './adopt-trait.ts';

/** 1,500 columns of these types in turn. */
function manyColumns(types: readonly string[]): string {
  return Array.from({ length: 1500 }, (_, at) => `c${at} ${types[at % types.length]}`).join(', ');
}

/** By name. */
export const POSTGRES_TRAITS: Readonly<Record<string, Trait>> = {
  'names with quotes': {
    sql: `CREATE SCHEMA "s""q"; CREATE TABLE "s""q"."a""b" ("c""d" serial PRIMARY KEY, "e'f" text, "g.h" text, "i\\j" text); INSERT INTO "s""q"."a""b" ("e'f") VALUES ('x'); CREATE TABLE "a.b" (id serial PRIMARY KEY, r int REFERENCES "s""q"."a""b"); INSERT INTO "a.b" (r) VALUES (1)`,
    rows: 2,
    left: [],
  },
  'reserved words': {
    sql: `CREATE TABLE "select" ("from" serial PRIMARY KEY, "where" text, "group" text, "user" text, "table" text); CREATE TABLE "user" ("primary" text PRIMARY KEY, "current_user" text); INSERT INTO "select" ("where") VALUES ('x'); INSERT INTO "user" VALUES ('a', 'b')`,
    rows: 2,
    left: [],
  },
  'long names': {
    sql: `CREATE TABLE ${'t'.repeat(63)} (${'c'.repeat(63)} serial PRIMARY KEY, ${'c'.repeat(62)}d text, "${'Ä'.repeat(31)}" text); INSERT INTO ${'t'.repeat(63)} VALUES (1, 'x', 'y')`,
    rows: 1,
    left: [],
  },
  'mixed case': {
    sql: `CREATE TABLE "Orders" ("ID" serial PRIMARY KEY, "CustomerId" int); CREATE TABLE orders (id serial PRIMARY KEY, "orderID" int REFERENCES "Orders", orderid int REFERENCES "Orders"); INSERT INTO "Orders" VALUES (1, 1); INSERT INTO orders VALUES (1, 1, NULL)`,
    rows: 2,
    left: [],
  },
  cycles: {
    sql: `CREATE TABLE a (id int PRIMARY KEY, b_id int NOT NULL); CREATE TABLE b (id int PRIMARY KEY, a_id int NOT NULL REFERENCES a DEFERRABLE INITIALLY DEFERRED); ALTER TABLE a ADD FOREIGN KEY (b_id) REFERENCES b DEFERRABLE INITIALLY DEFERRED; BEGIN; INSERT INTO a VALUES (1, 1); INSERT INTO b VALUES (1, 1); COMMIT`,
    rows: 2,
    left: [],
  },
  'self relations': {
    sql: `CREATE TABLE nodes (id serial PRIMARY KEY, parent_id int REFERENCES nodes, next_id int UNIQUE REFERENCES nodes, node int REFERENCES nodes, me int REFERENCES nodes (id) ON DELETE SET DEFAULT); INSERT INTO nodes VALUES (1, NULL, NULL, 1, 1), (2, 1, 1, 2, 2)`,
    rows: 2,
    left: [],
  },
  'no keys': {
    sql: `CREATE TABLE logs (a text, b int); CREATE TABLE nothing (); CREATE TABLE k (id serial PRIMARY KEY); INSERT INTO logs VALUES ('x', 1); INSERT INTO k VALUES (1); CREATE TABLE oidy (t tid, x xid)`,
    rows: 1,
    left: [
      'logs: it has no primary key, and no unique index over columns that are never null',
      'nothing: it has no primary key, and no unique index over columns that are never null',
      'oidy: it has no primary key, and no unique index over columns that are never null',
    ],
  },
  'many columns': {
    sql: `CREATE TABLE wide (id serial PRIMARY KEY, ${manyColumns(['int', 'text', 'double precision', 'boolean', 'timestamptz'])}); INSERT INTO wide (id, c0, c1, c1499) VALUES (1, 2, 'x', NULL)`,
    rows: 1,
    left: [],
  },
  partitions: {
    sql: `CREATE TABLE p (id int, at date, v text, PRIMARY KEY (id, at)) PARTITION BY RANGE (at); CREATE TABLE p1 PARTITION OF p FOR VALUES FROM ('2020-01-01') TO ('2021-01-01'); CREATE TABLE p2 PARTITION OF p DEFAULT PARTITION BY LIST (id); CREATE TABLE p3 PARTITION OF p2 DEFAULT; INSERT INTO p VALUES (1, '2020-06-01', 'x'), (2, '2030-01-01', 'y'); CREATE TABLE r (id serial PRIMARY KEY, p_id int, p_at date, FOREIGN KEY (p_id, p_at) REFERENCES p); INSERT INTO r (p_id, p_at) VALUES (1, '2020-06-01'), (NULL, NULL)`,
    rows: 4,
    left: [],
  },
  'partition without key': {
    sql: `CREATE TABLE p (id int, at date) PARTITION BY RANGE (at); CREATE TABLE p1 PARTITION OF p (PRIMARY KEY (id)) FOR VALUES FROM ('2020-01-01') TO ('2021-01-01'); CREATE TABLE k (id serial PRIMARY KEY)`,
    rows: 0,
    left: ['p: it has no primary key, and no unique index over columns that are never null'],
  },
  inheritance: {
    sql: `CREATE TABLE animal (id serial PRIMARY KEY, n text); CREATE TABLE dog (bark text, PRIMARY KEY (id)) INHERITS (animal); CREATE TABLE cat (meow text) INHERITS (animal); INSERT INTO dog (n, bark) VALUES ('a', 'b'); INSERT INTO cat (n) VALUES ('c')`,
    rows: 1,
    left: [
      'animal: other tables inherit from it (cat, dog), so its key is not unique over all of its rows',
      'cat: it has no primary key, and no unique index over columns that are never null',
    ],
  },
  domains: {
    sql: `CREATE DOMAIN posint AS int CHECK (VALUE > 0); CREATE DOMAIN key AS posint NOT NULL; CREATE DOMAIN mail AS text DEFAULT 'a@b' COLLATE "C"; CREATE DOMAIN tags AS text[]; CREATE DOMAIN money2 AS numeric(10, 2); CREATE TABLE t (id key PRIMARY KEY, e mail, n money2, l tags, r posint); CREATE TABLE u (id uuid PRIMARY KEY, t key REFERENCES t); INSERT INTO t VALUES (1, 'x', 1.5, '{a,b}', 2); INSERT INTO u VALUES ('00000000-0000-0000-0000-000000000001', 1)`,
    rows: 2,
    left: [],
  },
  'domains over enums': {
    sql: `CREATE TYPE mood AS ENUM ('a', 'b'); CREATE DOMAIN dm AS mood; CREATE DOMAIN dd AS date; CREATE TABLE t (id serial PRIMARY KEY, m dm, d dd, ms mood[]); INSERT INTO t (m, d, ms) VALUES ('a', '2020-01-01', '{a,b}')`,
    rows: 1,
    left: [],
  },
  collations: {
    sql: `CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false); CREATE TABLE t (code text COLLATE loose PRIMARY KEY, n text COLLATE "C" UNIQUE, d text COLLATE loose); CREATE TABLE u (id serial PRIMARY KEY, code text COLLATE loose REFERENCES t); INSERT INTO t VALUES ('Abc', 'x', 'D'), ('Def', 'y', 'd'); INSERT INTO u (code) VALUES ('Abc'), ('ABC')`,
    rows: 4,
    left: [],
  },
  citext: {
    sql: `CREATE EXTENSION IF NOT EXISTS citext; CREATE TABLE t (name citext PRIMARY KEY, a citext[]); CREATE TABLE u (id serial PRIMARY KEY, t citext REFERENCES t); INSERT INTO t VALUES ('Abc', NULL), ('Def', '{x}'); INSERT INTO u (t) VALUES ('ABC')`,
    rows: 3,
    left: [],
  },
  generated: {
    sql: `CREATE TABLE t (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, a int, s int GENERATED ALWAYS AS (a * 2) STORED, n int GENERATED BY DEFAULT AS IDENTITY UNIQUE, m int NOT NULL GENERATED ALWAYS AS IDENTITY); INSERT INTO t (a) VALUES (1); CREATE TABLE g (k int GENERATED ALWAYS AS (1 + 1) STORED PRIMARY KEY, v int); INSERT INTO g (v) VALUES (1)`,
    rows: 2,
    left: [],
  },
  'exotic types': {
    sql: `CREATE TYPE pair AS (a int, b text); CREATE TABLE t (id serial PRIMARY KEY, a int4range, b tstzrange, c pair, d pair[], e point, f box, g polygon, h circle, i tsvector, j tsquery, k money, l bit(3), m varbit, n xml, o inet, p cidr, q macaddr, r oid, s regclass, t pg_lsn, u "char", v name, w timetz, x interval, z int4multirange); INSERT INTO t (a, b, e, f, g, h, i, j, l, m, n, o, p, q, t, u, v, w, x, z) VALUES ('[1,5)', '[2020-01-01Z,)', '(1.5,2)', '(1,1),(0,0)', '((0,0),(1,1))', '<(0,0),1>', 'a b', 'a & b', B'101', B'1', '<a/>', '10.0.0.1/8', '10.0.0.0/8', '08:00:2b:01:02:03', '16/B374D848', 'x', 'name', '10:00+02', '1 year', '{[1,2),[4,5)}')`,
    rows: 1,
    left: [
      't.c: no scalar reads values of pair',
      't.d: no scalar reads values of pair[]',
      't.k: no scalar reads values of money',
      't.r: no scalar reads values of oid',
      't.s: no scalar reads values of regclass',
    ],
  },
  'array types': {
    sql: `CREATE TABLE t (id serial PRIMARY KEY, a text[], b int[][], c timestamptz[], d numeric[], e uuid[], f bool[], g json[], h bytea[], i date[], j interval[], k varchar(5)[], l float8[], m bigint[], n time[], o timestamp[], p char(3)[]); INSERT INTO t (a, b, c, d, e, f, i, k, l, m) VALUES ('{a,NULL,"b c"}', '{{1,2},{3,4}}', '{2020-01-01 00:00Z}', '{1.50}', '{00000000-0000-0000-0000-000000000001}', '{t,f}', '{2020-01-01}', '{ab}', '{1.5,0.1}', '{9007199254740993}'), (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), ('{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}')`,
    rows: 3,
    left: [
      't.b: it has 2 dimensions',
      't.g: no list reads values of json[]',
      't.h: no list reads values of bytea[]',
      't.j: no list reads values of interval[]',
      't.p: "p" is of type character(3)[], whose values cannot be read as [String] without changing them; declare the field as a list of what the array holds, or leave the field out of the schema',
    ],
  },
  'array extremes': {
    sql: `CREATE TABLE t (id serial PRIMARY KEY, a int[], f float8[]); INSERT INTO t (a, f) VALUES ('[5:6]={1,2}', '{1.5,0}'), ('{NULL}', '{NULL}')`,
    rows: 2,
    left: [],
  },
  'row security': {
    sql: `CREATE TABLE t (id serial PRIMARY KEY, owner text); ALTER TABLE t ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON t USING (owner = current_user); CREATE POLICY "q""r" ON t FOR INSERT WITH CHECK (true); CREATE TABLE u (id serial PRIMARY KEY); ALTER TABLE u ENABLE ROW LEVEL SECURITY; ALTER TABLE u FORCE ROW LEVEL SECURITY; INSERT INTO t (owner) VALUES ('x')`,
    rows: 1,
    left: [],
  },
  'triggers and rules': {
    sql: `CREATE TABLE t (id serial PRIMARY KEY, a text); CREATE TABLE log (a text); CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.a := upper(NEW.a); RETURN NEW; END'; CREATE TRIGGER tr BEFORE INSERT OR UPDATE ON t FOR EACH ROW EXECUTE FUNCTION f(); CREATE RULE also AS ON INSERT TO t DO ALSO INSERT INTO log VALUES (NEW.a); INSERT INTO t (a) VALUES ('x')`,
    rows: 1,
    left: ['log: it has no primary key, and no unique index over columns that are never null'],
  },
  extensions: {
    sql: `CREATE EXTENSION IF NOT EXISTS pg_trgm; CREATE EXTENSION IF NOT EXISTS hstore; CREATE TABLE t (id serial PRIMARY KEY, h hstore, a text); CREATE INDEX ON t USING gin (a gin_trgm_ops); INSERT INTO t (h, a) VALUES ('a=>1', 'x')`,
    rows: 1,
    left: [],
  },
  'foreign tables': {
    sql: `CREATE EXTENSION IF NOT EXISTS file_fdw; CREATE SERVER s FOREIGN DATA WRAPPER file_fdw; CREATE FOREIGN TABLE ft (a text) SERVER s OPTIONS (filename '/etc/passwd'); CREATE TABLE k (id serial PRIMARY KEY)`,
    rows: 0,
    left: ['ft: it is a foreign table, and nothing in the database says which column is its key'],
  },
  unicode: {
    sql: `CREATE TABLE "客户" ("编号" serial PRIMARY KEY, "名称" text, "Größe" text, "naïve" text, "😀" text, "  " text); INSERT INTO "客户" ("名称") VALUES ('张'); CREATE TABLE "名前" (id serial PRIMARY KEY, "客户" int REFERENCES "客户")`,
    rows: 1,
    left: [],
  },
  'names that collide': {
    sql: `CREATE TABLE order_items (id serial PRIMARY KEY, user_name text, "userName" text, "user-name" text, "User Name" text, user_id int, "user" int); CREATE TABLE "OrderItems" (id serial PRIMARY KEY); CREATE TABLE "order items" (id serial PRIMARY KEY); CREATE TABLE order_item (id serial PRIMARY KEY); INSERT INTO order_items (user_name) VALUES ('a')`,
    rows: 1,
    left: [],
  },
  'graphql reserved': {
    sql: `CREATE TABLE "__schema" (id serial PRIMARY KEY, "__typename" text, "true" int, "null" int, "on" int); INSERT INTO "__schema" ("true") VALUES (1)`,
    rows: 1,
    left: [],
  },
  'own names': {
    sql: `CREATE TABLE "Query" (id serial PRIMARY KEY, v numeric, t text);CREATE TABLE "Mutation" (id serial PRIMARY KEY, v numeric, t text);CREATE TABLE "Subscription" (id serial PRIMARY KEY, v numeric, t text);CREATE TABLE "Node" (id serial PRIMARY KEY, v numeric, t text);CREATE TABLE "lockstitch" (id serial PRIMARY KEY, v numeric, t text);CREATE TABLE "PageInfo" (id serial PRIMARY KEY, v numeric, t text);CREATE TABLE "String" (id serial PRIMARY KEY, v numeric, t text);CREATE TABLE "Int" (id serial PRIMARY KEY, v numeric, t text);CREATE TABLE "Boolean" (id serial PRIMARY KEY, v numeric, t text);CREATE TABLE "ID" (id serial PRIMARY KEY, v numeric, t text);CREATE TABLE "DateTime" (id serial PRIMARY KEY, v numeric, t text);CREATE TABLE "JSON" (id serial PRIMARY KEY, v numeric, t text);CREATE TABLE "NodeFilter" (id serial PRIMARY KEY, v numeric, t text);CREATE TABLE "NodeOrder" (id serial PRIMARY KEY, v numeric, t text);CREATE TABLE "NodeConnection" (id serial PRIMARY KEY, v numeric, t text);CREATE TABLE "StringFilter" (id serial PRIMARY KEY, v numeric, t text);CREATE TABLE "OrderDirection" (id serial PRIMARY KEY, v numeric, t text);CREATE TABLE "lockstitch_x" (id serial PRIMARY KEY, v numeric, t text);CREATE TABLE "_Entity" (id serial PRIMARY KEY, v numeric, t text);CREATE TABLE "_Service" (id serial PRIMARY KEY, v numeric, t text);CREATE TABLE "Decimal" (id serial PRIMARY KEY, v numeric, t text);CREATE TABLE "CreateNodeInput" (id serial PRIMARY KEY, v numeric, t text);CREATE TABLE "SearchHighlight" (id serial PRIMARY KEY, v numeric, t text);CREATE TABLE "RelationOnDelete" (id serial PRIMARY KEY, v numeric, t text)`,
    rows: 0,
    left: ['lockstitch_x: names that begin with lockstitch_, pg_ or sqlite_ are not for tables of applications'],
  },
  'argument names': {
    sql: `CREATE TABLE t (id serial PRIMARY KEY, first int, start int, "where" text, "orderBy" text, input text, "and" int, "or" int, "not" int, "any" int, "values" int, count int, "all" int, "none" int); INSERT INTO t (first) VALUES (1); CREATE TABLE first (first serial PRIMARY KEY); CREATE TABLE w ("where" text PRIMARY KEY, t int REFERENCES t); CREATE TABLE t_counts (id serial PRIMARY KEY)`,
    rows: 1,
    left: [],
  },
  'enum values': {
    sql: `CREATE TYPE e AS ENUM ('', ' ', '1', 'true', '__x', 'a-b', 'a_b', 'ä', '客', 'with "quote"', 'it''s', 'null'); CREATE TABLE t (id serial PRIMARY KEY, e e NOT NULL DEFAULT 'a-b', k e UNIQUE); INSERT INTO t (e) SELECT unnest(enum_range(NULL::e)); CREATE TYPE empty AS ENUM (); CREATE TABLE u (id serial PRIMARY KEY, e empty); INSERT INTO u VALUES (1, NULL)`,
    rows: 13,
    left: [],
  },
  'enum keys': {
    sql: `CREATE TYPE e AS ENUM ('a b', 'c'); CREATE TABLE t (e e PRIMARY KEY, v int); CREATE TABLE u (id serial PRIMARY KEY, e e REFERENCES t); CREATE TABLE c (e e, n int, PRIMARY KEY (e, n)); CREATE TABLE d (id serial PRIMARY KEY, e e, n int, FOREIGN KEY (e, n) REFERENCES c); INSERT INTO t VALUES ('a b', 1), ('c', 2); INSERT INTO u (e) VALUES ('a b'), (NULL); INSERT INTO c VALUES ('a b', 1); INSERT INTO d (e, n) VALUES ('a b', 1), (NULL, 1)`,
    rows: 7,
    left: [],
  },
  'checks as enums': {
    sql: `CREATE TABLE t (id serial PRIMARY KEY, a text CHECK (a IN ('x', 'y z', '')), b int CHECK (b IN (1, 2)), c varchar(9) CHECK (c IN ('p', 'q')), d char(3) CHECK (d IN ('abc', 'd')), e text CHECK (e = 'p' OR e = 'q')); INSERT INTO t (a, b, c, d) VALUES ('y z', 1, 'p', 'd')`,
    rows: 1,
    left: [],
  },
  'function defaults': {
    sql: `CREATE TABLE t (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), at timestamptz NOT NULL DEFAULT now(), n int NOT NULL DEFAULT (random() * 10)::int, s text NOT NULL DEFAULT md5(random()::text), a text[] NOT NULL DEFAULT '{}', j jsonb NOT NULL DEFAULT '{}'); INSERT INTO t DEFAULT VALUES`,
    rows: 1,
    left: [],
  },
  'two foreign keys': {
    sql: `CREATE TABLE teams (id serial PRIMARY KEY); CREATE TABLE games (id serial PRIMARY KEY, home int REFERENCES teams, away int REFERENCES teams, home_id int REFERENCES teams, team_id int REFERENCES teams, FOREIGN KEY (home) REFERENCES teams ON DELETE CASCADE); INSERT INTO teams VALUES (1), (2); INSERT INTO games VALUES (1, 1, 2, 1, 2)`,
    rows: 3,
    left: [],
  },
  'schemas with equal tables': {
    sql: `CREATE SCHEMA a; CREATE SCHEMA b; CREATE TABLE users (id serial PRIMARY KEY); CREATE TABLE a.users (id serial PRIMARY KEY, u int REFERENCES public.users); CREATE TABLE b.users (id serial PRIMARY KEY, u int REFERENCES a.users); CREATE TYPE a.mood AS ENUM ('x'); CREATE TYPE b.mood AS ENUM ('y'); ALTER TABLE a.users ADD m a.mood; ALTER TABLE b.users ADD m b.mood; INSERT INTO users VALUES (1); INSERT INTO a.users VALUES (1, 1, 'x'); INSERT INTO b.users VALUES (1, 1, 'y')`,
    rows: 3,
    left: [],
  },
  views: {
    sql: `CREATE TABLE t (id serial PRIMARY KEY, a int); CREATE VIEW v AS SELECT id, a FROM t; CREATE VIEW w AS SELECT * FROM v; CREATE MATERIALIZED VIEW m AS SELECT * FROM t; CREATE UNIQUE INDEX ON m (id); CREATE MATERIALIZED VIEW n AS SELECT * FROM t WITH NO DATA; CREATE MATERIALIZED VIEW o AS SELECT 1 AS x; INSERT INTO t VALUES (1, 1)`,
    rows: 1,
    left: [
      'n: it has not been filled yet',
      'o: it is a materialized view, and nothing in the database says which column is its key',
      'v: it is a view, and nothing in the database says which column is its key',
      'w: it is a view, and nothing in the database says which column is its key',
    ],
  },
  'not valid': {
    sql: `CREATE TABLE t (id int PRIMARY KEY); CREATE TABLE u (id serial PRIMARY KEY, t int NOT NULL, s text); INSERT INTO u VALUES (1, 99, 'bad'); ALTER TABLE u ADD CONSTRAINT f FOREIGN KEY (t) REFERENCES t NOT VALID; ALTER TABLE u ADD CONSTRAINT c CHECK (s IN ('good', 'best')) NOT VALID`,
    rows: 1,
    left: [],
  },
  unlogged: {
    sql: `CREATE UNLOGGED TABLE t (id serial PRIMARY KEY, a text); INSERT INTO t (a) VALUES ('x')`,
    rows: 1,
    left: [],
  },
  numbers: {
    sql: `CREATE TABLE t (id bigint PRIMARY KEY, d double precision, r real, n numeric, n2 numeric(50, 20), s smallint); INSERT INTO t VALUES (9223372036854775807, 1e308, 0.1, 12345678901234567890.123456789, 1.10, 5), (-9223372036854775808, 5e-324, 1e-38, 1e-30, 0, -5), (0, -0.0, 1.5, 1e100, NULL, NULL)`,
    rows: 3,
    left: [],
  },
  'not a number': {
    sql: `CREATE TABLE t (id serial PRIMARY KEY, d double precision, n numeric); INSERT INTO t (d, n) VALUES (1, 1)`,
    rows: 1,
    left: [],
  },
  texts: {
    sql: `CREATE TABLE t (id text PRIMARY KEY, a text); INSERT INTO t VALUES ('', 'empty'), (' ', 'blank'), ('a,b%2C', 'comma'), (E'\\u00e9', 'nfc'), (E'e\\u0301', 'nfd'), ('"''\\', 'quotes'); CREATE TABLE c (a text, b char(4), d varchar(9), PRIMARY KEY (a, b, d)); CREATE TABLE r (id serial PRIMARY KEY, a text, b char(4), d varchar(9), FOREIGN KEY (a, b, d) REFERENCES c); INSERT INTO c VALUES ('x,', 'y%', ''); INSERT INTO r (a, b, d) VALUES ('x,', 'y%', '')`,
    rows: 8,
    left: [],
  },
  times: {
    sql: `SET TIME ZONE 'Asia/Kolkata'; CREATE TABLE t (id timestamptz PRIMARY KEY, a timestamp, b timestamptz(0), c time, d timetz, e interval, f date); INSERT INTO t VALUES ('2020-02-29 10:00:00.123Z', '2020-02-29 10:00:00.123456', '2020-02-29 10:00Z', '10:00', '10:00+05', '1 year 2 days', '2020-02-29')`,
    rows: 1,
    left: [],
  },
  'time extremes': {
    sql: `CREATE TABLE t (id serial PRIMARY KEY, a timestamp, b timestamptz, f date); INSERT INTO t (a, b, f) VALUES ('2020-01-01', '2020-01-01', '2020-01-01')`,
    rows: 1,
    left: [],
  },
  'expression indexes': {
    sql: `CREATE TABLE t (id serial PRIMARY KEY, a text, b text); CREATE UNIQUE INDEX ON t (lower(a)); CREATE UNIQUE INDEX ON t (b) WHERE b IS NOT NULL; CREATE UNIQUE INDEX ON t (a, lower(b)); INSERT INTO t (a) VALUES ('x'); CREATE TABLE n (a int, b int NOT NULL); CREATE UNIQUE INDEX ON n (a); CREATE UNIQUE INDEX ON n (b) WHERE a > 0; CREATE TABLE ne (x text UNIQUE NULLS NOT DISTINCT); INSERT INTO n VALUES (1, 1)`,
    rows: 1,
    left: [
      'n: it has no primary key, and no unique index over columns that are never null',
      'ne: it has no primary key, and no unique index over columns that are never null',
    ],
  },
  exclusion: {
    sql: `CREATE EXTENSION IF NOT EXISTS btree_gist; CREATE TABLE t (id serial PRIMARY KEY, room int, during tsrange, EXCLUDE USING gist (room WITH =, during WITH &&)); INSERT INTO t (room) VALUES (1)`,
    rows: 1,
    left: [],
  },
  'foreign key to unique': {
    sql: `CREATE TABLE t (id serial PRIMARY KEY, code text UNIQUE NOT NULL, a int, b int, UNIQUE (a, b)); CREATE TABLE u (id serial PRIMARY KEY, code text REFERENCES t (code), a int, b int, FOREIGN KEY (a, b) REFERENCES t (a, b)); CREATE TABLE tu (a text REFERENCES t (code), b int REFERENCES u, PRIMARY KEY (a, b)); INSERT INTO t VALUES (1, 'a', 1, 2); INSERT INTO u VALUES (1, 'a', 1, 2); INSERT INTO tu VALUES ('a', 1)`,
    rows: 3,
    left: [],
  },
  'composite keys': {
    sql: `CREATE TABLE a (x int, y text, d date, u uuid, PRIMARY KEY (y, x, u, d)); CREATE TABLE b (id serial PRIMARY KEY, u uuid, d date, x int, y text, FOREIGN KEY (x, y, d, u) REFERENCES a (x, y, d, u) MATCH FULL); INSERT INTO a VALUES (1, 'p,q', '2020-01-01', '00000000-0000-0000-0000-000000000001'); INSERT INTO b (u, d, x, y) VALUES ('00000000-0000-0000-0000-000000000001', '2020-01-01', 1, 'p,q')`,
    rows: 2,
    left: [],
  },
  'keys of different types': {
    sql: `CREATE TABLE a (x int, y varchar(9), PRIMARY KEY (x, y)); CREATE TABLE b (id serial PRIMARY KEY, x bigint, y text, FOREIGN KEY (x, y) REFERENCES a); CREATE TABLE c (id bigint PRIMARY KEY); CREATE TABLE d (id serial PRIMARY KEY, c int REFERENCES c, n numeric); INSERT INTO a VALUES (1, 'z'); INSERT INTO b (x, y) VALUES (1, 'z'); INSERT INTO c VALUES (1); INSERT INTO d (c) VALUES (1)`,
    rows: 4,
    left: [],
  },
  'numeric key': {
    sql: `CREATE TABLE t (id numeric PRIMARY KEY); CREATE TABLE u (id boolean PRIMARY KEY); CREATE TABLE v (id bytea PRIMARY KEY); CREATE TABLE w (id jsonb PRIMARY KEY); CREATE TABLE x (id inet PRIMARY KEY); CREATE TABLE y (id interval PRIMARY KEY); CREATE TABLE z (id int[] PRIMARY KEY); INSERT INTO x VALUES ('10.0.0.1/8')`,
    rows: 1,
    left: [
      't: its key id is of type numeric, which is no key',
      'u: its key id is of type boolean, which is no key',
      'v: its key id is of type bytea, which is no key',
      'w: its key id is of type jsonb, which is no key',
      'y: its key id is of type interval, which is no key',
      'z: its key id is of type integer[], which is no key',
    ],
  },
  'shared key chain': {
    sql: `CREATE TABLE a (id serial PRIMARY KEY); CREATE TABLE b (a_id int PRIMARY KEY REFERENCES a); CREATE TABLE c (b_id int PRIMARY KEY REFERENCES b); CREATE TABLE d (c_id bigint PRIMARY KEY REFERENCES c); CREATE TABLE e (id uuid PRIMARY KEY DEFAULT gen_random_uuid()); CREATE TABLE f (e_id uuid PRIMARY KEY REFERENCES e); CREATE TABLE g (id int PRIMARY KEY DEFAULT 7); CREATE TABLE h (g_id int PRIMARY KEY REFERENCES g); INSERT INTO a VALUES (1); INSERT INTO b VALUES (1); INSERT INTO c VALUES (1); INSERT INTO d VALUES (1); INSERT INTO e DEFAULT VALUES; INSERT INTO f SELECT id FROM e; INSERT INTO g DEFAULT VALUES; INSERT INTO h VALUES (7)`,
    rows: 8,
    left: [],
  },
  'cyclic shared keys': {
    sql: `CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE b (id int PRIMARY KEY REFERENCES a DEFERRABLE INITIALLY DEFERRED); ALTER TABLE a ADD FOREIGN KEY (id) REFERENCES b DEFERRABLE INITIALLY DEFERRED; BEGIN; INSERT INTO a VALUES (1); INSERT INTO b VALUES (1); COMMIT`,
    rows: 2,
    left: [],
  },
  'dropped columns': {
    sql: `CREATE TABLE t (a int, id serial PRIMARY KEY, b text, c int); ALTER TABLE t DROP COLUMN a; ALTER TABLE t DROP COLUMN c; INSERT INTO t (b) VALUES ('x')`,
    rows: 1,
    left: [],
  },
  'set null not null': {
    sql: `CREATE TABLE t (id serial PRIMARY KEY); CREATE TABLE u (id serial PRIMARY KEY, t int NOT NULL REFERENCES t ON DELETE SET NULL, s int REFERENCES t ON DELETE SET DEFAULT); INSERT INTO t VALUES (1); INSERT INTO u (t) VALUES (1)`,
    rows: 2,
    left: [],
  },
  comments: {
    sql: `CREATE TABLE t (id serial PRIMARY KEY, a text); COMMENT ON TABLE t IS E'"""\\n\\\\ # { } \\t "quoted" \\u0007 ü'; COMMENT ON COLUMN t.a IS E'line\\r\\nline\\n\\n  indented'; COMMENT ON COLUMN t.id IS ''; INSERT INTO t (a) VALUES ('x')`,
    rows: 1,
    left: [],
  },
  'no privileges': {
    sql: `CREATE TABLE t (id serial PRIMARY KEY); CREATE SCHEMA hidden; CREATE TABLE hidden.h (id serial PRIMARY KEY)`,
    rows: 0,
    left: [],
  },
  json: {
    sql: `CREATE TABLE t (id serial PRIMARY KEY, a json, b jsonb); INSERT INTO t (a, b) VALUES ('{"a": 1.50, "a": 2, "n": null}', '{"a": 1.25}'), ('null', 'null'), (NULL, NULL), ('"x"', '[]')`,
    rows: 4,
    left: [],
  },
};
