import { deepEqual, equal, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isProductError } from '@lockstitch/kernel';
import pg from 'pg';
import { checkOutConnection, createCheckout } from '../../src/store/postgres-checkout.ts';
import { createStatementNames } from '../../src/store/postgres-statement-names.ts';
import { ConstraintViolation, type Session, type Store } from '../../src/store/store.ts';
import { openPostgresStore } from '../../src/store/store-postgres.ts';
import { TextTooLong } from '../../src/store/text-limit.ts';
import { withLongerTimes } from '../../../kernel/test/with-longer-times.ts';
import { freshSchema, postgresUrl } from '../stores.ts';

function testOnPostgres(name: string, body: (store: Store, url: string) => Promise<void>): void {
  test(`PostgreSQL: ${name}`, async (t) => {
    const url = await postgresUrl();
    if (!url.startsWith('postgres:')) return t.skip(url);
    const store = await openPostgresStore({ url, schema: freshSchema() });
    try {
      await body(store, url);
    } finally {
      await store.close();
    }
  });
}

const run = (session: Session, sql: string, values: readonly (string | number)[] = []) =>
  Promise.resolve(session.prepare(sql).run(values));

testOnPostgres('a text longer than its limit in bytes is refused', async (store) => {
  const long = store.prepare(`SELECT repeat('é', $1::int)`);
  equal((await long.text([500], 1000))?.length, 500);
  await rejects(async () => long.text([501], 1000), TextTooLong);
  equal((await long.text([501]))?.length, 501);
});

testOnPostgres('values come back as JavaScript knows them, times in UTC with milliseconds', async (store) => {
  const sql = `SELECT 7::bigint, 9007199254740993::bigint, 2.5::float8, true, null, 'x'::text, '{"a": 1}'::jsonb,
    '2020-01-02 03:04:05.6+02'::timestamptz, '2020-01-02 03:04:05+00'::timestamptz(3)`;
  deepEqual(await store.prepare(sql).rows([]), [
    [7, 9007199254740993n, 2.5, true, null, 'x', '{"a": 1}', '2020-01-02T01:04:05.600Z', '2020-01-02T03:04:05.000Z'],
  ]);
});

testOnPostgres(
  'text sorts by code point in its columns, and the description hides the password',
  async (store, url) => {
    await store.script('CREATE TABLE t (a text COLLATE "C")');
    for (const text of ['b', 'B', 'ä', 'a']) await run(store, 'INSERT INTO t VALUES ($1)', [text]);
    deepEqual(await store.prepare('SELECT a FROM t ORDER BY a').rows([]), [['B'], ['a'], ['b'], ['ä']]);
    equal(url.includes('postgres:postgres@') && !store.description.includes(':postgres@'), true, store.description);
  },
);

testOnPostgres('a refused row names the constraint, the table and the columns', async (store) => {
  await store.script(
    'CREATE TABLE p (id text PRIMARY KEY); CREATE TABLE t (a text NOT NULL, "B" text, p text REFERENCES p, UNIQUE (a, "B"))',
  );
  const insert = (values: readonly string[]): Promise<unknown> =>
    store.transaction((session) => run(session, `INSERT INTO t VALUES (${values.join(', ')})`));
  const facts = async (values: readonly string[]): Promise<unknown> => {
    try {
      return await insert(values);
    } catch (error) {
      return error instanceof ConstraintViolation ? [error.kind, error.table, error.columns] : error;
    }
  };
  await insert(["'x'", "'y'", 'NULL']);
  deepEqual(await facts(["'x'", "'y'", 'NULL']), ['unique', 't', ['a', 'B']]);
  deepEqual(await facts(['NULL', "'y'", 'NULL']), ['notNull', 't', ['a']]);
  deepEqual(await facts(["'z'", "'y'", "'nobody'"]), ['foreignKey', 't', ['p']]);
});

testOnPostgres('endless different statements do not pile up on the server', async (store) => {
  for (let index = 0; index < 1500; index++) await store.prepare(`SELECT ${index}`).rows([]);
  const held = Number(await store.prepare('SELECT count(*) FROM pg_prepared_statements').text([]));
  equal(held <= 1000, true, `${held} statements`);
});

testOnPostgres(
  'those who wait for a connection get it in turn, whatever became of those before them',
  async (_store, url) => {
    const schema = freshSchema();
    const store = await openPostgresStore({ url, schema, connections: 2 });
    try {
      await store.script('CREATE TABLE t (a int)');
      const answers = Array.from({ length: 40 }, async (_, index): Promise<string | null> => {
        try {
          // One in four fails, one in four inserts, one in four reads rows, one in four a text.
          if (index % 4 === 0) return await store.prepare(`SELECT 1 / ($1::int - ${index})`).text([index]);
          if (index % 4 === 1) return String(await store.prepare('INSERT INTO t VALUES ($1)').run([index]));
          if (index % 4 === 2) return String((await store.prepare('SELECT $1::int').rows([index]))[0]![0]);
          return await store.prepare('SELECT $1::int').text([index]);
        } catch (error) {
          return (error as Error).message;
        }
      });
      const expected = Array.from({ length: 40 }, (_, index) =>
        index % 4 === 0 ? 'division by zero' : index % 4 === 1 ? '1' : String(index),
      );
      deepEqual(await Promise.all(answers), expected);
      equal(await store.prepare('SELECT count(*) FROM t').text([]), '10');
    } finally {
      await store.close();
    }
  },
);

testOnPostgres(
  'a connection that is cut while others wait for it is replaced, and only who used it is told',
  async (_store, url) => {
    const store = await openPostgresStore({ url, schema: freshSchema(), connections: 1 });
    try {
      const cut = store.prepare('SELECT pg_terminate_backend(pg_backend_pid())').text([]);
      const others = Array.from({ length: 5 }, async (_, index) => store.prepare('SELECT $1::int').text([index]));
      await rejects(
        async () => cut,
        (error) => isProductError(error) && error.code === 'GRAPH_STORE_UNAVAILABLE',
      );
      deepEqual(await Promise.all(others), ['0', '1', '2', '3', '4']);
    } finally {
      await store.close();
    }
  },
);

testOnPostgres(
  'whoever waits too long for a connection is told, and those who did not go on waiting',
  async (_store, url) => {
    const pool = new pg.Pool({ connectionString: url, max: 1 });
    const health = { watch: () => undefined, lend: () => undefined, stop: () => undefined };
    try {
      // A busy machine has three quarters of the time to wake up between the end of the one's patience and of the other's.
      await withLongerTimes(100, async (timeout) => {
        const checkout = createCheckout({ pool, connections: 1, timeout, names: createStatementNames(), health });
        const first = await checkOutConnection(checkout);
        const early = checkOutConnection(checkout);
        const told = rejects(early, /no connection to it became free in time/);
        await sleep((timeout * 3) / 4);
        const late = checkOutConnection(checkout).catch((error: unknown) => error);
        await told;
        checkout.giveBack(first);
        const given = await late;
        if (given === first) checkout.giveBack(first);
        equal(given, first);
      });
    } finally {
      await pool.end();
    }
  },
);

testOnPostgres(
  'a text is asked for anew when the table has changed since its statement was prepared',
  async (store) => {
    await store.script('CREATE TABLE t (a int); INSERT INTO t VALUES (1)');
    const read = store.prepare('SELECT * FROM t');
    equal(await read.text([]), '1');
    await store.script(`ALTER TABLE t ALTER COLUMN a TYPE text USING 'now ' || a`);
    equal(await read.text([]), 'now 1');
    await rejects(async () => store.prepare('SELECT nothing FROM t').text([]), /"nothing"/);
    equal(await read.text([]), 'now 1');
  },
);

testOnPostgres('a transaction that loses a deadlock is run again', async (store) => {
  await store.script('CREATE TABLE t (a int PRIMARY KEY, n int); INSERT INTO t VALUES (1, 0), (2, 0)');
  let met = (): void => undefined;
  const meeting = new Promise<void>((resolve) => {
    met = resolve;
  });
  let arrived = 0;
  let runs = 0;
  const both = (first: number, second: number): Promise<void> =>
    store.transaction(async (session) => {
      runs++;
      await run(session, 'UPDATE t SET n = n + 1 WHERE a = $1', [first]);
      if (++arrived === 2) met();
      await meeting;
      await run(session, 'UPDATE t SET n = n + 1 WHERE a = $1', [second]);
    });
  await Promise.all([both(1, 2), both(2, 1)]);
  deepEqual(await store.prepare('SELECT n FROM t ORDER BY a').rows([]), [[2], [2]]);
  equal(runs >= 3, true);
});

testOnPostgres(
  'a script that creates what another session creates at the same time is run again',
  async (store, url) => {
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    await other.query(`BEGIN; CREATE TABLE ${store.ownSchema!.replace('lockstitch_', '')}.t (a int)`);
    const script = store.script('CREATE TABLE IF NOT EXISTS t (a int); INSERT INTO t VALUES (1)');
    const waits = "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'transactionid'";
    // Not on the other connection: a transaction sees the activity as it was at its first look.
    while ((await store.prepare(waits).rows([])).length === 0) await sleep(2);
    await other.query('COMMIT');
    await script;
    await other.end();
    equal(await store.prepare('SELECT count(*) FROM t').text([]), '1');
  },
);

testOnPostgres('a schema that exists needs no right to create one', async (store, url) => {
  const schema = store.ownSchema!.replace('lockstitch_', '');
  await store.script(
    `CREATE ROLE user_of_${schema} LOGIN PASSWORD 'x'; GRANT USAGE, CREATE ON SCHEMA ${schema} TO user_of_${schema}`,
  );
  const own = new URL(url);
  [own.username, own.password] = [`user_of_${schema}`, 'x'];
  const opened = await openPostgresStore({ url: own.href, schema });
  await opened.script('CREATE TABLE t (a int)');
  await opened.close();
});

testOnPostgres(
  'commits of other processes are heard of again after the listening connection was cut',
  async (store, url) => {
    await store.script('CREATE TABLE t (a int)');
    const other = await openPostgresStore({ url });
    const listening = `SELECT pid FROM pg_stat_activity WHERE query = 'LISTEN lockstitch_commit'`;
    let heard = 0;
    const keepAlive = setInterval(() => undefined, 1000);
    const next = (): Promise<void> =>
      new Promise((resolve) => {
        const before = heard;
        const look = (): void => {
          if (heard > before) resolve();
          else setTimeout(look, 5);
        };
        look();
      });
    const first = next();
    store.onCommit(() => heard++);
    await first;
    const second = next();
    for (const row of await other.prepare(listening).rows([])) {
      await other.prepare(`SELECT pg_terminate_backend(${Number(row[0])})`).rows([]);
    }
    // Listeners are notified on reconnect, for commits they may have missed.
    await second;
    const third = next();
    await other.transaction((session) => session.prepare('SELECT 1').rows([]));
    await third;
    clearInterval(keepAlive);
    await other.close();
  },
);

testOnPostgres('work after a failed statement of a transaction leaves nothing behind', async (store) => {
  await store.script('CREATE TABLE t (a int PRIMARY KEY)');
  await rejects(
    store.transaction(async (session) => {
      await run(session, 'INSERT INTO t VALUES (1)');
      await run(session, 'INSERT INTO t VALUES (1)');
    }),
    ConstraintViolation,
  );
  equal(await store.prepare('SELECT count(*) FROM t').text([]), '0');
  await rejects(store.script('CREATE TABLE u (a int); CREATE TABLE t (a int)'), /already exists/);
  equal(await store.prepare(`SELECT to_regclass('u')`).text([]), null);
});

test('PostgreSQL: an unreachable server is an error immediately', async () => {
  await rejects(openPostgresStore({ url: 'postgres://nobody:x@127.0.0.1:1/none' }), /ECONNREFUSED/);
});

/** Ends the connections of a store that wait for a lock, or all but one's own that do nothing. */
async function cut(other: Store, which: 'waiting' | 'idle'): Promise<void> {
  const condition =
    which === 'waiting' ? `wait_event_type = 'Lock'` : `state = 'idle' AND query NOT LIKE '%pg_terminate_backend%'`;
  await other
    .prepare(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${condition} AND pid <> pg_backend_pid()`)
    .rows([]);
}

testOnPostgres(
  'a connection that breaks under a statement is told of, and the next one is another',
  async (store, url) => {
    await store.script('CREATE TABLE t (a int PRIMARY KEY, n int); INSERT INTO t VALUES (1, 0)');
    const other = await openPostgresStore({ url });
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let locked = (): void => undefined;
    const locking = new Promise<void>((resolve) => {
      locked = resolve;
    });
    const holder = store.transaction(async (session) => {
      await run(session, 'UPDATE t SET n = 1');
      locked();
      await held;
    });
    await locking;
    const update = 'UPDATE t SET n = 2';
    const waiting = [
      store.prepare(update).run([]),
      store.transaction((session) => run(session, update)),
      store.script(update),
    ].map((work) =>
      Promise.resolve(work).then(
        () => 'done',
        (error: unknown) => error,
      ),
    );
    // One that has been ended may be counted again before it is gone, and another come only then.
    let told = 0;
    for (const work of waiting) void work.then(() => told++);
    while (told < waiting.length) await cut(other, 'waiting');
    for (const error of await Promise.all(waiting)) {
      equal(isProductError(error) && error.code, 'GRAPH_STORE_UNAVAILABLE', String(error));
      equal((error as Error).message, 'The database could not be used: the connection to it broke.');
    }
    release();
    await holder;
    await cut(other, 'idle');
    await run(store, update).catch(() => run(store, update));
    equal(await store.prepare('SELECT n FROM t').text([]), '2');
    await other.close();
  },
);

testOnPostgres(
  'what the database itself gives up, or does not take at present, is told in words of ours',
  async (store) => {
    await store.script('CREATE TABLE t (a int)');
    const told = async (...statements: readonly string[]): Promise<unknown> => {
      try {
        await store.transaction(async (session) => {
          for (const sql of statements) await session.prepare(sql).rows([]);
        });
        return 'done';
      } catch (error) {
        return isProductError(error) ? [error.code, error.message] : error;
      }
    };
    deepEqual(await told('SET LOCAL statement_timeout = 20', 'SELECT pg_sleep(5)'), [
      'GRAPH_STORE_UNAVAILABLE',
      'The database could not be used: it gave up waiting, by a time limit that is set in the database.',
    ]);
    deepEqual(await told('SET LOCAL transaction_read_only = on', 'INSERT INTO t VALUES (1)'), [
      'GRAPH_STORE_UNAVAILABLE',
      'The database could not be used: it takes no writes at present.',
    ]);
  },
);

testOnPostgres('a text that is too long for an index is refused with a code', async (store) => {
  await store.script('CREATE TABLE t (a text UNIQUE, b text); CREATE INDEX ON t (b)');
  // Nothing that could be compressed: three bytes each.
  const text = (length: number): string =>
    Array.from({ length }, (_, index) => String.fromCharCode(0x4e00 + ((index * index * 7919) % 20_011))).join('');
  await run(store, 'INSERT INTO t VALUES ($1)', [text(866)]);
  for (const length of [1000, 20_000]) {
    await rejects(run(store, 'INSERT INTO t VALUES ($1)', [text(length)]), { code: 'GRAPH_VALUE_TOO_LONG' });
    await rejects(run(store, 'INSERT INTO t (b) VALUES ($1)', [text(length)]), { code: 'GRAPH_VALUE_TOO_LONG' });
  }
});

testOnPostgres('a database that lacks characters is not opened', async (store, url) => {
  await store.prepare(`CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`).rows([]);
  await rejects(openPostgresStore({ url: url.replace(/\/postgres$/, '/latin') }), {
    code: 'GRAPH_STORE_ENCODING',
    message: /latin keeps texts in LATIN1/,
  });
});

testOnPostgres(
  'writes wait for one another also where the database asks for a stricter isolation',
  async (store, url) => {
    await store.prepare('CREATE DATABASE strict').rows([]);
    await store.prepare(`ALTER DATABASE strict SET default_transaction_isolation = 'serializable'`).rows([]);
    const strict = await openPostgresStore({ url: url.replace(/\/postgres$/, '/strict') });
    await strict.script('CREATE TABLE t (n int); INSERT INTO t VALUES (0)');
    const add = (): Promise<unknown> => strict.transaction((session) => run(session, 'UPDATE t SET n = n + 1'));
    await Promise.all(Array.from({ length: 20 }, add));
    equal(await strict.prepare('SELECT n FROM t').text([]), '20');
    await strict.close();
  },
);

testOnPostgres('a column that another process gives another type is read and written as before', async (store) => {
  await store.script('CREATE TABLE t (a int, n int); INSERT INTO t VALUES (1, 0)');
  const read = store.prepare('SELECT a FROM t');
  const write = (): Promise<readonly unknown[]> =>
    store.transaction(async (session) => session.prepare('UPDATE t SET n = n + 1 RETURNING a').rows([]));
  deepEqual([await read.rows([]), await write()], [[[1]], [[1]]]);
  await store.script('ALTER TABLE t ALTER a TYPE text');
  deepEqual(await write(), [['1']]);
  await store.script('ALTER TABLE t ALTER a TYPE bigint USING a::bigint');
  deepEqual([await read.rows([]), await read.rows([])], [[[1]], [[1]]]);
  equal(await store.prepare('SELECT n FROM t').text([]), '2');
});
