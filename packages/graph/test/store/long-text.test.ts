// Long texts of SQLite as the bytes they are kept as: the same text, with the same limits, whichever program wrote the file.
import { equal, match, ok, throws } from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { createGraph } from '../../src/execute/create-graph.ts';
import { createHttpHandler } from '../../src/http/graphql-http.ts';
import type { Statement, Store } from '../../src/store/store.ts';
import { openSqliteStore } from '../../src/store/store-sqlite.ts';
import { TextTooLong } from '../../src/store/text-limit.ts';
import { modelOf } from '../photo-schema.ts';

const folder = await mkdtemp(join(tmpdir(), 'long-text-'));
after(() => rm(folder, { recursive: true, force: true }));

let files = 0;
async function open(prepare: (database: DatabaseSync) => void = () => undefined): Promise<Store> {
  const file = join(folder, `${files++}.db`);
  const database = new DatabaseSync(file);
  prepare(database);
  database.close();
  const store = await openSqliteStore({ file });
  after(() => store.close());
  return store;
}

const REPEATED = "SELECT replace(printf('%.*c', ?, '.'), '.', 'žluť 🐎 \"') AS json";

function ask(statement: Statement, count: number, limit?: number): string | Buffer | null {
  return statement.textOrBytes!([count], limit);
}

test('a statement with a long text returns bytes until its text is short again', async () => {
  const statement = (await open()).prepare(REPEATED);
  const kinds = [1, 1000, 1000, 1000, 1, 1, 1000].map((count) => {
    const found = ask(statement, count)!;
    equal(String(found), 'žluť 🐎 "'.repeat(count));
    return typeof found;
  });
  equal(kinds.join(), 'string,string,object,object,object,string,string');
});

test('no row and no value are null as text and as bytes', async () => {
  const store = await open((database) => database.exec('CREATE TABLE t (a TEXT)'));
  const statement = store.prepare("SELECT CASE ? WHEN 0 THEN NULL ELSE printf('%.*c', 5000, 'x') END AS json");
  equal(
    [1, 1, 0, 1, 1, 0, 0].map((value) => typeof ask(statement, value)).join(),
    'string,object,object,string,object,object,object',
  );
  equal(ask(statement, 0), null);
  equal(store.prepare('SELECT a FROM t WHERE a = ?').textOrBytes!([1]), null);
});

test('bytes have the same limit as texts, per statement', async () => {
  const statement = (await open()).prepare(REPEATED);
  const size = Buffer.byteLength('žluť 🐎 "') * 1000;
  equal(ask(statement, 1000, size)?.length, 9000);
  equal(ask(statement, 1000, size)?.length, size);
  throws(() => ask(statement, 1000, size - 1), TextTooLong);
  equal(ask(statement, 1000)?.length, size);
});

test('invalid UTF-8 of other programs is replaced as in a text', async () => {
  const store = await open((database) =>
    database.exec(
      `CREATE TABLE t (a TEXT); INSERT INTO t VALUES (CAST(x'61ff62c328f09f90' AS TEXT) || '${'x'.repeat(5000)}')`,
    ),
  );
  const statement = store.prepare('SELECT a FROM t WHERE ? = 1');
  const text = ask(statement, 1) as string;
  const bytes = ask(statement, 1) as Buffer;
  match(text, /^a\ufffdb\ufffd\(\ufffd+x/);
  ok(Buffer.isBuffer(bytes));
  equal(bytes.toString(), text);
});

test('a UTF-16 database returns texts', async () => {
  const store = await open((database) => database.exec("PRAGMA encoding = 'UTF-16le'; CREATE TABLE t (a TEXT)"));
  const statement = store.prepare(REPEATED);
  for (let round = 0; round < 3; round++) equal(ask(statement, 1000), 'žluť 🐎 "'.repeat(1000));
});

test('a statement at the nesting limit still returns texts', async () => {
  const store = await open();
  const depth = [...Array(1000).keys()].findLast((parts) => {
    try {
      store.prepare(nested(parts));
      return true;
    } catch {
      return false;
    }
  })!;
  const statement = store.prepare(nested(depth));
  const first = ask(statement, 0) as string;
  ok(first.length > 2048);
  equal(String(ask(statement, 0)), first);
  equal(String(ask(statement, 0)), first);
});

function nested(parts: number): string {
  return `SELECT printf('%.*c', 5000, 'x') || ${'('.repeat(parts)}?${' + 1)'.repeat(parts)} AS json`;
}

test('only callers with takesBytes get bytes, with the same text', async () => {
  const store = await open();
  const model = modelOf(
    'type Item { id: ID! name: String owner: Owner! } type Owner { id: ID! name: String } type Query { items: [Item!]! }',
  );
  const graph = await createGraph({ model, store });
  await store.script(`
    INSERT INTO owners (id, name) VALUES (1, 'Ann');
    INSERT INTO items (id, name, owner) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
      SELECT i, 'šipka → ' || i, 1 FROM n`);
  const handle = createHttpHandler(graph);
  const body = Buffer.from(JSON.stringify({ query: '{ items { id name owner { name } } }' }));
  const request = {
    method: 'POST',
    query: new URLSearchParams(),
    headers: { 'content-type': 'application/json' },
    body,
  };
  const asText = await handle(request);
  equal(asText.bytes, undefined);
  await handle(request, { takesBytes: true });
  const asBytes = await handle(request, { takesBytes: true });
  ok(Buffer.isBuffer(asBytes.bytes));
  equal(asBytes.bytes.toString(), asText.body);
  equal(asBytes.body, asText.body);
  equal(asBytes.status, asText.status);
  equal(asBytes.headers, asText.headers);

  // A row that leaves a field empty that must not be is worked out by graphql-js, errors and all.
  const other = new DatabaseSync(store.description, { enableForeignKeyConstraints: false });
  other.exec('DELETE FROM owners');
  other.close();
  // What others commit is seen from the next turn on.
  await new Promise((resolve) => void setImmediate(resolve));
  const broken = await handle(request);
  match(broken.body.slice(-200), /GRAPH_/);
  equal((await handle(request, { takesBytes: true })).body, broken.body);
});
