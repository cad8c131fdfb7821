// Leaks to plant: each answers one part of a request from all of the data, as an implementation that forgot the rules there
// would. The check must notice every one. Those of subscriptions are planted in subscriptions.test.ts.
import { createPrincipal, type Principal } from '@lockstitch/kernel';
import { AGGREGATIONS, comparable, createRandom } from '@lockstitch/search/requests';

import { checkNoninterference } from '../../src/noninterference/check-noninterference.ts';
import type { Asked } from '../../src/noninterference/random-requests.ts';
import type { ScratchApp } from '../../src/noninterference/scratch-app.ts';
import { randomCallers } from './random-world.ts';
import { openCopy, openRandomWorld } from './random-writes.ts';

/** May see everything in a random schema. */
const EVERYTHING: Principal = createPrincipal('god', ['ROLE_GOD']);

type Json = Record<string, any>; // eslint-disable-line typescript/no-explicit-any -- answers of every shape

/** A place that forgets. */
interface Leak {
  /** Whether a request may come there. */
  readonly asks: (asked: Asked) => boolean;
  /** The text of the answer, made of the caller's own and that of somebody who sees everything. */
  readonly plant: (own: string, all: string) => string;
  /** What somebody who sees everything is asked; the same by default. */
  readonly instead?: (asked: Asked) => Asked;
}

const search = (path: RegExp) => (asked: Asked) => asked.kind === 'search' && path.test(asked.target);
const bodyOf = (asked: Asked): Json =>
  asked.kind === 'search' && /_search/.test(asked.target) ? ((asked.body ?? {}) as Json) : {};
const withPart = (name: string) => (asked: Asked) => bodyOf(asked)[name] !== undefined;

/** Changes an answer of JSON where both are. */
function inJson(change: (own: Json, all: Json) => void): Leak['plant'] {
  return (own, all) => {
    const [first, second] = [read(own), read(all)];
    if (first === undefined || second === undefined) return own;
    change(first, second);
    return JSON.stringify(first);
  };
}

function read(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^\d+ /, ''));
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Counts what is null in one and not in the other. */
function nullsOf(own: unknown, all: unknown): number {
  if (own === null && all !== null && all !== undefined) return 1;
  if (typeof own !== 'object' || own === null || typeof all !== 'object' || all === null) return 0;
  return Object.entries(own).reduce((sum, [key, value]) => sum + nullsOf(value, (all as Json)[key]), 0);
}

/** Everything, as a whole. */
function whole(asks: Leak['asks']): Leak {
  return { asks, plant: (_own, all) => all };
}

/** A part of a search's answer. */
function part(name: string, asks: Leak['asks'] = withPart(name)): Leak {
  return {
    asks,
    plant: inJson((own, all) => {
      if (own['hits'] !== undefined && all[name] !== undefined) own[name] = all[name];
    }),
  };
}

/** A part of what is said about the hits. */
function ofHits(name: string, asks: Leak['asks']): Leak {
  return {
    asks,
    plant: inJson((own, all) => {
      if (own['hits'] !== undefined && all['hits'] !== undefined) own['hits'][name] = all['hits'][name];
    }),
  };
}

/** A part of every hit that both answers have. */
function ofHit(name: string, asks: Leak['asks']): Leak {
  return {
    asks,
    plant: inJson((own, all) => {
      const others = new Map<string, Json>((all['hits']?.hits ?? []).map((hit: Json) => [hit['_id'], hit]));
      for (const hit of own['hits']?.hits ?? []) {
        const other = others.get(hit['_id']);
        if (hit[name] !== undefined && other !== undefined) hit[name] = other[name];
      }
    }),
  };
}

/** Families of fields that a random schema has none of. */
const NO_FIELDS = new Set(['geo_point', 'ip', 'nested', 'range', 'rank_feature', 'completion']);
/** Those that a schema's index can be asked for. */
const KINDS = Object.entries(AGGREGATIONS)
  .filter(([, { needs }]) => needs === undefined || !NO_FIELDS.has(needs))
  .map(([kind]) => kind);

/** An aggregation of one kind, wherever it stands. */
function aggregation(kind: string): Leak {
  const isIn = (aggs: unknown): boolean =>
    typeof aggs === 'object' &&
    aggs !== null &&
    Object.values(aggs).some((each: Json | null) => each?.[kind] !== undefined || isIn(each?.['aggs']));
  return part('aggregations', (asked) => isIn(bodyOf(asked)['aggs']));
}

/** What a query of one kind finds, wherever it stands. */
function query(kind: string): Leak {
  return ofHits('total', (asked) => JSON.stringify(bodyOf(asked)['query'] ?? null).includes(`"${kind}":{`));
}

/** An error where somebody who sees everything gets one: what is computed before it is known who may see the document. */
function sharedError(asks: Leak['asks']): Leak {
  const isError = (answer: string): boolean => answer.startsWith('400 ') || answer.includes('"errors":[');
  return { asks, plant: (own, all) => (isError(all) && !isError(own) ? all : own) };
}

/** An error that says what a hidden document or row holds. */
function namingError(asks: Leak['asks'], values: (all: Json) => readonly unknown[]): Leak {
  return {
    asks,
    plant: (own, all) => {
      const seen = read(own);
      const hidden = values(read(all) ?? {}).filter((value) => !JSON.stringify(seen ?? null).includes(String(value)));
      return hidden.length === 0 ? own : `400 the score of a document is invalid: -${String(hidden[0])}`;
    },
  };
}

/** What there is in an answer, at any depth. */
function leavesOf(value: unknown): readonly unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [value];
}

/** Pages of one kind. */
function pages(how: string): Leak {
  return whole((asked) => asked.kind === 'pages' && asked.how === how);
}

/** A refused write, asked by somebody who wants to know whether there is such a document. */
function refusal(): Leak {
  const idOf = (asked: Asked): string | undefined =>
    asked.kind === 'search'
      ? /^(?:PUT|POST|DELETE) \/(\w+\/_(?:doc|create|update)\/[^?]+)/.exec(asked.target)?.[1]
      : undefined;
  return {
    asks: (asked) => idOf(asked) !== undefined,
    instead: (asked) => ({ kind: 'search', target: `HEAD /${idOf(asked)!.replace(/\/_\w+\//, '/_doc/')}` }),
    plant: (own, all) => (all.startsWith('200') ? '409 version_conflict_engine_exception' : own),
  };
}

const graph = (text: RegExp) => (asked: Asked) => asked.kind === 'graph' && text.test(asked.query);

/** Members of a name, wherever they are in the data of a GraphQL answer. */
function member(name: string): Leak {
  const copy = (own: unknown, all: unknown): void => {
    if (typeof own !== 'object' || own === null || typeof all !== 'object' || all === null) return;
    const [to, from] = [own as Json, all as Json];
    for (const key of Object.keys(to)) {
      if (key === name && from[key] !== undefined) to[key] = from[key];
      else copy(to[key], from[key]);
    }
  };
  return { asks: graph(new RegExp(`\\b${name}\\b`)), plant: inJson((own, all) => copy(own['data'], all['data'])) };
}

/** Fields with a read rule of their own in most random schemas. */
const RULED = '(?:text|likes|email|handle|taken|mood|price|size|address|start|typed|weight|serial)';

/** The caller's own rows, in the order that they have for somebody who sees everything. */
function reordered(own: Json, all: Json): void {
  for (const [name, rows] of Object.entries<unknown>(own['data'] ?? {})) {
    const others: unknown = all['data']?.[name];
    if (!Array.isArray(rows) || !Array.isArray(others)) continue;
    const places = rows.map((row) => others.flatMap((other, at) => (isPartOf(row, other) ? [at] : [])));
    // Rows that cannot be told from others keep their places.
    if (places.every(({ length }) => length === 1))
      own['data'][name] = rows.toSorted((a, b) => places[rows.indexOf(a)]![0]! - places[rows.indexOf(b)]![0]!);
  }
}

/** Whether the values of one row, as far as they are not null, are those of another. */
function isPartOf(row: Json | null, other: Json | null): boolean {
  return Object.entries(row ?? {}).every(
    ([name, value]) => value === null || JSON.stringify(value) === JSON.stringify(other?.[name]),
  );
}

/** By the place that forgets. */
export const LEAKS: Readonly<Record<string, Leak>> = {
  hits: ofHits('hits', search(/_search$/)),
  totals: ofHits('total', search(/_search$/)),
  'the best score': ofHits('max_score', search(/_search$/)),
  ...Object.fromEntries(KINDS.map((kind) => [`the aggregation ${kind}`, aggregation(kind)])),
  ...Object.fromEntries(
    [
      'exists',
      'terms',
      'more_like_this',
      'terms_set',
      'fuzzy',
      'prefix',
      'intervals',
      'query_string',
      'multi_match',
    ].map((kind) => [`the query ${kind}`, query(kind)]),
  ),
  suggestions: part('suggest'),
  profiles: part('profile'),
  'counts in a profile': {
    asks: withPart('profile'),
    plant: inJson((own, all) => {
      if (own['profile'] !== undefined) own['profile'].documents = all['hits']?.total?.value;
    }),
  },
  'documents of an aggregation in a profile': {
    asks: (asked) => withPart('profile')(asked) && withPart('aggs')(asked),
    plant: inJson((own, all) => {
      const others: readonly Json[] = all['profile']?.shards[0]?.aggregations ?? [];
      for (const [at, each] of (own['profile']?.shards[0]?.aggregations ?? []).entries()) {
        if (others[at] !== undefined) each.breakdown.collect_count = others[at]['breakdown'].collect_count;
      }
    }),
  },
  'terms in a profile': {
    asks: withPart('profile'),
    plant: inJson((own, all) => {
      if (own['profile'] !== undefined)
        own['profile'].terms = all['hits']?.hits.map((hit: Json) => hit['_source']?.title);
    }),
  },
  'what was remembered for somebody else': whole((asked) => asked.kind === 'search'),
  'embedded objects': {
    asks: search(/_search$/),
    plant: inJson((own, all) => {
      const others = new Map<string, Json>((all['hits']?.hits ?? []).map((hit: Json) => [hit['_id'], hit]));
      for (const hit of own['hits']?.hits ?? []) {
        const poster: unknown = others.get(hit['_id'])?.['_source']?.poster;
        if (hit['_source'] !== undefined && poster !== undefined) hit['_source'].poster = poster;
      }
    }),
  },
  'an error for what there is, but not for the caller': {
    asks: search(/^GET .*\/_(?:doc|source)\//),
    plant: (own, all) => (own.startsWith('404') && all.startsWith('200') ? '403 forbidden' : own),
  },
  'refused writes': refusal(),
  'an error names a value of a hidden document': namingError(search(/_search$/), (all) =>
    (all['hits']?.hits ?? []).map((hit: Json) => hit['_source']?.likes).filter((likes: unknown) => likes !== undefined),
  ),
  'an error names a value of a hidden row': namingError(graph(/./), (all) => leavesOf(all['data'])),
  'a score that fails for a hidden document': sharedError((asked) =>
    JSON.stringify(bodyOf(asked)['query'] ?? null).includes('"function_score"'),
  ),
  'an aggregation that fails for a hidden document': sharedError(withPart('aggs')),
  'an order that fails for a hidden document': sharedError(withPart('sort')),
  'an explanation that fails for another document': sharedError(search(/_explain/)),
  'a search of many that fails for a hidden document': {
    asks: search(/_msearch/),
    plant: inJson((own, all) => {
      for (const [at, each] of (own['responses'] ?? []).entries())
        if (each.error === undefined && all['responses']?.[at]?.error !== undefined)
          own['responses'][at] = all['responses'][at];
    }),
  },
  'a condition that fails for a hidden row': {
    asks: graph(/where: \{ /),
    // As a database does that looks at a condition first, and at the rule then: a cast that a text cannot bear.
    plant: (own, all) => {
      const bad = leavesOf(read(all)?.['data']).find((value) => typeof value === 'string' && value.length % 3 === 0);
      return bad === undefined ? own : '{"errors":[{"message":"invalid input syntax"}]}';
    },
  },
  'statistics behind scores': ofHit('_score', search(/_search$/)),
  'rescored hits': ofHit('_score', withPart('rescore')),
  explanations: ofHit('_explanation', withPart('explain')),
  sources: ofHit('_source', search(/_search$/)),
  highlights: ofHit('highlight', withPart('highlight')),
  'fields of hits': ofHit('fields', (asked) => withPart('fields')(asked) || withPart('docvalue_fields')(asked)),
  'sort values': ofHit('sort', withPart('sort')),
  'inner hits': ofHit('inner_hits', withPart('collapse')),
  _count: whole(search(/_count/)),
  _msearch: whole(search(/_msearch/)),
  'pages of a scroll': pages('scroll'),
  'slices of a scroll': pages('slice'),
  'pages of a point in time': pages('pit'),
  'pages by search_after': pages('search_after'),
  'pages of a composite aggregation': pages('composite'),
  'copies to another index': pages('copy'),
  'a search by q': whole(search(/_search\?q/)),
  get: whole(search(/GET .*\/_doc\//)),
  'get by a typed path': whole(search(/GET \/\w+\/[a-z]+\/[^/]+$/)),
  'whether there is a document': {
    asks: search(/^HEAD /),
    plant: (_own, all) => all.slice(0, 4),
  },
  _source: whole(search(/\/_source\//)),
  _mget: whole(search(/_mget/)),
  _termvectors: whole(search(/_termvectors/)),
  _mtermvectors: whole(search(/_mtermvectors/)),
  _explain: whole(search(/_explain/)),
  _mapping: whole(search(/\/_mapping$/)),
  '_mapping of a field': whole(search(/_mapping\/field/)),
  'the definition of an index': whole(search(/^GET \/\w+$/)),
  _field_caps: whole(search(/^GET .*_field_caps/)),
  '_field_caps with a filter': whole(search(/^POST .*_field_caps/)),
  _validate: whole(search(/_validate/)),
  '_analyze as a field is': whole(search(/_analyze/)),
  '_count by q': whole(search(/_count\?q/)),
  _stats: whole(search(/\/_stats/)),
  '_cat/indices': whole(search(/_cat\/indices/)),
  '_cat/count': whole(search(/_cat\/count/)),
  '_cat/shards': whole(search(/_cat\/shards/)),
  '_nodes/stats': whole(search(/_nodes\/stats/)),
  'rows of the graph': whole(graph(/./)),
  'filters of the graph': whole(graph(/where: \{ /)),
  'an or of three conditions with variables': whole(
    (asked) => asked.kind === 'graph' && /\bor: \[(?:[^\]]*\$v\d+){3}/.test(asked.query),
  ),
  'many look-ups in one operation': {
    asks: graph(/\bk0: .*\bk2: /s),
    // Where each look-up has a statement of its own, the first ones keep the rule.
    plant: inJson((own, all) => {
      if (own['data']?.k2 !== undefined) own['data'].k2 = all['data']?.k2;
    }),
  },
  'objects by a key of several columns': whole(graph(/\b(?:shot|shotsByKey)\(/)),
  'rows of tables of others': whole(graph(/\bshots\(/)),
  'rows under a rule through a parent': whole(graph(/\bprints\(/)),
  'references to a key of several columns': member('shot'),
  'orders of the graph': whole(graph(/orderBy: \[/)),
  'an order by a withheld field': {
    asks: graph(new RegExp(`orderBy: \\[\\{ ${RULED}: (?:ASC|DESC)`)),
    plant: inJson(reordered),
  },
  'an order by an object that may be missing': {
    asks: graph(/\b(?:photos|users|shots|prints)\([^()]*orderBy: \[\{ (?:poster|camera|cover|team|user|shot): \{/),
    plant: inJson(reordered),
  },
  'an order by a required object': { asks: graph(/\btags\([^()]*orderBy: \[\{ home: \{/), plant: inJson(reordered) },
  'keys of groups, of a required object': whole(graph(/\btagGroups\(groupBy: \{ (?:\w+: true, )*home: \{ \w/)),
  'counts of the graph': whole(graph(/^\{ total\w+/)),
  'aggregates of the graph': whole(graph(/^\{ \w+Aggregates/)),
  'groups of the graph': whole(graph(/^\{ \w+Groups/)),
  'conditions on groups': whole(graph(/having: \{ /)),
  'counts of groups': member('count'),
  ...Object.fromEntries(
    ['countDistinct', 'sum', 'avg', 'min', 'max'].map((name) => [`the aggregate ${name} of the graph`, member(name)]),
  ),
  'keys of groups': member('keys'),
  'keys of groups, of related objects': whole(graph(/groupBy: \{[^}]*\w+: \{ \w/)),
  'keys of groups, parts of times': whole(graph(/\w+\(part: (?!EXACT)/)),
  'errors of the graph': {
    asks: graph(/./),
    plant: inJson((own, all) => {
      const refused = nullsOf(own['data'], all['data']);
      if (refused > 0) own['errors'] = [...(own['errors'] ?? []), { message: 'Forbidden.', extensions: { refused } }];
    }),
  },
  ...Object.fromEntries(
    ['poster', 'cover', 'tags', 'photos', 'team', 'people', 'tagPages', 'photoCount', 'photoTotals', 'photoGroups'].map(
      (name) => [`the relation ${name}`, member(name)],
    ),
  ),
  'pages of the graph': member('pageInfo'),
  'the total of a connection': member('totalCount'),
  'scores of a full-text field': member('score'),
  'highlights of a full-text field': member('highlights'),
  'what a full-text field finds': whole(graph(/^\{ search\w+/)),
  'an object by its node id': whole(graph(/\bnode\(/)),
  'objects by node ids': whole(graph(/\bnodes\(/)),
  'objects by a list of keys': whole(graph(/\bphotosByKey\(/)),
  'objects for a gateway': whole(graph(/\b_entities\(/)),
  'objects of an interface': whole(graph(/^\{ owned\w*\(/)),
  'objects of a union': whole(graph(/^\{ things\(/)),
  'deleted objects': whole(graph(/deleted: (?:ONLY|INCLUDE)/)),
  'conditions on JSON': whole(graph(/path: \[/)),
  'conditions on times relative to now': whole(graph(/timeZone: "[^"]+" \}/)),
  'cursors of a connection': member('cursor'),
  'pages of a connection by its cursors': whole((asked) => asked.kind === 'graph' && asked.manner === 'pages'),
  'operations with variables': whole((asked) => asked.kind === 'graph' && asked.variables !== undefined),
  'operations by their hash': whole((asked) => asked.kind === 'graph' && asked.manner === 'saved'),
  'statements in an explanation': {
    asks: (asked) => asked.kind === 'graph' && asked.manner === 'explained',
    plant: (own, all) => {
      const answer = read(all.replace(/,"extensions":\{"explain":.*$/s, '}'));
      return own.replaceAll('"parameters":', `"rows":${leavesOf(answer?.['data']).length},"parameters":`);
    },
  },
  'a limit of the graph that names what was read': {
    asks: graph(/./),
    instead: () => KNOWN,
    plant: (own, all) => (/"code":"GRAPH_(?:TOO|PAGE)_/.test(own) ? own + all : own),
  },
};

/** Hidden values of a random world. */
const KNOWN: Asked = {
  kind: 'graph',
  query: '{ photos { title text likes } users { login name email } teams { motto } }',
};

/** A mutation that forgets the rules. */
export interface WriteLeak {
  /** What the mutation contains. */
  readonly asks: RegExp;
  /** `everything`: it is run as somebody who may do and see everything; else, errors like this tell hidden values. */
  readonly forgets: 'everything' | RegExp;
}

const everything = (asks: RegExp): WriteLeak => ({ asks, forgets: 'everything' });
const telling = (forgets: RegExp): WriteLeak => ({ asks: /^mutation/, forgets });

/** By the place that forgets. */
export const WRITE_LEAKS: Readonly<Record<string, WriteLeak>> = {
  'updates by a filter': everything(/ (?:updatePhotos|changePhotos)\(/),
  'deletions by a filter': everything(/ removePhotos\(/),
  'updates by key': everything(/ (?:updatePhoto|updateUser)\(/),
  upserts: everything(/ saveUser\(/),
  'deletions by key': everything(/ (?:deletePhoto|deleteUser)\(/),
  'creations with nested objects': everything(/ createPhoto\(/),
  'what is connected': everything(/ (?:tagPhoto|untagPhoto)\(/),
  restorations: everything(/ restore/),
  purges: everything(/ purge/),
  'writes to tables of others': everything(
    / (?:(?:create|update|delete)Shot|changeShots|(?:save|update)Print|removePrints)\(/,
  ),
  'mutations in one transaction': everything(/ @transaction/),
  'payloads of mutations': everything(/clientMutationId/),
  'an error about a taken value': telling(/another \w+ has the same/),
  'an error about a missing object': telling(/GRAPH_NOT_FOUND/),
  'an error about an object that others refer to': telling(/still referred to/),
  'an error about a forbidden write': telling(/GRAPH_FORBIDDEN/),
};

/** Plants one leak. @returns the number of requests until a random world's check notices it; undefined if it does not */
export async function findWriteLeak(leak: WriteLeak, seed: number, cases: number): Promise<number | undefined> {
  const random = createRandom(seed);
  const { world } = await openRandomWorld(seed, random);
  try {
    const { model, store } = world.graph;
    const principals = randomCallers(random);
    const ask = planted(leak);
    const result = await checkNoninterference({
      model,
      store,
      principals,
      cases,
      seed,
      ask,
      only: 'histories',
      openWorld: openCopy,
    });
    return result.interference === undefined ? undefined : result.cases;
  } finally {
    await world.close();
  }
}

/** Asks with one leak planted. */
function planted({ asks, forgets }: WriteLeak): Planting['ask'] {
  return async (world, asked, principal) => {
    if (asked.kind !== 'graph' || !asks.test(asked.query)) return world.ask(asked, principal);
    if (forgets === 'everything') return world.ask(asked, EVERYTHING);
    const own = await world.ask(asked, principal);
    return forgets.test(own) ? own + (await world.ask(KNOWN, EVERYTHING)) : own;
  };
}

/** A way to ask that plants every leak by itself, and tells which of them two worlds would be told apart by. */
export interface Planting {
  readonly ask: (world: ScratchApp, asked: Asked, principal: Principal) => Promise<string>;
  /** Places whose leak nobody has noticed so far. */
  readonly unnoticed: Map<string, Leak>;
}

/** Makes one. It answers nothing, so that the request goes on: each request is put to two worlds, one after the other. */
export function plantAll(): Planting {
  const unnoticed = new Map(Object.entries(LEAKS));
  let first: { readonly asked: Asked; readonly told: ReadonlyMap<string, string> } | undefined;
  return {
    unnoticed,
    async ask(world, asked, principal) {
      const leaks = [...unnoticed].filter(([, leak]) => leak.asks(asked));
      if (leaks.length === 0) return '';
      const [own, all] = [await world.ask(asked, principal), await world.ask(asked, EVERYTHING)];
      const told = new Map<string, string>();
      for (const [place, { instead, plant }] of leaks) {
        const known = instead === undefined ? all : await world.ask(instead(asked), EVERYTHING);
        told.set(place, comparable(plant(own, known)));
      }
      if (first?.asked !== asked) first = { asked, told };
      else for (const [place, text] of told) if (first.told.get(place) !== text) unnoticed.delete(place);
      return '';
    },
  };
}
