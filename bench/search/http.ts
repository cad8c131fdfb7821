// Searches over HTTP: how many a second and how long the slowest hundredth takes, alone and while documents are written at a steady
// rate, beside a constant answer. Every request is another query of the file.
// npm run bench -- search-http CORPUS QUERIES [--written 500] [--rounds 5] [--seconds 2]
import { compareServers, type LoadRequest, startBenchServer } from '../lib/load.ts';
import { digits, printTable } from '../lib/table.ts';
import { readCommandLine, readQueries } from './queries.ts';

const { corpus, queryFile, flags } = readCommandLine({
  written: { type: 'string' },
  rounds: { type: 'string' },
  seconds: { type: 'string' },
});
const written = Number(flags.written ?? 500);
const classes = readQueries(queryFile);

/** Requests of one shape, each with the words of the next query of a class. */
function request(kind: string, toBody: (words: string) => object): LoadRequest {
  const bodies = classes.get(kind)!.map(({ terms }) => JSON.stringify(toBody(terms!.join(' '))));
  let at = 0;
  return {
    method: 'POST',
    path: '/packages/_search',
    headers: { 'content-type': 'application/json' },
    body: () => bodies[at++ % bodies.length]!,
  };
}
const match = (query: string): object => ({ query: { match: { description: query } } });
const shapes: readonly (readonly [string, LoadRequest])[] = [
  ['match, 10 hits with their sources', request('or', match)],
  ['match, all words', request('and', (query) => ({ query: { match: { description: { query, operator: 'and' } } } }))],
  [
    'match and terms aggregation, no hits',
    request('agg', (query) => ({ size: 0, ...match(query), aggs: { sections: { terms: { field: 'section' } } } })),
  ],
  [
    'match sorted by a number, 10 hits',
    request('sort', (query) => ({ ...match(query), sort: [{ installed_size: 'desc' }] })),
  ],
];

const bar = await startBenchServer('constant', new URL('constant-server.ts', import.meta.url));
const alone = await startBenchServer('search', new URL('http-server.ts', import.meta.url), [corpus, '0']);
const busy = await startBenchServer('search and writes', new URL('http-server.ts', import.meta.url), [
  corpus,
  String(written),
]);
const rows: (string | number)[][] = [];
for (const [name, load] of shapes) {
  const [constant, search, writing] = await compareServers(
    [bar, alone, busy].map((server) => ({ server, request: load })),
    Number(flags.rounds ?? 5),
    Number(flags.seconds ?? 2),
  );
  rows.push([
    name,
    digits(constant!.cpuMicros),
    digits(search!.cpuMicros),
    digits(search!.cpuMicros / constant!.cpuMicros),
    digits(search!.requestsPerSecond),
    digits(search!.p99Millis),
    digits(writing!.cpuMicros),
    digits(writing!.requestsPerSecond),
    digits(writing!.p99Millis),
  ]);
}
printTable(
  `Searches over HTTP; the last three columns while ${written} documents a second are written`,
  ['request', 'constant µs', 'search µs', 'ratio', 'searches/s', 'p99 ms', 'µs', 'searches/s', 'p99 ms'],
  rows,
);
for (const server of [bar, alone, busy]) await server.close();
