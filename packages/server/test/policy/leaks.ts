// Leaks to plant: each answers one part of a request from all of the data, as an implementation that forgot the rules there
// would. The check must notice every one.
import { createPrincipal, type Principal } from '@lockstitch/kernel';

import type { Asked } from '../../src/policy/random-requests.ts';
import type { ScratchWorld } from '../../src/policy/scratch-world.ts';

/** May see everything in a random schema. */
const EVERYTHING: Principal = createPrincipal('god', ['ROLE_GOD']);

type Json = Record<string, any>; // eslint-disable-line typescript/no-explicit-any -- answers of every shape

/** Puts into an answer what only all of the data says. Undefined: the request has no such part. */
type Plant = (asked: Asked, own: Json, all: Json) => Json | undefined;

const search = (asked: Asked, path: RegExp): boolean => asked.door === 'search' && path.test(asked.target);
const hitsOf = (answer: Json): Json[] => answer['hits']?.hits ?? [];
const isSearch = (asked: Asked, own: Json): boolean => search(asked, /_search/) && own['hits'] !== undefined;

/** Replaces something in every hit that both answers have. */
function inHits(change: (own: Json, all: Json) => Json): Plant {
  return (asked, own, all) => {
    if (!isSearch(asked, own)) return undefined;
    const others = new Map(hitsOf(all).map((hit) => [hit['_id'] as string, hit]));
    const hits = hitsOf(own).map((hit) =>
      others.has(hit['_id'] as string) ? change(hit, others.get(hit['_id'] as string)!) : hit,
    );
    return { ...own, hits: { ...own['hits'], hits } };
  };
}

/** A part of a search's answer. */
function part(name: string): Plant {
  return (asked, own, all) =>
    isSearch(asked, own) && all[name] !== undefined ? { ...own, [name]: all[name] } : undefined;
}

/** A part of every hit. */
function hitPart(name: string): Plant {
  return inHits((own, all) => (own[name] === undefined ? own : { ...own, [name]: all[name] }));
}

/** The whole answer of an endpoint. */
function endpoint(path: RegExp): Plant {
  return (asked, _own, all) => (search(asked, path) ? all : undefined);
}

/** By the place that forgets. */
export const LEAKS: Readonly<Record<string, Plant>> = {
  hits: (asked, own, all) =>
    isSearch(asked, own) ? { ...own, hits: { ...own['hits'], hits: hitsOf(all) } } : undefined,
  total: (asked, own, all) =>
    isSearch(asked, own) ? { ...own, hits: { ...own['hits'], total: all['hits']?.total } } : undefined,
  'max score': (asked, own, all) =>
    isSearch(asked, own) ? { ...own, hits: { ...own['hits'], max_score: all['hits']?.max_score } } : undefined,
  aggregations: part('aggregations'),
  suggestions: part('suggest'),
  'statistics behind scores': hitPart('_score'),
  explanations: hitPart('_explanation'),
  source: hitPart('_source'),
  highlights: hitPart('highlight'),
  'fields of a hit': hitPart('fields'),
  'sort values': hitPart('sort'),
  'inner hits': hitPart('inner_hits'),
  count: endpoint(/_count/),
  'several searches': endpoint(/_msearch/),
  get: endpoint(/\/_doc\//),
  'source of one': endpoint(/\/_source\//),
  mget: endpoint(/_mget/),
  explain: endpoint(/_explain/),
  stats: endpoint(/_stats/),
  cat: endpoint(/_cat/),
  'graph rows': (asked, _own, all) => (asked.door === 'graph' ? all : undefined),
};

/** Asks with a leak planted. */
export function leaking(plant: Plant): (world: ScratchWorld, asked: Asked, principal: Principal) => Promise<string> {
  return async (world, asked, principal) => {
    const own = await world.ask(asked, principal);
    const all = await world.ask(asked, EVERYTHING);
    const [ownJson, allJson] = [read(own), read(all)];
    if (ownJson === undefined || allJson === undefined)
      return asked.door === 'search' && /_cat/.test(asked.target) && plant(asked, {}, {}) !== undefined ? all : own;
    const planted = plant(asked, ownJson, allJson);
    return planted === undefined ? own : JSON.stringify(planted);
  };
}

function read(text: string): Json | undefined {
  try {
    return JSON.parse(text.replace(/^\d+ /, '')) as Json;
  } catch {
    return undefined;
  }
}
