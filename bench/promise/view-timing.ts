// Whether the time of an answer tells of what is hidden: kinds of request by a caller who sees one of a hundred documents, beside the same
// on data cut down to what is visible, and on data whose hidden part is another. All in one process, in turns, each request of new words.
//   npm run bench -- views --timing [--documents 100000] [--samples 30] [--only KIND,…] [--door search|graph]
import { parseArgs } from 'node:util';
import type { ImportRow } from '@lockstitch/graph';
import { createEngine, createRestApi, type IndexView } from '@lockstitch/search';
import { copyViews } from '../../packages/search/src/view/cuts.ts';
import { openWorld, readModel } from '../../packages/server/test/policy/world.ts';
import { printTable } from '../lib/table.ts';
import { CALLER, drawWords, type Hidden, timingRows, type TimingRow, type Words } from './timing-data.ts';
import { GRAPH_KINDS, type Kind, SEARCH_KINDS } from './timing-kinds.ts';

const { values: flags } = parseArgs({
  options: {
    timing: { type: 'boolean' },
    documents: { type: 'string' },
    samples: { type: 'string' },
    only: { type: 'string' },
    door: { type: 'string' },
  },
});
const DOCUMENTS = Number(flags.documents ?? 100_000);
const SAMPLES = Number(flags.samples ?? 30);
/** Milliseconds that a kind is measured for at most, in each way. */
const MOST = 6000;
const WORLDS: readonly Hidden[] = ['none', 'many', 'others'];

const VIEW: IndexView = {
  rows: { kind: 'term', field: 'owner', term: CALLER },
  hidden: ['owner'],
  guarded: [{ path: 'secret', when: { kind: 'term', field: 'shared', term: 'true' } }],
};
const SEARCH_FIELDS = {
  owner: { type: 'keyword' },
  text: { type: 'text' },
  title: { type: 'text' },
  tag: { type: 'keyword' },
  code: { type: 'keyword' },
  number: { type: 'long' },
  price: { type: 'double' },
  made: { type: 'date' },
  secret: { type: 'keyword' },
  shared: { type: 'keyword' },
  place: { type: 'geo_point' },
  typed: { type: 'completion' },
};
const SCHEMA = `
  type Note
    @entity
    @auth(read: "owner == authentication.name")
    @index(fields: ["owner", "id"])
    @index(fields: ["owner", "price"])
    @index(fields: ["owner", "number"])
    @index(fields: ["owner", "tag"]) {
    id: ID! @id
    owner: String!
    text: String! @search
    title: String! @search
    tag: String! @search(type: "keyword")
    code: String! @search(type: "keyword")
    number: Int! @search
    price: Float! @search
    secret: String @search(type: "keyword") @auth(read: "shared")
    shared: Boolean!
  }
  type Query {
    note(id: ID!): Note
    notes(first: Int = 10, where: NoteFilter, orderBy: [NoteOrder!]): [Note!]!
    pages(first: Int = 10, where: NoteFilter): NoteConnection!
    found(query: String!, first: Int = 10, where: NoteFilter): NoteSearchConnection!
  }
`;

/** One of the states of the data. */
interface World {
  /** Asks one kind. @returns microseconds */
  ask(kind: string, words: Words): Promise<number>;
  /** Writes a hidden row, so that the next request opens the view again. */
  change(row: TimingRow): Promise<void>;
}

async function openEngine(rows: readonly TimingRow[]): Promise<World> {
  const engine = await createEngine({ memoryBudget: 16 * 2 ** 30 });
  const rest = createRestApi(engine);
  const encoder = new TextEncoder();
  const send = async (method: string, path: string, body?: string, view?: IndexView): Promise<number> => {
    const url = new URL(path, 'http://localhost');
    const started = process.hrtime.bigint();
    const { status, body: answer } = await rest.handle({
      method,
      path: url.pathname,
      query: url.searchParams,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: encoder.encode(body) }),
      ...(view === undefined ? {} : { view: () => view }),
    });
    const took = Number(process.hrtime.bigint() - started) / 1000;
    if (status >= 300 && status !== 404) throw new Error(`${path} ${body}: ${answer}`);
    return took;
  };
  const settings = { refresh_interval: '-1' };
  const nested = { number: { type: 'long' }, parts: { type: 'nested', properties: { kind: { type: 'keyword' } } } };
  await send('PUT', '/t', JSON.stringify({ settings, mappings: { properties: SEARCH_FIELDS } }));
  const { owner, secret, shared, title } = SEARCH_FIELDS;
  const properties = { owner, secret, shared, title, ...nested };
  await send('PUT', '/n', JSON.stringify({ settings, mappings: { properties } }));
  const write = async (written: readonly TimingRow[]): Promise<void> => {
    const lines = written.flatMap(({ lat, lon, id, ...row }) => [
      { index: { _index: 't', _id: id } },
      { ...row, shared: String(row.shared), place: { lat, lon }, typed: row.title },
      { index: { _index: 'n', _id: id } },
      {
        owner: row.owner,
        secret: row.secret,
        shared: String(row.shared),
        title: row.title,
        number: row.number,
        parts: row.title.split(' ').map((kind) => ({ kind })),
      },
    ]);
    await send('POST', '/_bulk', lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  };
  for (let from = 0; from < rows.length; from += 1000) await write(rows.slice(from, from + 1000));
  for (const index of ['t', 'n']) await engine.index(index).forceMerge({ maxSegments: 2 });
  const change = async (row: TimingRow): Promise<void> => {
    await write([row]);
    for (const index of ['t', 'n']) await engine.index(index).refresh();
  };
  const ask: World['ask'] = (name, words) => {
    const { path = '_search', body, index = 't' } = SEARCH_KINDS[name] as Kind;
    const [last, method] = path.split(' ').toReversed() as [string, string | undefined];
    const target = last.replace('ID', words.id).replace('HIDDEN', words.hiddenId);
    const asked = body(words);
    const text = asked === undefined ? undefined : JSON.stringify(asked);
    return send(method ?? 'POST', `/${index}/${target}`, text, VIEW);
  };
  return { ask, change };
}

async function openGraph(rows: readonly TimingRow[]): Promise<World> {
  const model = readModel(SCHEMA);
  const noteOf = ({ id, owner, text, title, tag, code, number, price, secret, shared }: TimingRow): ImportRow => {
    return { id, owner, text, title, tag, code, number, price, secret, shared };
  };
  const world = await openWorld(model, [['Note', rows.map(noteOf)]]);
  const principal = { name: CALLER, authenticated: true, authorities: new Set<string>(), attributes: {} };
  const change = async (row: TimingRow): Promise<void> => {
    await world.graph.importRows('Note', [[noteOf(row)]]);
    await new Promise((resolve) => setTimeout(resolve, 200));
  };
  const ask: World['ask'] = async (name, words) => {
    const text = GRAPH_KINDS[name]!(words);
    const started = process.hrtime.bigint();
    const answer = await world.query(text, principal as never);
    const took = Number(process.hrtime.bigint() - started) / 1000;
    const faults = answer.replaceAll('"code":"GRAPH_FIELD_FORBIDDEN"', '');
    if (faults.includes('"code":"GRAPH_')) throw new Error(`${text}: ${answer}`);
    return took;
  };
  return { ask, change };
}

const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;

/** Medians over requests of the same words in each world: µs on the visible alone, times that, and with other hidden rows times that. */
interface Measured {
  readonly alone: number;
  readonly hidden: number;
  readonly others: number;
}

async function measure(worlds: readonly World[], kind: string, words: Generator<Words, never>): Promise<Measured> {
  const times = worlds.map((): number[] => []);
  for (const until of [performance.now() + MOST / 3, performance.now() + MOST]) {
    const warming = times[0]!.length === 0;
    const taken = times.map((): number[] => []);
    for (let round = 0; round < SAMPLES && (round < 3 || performance.now() < until); round++) {
      const drawn = words.next().value;
      // Who goes first finds the processor's caches cold.
      for (let at = 0; at < worlds.length; at++) {
        const world = (at + round) % worlds.length;
        taken[world]!.push(await worlds[world]!.ask(kind, drawn));
        await nextTurn();
      }
    }
    // What is put off to the background while requests come ends before anything is measured.
    if (warming) await new Promise((resolve) => setTimeout(resolve, 20));
    taken.forEach((list, world) => (times[world] = list));
  }
  const [none, many, others] = times as [number[], number[], number[]];
  return {
    alone: median(none),
    hidden: median(many.map((time, at) => time / none[at]!)),
    others: median(others.map((time, at) => time / many[at]!)),
  };
}

const visible = [...timingRows(DOCUMENTS, 'none')];
const only = flags.only?.split(',');
const wanted = (kinds: Readonly<Record<string, unknown>>): string[] =>
  Object.keys(kinds).filter((kind) => only === undefined || only.some((each) => kind.includes(each)));
const rows: string[][] = [];
const copied: { readonly kind: string; readonly ratio: number; readonly between: number }[] = [];
for (const [door, kinds, open] of [
  ['search', SEARCH_KINDS, openEngine],
  ['graph', GRAPH_KINDS, openGraph],
] as const) {
  if (flags.door !== undefined && flags.door !== door) continue;
  const worlds: World[] = [];
  for (const hidden of WORLDS) {
    process.stderr.write(`${door}: ${hidden}\n`);
    worlds.push(await open([...timingRows(DOCUMENTS, hidden)]));
  }
  const words = drawWords(visible, 3);
  const kindsAsked = wanted(kinds);
  // Before what a view shows is copied, and once it is.
  const times: Measured[][] = [];
  for (const mode of ['never', 'usual'] as const) {
    copyViews(mode);
    const hidden = [...timingRows(1, 'many')][0]!;
    for (const world of worlds) await world.change({ ...hidden, id: `more${mode}` });
    if (mode === 'usual') {
      for (let round = 0; round < 8; round++)
        for (const world of worlds) await world.ask(kindsAsked[0]!, words.next().value);
      await new Promise((resolve) => setTimeout(resolve, 2000));
    }
    const found: Measured[] = [];
    for (const kind of kindsAsked) {
      found.push(await measure(worlds, kind, words));
      const { alone, hidden: ratio, others } = found.at(-1)!;
      process.stderr.write(`${mode}  ${kind}  ${alone.toFixed(0)}  ${ratio.toFixed(2)}  ${others.toFixed(2)}\n`);
    }
    times.push(found);
  }
  for (const [at, kind] of kindsAsked.entries()) {
    const [cold, warm] = [times[0]![at]!, times[1]![at]!];
    copied.push({ kind, ratio: warm.hidden, between: warm.others });
    const ratios = [warm.hidden, cold.hidden, warm.others, cold.others].map((each) => each.toFixed(2));
    rows.push([`${door}: ${kind}`, warm.alone.toFixed(0), ...ratios]);
  }
}
printTable(
  `${DOCUMENTS} documents of which one in a hundred is visible: µs on the visible alone, and times that with the hidden, once the view is copied and before; and with other hidden documents, times that`,
  ['kind', 'µs', 'copied', 'before', 'others', 'before'],
  rows,
);
const over = copied.filter(({ ratio }) => ratio > 3);
const apart = copied.map(({ between }) => Math.max(between, 1 / between));
process.stdout.write(
  `\n${copied.length} kinds: ${over.length} above 3 (${over.map(({ kind }) => kind).join(', ')}), median ${median(copied.map(({ ratio }) => ratio)).toFixed(2)}, ` +
    `worst ${Math.max(...copied.map(({ ratio }) => ratio)).toFixed(2)}; between two hidden sets at most ${Math.max(...apart).toFixed(2)}, median ${median(apart).toFixed(2)}\n`,
);
process.exit(0);
