import { deepEqual, equal, match, rejects, throws } from 'node:assert/strict';
import { statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { withLongerTimes } from '../../../kernel/test/with-longer-times.ts';
import { ConstraintViolation, type Store } from '../../src/store/store.ts';
import { openSqliteStore } from '../../src/store/store-sqlite.ts';
import { TextTooLong } from '../../src/store/text-limit.ts';

const folder = await mkdtemp(join(tmpdir(), 'store-'));
after(() => rm(folder, { recursive: true, force: true }));

const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

let files = 0;
async function openFile(): Promise<Store> {
  return openSqliteStore({ file: join(folder, `${files++}.db`) });
}

for (const [name, open] of [
  ['a file', openFile],
  ['memory', () => openSqliteStore({ file: ':memory:' })],
] as const) {
  test(`${name}: a read started during a transaction does not see what is not committed`, async () => {
    const store = await open();
    await store.script('CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)');
    const seen: unknown[] = [];
    let reading: Promise<void> | undefined;
    await rejects(
      store.transaction(async (session) => {
        await session.prepare('INSERT INTO t VALUES (?, ?)').run([1, 'x']);
        reading = Promise.resolve(store.prepare('SELECT count(*) FROM t').text([])).then((count) => {
          seen.push(count);
        });
        await new Promise((resolve) => setImmediate(resolve));
        throw new Error('undo');
      }),
      /undo/,
    );
    await reading;
    deepEqual(seen, ['0']);
    await store.close();
  });

  test(`${name}: a text longer than its limit is rejected, and the limit applies to one statement`, async () => {
    const store = await open();
    const list = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000) SELECT group_concat(i) FROM n`;
    await rejects(async () => store.prepare(list).text([], 100_000), TextTooLong);
    const long = store.prepare(`SELECT printf('%.*c', ?, 'x')`);
    equal((await long.text([99_000], 100_000))?.length, 99_000);
    await rejects(async () => long.text([100_001], 100_000), TextTooLong);
    equal((await long.text([100_001]))?.length, 100_001);
    await store.transaction(async (session) => {
      await rejects(async () => session.prepare(`SELECT printf('%.*c', ?, 'x')`).text([100_001], 100_000), TextTooLong);
    });
    await store.close();
  });

  test(`${name}: transactions run one at a time in order of arrival, and a failed one leaves nothing`, async () => {
    const store = await open();
    await store.script('CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)');
    const order: number[] = [];
    const results = await Promise.allSettled(
      [1, 2, 3, 4].map((n) =>
        store.transaction(async (session) => {
          await session.prepare('INSERT INTO t VALUES (?, ?)').run([n, `row ${n}`]);
          if (n % 2 === 0) await new Promise((resolve) => setImmediate(resolve));
          order.push(n);
          if (n === 3) throw new Error('no');
          return n;
        }),
      ),
    );
    deepEqual(order, [1, 2, 3, 4]);
    deepEqual(
      results.map((result) => result.status),
      ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
    );
    deepEqual(await store.prepare('SELECT a FROM t ORDER BY a').rows([]), [[1], [2], [4]]);
    await store.close();
  });

  test(`${name}: whole numbers are bound as integers, booleans as 0 and 1, and large integers come back exact`, async () => {
    const store = await open();
    deepEqual(await store.prepare('SELECT typeof(?), typeof(?), ?, typeof(?)').rows([5, 2.5, true, null]), [
      ['integer', 'real', 1, 'null'],
    ]);
    deepEqual(await store.prepare('SELECT 9007199254740993, 7').rows([]), [[9007199254740993n, 7]]);
    equal(await store.prepare('SELECT 9007199254740993').text([]), '9007199254740993');
    await store.close();
  });

  test(`${name}: a rejected row names the constraint, the table and the columns`, async () => {
    const store = await open();
    await store.script(
      'CREATE TABLE p (id TEXT PRIMARY KEY); CREATE TABLE t (a TEXT NOT NULL, b TEXT, p TEXT REFERENCES p, UNIQUE (a, b))',
    );
    const insert = (values: readonly (string | null)[]) =>
      store.transaction((session) => session.prepare('INSERT INTO t VALUES (?, ?, ?)').run(values));
    await insert(['x', 'y', null]);
    const facts = async (values: readonly (string | null)[]): Promise<unknown> => {
      try {
        return await insert(values);
      } catch (error) {
        return error instanceof ConstraintViolation ? [error.kind, error.table, error.columns] : error;
      }
    };
    deepEqual(await facts(['x', 'y', null]), ['unique', 't', ['a', 'b']]);
    deepEqual(await facts([null, 'y', null]), ['notNull', 't', ['a']]);
    deepEqual(await facts(['z', 'y', 'nobody']), ['foreignKey', undefined, []]);
    await store.close();
  });

  test(`${name}: a script that fails changes nothing and leaves foreign keys on`, async () => {
    const store = await open();
    await store.script('CREATE TABLE p (id TEXT PRIMARY KEY); CREATE TABLE c (p TEXT REFERENCES p)');
    await rejects(store.script('CREATE TABLE x (a); CREATE TABLE p (a)'), /already exists/);
    await rejects(store.script("INSERT INTO c VALUES ('nobody')"), ConstraintViolation);
    deepEqual(await store.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY 1").rows([]), [
      ['c'],
      ['p'],
    ]);
    await rejects(
      store.transaction((session) => session.prepare('INSERT INTO c VALUES (?)').run(['nobody'])),
      ConstraintViolation,
    );
    await store.close();
  });

  test(`${name}: listeners hear of each commit, not of a rollback, until they stop`, async () => {
    const store = await open();
    await store.script('CREATE TABLE t (a)');
    let heard = 0;
    const stop = store.onCommit(() => heard++);
    await store.transaction((session) => session.prepare('INSERT INTO t VALUES (1)').run([]));
    equal(heard, 1);
    await rejects(store.transaction(() => Promise.reject(new Error('no'))));
    equal(heard, 1);
    stop();
    await store.transaction((session) => session.prepare('INSERT INTO t VALUES (1)').run([]));
    equal(heard, 1);
    await store.close();
  });
}

test('commits of another connection are noticed', async () => {
  const file = join(folder, 'shared.db');
  const [one, other] = [await openSqliteStore({ file }), await openSqliteStore({ file })];
  await one.script('CREATE TABLE t (a)');
  const heard = new Promise<void>((resolve) => {
    one.onCommit(resolve);
  });
  const keepAlive = setInterval(() => undefined, 10_000);
  await other.transaction((session) => session.prepare('INSERT INTO t VALUES (1)').run([]));
  await heard;
  clearInterval(keepAlive);
  await one.close();
  await other.close();
});

test('a single write waits for earlier transactions', async () => {
  const store = await openFile();
  await store.script('CREATE TABLE t (a)');
  const first = store.transaction(async (session) => {
    await new Promise((resolve) => setImmediate(resolve));
    await session.prepare('INSERT INTO t VALUES (1)').run([]);
  });
  equal(await store.prepare('UPDATE t SET a = 2').run([]), 1);
  await first;
  await store.close();
});

test('a write waits for another process without blocking reads, and times out', async () => {
  const file = join(folder, 'busy.db');
  const one = await openSqliteStore({ file });
  await one.script('CREATE TABLE t (a)');
  const insert = (store: Store) => store.transaction((session) => session.prepare('INSERT INTO t VALUES (1)').run([]));
  let clearReferences = (): void => undefined;
  let holding: Promise<void> | undefined;
  await new Promise<void>((started) => {
    holding = one.transaction(
      () =>
        new Promise<void>((resolve) => {
          clearReferences = resolve;
          started();
        }),
    );
  });
  await withLongerTimes(200, async (busyTimeout) => {
    const other = await openSqliteStore({ file, busyTimeout });
    const before = performance.eventLoopUtilization();
    const given = insert(other);
    const refused = rejects(given, { code: 'GRAPH_STORE_BUSY' });
    equal(await other.prepare('SELECT count(*) FROM t').text([]), '0');
    await refused;
    // It waits outside SQLite, where it would hold up everything else: two thirds of the time.
    const { utilization } = performance.eventLoopUtilization(before);
    await other.close();
    equal(utilization < 0.5, true, `the event loop was held for ${utilization} of the time`);
  });
  const other = await openSqliteStore({ file });
  const patient = insert(other);
  clearReferences();
  await holding;
  equal(await patient, 1);
  await one.close();
  await other.close();
});

test('transactions that arrive together share a commit, and fail or succeed individually', async () => {
  const store = await openFile();
  await store.script('CREATE TABLE t (a INTEGER PRIMARY KEY)');
  let commits = 0;
  store.onCommit(() => commits++);
  const insert = (n: number): Promise<number> =>
    store.transaction(async (session) => {
      await session.prepare('INSERT INTO t VALUES (?)').run([n]);
      if (n % 10 === 3) throw new Error(`no ${n}`);
      if (n % 7 === 0) await new Promise((resolve) => setImmediate(resolve));
      return n;
    });
  const numbers = Array.from({ length: 200 }, (_, index) => index);
  const results = await Promise.allSettled(numbers.map(insert));
  deepEqual(
    results.map((result) => result.status === 'fulfilled'),
    numbers.map((n) => n % 10 !== 3),
  );
  deepEqual(
    (await store.prepare('SELECT a FROM t ORDER BY a').rows([])).map((row) => row[0]),
    numbers.filter((n) => n % 10 !== 3),
  );
  equal(commits < 60, true, `${commits} commits`);
  await store.close();
});

test('acknowledged writes are visible to other connections', async () => {
  const file = join(folder, 'acknowledged.db');
  const store = await openSqliteStore({ file });
  await store.script('CREATE TABLE t (a)');
  const other = await openSqliteStore({ file });
  const missing: unknown[] = [];
  await Promise.all(
    Array.from({ length: 50 }, async (_, n) => {
      await store.transaction((session) => session.prepare('INSERT INTO t VALUES (?)').run([n]));
      if ((await other.prepare('SELECT 1 FROM t WHERE a = ?').text([n])) === null) missing.push(n);
    }),
  );
  deepEqual(missing, []);
  await other.close();
  await store.close();
});

test('reads of one event-loop turn share a snapshot, which commits of this process end', async () => {
  const file = join(folder, 'turn.db');
  const one = await openSqliteStore({ file });
  const other = await openSqliteStore({ file });
  await one.script('CREATE TABLE t (a)');
  const insert = (store: Store) => store.transaction((session) => session.prepare('INSERT INTO t VALUES (1)').run([]));
  const count = (store: Store) => store.prepare('SELECT count(*) FROM t').text([]);
  // Whatever went before is over.
  await nextTurn();
  const own = insert(one);
  equal(count(one), '0');
  await own;
  equal(count(one), '1');
  await insert(other);
  await nextTurn();
  equal(count(one), '2');
  await one.close();
  await other.close();
});

test('continuous reads do not keep the write-ahead log from restarting', async () => {
  const file = join(folder, 'log.db');
  const store = await openSqliteStore({ file, durability: 'normal' });
  await store.script('CREATE TABLE t (a)');
  const page = Buffer.alloc(200_000);
  for (let round = 0; round < 60; round += 1) {
    await nextTurn();
    const written = store.transaction((session) => session.prepare('INSERT INTO t VALUES (?)').run([page]));
    await store.prepare('SELECT count(*) FROM t').text([]);
    await written;
  }
  // 12 MB have gone through it; SQLite starts over at 4.
  const { size } = await stat(`${file}-wal`);
  equal(size < 6_000_000, true, `${size} bytes`);
  await store.close();
});

test('close finishes queued work', async () => {
  const file = join(folder, 'closing.db');
  const store = await openSqliteStore({ file });
  await store.script('CREATE TABLE t (a)');
  const writes = [1, 2, 3].map((n) =>
    store.transaction((session) => session.prepare('INSERT INTO t VALUES (?)').run([n])),
  );
  await store.close();
  await Promise.all(writes);
  const again = await openSqliteStore({ file });
  equal(await again.prepare('SELECT count(*) FROM t').text([]), '3');
  await again.close();
});

test('a closed store rejects work, and a file that is not a database is an error', async () => {
  const store = await openFile();
  await store.close();
  await store.close();
  await rejects(
    store.transaction(() => 1),
    /closed/,
  );
  throws(() => store.prepare('SELECT 1').rows([]));
  await rejects(openSqliteStore({ file: import.meta.filename }), (error: Error) => {
    match(error.message, /not a database/);
    return true;
  });
});

test('a full disk is GRAPH_STORE_UNAVAILABLE, and writes succeed once there is space', async () => {
  const store = await openSqliteStore({ file: ':memory:' });
  await store.script('CREATE TABLE t (a TEXT)');
  await store.script('PRAGMA max_page_count = 10');
  const write = (): Promise<number> =>
    store.transaction((session) => session.prepare('INSERT INTO t VALUES (?)').run(['x'.repeat(100_000)]));
  await rejects(write, {
    code: 'GRAPH_STORE_UNAVAILABLE',
    message: 'The database could not be used: it is out of room.',
  });
  await store.script('PRAGMA max_page_count = 1000');
  equal(await write(), 1);
  await store.close();
});

test('a file damaged while open is an error for reads, and crashes nothing', async () => {
  const file = join(folder, 'damaged.db');
  const store = await openSqliteStore({ file });
  await store.script('CREATE TABLE t (a)');
  store.onCommit(() => undefined);
  const read = async (): Promise<unknown> => store.prepare('SELECT count(*) FROM t').text([]);
  for (const each of [file, `${file}-wal`]) writeFileSync(each, Buffer.alloc(statSync(each).size), { flag: 'r+' });
  // The next one that opens it makes their shared parts again.
  await rejects(openSqliteStore({ file }));
  for (let turn = 0; turn < 3; turn++) {
    await rejects(read, { code: 'GRAPH_STORE_UNAVAILABLE', message: /its file is damaged/ });
    await nextTurn();
  }
  await store.close();
});

test('appended rows keep their order, precede later transactions, and are rolled back with their attempt', async () => {
  const store = await openFile();
  await store.script('CREATE TABLE log (n INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL)');
  await nextTurn();
  const append = async (text: string | null, fails = false): Promise<number | string | undefined> =>
    store.attempt!<number | string>({
      work(session) {
        const row = session.append!('INSERT INTO log (text)', [text]);
        if (fails) throw new Error('undone');
        return () => row.key;
      },
      lost: (reason) => (reason as Error).name,
      careful: text === 'careful',
    });
  const texts = Array.from({ length: 13 }, (_, index) => (index === 5 ? 'careful' : `row ${index}`));
  const fails = (index: number): boolean => index === 5 || index === 9;
  const answers = texts.map((text, index) => append(text, fails(index)));
  const seen = await store.transaction((session) => {
    void session.prepare('INSERT INTO log (text) VALUES (?)').run(['last']);
    return session.prepare('SELECT text FROM log ORDER BY n').rows([]);
  });
  const kept = texts.filter((_, index) => !fails(index));
  deepEqual(
    seen,
    [...kept, 'last'].map((text) => [text]),
  );
  let key = 0;
  deepEqual(
    await Promise.all(answers),
    texts.map((_, index) => (fails(index) ? undefined : ++key)),
  );
  // A failed insert rolls back its transaction; each attempt learns of it and can be repeated.
  const lost = [append('before'), append(null), append('after')];
  deepEqual(await Promise.all(lost), ['AttemptUndone', 'AttemptUndone', 'AttemptUndone']);
  equal(await append('again'), kept.length + 2);
  equal(await store.prepare('SELECT count(*) FROM log').text([]), String(kept.length + 2));
  await store.close();
});

test("a script that breaks a reference is undone, whatever others' foreign keys are", async () => {
  const store = await openFile();
  await store.script(`
    CREATE TABLE odd (a TEXT); CREATE TABLE odder (x REFERENCES odd (a)); INSERT INTO odder VALUES ('gone');
    CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE c (id INTEGER PRIMARY KEY, one REFERENCES p, two);
    INSERT INTO p VALUES (1); INSERT INTO c VALUES (1, 1, 1)`);
  await rejects(store.script('DELETE FROM p'), (error) => error instanceof ConstraintViolation && error.table === 'c');
  equal(await store.prepare('SELECT count(*) FROM p').text([]), '1');
  await store.close();
});

test('a table that is built again with one more key may keep references that were broken before', async () => {
  const file = join(folder, 'others.db');
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false });
  database.exec(`CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE c (id INTEGER PRIMARY KEY, one REFERENCES p, two);
    INSERT INTO p VALUES (1); INSERT INTO c VALUES (1, 77, 1)`);
  database.close();
  const store = await openSqliteStore({ file });
  const again = (two: number): string => `
    CREATE TABLE d (id INTEGER PRIMARY KEY, one REFERENCES p, two REFERENCES p);
    INSERT INTO d SELECT id, one, ${two} FROM c; DROP TABLE c; ALTER TABLE d RENAME TO c`;
  await rejects(store.script(again(78)), ConstraintViolation);
  await store.script(again(1));
  await rejects(store.script('UPDATE c SET two = 79'), ConstraintViolation);
  await store.close();
});
