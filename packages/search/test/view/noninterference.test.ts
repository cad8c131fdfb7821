// Under a view, an index answers every request byte for byte as one that never held what the view withholds: neither the
// documents, nor the fields, nor the history of their writes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { IndexView } from '@lockstitch/search';
import { type Ask, startRest } from '../rest/harness.ts';
import { arbitraryRead, type Asked } from './requests.ts';

const MAPPINGS = {
  dynamic: 'strict',
  properties: {
    owner: { type: 'keyword' },
    text: { type: 'text', fields: { keyword: { type: 'keyword', ignore_above: 12 } } },
    tag: { type: 'keyword' },
    n: { type: 'long' },
    when: { type: 'date' },
    span: { type: 'integer_range' },
    rank: { type: 'rank_feature' },
    poster: {
      properties: {
        login: { type: 'keyword' },
        name: { type: 'text', fields: { keyword: { type: 'keyword', ignore_above: 6 } } },
      },
    },
    secret: { type: 'text', fields: { keyword: { type: 'keyword' } } },
    _policy: { properties: { r0: { type: 'keyword' } } },
  },
};

const words = fc
  .array(fc.constantFrom('red', 'blue', 'fox', 'dog', 'secret', 'rex'), { maxLength: 4 })
  .map((list) => list.join(' '));
const documentSource = fc.record({
  owner: fc.constantFrom('ann', 'bob'),
  text: words,
  tag: fc.oneof(fc.constantFrom('x', 'y', 'zed'), fc.constant(null), fc.constant(['x', 'zed'])),
  n: fc.oneof(fc.nat(5), fc.constant(null)),
  when: fc.constantFrom('2026-01-01', '2026-01-03', null),
  rank: fc.constantFrom(1, 7, 90),
  span: fc.oneof(fc.record({ gte: fc.nat(2), lt: fc.constantFrom(3, 5) }), fc.constant(null)),
  poster: fc.oneof(fc.record({ login: fc.constantFrom('ann', 'bob', 'cid'), name: words }), fc.constant(null)),
  secret: words,
  _policy: fc.record({ r0: fc.constantFrom('t', 'f') }),
});
type Source = (typeof documentSource extends fc.Arbitrary<infer T> ? T : never) & Readonly<Record<string, unknown>>;

interface Case {
  readonly view: IndexView;
  readonly sees: (source: Source) => boolean;
  /** What is left of a visible document. */
  readonly cut: (source: Source) => unknown;
}

const view: fc.Arbitrary<Case> = fc
  .record({
    rows: fc.constantFrom('all', 'ann', 'few', 'none'),
    hidden: fc.boolean(),
    poster: fc.boolean(),
    tag: fc.boolean(),
  })
  .map(({ rows, hidden, poster, tag }) => ({
    view: {
      ...(rows === 'all'
        ? {}
        : {
            rows:
              rows === 'ann'
                ? { kind: 'term', field: 'owner', term: 'ann' }
                : rows === 'few'
                  ? {
                      kind: 'boolean',
                      filter: [{ kind: 'number_range', field: 'n', to: 2 }],
                      mustNot: [{ kind: 'term', field: '_policy.r0', term: 'f' }],
                    }
                  : { kind: 'match_none' },
          }),
      hidden: [...(hidden ? ['secret'] : []), '_policy'],
      guarded: [
        ...(poster ? [{ path: 'poster', when: { kind: 'term', field: '_policy.r0', term: 't' } } as const] : []),
        ...(tag ? [{ path: 'tag', when: { kind: 'term', field: 'owner', term: 'ann' } } as const] : []),
      ],
    },
    sees: ({ owner, n, _policy }) =>
      rows === 'all' ||
      (rows === 'ann' ? owner === 'ann' : rows === 'few' && n !== null && n <= 2 && _policy.r0 !== 'f'),
    cut: (source) => ({
      ...source,
      ...(hidden ? { secret: 'something else' } : {}),
      ...(poster && source._policy.r0 !== 't' ? { poster: null } : {}),
      ...(tag && source.owner !== 'ann' ? { tag: null } : {}),
    }),
  }));

/** What two servers may differ in: when they were made, and how long they take. */
function comparable(text: string): string {
  return text.replaceAll(/"(?:took|time_in_nanos)":\d+/g, '').replaceAll(/"(?:uuid|creation_date)":"[^"]*"/g, '');
}

async function open(): Promise<Ask> {
  const ask = await startRest();
  const made = await ask('PUT /t', { mappings: MAPPINGS });
  assert.equal(made.status, 200, made.text);
  return ask;
}

async function write(ask: Ask, documents: readonly (readonly [string, unknown])[]): Promise<void> {
  if (documents.length === 0) return;
  const lines = documents.flatMap(([id, source]) => [{ index: { _index: 't', _id: id } }, source]);
  const reply = await ask('POST /_bulk?refresh=true', lines);
  assert.equal(reply.json.errors, false, reply.text);
}

test('under a view every request is answered as by an index that never held what the view withholds', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(documentSource, { minLength: 1, maxLength: 9 }),
      fc.array(fc.tuple(fc.nat(8), documentSource), { maxLength: 4 }),
      view,
      fc.array(arbitraryRead, { minLength: 8, maxLength: 8 }),
      async (sources, earlier, { cut, sees, view: seen }, requests) => {
        const documents = sources.map((source, at) => [String(at), source as Source] as const);
        const whole = await open();
        // A history of its own: other values first, and another order of the last writes.
        await write(
          whole,
          earlier.filter(([at]) => at < sources.length).map(([at, source]) => [String(at), source]),
        );
        await write(whole, documents.slice(0, 2));
        await write(whole, documents.toReversed());
        const other = await open();
        await write(
          other,
          documents.filter(([, source]) => sees(source)).map(([id, source]) => [id, policyKept(source, cut)]),
        );
        for (const { target, body } of requests) await compare({ target, body }, whole, other, seen);
      },
    ),
    { numRuns: 150 },
  );
});

/** Cutting must not change what the rules read. */
function policyKept(source: Source, cut: Case['cut']): unknown {
  return { ...(cut(source) as object), _policy: source._policy };
}

async function compare({ target, body }: Asked, whole: Ask, cut: Ask, seen: IndexView): Promise<void> {
  const more = { view: () => seen };
  const [found, truth] = [await whole(target, body, more), await cut(target, body, more)];
  assert.notEqual(found.status, 500, found.text);
  assert.equal(found.status, truth.status, `${target} ${JSON.stringify(body)}: ${found.text}`);
  assert.equal(comparable(found.text), comparable(truth.text), `${target} ${JSON.stringify(body)}`);
  assert.doesNotMatch(found.text, /"_policy"|"r0"/);
}
