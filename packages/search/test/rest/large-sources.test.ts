// Documents whose sources are read, masked, filtered and copied beside the main thread: nothing but that may tell them from small ones.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { type Ask, startRest } from './harness.ts';

/** Text that hardly gets shorter by compression, always the same. */
function noise(length: number, seed: number): string {
  let state = seed;
  let text = '';
  while (text.length < length) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    text += state.toString(36);
  }
  return text.slice(0, length);
}

interface Source {
  readonly number: number;
  readonly secret: string | null | undefined;
  readonly tag: string;
  readonly text: string;
}

const sourceOf = (number: number, length: number): Source => ({
  number,
  secret: `a "secret" é ${number}`,
  tag: number % 2 === 0 ? 'even' : 'odd',
  text: number % 3 === 0 ? 'é '.repeat(length / 3) : noise(length, number),
});

/** One small, and others of which some are compressed to less than what is read at once, and some are not. */
const SIZES = [10, 300_000, 900_000, 400_000];

async function filled(): Promise<Ask> {
  const ask = await startRest();
  const properties = {
    number: { type: 'long' },
    secret: { type: 'keyword' },
    tag: { type: 'keyword' },
    text: { type: 'keyword', index: false, doc_values: false },
  };
  await ask('PUT /from', { mappings: { properties } });
  for (const [at, size] of SIZES.entries()) {
    const { status } = await ask(`PUT /from/_doc/${at}`, sourceOf(at, size));
    equal(status, 201);
  }
  await ask('POST /from/_refresh');
  return ask;
}

const VIEWS = {
  hidden: { view: { hidden: ['secret'] }, cut: ({ number, tag, text }: Source): object => ({ number, tag, text }) },
  guarded: {
    view: { guarded: [{ path: 'secret', when: { kind: 'number_range', field: 'number', from: 0, to: 1 } as const }] },
    cut: (source: Source): object => ({ ...source, secret: source.number <= 1 ? source.secret : null }),
  },
};

test('a large document is shown under a view as a small one is: whole, in parts, one of many', async () => {
  const ask = await filled();
  for (const { view, cut } of Object.values(VIEWS)) {
    const options = { view: () => view };
    for (const [at, size] of SIZES.entries()) {
      const shown = cut(sourceOf(at, size));
      deepEqual((await ask(`GET /from/_doc/${at}`, undefined, options)).json._source, shown);
      deepEqual((await ask(`GET /from/_source/${at}`, undefined, options)).json, shown);
      const parts = await ask(`GET /from/_doc/${at}?_source=secret,tag`, undefined, options);
      const { secret, tag } = shown as Source;
      deepEqual(parts.json._source, secret === undefined ? { tag } : { secret, tag });
    }
    const many = await ask('POST /from/_mget', { ids: SIZES.map((_, at) => String(at)) }, options);
    deepEqual(
      many.json.docs.map((each: { _source: object }) => each._source),
      SIZES.map((size, at) => cut(sourceOf(at, size))),
    );
    const found = await ask('POST /from/_search', { sort: ['number'] }, options);
    deepEqual(
      found.json.hits.hits.map((each: { _source: object }) => each._source),
      SIZES.map((size, at) => cut(sourceOf(at, size))),
    );
  }
});

test('large documents are copied whole, in parts, and as their caller sees them', async () => {
  const ask = await filled();
  const copies: readonly (readonly [object, object, (source: Source) => object])[] = [
    [{}, {}, (source) => source],
    [{ _source: ['tag', 'number'] }, {}, ({ tag, number }) => ({ number, tag })],
    [{}, { view: (name: string) => (name === 'from' ? VIEWS.hidden.view : undefined) }, VIEWS.hidden.cut],
    [{}, { view: (name: string) => (name === 'from' ? VIEWS.guarded.view : undefined) }, VIEWS.guarded.cut],
  ];
  for (const [at, [more, options, cut]] of copies.entries()) {
    const copied = await ask(
      'POST /_reindex?refresh=true',
      { source: { index: 'from', ...more }, dest: { index: `to${at}` } },
      options as { view?: never },
    );
    deepEqual([copied.status, copied.json.created, copied.json.batches], [200, SIZES.length, 1], copied.text);
    for (const [id, size] of SIZES.entries())
      deepEqual((await ask(`GET /to${at}/_doc/${id}`)).json._source, cut(sourceOf(id, size)));
  }
});

test('large documents are written anew by a query and stay what they were', async () => {
  const ask = await filled();
  const updated = await ask('POST /from/_update_by_query?refresh=true', { query: { term: { tag: 'odd' } } });
  deepEqual([updated.json.updated, updated.json.batches], [2, 1], updated.text);
  for (const [at, size] of SIZES.entries()) {
    const { json } = await ask(`GET /from/_doc/${at}`);
    deepEqual([json._version, json._source], [at % 2 === 1 ? 2 : 1, sourceOf(at, size)]);
  }
});
