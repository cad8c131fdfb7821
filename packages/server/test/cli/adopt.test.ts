// `lockstitch adopt`: a database of somebody else becomes an application that passes `check`, starts, and answers what SQL
// answers; what cannot be said is left out with its reason, and nothing in the database changes.
import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';

import { type Ask, compareWithSql, serveFolder } from '../adopted.ts';
import { freshDatabase } from '../fresh-database.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { runLine } from './run-here.ts';

/** A shop with what databases have: keys of several kinds, two keys to one table, a join table, secrets, a table without a key. */
const SHOP = {
  common: `
    CREATE TABLE authors (author_id INTEGER PRIMARY KEY, full_name VARCHAR(80) NOT NULL, password_hash TEXT, api_key TEXT, mentor_id INTEGER REFERENCES authors (author_id));
    CREATE TABLE books (isbn TEXT NOT NULL PRIMARY KEY, title TEXT NOT NULL, author_id INTEGER NOT NULL REFERENCES authors (author_id) ON DELETE CASCADE,
      translator_id INTEGER REFERENCES authors (author_id), status TEXT NOT NULL DEFAULT 'draft' CHECK (status IN ('draft', 'printed')), pages INTEGER, price DECIMAL(10, 2));
    CREATE TABLE tags (id INTEGER PRIMARY KEY, "label text" TEXT NOT NULL UNIQUE);
    CREATE TABLE book_tags (isbn TEXT NOT NULL REFERENCES books (isbn), tag_id INTEGER NOT NULL REFERENCES tags (id), PRIMARY KEY (isbn, tag_id));
    CREATE TABLE log_lines (line TEXT);
    INSERT INTO authors VALUES (1, 'Ada', 'x', 'y', NULL), (2, 'Bo', 'x', 'y', 1);
    INSERT INTO books VALUES ('978-1', 'On "engines"', 1, 2, 'printed', 300, 12.5), ('978-2', 'Notes', 2, NULL, 'draft', NULL, NULL);
    INSERT INTO tags VALUES (1, 'old'), (2, 'new'); INSERT INTO book_tags VALUES ('978-1', 1), ('978-1', 2), ('978-2', 2);`,
};

function sqliteFile(context: TestContext, sql: string): string {
  const file = join(temporaryFolder(context), 'shop.db');
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
  return file;
}

/** A PostgreSQL database with the statements run; skips the test where there is none. */
async function postgresDatabase(context: TestContext, sql: string) {
  const url = await freshDatabase();
  if (!url.startsWith('postgres:')) {
    context.skip(url);
    return undefined;
  }
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  context.after(() => client.end());
  await client.query(sql);
  return { url, client };
}

async function compareSqlite(folder: string, file: string): Promise<number> {
  const app = await serveFolder(folder, {});
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const ask = (sql: string) => {
      const statement = database.prepare(sql);
      statement.setReadBigInts(true);
      return Promise.resolve(statement.all());
    };
    return await compareWithSql(app, ask, 'sqlite');
  } finally {
    database.close();
    await app.close();
  }
}

async function comparePostgres(
  folder: string,
  { url, client }: NonNullable<Awaited<ReturnType<typeof postgresDatabase>>>,
): Promise<number> {
  await client.query('SET IntervalStyle = iso_8601');
  const app = await serveFolder(folder, { DATABASE_URL: url });
  try {
    return await compareWithSql(app, async (sql) => (await client.query(sql)).rows, 'postgres');
  } finally {
    await app.close();
  }
}

const typeIn = (schema: string, name: string): string =>
  new RegExp(`^type ${name}\\n[^]*?^}`, 'm').exec(schema)?.[0] ?? '';

function checkShop(folder: string, out: string): string {
  const schema = readFileSync(join(folder, 'schema.graphql'), 'utf8');
  match(out, /^Adopted 3 types from /);
  const book = typeIn(schema, 'Book');
  match(book, /isbn: ID! @id\b/);
  match(book, /author: Author! @column\(name: "author_id"\) @relation\(inverse: "books", onDelete: CASCADE/);
  match(book, /translator: Author @column\(name: "translator_id"\) @relation\(inverse: "booksAsTranslator"/);
  match(book, /status: BookStatus!/);
  match(
    book,
    /tags\(.*\): \[Tag!\]! @relation\(table: "book_tags", from: "isbn", to: "tag_id", inverse: "books", onDeleteRules: CALLER\)/,
  );
  match(schema, /enum BookStatus \{\n {2}draft\n {2}printed\n\}/);
  match(typeIn(schema, 'Author'), /mentor: Author .*\n {2}authorsAsMentor\(/);
  match(typeIn(schema, 'Tag'), /labelText: String! .*@column\(name: "label text"\)/);
  doesNotMatch(schema, /password|apiKey|LogLine|@search\(/i);
  equal(schema.match(/@auth\(read: "hasRole\('ADMIN'\)", create: .*delete: "hasRole\('ADMIN'\)"\)/g)?.length, 3);
  const report = readFileSync(join(folder, 'ADOPTED.md'), 'utf8');
  match(report, /`authors\.password_hash`: it looks like a secret/);
  match(report, /`authors\.api_key`: it looks like a secret/);
  match(report, /`log_lines`: it has no primary key.* (?:ADD PRIMARY KEY|CREATE UNIQUE INDEX)/);
  return schema;
}

test('SQLite: a database becomes an application that answers what SQL answers, and is not changed', async (context) => {
  const file = sqliteFile(context, SHOP.common);
  const before = readFileSync(file);
  const folder = join(temporaryFolder(context), 'app');
  const { code, out, err } = await runLine(['adopt', file, folder]);
  equal(`${code} ${err}`, '0 ');
  checkShop(folder, out);
  match((await runLine(['check', folder])).out, /^No mistakes: 3 stored types, 0 of them searchable\.\n$/);
  deepEqual(readFileSync(file), before);
  match(readFileSync(join(folder, 'lockstitch.config.ts'), 'utf8'), /url: 'sqlite:\.\..*shop\.db'/);
  equal(await compareSqlite(folder, file), 6);
});

test('PostgreSQL: a database becomes an application that answers what SQL answers, and is not changed', async (context) => {
  const database = await postgresDatabase(context, SHOP.common);
  if (database === undefined) return;
  const { url, client } = database;
  // The right to read is enough.
  await client.query(
    `CREATE ROLE reader_${process.pid} LOGIN PASSWORD 'hunter2'; GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader_${process.pid}`,
  );
  const reading = url.replace('postgres:postgres@', `reader_${process.pid}:hunter2@`);
  const folder = join(temporaryFolder(context), 'app');
  const { code, out, err } = await runLine(['adopt', 'SHOP_DATABASE', folder], { SHOP_DATABASE: reading });
  equal(`${code} ${err}`, '0 ');
  checkShop(folder, out);
  match(readFileSync(join(folder, 'lockstitch.config.ts'), 'utf8'), /url: 'env:SHOP_DATABASE'/);
  for (const name of readdirSync(folder)) doesNotMatch(readFileSync(join(folder, name), 'utf8'), /hunter2/);
  doesNotMatch(out, /hunter2/);
  const planned = await runLine(['plan', folder, '--json'], { DATABASE_URL: url });
  const steps: { readonly text: string }[] = JSON.parse(planned.out).steps;
  deepEqual(
    steps.filter(({ text }) => !text.startsWith('Create table lockstitch.')),
    [],
  );
  equal(await comparePostgres(folder, database), 6);
});

/** Writes the shop by its API, and looks by SQL. */
async function writeShop(folder: string, environment: Readonly<Record<string, string>>, ask: Ask): Promise<void> {
  const app = await serveFolder(folder, environment);
  const rows = async (sql: string): Promise<unknown> => (await ask(sql)).map((row) => Object.values(row).map(String));
  try {
    deepEqual(
      await app.graph(
        'mutation { createAuthor(input: { authorId: 7, fullName: "Cy", mentor: 1 }) { authorId mentor { fullName } } createTag(input: { id: 3, labelText: "rare" }) { id } }',
      ),
      { createAuthor: { authorId: 7, mentor: { fullName: 'Ada' } }, createTag: { id: 3 } },
    );
    deepEqual(
      await app.graph(
        'mutation { createBook(input: { isbn: "978-3", title: "Looms", author: 7, price: "9.90", tags: [1, 3] }) { isbn status pages author { authorId } tags { labelText } } }',
      ),
      {
        createBook: {
          isbn: '978-3',
          status: 'draft',
          pages: null,
          author: { authorId: 7 },
          tags: [{ labelText: 'old' }, { labelText: 'rare' }],
        },
      },
    );
    await app.graph(
      'mutation { updateBook(isbn: "978-3", input: { title: "Looms, 2nd", status: printed, translator: 2, tags: [2] }) { isbn } updateAuthor(authorId: 2, input: { mentor: null }) { authorId } }',
    );
    deepEqual(await rows("SELECT title, status, translator_id FROM books WHERE isbn = '978-3'"), [
      ['Looms, 2nd', 'printed', '2'],
    ]);
    deepEqual(await rows("SELECT tag_id FROM book_tags WHERE isbn = '978-3'"), [['2']]);
    deepEqual(await rows('SELECT mentor_id FROM authors WHERE author_id = 2'), [['null']]);
    // Its book goes with it, and the links of the book.
    deepEqual(await app.graph('mutation { deleteAuthor(authorId: 7) { fullName } deleteTag(id: 2) { labelText } }'), {
      deleteAuthor: { fullName: 'Cy' },
      deleteTag: { labelText: 'new' },
    });
    deepEqual(await rows('SELECT isbn FROM books ORDER BY 1'), [['978-1'], ['978-2']]);
    deepEqual(await rows('SELECT isbn, tag_id FROM book_tags'), [['978-1', '1']]);
  } finally {
    await app.close();
  }
}

test('an adopted database is written by mutations: keys that it counts, its defaults, relations and join tables', async (context) => {
  const counted = SHOP.common.replace(/author_id INTEGER PRIMARY KEY/, 'author_id INTEGER NOT NULL UNIQUE');
  const file = sqliteFile(context, counted.replace('tags (id INTEGER PRIMARY KEY', 'tags (id INT PRIMARY KEY'));
  const folder = join(temporaryFolder(context), 'app');
  equal((await runLine(['adopt', file, folder])).code, 0);
  const database = new DatabaseSync(file);
  context.after(() => database.close());
  await writeShop(folder, {}, (sql) => Promise.resolve(database.prepare(sql).all()));
  const shop = await postgresDatabase(context, SHOP.common);
  if (shop === undefined) return;
  const other = join(temporaryFolder(context), 'app');
  equal((await runLine(['adopt', shop.url, other])).code, 0);
  await writeShop(other, { DATABASE_URL: shop.url }, async (sql) => (await shop.client.query(sql)).rows);
});

test('a table that nobody can write has no mutations, and one that nobody can fill no create; the report says why', async (context) => {
  const shop = await postgresDatabase(
    context,
    `CREATE TABLE users (id serial PRIMARY KEY, name text NOT NULL, password_hash text NOT NULL);
     CREATE TABLE frozen (id int PRIMARY KEY, name text); CREATE RULE keep AS ON UPDATE TO frozen DO INSTEAD NOTHING;
     CREATE TABLE inputs (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, input int, twice int GENERATED ALWAYS AS (input * 2) STORED, "values" text);
     CREATE TABLE create_input_inputs (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY);
     CREATE MATERIALIZED VIEW names AS SELECT id, name FROM users; CREATE UNIQUE INDEX ON names (id)`,
  );
  if (shop === undefined) return;
  const folder = join(temporaryFolder(context), 'app');
  const { code, err } = await runLine(['adopt', shop.url, folder]);
  equal(`${code} ${err}`, '0 ');
  const schema = readFileSync(join(folder, 'schema.graphql'), 'utf8');
  const mutations = /^type Mutation \{\n([^]*?)^\}/m.exec(schema)?.[1] ?? '';
  deepEqual(
    mutations
      .trim()
      .split('\n')
      .map((line) => line.trim()),
    [
      'createCreateInputInput: CreateInputInput!',
      'deleteCreateInputInput(id: ID!): CreateInputInput',
      'createInput(inputValues: CreateInputInput2!): Input!',
      'updateInput(id: ID!, inputValues: UpdateInputInput!): Input',
      'deleteInput(id: ID!): Input',
      'updateUser(id: ID!, input: UpdateUserInput!): User',
      'deleteUser(id: ID!): User',
    ],
  );
  match(schema, /input UpdateInputInput \{\n {2}input: Int\n {2}values: String\n\}/);
  const report = readFileSync(join(folder, 'ADOPTED.md'), 'utf8');
  match(report, /\n3 types can be written/);
  match(report, /`users`: its column password_hash is never null, has no default, and is left out/);
  match(report, /`frozen`: its rule keep does something else instead of the write, so Frozen is read-only\./);
  match(report, /`names`: it is a materialized view, so Name is read-only\./);
});

/** Two tenants; keys of several columns, foreign keys to them that share a column, a join table of both, keys that refer. */
const TENANTS = `
  CREATE TABLE tenants (code VARCHAR(20) NOT NULL PRIMARY KEY);
  CREATE TABLE users (tenant VARCHAR(20) NOT NULL REFERENCES tenants (code), id INTEGER NOT NULL, name TEXT, boss_id INTEGER, PRIMARY KEY (tenant, id), FOREIGN KEY (tenant, boss_id) REFERENCES users (tenant, id));
  CREATE TABLE documents (tenant VARCHAR(20) NOT NULL, nr INTEGER NOT NULL, author_id INTEGER NOT NULL, editor_id INTEGER, PRIMARY KEY (tenant, nr),
    FOREIGN KEY (tenant, author_id) REFERENCES users (tenant, id), FOREIGN KEY (tenant, editor_id) REFERENCES users (tenant, id) ON DELETE SET NULL);
  CREATE TABLE readers (tenant VARCHAR(20) NOT NULL, user_id INTEGER NOT NULL, document_nr INTEGER NOT NULL, PRIMARY KEY (tenant, document_nr, user_id),
    FOREIGN KEY (tenant, user_id) REFERENCES users (tenant, id), FOREIGN KEY (tenant, document_nr) REFERENCES documents (tenant, nr));
  CREATE TABLE plans (tenant VARCHAR(20) NOT NULL PRIMARY KEY REFERENCES tenants (code), seats INTEGER); CREATE TABLE counters (id INTEGER PRIMARY KEY, n INTEGER); CREATE TABLE counts (counter_id INT PRIMARY KEY REFERENCES counters (id), n INTEGER);
  INSERT INTO tenants VALUES ('a'), ('b'); INSERT INTO users VALUES ('a', 1, 'Ann', NULL), ('a', 2, 'Ben', 1), ('b', 1, 'Cid', NULL);
  INSERT INTO documents VALUES ('a', 1, 1, 2), ('a', 2, 2, NULL), ('b', 1, 1, 1); INSERT INTO readers VALUES ('a', 1, 1), ('a', 2, 1), ('b', 1, 1);
  INSERT INTO plans VALUES ('b', 5); INSERT INTO counters VALUES (1, 1), (2, 2); INSERT INTO counts VALUES (2, 2);`;

test('foreign keys of several columns, and keys that are foreign keys, become relations', async (context) => {
  const check = async (source: string, environment: Readonly<Record<string, string>>): Promise<string> => {
    const folder = join(temporaryFolder(context), 'app');
    const { code, err } = await runLine(['adopt', source, folder]);
    equal(`${code} ${err}`, '0 ');
    const schema = readFileSync(join(folder, 'schema.graphql'), 'utf8');
    match(
      typeIn(schema, 'Document'),
      /author: User! @column\(name: \["tenant", "author_id"\]\) @relation\(inverse: "authoredDocuments", .*\) @readOnly/,
    );
    match(schema, /@relation\(table: "readers", from: \["tenant", "user_id"\], to: \["tenant", "document_nr"\]/);
    match(
      schema,
      /input CreateDocumentInput \{\n {2}tenant: String!\n {2}nr: Int!\n {2}authorId: Int!\n {2}editorId: Int\n {2}users: \[ID!\]\n\}/,
    );
    match(typeIn(schema, 'Plan'), /tenant: ID! @id\n {2}tenantByTenant: Tenant! @column\(name: "tenant"\) .*@readOnly/);
    const app = await serveFolder(folder, environment);
    deepEqual(
      await app.graph(
        'mutation { createDocument(input: { tenant: "a", nr: 3, authorId: 2, users: ["a,1"] }) { id author { name boss { name } } users { name documents { nr } } } }',
      ),
      {
        createDocument: {
          id: 'a,3',
          author: { name: 'Ben', boss: { name: 'Ann' } },
          users: [{ name: 'Ann', documents: [{ nr: 1 }, { nr: 3 }] }],
        },
      },
    );
    await app.close();
    return folder;
  };
  const file = sqliteFile(context, TENANTS);
  equal(await compareSqlite(await check(file, {}), file), 2 + 3 + 4 + 1 + 2 + 1);
  const database = await postgresDatabase(context, TENANTS);
  if (database !== undefined)
    equal(
      await comparePostgres(await check(database.url, { DATABASE_URL: database.url }), database),
      2 + 3 + 4 + 1 + 2 + 1,
    );
});

test('a column that refers to a table is never counted: a create names the row that it belongs to', async (context) => {
  const check = async (source: string, environment: Readonly<Record<string, string>>): Promise<void> => {
    const folder = join(temporaryFolder(context), 'app');
    const { code, err } = await runLine(['adopt', source, folder]);
    equal(`${code} ${err}`, '0 ');
    const schema = readFileSync(join(folder, 'schema.graphql'), 'utf8');
    match(schema, /input CreateProfileInput \{\n {2}employeeId: Int!\n {2}bio: String\n\}/);
    match(
      schema,
      /input CreateNoteInput \{\n {2}(?:employee: \w+!|text: String)\n {2}(?:employee: \w+!|text: String)\n\}/,
    );
    const app = await serveFolder(folder, environment);
    const { errors } = await app.call('mutation { createProfile(input: { bio: "x" }) { bio } }');
    match(errors?.[0]?.message ?? '', /employeeId/);
    deepEqual(
      await app.graph(
        'mutation { createProfile(input: { employeeId: 3, bio: "x" }) { employeeId employee { name } } }',
      ),
      { createProfile: { employeeId: 3, employee: { name: 'Cid' } } },
    );
    const missing = await app.call('mutation { createProfile(input: { employeeId: 9 }) { bio } }');
    equal(missing.errors?.length, 1);
    await app.close();
  };
  const tables = (key: string, reference: string): string => `
    CREATE TABLE employees (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
    CREATE TABLE profiles (employee_id ${key} PRIMARY KEY REFERENCES employees, bio TEXT);
    CREATE TABLE notes (id ${key} PRIMARY KEY, employee_id ${reference} NOT NULL REFERENCES employees, text TEXT);
    INSERT INTO employees VALUES (1, 'Ann'), (2, 'Bo'), (3, 'Cid'); INSERT INTO profiles (employee_id) VALUES (1);`;
  await check(sqliteFile(context, tables('INTEGER', 'INTEGER')), {});
  const database = await postgresDatabase(context, tables('serial', 'serial'));
  if (database !== undefined) await check(database.url, { DATABASE_URL: database.url });
});

test('SQLite: a decimal that its column would round is refused, and the report says so', async (context) => {
  const file = sqliteFile(context, 'CREATE TABLE customers (id INTEGER PRIMARY KEY, credit NUMERIC(10, 2))');
  const folder = join(temporaryFolder(context), 'app');
  equal((await runLine(['adopt', file, folder])).code, 0);
  match(readFileSync(join(folder, 'ADOPTED.md'), 'utf8'), /`customers`: its column credit keeps 15 digits of a number/);
  const app = await serveFolder(folder, {});
  const create = (credit: string) => app.call(`mutation { createCustomer(input: { credit: "${credit}" }) { credit } }`);
  match((await create('12345678901234567.89')).errors?.[0]?.message ?? '', /more than the 15 digits/);
  deepEqual((await create('1234567890123.45')).data, { createCustomer: { credit: '1234567890123.45' } });
  equal((await app.graph('{ customers { id } }')).customers.length, 1);
  await app.close();
});

test('a view is a comment in the schema, and a type once its key is named', async (context) => {
  const file = sqliteFile(
    context,
    `${SHOP.common} CREATE VIEW "long books" AS SELECT isbn AS "ISBN", title, pages AS page_count, pages + 1 AS next_page FROM books WHERE pages > 10`,
  );
  const folder = join(temporaryFolder(context), 'app');
  equal((await runLine(['adopt', file, folder])).code, 0);
  match(
    readFileSync(join(folder, 'ADOPTED.md'), 'utf8'),
    /`long books`: it is a view.* take its type out of the comments/,
  );
  match(
    readFileSync(join(folder, 'ADOPTED.md'), 'utf8'),
    /`long books`: SQLite does not say the type .* texts: next_page\. Write Int, Float or Decimal/,
  );
  const path = join(folder, 'schema.graphql');
  const schema = readFileSync(path, 'utf8');
  const start = schema.indexOf('# The view "long books"');
  ok(start > 0);
  const named = schema
    .slice(start)
    .split('\n')
    .slice(1)
    .map((line) => line.replace(/^# ?/, ''))
    .join('\n')
    .replace('isbn: String', 'isbn: ID! @id')
    .replace('nextPage: String', 'nextPage: Int');
  writeFileSync(path, schema.slice(0, start) + named);
  const app = await serveFolder(folder, {});
  deepEqual(await app.graph('{ longBooks { isbn title pageCount nextPage } }'), {
    longBooks: [{ isbn: '978-1', title: 'On "engines"', pageCount: 300, nextPage: 301 }],
  });
  await app.close();
});

test('only the role ADMIN sees rows of an adopted database', async (context) => {
  const file = sqliteFile(context, SHOP.common);
  const folder = join(temporaryFolder(context), 'app');
  await runLine(['adopt', file, folder]);
  rmSync(join(folder, 'lockstitch.config.ts'));
  const config = { database: { url: `sqlite:${file}` }, csrf: { enabled: false } };
  writeFileSync(join(folder, 'lockstitch.config.mjs'), `export default ${JSON.stringify(config)};`);
  const app = await serveFolder(folder, {});
  deepEqual(await app.graph('{ bookCount books { isbn } book(isbn: "978-1") { isbn } tags { books { isbn } } }'), {
    bookCount: 0,
    books: [],
    book: null,
    tags: [],
  });
  await app.close();
});

test('a second adoption lists what has changed, and overwrites nothing', async (context) => {
  const file = sqliteFile(context, SHOP.common);
  const folder = join(temporaryFolder(context), 'app');
  await runLine(['adopt', file, folder]);
  const schema = readFileSync(join(folder, 'schema.graphql'), 'utf8');
  match((await runLine(['adopt', file, folder])).out, /^Nothing has changed in /);
  const database = new DatabaseSync(file);
  database.exec(
    'CREATE TABLE shelves (id INTEGER PRIMARY KEY); ALTER TABLE books ADD COLUMN year INTEGER; DROP TABLE log_lines',
  );
  database.close();
  const { code, out } = await runLine(['adopt', file, folder]);
  equal(code, 0);
  match(out, /added: shelves, table\n/);
  match(out, /added: books\.year, column of type INTEGER\n/);
  match(out, /removed: log_lines, table\n/);
  equal(readFileSync(join(folder, 'schema.graphql'), 'utf8'), schema);
  const report = readFileSync(join(folder, 'ADOPTED-2.md'), 'utf8');
  match(report, /type Shelf\n/);
  match(report, /year: Int\n/);
  match((await runLine(['adopt', file, folder])).out, /^Nothing has changed in /);
  equal(existsSync(join(folder, 'ADOPTED-3.md')), false);
});

test('the guide "From your database" works word by word', async (context) => {
  const guide = readFileSync(new URL('../../../../docs/guide/from-your-database.md', import.meta.url), 'utf8');
  const blocks = [...guide.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].map(({ 1: language, 2: code }) => ({
    language,
    code: code ?? '',
  }));
  const folder = dirname(sqliteFile(context, blocks.find(({ language }) => language === 'text')?.code ?? ''));
  for (const { code } of blocks.filter(({ language }) => language === 'sh')) {
    for (const line of code.trim().split('\n')) {
      const words = line.replace('npm run lockstitch -- ', '').split(' ');
      const placed = words.map((word) => (word.startsWith('shop') ? join(folder, word) : word));
      equal((await runLine(placed)).code, 0, line);
    }
  }
  const schema = join(folder, 'shop', 'schema.graphql');
  const opened = blocks.find(({ language }) => language === 'graphql')?.code ?? '';
  match(readFileSync(join(folder, 'shop', 'ADOPTED.md'), 'utf8'), /`authors\.password_hash`/);
  writeFileSync(schema, opened);
  const app = await serveFolder(join(folder, 'shop'), {});
  deepEqual(await app.graph('{ book(isbn: "978-1") { title } }'), { book: { title: 'Notes on the engine' } });
  await app.close();
});

test('what cannot be adopted is refused by name, without the password of the address', async (context) => {
  const folder = temporaryFolder(context, { 'a.txt': 'no database', 'full/x.txt': 'x' });
  const empty = sqliteFile(context, 'CREATE TABLE keyless (a TEXT)');
  const shop = sqliteFile(context, SHOP.common);
  const target = join(folder, 'app');
  for (const [words, expected] of [
    [[join(folder, 'none.db'), target], /there is no such file.*\n.*\(SERVER_ADOPT_ADDRESS\)|SERVER_ADOPT_ADDRESS/],
    [[folder, target], /it is a folder/],
    [['mysql://root:hunter2@db/x', target], /"mysql" is not PostgreSQL or SQLite/],
    [
      ['postgres://app:hunter2@127.0.0.1:1/x', target],
      /postgres:\/\/app@127\.0\.0\.1:1\/x cannot be opened[^]*SERVER_DATABASE_UNREACHABLE/,
    ],
    [['postgres://app:hunter2@[/x', target], /no valid URL/],
    [[join(folder, 'a.txt'), target], /a\.txt cannot be opened: .*not a database/],
    [[empty, target], /nothing to adopt[^]*keyless: it has no primary key[^]*SERVER_ADOPT_NOTHING/],
    [[shop, join(folder, 'full')], /SERVER_FOLDER_NOT_EMPTY/],
  ] as const) {
    const { code, err } = await runLine(['adopt', ...words]);
    equal(code, 1, words[0]);
    match(err, expected);
    doesNotMatch(err, /hunter2/);
  }
  equal(existsSync(target), false);
});

test('PostgreSQL: hostile names, types and tables end in a good schema or in a precise refusal', async (context) => {
  const long = `${'x'.repeat(59)}_id`;
  const database = await postgresDatabase(
    context,
    `CREATE SCHEMA shop;
     CREATE TYPE mood AS ENUM ('sad', 'ok', 'very happy', '', 'true'); CREATE TYPE plain AS ENUM ('A', 'B');
     CREATE DOMAIN email AS text CHECK (VALUE LIKE '%@%'); CREATE TYPE pair AS (a int, b int);
     CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
     CREATE TABLE "select" (id serial PRIMARY KEY, "from" text, "a ""quoted"" name" int, "ÜberGröße" text, "客户" text, "__typename" text, "2nd" int, xmin_ int);
     CREATE TABLE "Query" (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), "camelCase" int, "camel_case" int, "CAMELCASE" int);
     CREATE TABLE shop."Order.Details" (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, total numeric(12, 2) NOT NULL DEFAULT 0, doubled numeric GENERATED ALWAYS AS (total * 2) STORED);
     CREATE TABLE orders (id serial PRIMARY KEY); CREATE TABLE shop.orders (id serial PRIMARY KEY, other int REFERENCES public.orders);
     CREATE TABLE ${long} (${long} int PRIMARY KEY, parent_id int REFERENCES ${long}, next_id int UNIQUE REFERENCES ${long});
     CREATE TABLE chicken (id serial PRIMARY KEY, egg_id int); CREATE TABLE egg (id serial PRIMARY KEY, chicken_id int NOT NULL REFERENCES chicken);
     ALTER TABLE chicken ADD FOREIGN KEY (egg_id) REFERENCES egg;
     CREATE TABLE customers (id serial PRIMARY KEY, name text COLLATE loose UNIQUE); CREATE TABLE customer_orders (id serial PRIMARY KEY, customer_id int NOT NULL REFERENCES customers);
     CREATE TABLE measures (id serial, at date, PRIMARY KEY (id), value int) ; CREATE TABLE days (day date PRIMARY KEY, n int) PARTITION BY RANGE (day);
     CREATE TABLE days_2020 PARTITION OF days FOR VALUES FROM ('2020-01-01') TO ('2021-01-01');
     CREATE TABLE animal (id serial PRIMARY KEY); CREATE TABLE dog (bark text, PRIMARY KEY (id)) INHERITS (animal);
     CREATE TABLE kinds (id serial PRIMARY KEY, m mood, p plain NOT NULL DEFAULT 'A', mail email, t timestamp, tz timestamptz, d date, ti time, iv interval, b bytea, j jsonb, u uuid,
       i inet, c char(5), big bigint, re real, du double precision, nu numeric, bo boolean, ta text[], ia int[], pa plain[], mo money, ra int4range, pt point, pr pair, v tsvector, x xml);
     CREATE TABLE users (id serial PRIMARY KEY, secret_note text, token_id int); ALTER TABLE users ENABLE ROW LEVEL SECURITY; CREATE POLICY own_rows ON users USING (true);
     COMMENT ON TABLE users IS 'People """quoted"""'; COMMENT ON COLUMN users.token_id IS E'two\\nlines "x" \\\\';
     CREATE VIEW names AS SELECT name FROM customers;
     CREATE TABLE refers_unique (id serial PRIMARY KEY, name text COLLATE loose REFERENCES customers (name));
     INSERT INTO "select" ("from", "a ""quoted"" name", "客户", "__typename", "2nd") VALUES ('x', 1, 'y', 'z', 2); INSERT INTO "Query" ("camelCase", camel_case, "CAMELCASE") VALUES (1, 2, 3);
     INSERT INTO shop."Order.Details" (total) VALUES (1.50), (99999999.99); INSERT INTO orders DEFAULT VALUES; INSERT INTO shop.orders (other) VALUES (1);
     INSERT INTO ${long} VALUES (1, NULL, NULL), (2, 1, 1); INSERT INTO chicken DEFAULT VALUES; INSERT INTO egg (chicken_id) VALUES (1); UPDATE chicken SET egg_id = 1;
     INSERT INTO customers (name) VALUES ('Ann'), ('Bob'); INSERT INTO customer_orders (customer_id) VALUES (1), (1), (2); CREATE MATERIALIZED VIEW totals AS SELECT customer_id, count(*)::int AS orders FROM customer_orders GROUP BY 1; CREATE UNIQUE INDEX ON totals (customer_id); INSERT INTO days VALUES ('2020-02-29', 1); INSERT INTO dog (bark) VALUES ('wau');
     INSERT INTO kinds (m, mail, t, tz, d, ti, iv, b, j, u, i, c, big, re, du, nu, bo, ta, ia, x) VALUES ('very happy', 'a@b', '2020-02-29 10:00:00.123456', '2020-02-29 10:00:00.123Z', '2020-02-29',
       '10:00:00.5', '1 mon 2 days', '\\x00ff', '{"a": 1.5}', '0f0f0f0f-0000-4000-8000-000000000001', '10.0.0.1/8', 'ab', 9007199254740993, 0.1, 0.1, 12345678901234567890.123456789, true,
       ARRAY['a', 'b c'], ARRAY[1, 2], '<a/>'), (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);`,
  );
  if (database === undefined) return;
  const folder = join(temporaryFolder(context), 'app');
  const { code, err } = await runLine(['adopt', database.url, folder]);
  equal(`${code} ${err}`, '0 ');
  const schema = readFileSync(join(folder, 'schema.graphql'), 'utf8');
  const report = readFileSync(join(folder, 'ADOPTED.md'), 'utf8');
  match(schema, /@entity\(table: "shop\.\\"Order\.Details\\""\)/);
  match(schema, /very_happy @column\(name: "very happy"\)/);
  match(schema, /type ShopOrder\n/);
  match(schema, /type Total\n {2}@entity\(table: "totals"\)\n {2}@unmanaged @readOnly\n[^}]*customerId: Int! @id\n/);
  match(schema, /customers\(first: Int = 25, start: Int = 0, where: CustomerFilter, orderBy: \[CustomerOrder_!\]\): /);
  match(report, /`users`: it has row-level security \(the policies own_rows\)/);
  match(report, /`animal`: other tables inherit from it \(dog\)/);
  match(report, /`names`: it is a view/);
  match(report, /`kinds\.mo`: no scalar reads values of money/);
  match(report, /`users\.secret_note`: it looks like a secret/);
  match(report, /the foreign key name → customers \(name\) is no relation/);
  ok((await comparePostgres(folder, database)) >= 18);
});

test('SQLite: values of any type, names of any text and broken references end in a good schema or in a precise refusal', async (context) => {
  const file = sqliteFile(
    context,
    `CREATE TABLE "Order Details" ("Order ID" INTEGER, "Product" TEXT, PRIMARY KEY ("Order ID", "Product"));
     CREATE TABLE mixed (id INTEGER PRIMARY KEY, a, b INTEGER, c TEXT, d DATE, e DATETIME, f BOOLEAN, g BLOB, h DECIMAL(5,2), i REAL, j BIGINT, k DATE, l DATETIME, m BOOLEAN, n INTEGER);
     CREATE TABLE "group" ("order" TEXT NOT NULL PRIMARY KEY, "Index" INTEGER DEFAULT 5, "a""b" TEXT, "[c]" TEXT, total INTEGER GENERATED ALWAYS AS ("Index" * 2)) WITHOUT ROWID;
     CREATE TABLE child (id INTEGER PRIMARY KEY, mixed_id INTEGER NOT NULL REFERENCES MIXED(ID), gone_id INTEGER REFERENCES nowhere(id));
     CREATE VIRTUAL TABLE words USING fts5(text); CREATE VIEW broken AS SELECT x FROM nowhere; CREATE VIEW good AS SELECT id FROM mixed;
     CREATE TABLE odd (a TEXT); CREATE TABLE odder (id INTEGER PRIMARY KEY, x TEXT REFERENCES odd (a));
     CREATE TABLE nulls (a TEXT PRIMARY KEY); INSERT INTO nulls VALUES (NULL), ('x');
     INSERT INTO mixed VALUES (1, 1, 2, 'x', '2020-02-29', '2020-02-29 10:00:00', 1, x'00ff', 1.25, 2.5, 9007199254740993, 'soon', 5, 7, 1700000000000),
       (2, 'text', NULL, NULL, NULL, NULL, 0, NULL, NULL, 1, NULL, NULL, NULL, NULL, 1);
     INSERT INTO "group" ("order", "a""b", "[c]") VALUES ('a', 'b', 'c'); 
     PRAGMA foreign_keys = OFF; INSERT INTO child VALUES (1, 1, NULL), (2, 1, NULL); INSERT INTO child VALUES (3, 77, NULL);`,
  );
  const folder = join(temporaryFolder(context), 'app');
  const { code, err } = await runLine(['adopt', file, folder]);
  equal(`${code} ${err}`, '0 ');
  const report = readFileSync(join(folder, 'ADOPTED.md'), 'utf8');
  match(report, /`mixed\.a`: its values are of several types/);
  match(report, /`words`: it is a virtual table/);
  match(report, /`broken`: it is a view/);
  match(report, /`nulls`: its key a is null in some rows/);
  match(report, /`child`: mixed_id refers to rows of mixed that are not there, so mixed may be null/);
  ok((await compareSqlite(folder, file)) >= 5);
});

test('SQLite: a type or a name that is a statement stays a text', async (context) => {
  const owned = join(temporaryFolder(context), 'owned.db');
  const type = `INT); COMMIT; ATTACH DATABASE '${owned}' AS y; CREATE TABLE y.t (a); BEGIN; CREATE TABLE u (b`;
  const file = sqliteFile(
    context,
    `CREATE TABLE t (id INTEGER PRIMARY KEY, a "${type}", n VARCHAR(20), plain);
     CREATE TABLE "x; DROP TABLE t; --" (a TEXT); CREATE TABLE "two
## lines" (a TEXT);`,
  );
  const folder = join(temporaryFolder(context), 'app');
  const { code, err } = await runLine(['adopt', file, folder]);
  equal(`${code} ${err}`, '0 ');
  equal(existsSync(owned), false);
  match(readFileSync(join(folder, 'schema.graphql'), 'utf8'), /n: String\n/);
  const report = readFileSync(join(folder, 'ADOPTED.md'), 'utf8');
  match(report, /CREATE UNIQUE INDEX … ON "x; DROP TABLE t; --" \(…\)/);
  doesNotMatch(report, /^## lines/m);
});

test('what SQL says about a column that looks like a secret is in no file', async (context) => {
  const tables = `CREATE TABLE accounts (id INTEGER PRIMARY KEY, api_token VARCHAR(40) DEFAULT 'sk_live_123' CHECK (api_token <> 'sk_live_124'),
    name VARCHAR(40) DEFAULT 'Ada' CHECK (name <> 'Bob'), masked VARCHAR(90) GENERATED ALWAYS AS (api_token || 'sk_live_125') STORED)`;
  const check = async (source: string): Promise<void> => {
    const folder = join(temporaryFolder(context), 'app');
    const { code, err } = await runLine(['adopt', source, folder]);
    equal(`${code} ${err}`, '0 ');
    for (const name of readdirSync(folder)) doesNotMatch(readFileSync(join(folder, name), 'utf8'), /sk_live/, name);
    const description = readFileSync(join(folder, 'adopted.json'), 'utf8');
    match(description, /'Ada'/);
    match(description, /'Bob'/);
    match(description, /"default": "\(not said/);
    match((await runLine(['adopt', source, folder])).out, /^Nothing has changed in /);
  };
  await check(sqliteFile(context, tables));
  const database = await postgresDatabase(
    context,
    `${tables}; COMMENT ON COLUMN accounts.api_token IS 'like sk_live_126'; COMMENT ON TABLE accounts IS 'api_token: sk_live_127'`,
  );
  if (database !== undefined) await check(database.url);
});

test('19.2 a column that may mark deleted rows is reported, and soft deletion of it works', async (context) => {
  const file = sqliteFile(
    context,
    `CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT, deleted BOOLEAN NOT NULL DEFAULT 0);
     INSERT INTO notes (text, deleted) VALUES ('kept', 0), ('gone', 1);`,
  );
  const folder = join(temporaryFolder(context), 'app');
  equal((await runLine(['adopt', file, folder])).code, 0);
  match(readFileSync(join(folder, 'ADOPTED.md'), 'utf8'), /`notes`: its column deleted may mark deleted rows/);
  const path = join(folder, 'schema.graphql');
  const schema = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    schema
      .replace('@entity(table: "notes")', '@entity(table: "notes", softDelete: "deleted")')
      .replaceAll(/(input \w+ \{[^}]*?)\n\s*deleted: Boolean!?/g, '$1'),
  );
  const app = await serveFolder(folder, {});
  deepEqual((await app.call('{ notes { text } }')).data, { notes: [{ text: 'kept' }] });
  await app.call('mutation { createNote(input: { text: "new" }) { id } deleteNote(id: 1) { id } }');
  deepEqual((await app.call('{ notes { text } }')).data, { notes: [{ text: 'new' }] });
  await app.close();
});
