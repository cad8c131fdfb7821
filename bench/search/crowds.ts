// Ordinary requests that come together, 200 at a time: each takes a few milliseconds, all of them a second.
import { encode } from './loop-index.ts';

/** Requests of one kind at once. */
export interface Crowd {
  readonly name: string;
  readonly path: string;
  readonly bodies: readonly Uint8Array[];
}

/** All kinds. The first 300 of the words are common. */
export function crowds(common: readonly string[]): readonly Crowd[] {
  const crowd = (name: string, path: string, body: (at: number) => object | string): Crowd => ({
    name,
    path,
    bodies: Array.from({ length: 200 }, (_, at) => encode(body(at))),
  });
  const match = (at: number): object => ({ match: { description: common.slice(at, at + 3).join(' ') } });
  const sections = { terms: { field: 'section' } };
  return [
    crowd('200 searches for a word', '/packages/_search', (at) => ({
      query: { term: { description: common[100 + at] } },
    })),
    crowd('200 searches with two aggregations', '/packages/_search', (at) => ({
      query: match(100 + at),
      aggs: { s: sections, y: { date_histogram: { field: 'updated', calendar_interval: 'year' } } },
    })),
    crowd('200 pages of 100 hits', '/packages/_search', (at) => ({ size: 100, query: match(100 + at) })),
    crowd('200 _mget of 100', '/packages/_mget', (at) => ({
      ids: Array.from({ length: 100 }, (_, n) => String(((at * 100 + n) * 7919) % 60_000)),
    })),
    crowd('200 _msearch of 10', '/packages/_msearch', (at) =>
      Array.from({ length: 10 }, (_, n) => `{}\n${JSON.stringify({ query: match((at + n) % 290) })}\n`).join(''),
    ),
  ];
}
