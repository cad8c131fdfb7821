// What a view costs: the same searches by somebody who may see all documents and under views that show 1 %, 10 % and 90 % of
// them, in one process, interleaved, warm, by median. `npm run bench -- views [DOCUMENTS]`.
import { createEngine, createRestApi, type IndexView, type RestRequest } from '@lockstitch/search';

import { printTable } from '../lib/table.ts';

const DOCUMENTS = Number(process.argv[2] ?? 200_000);
const ROUNDS = 15;
const WORDS = 20_000;

/** A word by its rank, common ones first: rank r comes up 1/r as often. */
function word(random: () => number): string {
  const rank = Math.floor(Math.exp(random() * Math.log(WORDS)));
  return `w${rank}`;
}

function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}

const SHARES: Readonly<Record<string, IndexView | undefined>> = {
  all: undefined,
  '1 %': { rows: { kind: 'term', field: '_policy.r0', term: '0' }, hidden: ['_policy'] },
  '10 %': { rows: { kind: 'terms', field: '_policy.r0', terms: range(0, 10) }, hidden: ['_policy'] },
  '90 %': { rows: { kind: 'terms', field: '_policy.r0', terms: range(0, 90) }, hidden: ['_policy'] },
};

function range(from: number, to: number): string[] {
  return Array.from({ length: to - from }, (_, at) => String(from + at));
}

const CLASSES: Readonly<Record<string, (random: () => number) => unknown>> = {
  term: (random) => ({ query: { match: { text: word(random) } } }),
  or: (random) => ({ query: { match: { text: `${word(random)} ${word(random)} ${word(random)}` } } }),
  and: (random) => ({ query: { match: { text: { query: `${word(random)} ${word(random)}`, operator: 'and' } } } }),
  phrase: (random) => ({ query: { match_phrase: { text: `${word(random)} ${word(random)}` } } }),
  prefix: (random) => ({ query: { prefix: { text: word(random).slice(0, 4) } } }),
  facets: (random) => ({
    query: { match: { text: word(random) } },
    size: 0,
    aggs: { tags: { terms: { field: 'tag' } } },
  }),
  sort: (random) => ({ query: { match: { text: word(random) } }, sort: [{ n: 'desc' }] }),
};

const engine = await createEngine();
const rest = createRestApi(engine);
const encoder = new TextEncoder();
async function ask(method: string, path: string, body: unknown, view?: IndexView): Promise<number> {
  const text = Array.isArray(body) ? body.map((line) => `${JSON.stringify(line)}\n`).join('') : JSON.stringify(body);
  const request: RestRequest = {
    method,
    path,
    query: new URLSearchParams(path === '/_bulk' ? '' : 'filter_path=hits.total,aggregations'),
    headers: { 'content-type': 'application/json' },
    body: encoder.encode(text),
    ...(view === undefined ? {} : { view: () => view }),
  };
  const started = performance.now();
  const { status, body: answer } = await rest.handle(request);
  if (status >= 300) throw new Error(answer);
  return performance.now() - started;
}

await ask('PUT', '/t', {
  mappings: {
    properties: {
      text: { type: 'text' },
      tag: { type: 'keyword' },
      n: { type: 'long' },
      _policy: { properties: { r0: { type: 'keyword', doc_values: false } } },
    },
  },
});
const random = generator(7);
for (let from = 0; from < DOCUMENTS; from += 2000) {
  const lines: unknown[] = [];
  for (let at = from; at < Math.min(DOCUMENTS, from + 2000); at++) {
    const text = Array.from({ length: 25 }, () => word(random)).join(' ');
    lines.push({ index: { _index: 't', _id: String(at) } });
    lines.push({
      text,
      tag: `t${Math.floor(random() * 50)}`,
      n: Math.floor(random() * 1e6),
      _policy: { r0: String(Math.floor(random() * 100)) },
    });
  }
  await ask('POST', '/_bulk', lines);
}
await engine.index('t').refresh();
await engine.index('t').forceMerge({ maxSegments: 3 });

const rows: string[][] = [];
for (const [name, make] of Object.entries(CLASSES)) {
  const times = new Map<string, number[]>();
  for (let round = 0; round < ROUNDS; round++) {
    // The same queries for everybody, and again in the next round: what is counted once for a view is warm.
    const own = generator(99);
    for (let at = 0; at < 20; at++) {
      const body = make(own);
      for (const [share, view] of Object.entries(SHARES)) {
        const time = await ask('POST', '/t/_search', body, view);
        if (round >= 5) times.set(share, [...(times.get(share) ?? []), time]);
      }
    }
  }
  const median = (share: string): number => {
    const sorted = times.get(share)!.toSorted((a, b) => a - b);
    return sorted[sorted.length >> 1]!;
  };
  const all = median('all');
  rows.push([
    name,
    `${(all * 1000).toFixed(0)} µs`,
    ...['1 %', '10 %', '90 %'].map((share) => (median(share) / all).toFixed(2)),
  ]);
}
printTable(
  `${DOCUMENTS} documents: median of a warm search, and times that under a view`,
  ['class', 'all', '1 %', '10 %', '90 %'],
  rows,
);
await engine.close();
