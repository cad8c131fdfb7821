// Under a view, an index answers every request byte for byte as one that never held what the view withholds: neither the
// documents, nor the fields, nor the history of their writes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { askPages, comparable, printSearchAsked, type SearchAsked, SiteCounts } from '@lockstitch/search/requests';
import type { IndexView, RestRequest } from '@lockstitch/search';
import { copyViews } from '../../src/view/cuts.ts';
import { type Ask, startRest } from '../rest/harness.ts';
import { arbitraryDocument, EVERY_FIELD, type EveryField } from './every-field.ts';
import { arbitraryRequest, riskyRequest } from './requests.ts';
import { THROW_SITES } from './throw-sites.ts';

type Source = EveryField & Readonly<Record<string, unknown>>;

/** Fields of the rarer kinds. */
const MORE = [
  'many',
  'flag',
  'fine',
  'worded',
  'span',
  'place',
  'address',
  'typed',
  'start',
  'grouped',
  'flat',
  'fixed',
  'scaled',
  'counted',
  'bytes',
];
const ANN = { kind: 'term', field: 'owner', term: 'ann' } as const;
const nulls = (fields: readonly string[]): Readonly<Record<string, null>> =>
  Object.fromEntries(fields.map((field) => [field, null]));

/** Pairs of indexes; eight requests and some pages each. */
const RUNS = Number(process.env['VIEW_RUNS'] ?? 80);
/** Seeds of the rounds that request rare errors, until each was provoked. The first six do it today; the others are for a changed generator. */
const MORE_SEEDS = [1, 2, 3, 5, 9, 11, ...Array.from({ length: 20 }, (_, at) => 12 + at)];

interface Case {
  readonly view: IndexView;
  /** Whether the index that never held hidden fields has them in its mapping neither. */
  readonly unmapped: boolean;
  readonly sees: (source: Source) => boolean;
  /** What is left of a visible document. */
  readonly cut: (source: Source) => unknown;
}

const view: fc.Arbitrary<Case> = fc
  .record({
    rows: fc.constantFrom('all', 'ann', 'ann', 'ann', 'few', 'few', 'none'),
    hidden: fc.boolean(),
    poster: fc.boolean(),
    tag: fc.boolean(),
    parts: fc.constantFrom('shown', 'v hidden', 'note guarded'),
    more: fc.constantFrom('shown', 'hidden', 'guarded'),
    unmapped: fc.boolean(),
  })
  .map(({ rows, hidden, poster, tag, parts, more, unmapped }) => ({
    unmapped,
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
      hidden: [
        ...(hidden ? ['secret'] : []),
        '_policy',
        ...(parts === 'v hidden' ? ['parts.v'] : []),
        ...(more === 'hidden' ? MORE : []),
      ],
      guarded: [
        ...(poster ? [{ path: 'poster', when: { kind: 'term', field: '_policy.r0', term: 't' } } as const] : []),
        ...(tag ? [{ path: 'tag', when: { kind: 'term', field: 'owner', term: 'ann' } } as const] : []),
        ...(parts === 'note guarded' ? [{ path: 'parts.note', when: ANN }] : []),
        ...(more === 'guarded' ? MORE.map((path) => ({ path, when: ANN })) : []),
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
      ...(parts === 'v hidden' ? { parts: source.parts.map((part) => ({ ...part, v: 7 })) } : {}),
      ...(parts === 'note guarded' && source.owner !== 'ann'
        ? { parts: source.parts.map((part) => ({ ...part, note: null })) }
        : {}),
      ...(more === 'hidden' || (more === 'guarded' && source.owner !== 'ann') ? nulls(MORE) : {}),
    }),
  }));

type Properties = Readonly<
  Record<string, { readonly type?: string; readonly path?: string; readonly properties?: Properties }>
>;

/** A mapping without fields, and without aliases of them. */
function without(properties: Properties, hidden: readonly string[], prefix = ''): Properties {
  const isHidden = (path: string): boolean => hidden.some((each) => path === each || path.startsWith(`${each}.`));
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name, { path }]) => !isHidden(`${prefix}${name}`) && (path === undefined || !isHidden(path)))
      .map(([name, field]) => [
        name,
        field.properties === undefined
          ? field
          : { ...field, properties: without(field.properties, hidden, `${prefix}${name}.`) },
      ]),
  );
}

/** A document without these fields. */
function left(source: unknown, hidden: readonly string[], prefix = ''): unknown {
  if (Array.isArray(source)) return source.map((each) => left(each, hidden, prefix));
  if (typeof source !== 'object' || source === null) return source;
  return Object.fromEntries(
    Object.entries(source)
      .filter(([name]) => !hidden.includes(`${prefix}${name}`))
      .map(([name, value]) => [name, left(value, hidden, `${prefix}${name}.`)]),
  );
}

async function open(hidden: readonly string[] = []): Promise<Ask> {
  const ask = await startRest();
  const made = await ask('PUT /t', {
    mappings: { ...EVERY_FIELD, properties: without(EVERY_FIELD.properties, hidden) },
    // Small enough for some documents to pass them.
    settings: { 'highlight.max_analyzed_offset': 20, max_terms_count: 3 },
    aliases: {
      any: {},
      mine: { filter: { term: { owner: 'ann' } } },
      hushed: { filter: { match: { secret: 'fox' } } },
    },
  });
  assert.equal(made.status, 200, made.text);
  return ask;
}

async function write(ask: Ask, documents: readonly (readonly [string, unknown])[]): Promise<void> {
  if (documents.length === 0) return;
  const lines = documents.flatMap(([id, source]) => [{ index: { _index: 't', _id: id } }, source]);
  const reply = await ask('POST /_bulk?refresh=true', lines);
  assert.equal(reply.json.errors, false, reply.text);
}

test('1.1 under a view every request is answered as by an index that never held what the view withholds', async () => {
  const provoked = new SiteCounts(THROW_SITES);
  await compare(arbitraryRequest, RUNS, 8, provoked);
  // Rare errors: pairs cost more than requests.
  for (const seed of MORE_SEEDS) if (provoked.missed.length > 0) await compare(riskyRequest, 6, 80, provoked, seed);
  assert.deepEqual(provoked.missed, [], 'errors that no request provoked');
});

/** Asks so many pairs of indexes: one with all that there is, and one with what the view leaves of it. */
async function compare(
  request: fc.Arbitrary<SearchAsked>,
  pairs: number,
  perPair: number,
  provoked: SiteCounts,
  seed?: number,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      fc.noBias(fc.array(arbitraryDocument, { minLength: 1, maxLength: 9, size: 'max' })),
      fc.array(fc.tuple(fc.nat(8), arbitraryDocument), { maxLength: 4 }),
      view,
      fc.array(request, { minLength: perPair, maxLength: perPair }),
      fc.constantFrom('always', 'never'),
      async (sources, earlier, { cut, sees, unmapped, view: seen }, requests, copied) => {
        copyViews(copied);
        const documents = sources.map((source, at) => [String(at), source as Source] as const);
        const whole = await open();
        // A history of its own: other values first, and another order of the last writes.
        await write(
          whole,
          earlier.filter(([at]) => at < sources.length).map(([at, source]) => [String(at), source]),
        );
        await write(whole, documents.slice(0, 2));
        await write(whole, documents.toReversed());
        const absent = unmapped ? (seen.hidden ?? []) : [];
        const other = await open(absent);
        await write(
          other,
          documents
            .filter(([, source]) => sees(source))
            .map(([id, source]) => [id, left(policyKept(source, cut), absent)]),
        );
        const more = { view: (index: string) => (index === 't' ? seen : undefined) };
        const plain = { view: (index: string) => (index === 't' ? {} : undefined) };
        for (const asked of requests) {
          const [found, truth] = [
            await answer(whole, asked, more),
            await answer(other, asked, unmapped ? plain : more),
          ];
          const what = printSearchAsked(asked);
          assert.doesNotMatch(found, /(?:^|\n)500 /, what);
          assert.equal(found, truth, what);
          // The name of a field that was asked for may stand there, its values not.
          assert.doesNotMatch(found, /"_policy":(?!null)|"r0"(?!:\{"type":)/, what);
          provoked.note(found);
        }
      },
    ),
    { numRuns: pairs, ...(seed === undefined ? {} : { seed }) },
  );
}

/** Cutting must not change what the rules read. */
function policyKept(source: Source, cut: Case['cut']): unknown {
  return { ...(cut(source) as object), _policy: source._policy };
}

/** Status and text of what is answered, without what two servers may differ in. */
async function answer(ask: Ask, asked: SearchAsked, more: Partial<RestRequest>): Promise<string> {
  const send = async (target: string, body?: unknown): Promise<string> => {
    const { status, text } = await ask(target, body, more);
    return `${status} ${text}`;
  };
  return comparable(asked.kind === 'pages' ? await askPages(asked, send) : await send(asked.target, asked.body));
}
