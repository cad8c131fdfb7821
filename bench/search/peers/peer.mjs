// One search library in a process of its own: indexes the corpus, then runs classes of queries when asked. Plain JavaScript, as it is
// run from where the peers are installed. Arguments: NAME CORPUS QUERIES HOW_MANY_OF_EACH_CLASS
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const [name, corpus, queryFile, share] = process.argv.slice(2);
const docs = readFileSync(corpus, 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line, id) => {
    const { section, installed_size, summary, description } = JSON.parse(line);
    return { id, section, installed_size, body: `${summary}\n${description}` };
  });

/** Counts the sections of some documents; the ten largest. */
function largestSections(ids) {
  const counts = new Map();
  for (const id of ids) counts.set(docs[id].section, (counts.get(docs[id].section) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).slice(0, 10);
}

const largestFirst = (ids) => ids.sort((a, b) => docs[b].installed_size - docs[a].installed_size).slice(0, 10);

/** Each makes an index and answers what runs a query; undefined for what the library cannot. */
const peers = {
  async minisearch() {
    const { default: MiniSearch } = await import('minisearch');
    const index = new MiniSearch({ fields: ['body'] });
    index.addAll(docs);
    const find = (text, options) => index.search(text, options);
    return (kind, { terms, prefix, term }) => {
      const text = terms?.join(' ');
      switch (kind) {
        case 'phrase':
          return undefined;
        case 'and':
          return () => find(text, { combineWith: 'AND' }).slice(0, 10);
        case 'prefix':
          return () => find(prefix, { prefix: true }).slice(0, 10);
        case 'fuzzy':
          return () => find(term, { fuzzy: 1 }).slice(0, 10);
        case 'agg':
          return () => largestSections(find(text).map(({ id }) => id));
        case 'sort':
          return () => largestFirst(find(text).map(({ id }) => id));
        default:
          return () => find(text).slice(0, 10);
      }
    };
  },
  async orama() {
    const { create, insertMultiple, search } = await import('@orama/orama');
    const index = create({ schema: { body: 'string', section: 'enum', installed_size: 'number' } });
    await insertMultiple(
      index,
      docs.map(({ body, section, installed_size }) => ({ body, section, installed_size })),
      5000,
    );
    const find = (term, options) => search(index, { term, properties: ['body'], limit: 10, exact: true, ...options });
    return (kind, { terms, prefix, term }) => {
      const text = terms?.join(' ');
      switch (kind) {
        case 'phrase':
          return undefined;
        case 'and':
          return () => find(text, { threshold: 0 });
        case 'prefix':
          return () => find(prefix, { exact: false });
        case 'fuzzy':
          return () => find(term, { exact: false, tolerance: 1 });
        case 'agg':
          return () => find(text, { facets: { section: {} } });
        case 'sort':
          return () => find(text, { sortBy: { property: 'installed_size', order: 'DESC' } });
        default:
          return () => find(text, { threshold: 1 });
      }
    };
  },
  async flexsearch() {
    const { default: FlexSearch } = await import('flexsearch');
    const index = new FlexSearch.Index({ tokenize: 'strict' });
    for (const { id, body } of docs) index.add(id, body);
    return (kind, { terms }) => {
      const text = terms?.join(' ');
      switch (kind) {
        case 'phrase':
        case 'prefix':
        case 'fuzzy':
          return undefined;
        case 'or':
        case 'or_stop':
          return () => index.search(text, { limit: 10, suggest: true });
        case 'agg':
          return () => largestSections(index.search(text, { limit: docs.length }));
        case 'sort':
          return () => largestFirst(index.search(text, { limit: docs.length }));
        default:
          return () => index.search(text, { limit: 10 });
      }
    };
  },
  async sqlite() {
    const { DatabaseSync } = createRequire(import.meta.url)('node:sqlite');
    const database = new DatabaseSync(':memory:');
    database.exec(
      'CREATE VIRTUAL TABLE texts USING fts5(body); CREATE TABLE packages (id INTEGER PRIMARY KEY, section TEXT, installed_size INTEGER); BEGIN',
    );
    const text = database.prepare('INSERT INTO texts (rowid, body) VALUES (?, ?)');
    const row = database.prepare('INSERT INTO packages VALUES (?, ?, ?)');
    for (const { id, body, section, installed_size } of docs) {
      text.run(id, body);
      row.run(id, section, installed_size);
    }
    database.exec('COMMIT');
    const best = database.prepare('SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT 10');
    const joined = 'FROM texts JOIN packages ON packages.id = texts.rowid WHERE texts MATCH ?';
    const sections = database.prepare(
      `SELECT section, count(*) AS n ${joined} GROUP BY section ORDER BY n DESC LIMIT 10`,
    );
    const largest = database.prepare(`SELECT id ${joined} ORDER BY installed_size DESC LIMIT 10`);
    return (kind, { terms, prefix }) => {
      const quoted = terms?.map((word) => `"${word}"`);
      switch (kind) {
        case 'fuzzy':
          return undefined;
        case 'or':
        case 'or_stop':
          return () => best.all(quoted.join(' OR '));
        case 'phrase':
          return () => best.all(`"${terms.join(' ')}"`);
        case 'prefix':
          return () => best.all(`"${prefix}"*`);
        case 'agg':
          return () => sections.all(quoted[0]);
        case 'sort':
          return () => largest.all(quoted[0]);
        default:
          return () => best.all(quoted.join(' AND '));
      }
    };
  },
};

const started = performance.now();
const toSearch = await peers[name]();
const seconds = (performance.now() - started) / 1000;
const classes = Object.entries(JSON.parse(readFileSync(queryFile, 'utf8')));
const searches = new Map(
  classes.map(([kind, list]) => [kind, list.slice(0, Number(share)).map((query) => toSearch(kind, query))]),
);

/** Microseconds of each query of a class that the library can answer. */
async function timesOf(kind) {
  const times = [];
  for (const search of searches.get(kind)) {
    if (search === undefined) continue;
    const before = performance.now();
    await search();
    times.push((performance.now() - before) * 1000);
  }
  return times;
}

process.on('message', (kind) => {
  void timesOf(kind).then((times) => process.send(times));
});
process.on('disconnect', () => process.exit(0));
process.send({ docsPerSecond: docs.length / seconds, memory: Math.round(process.resourceUsage().maxRSS / 1024) });
