// Requests that are refused in Elasticsearch's words: the index that they ask, and the comparison of the answers.
import { equal } from 'node:assert/strict';
import { startRest } from './harness.ts';

const MAPPINGS = {
  properties: {
    n: { type: 'integer' },
    when: { type: 'date' },
    tag: { type: 'keyword' },
    flag: { type: 'boolean' },
    address: { type: 'ip' },
    span: { type: 'integer_range' },
    place: { type: 'geo_point' },
    parts: { type: 'nested', properties: { v: { type: 'long' } } },
    poster: { properties: { login: { type: 'keyword' } } },
  },
};
const DOCUMENT = {
  n: 1,
  when: '2026-01-01',
  tag: 'a',
  flag: true,
  address: '10.0.0.1',
  span: { gte: 1, lt: 3 },
  place: '1,1',
};

interface Failure {
  readonly type: string;
  readonly root_cause: readonly { readonly type: string; readonly reason: string }[];
}

/** Checks lines of: the types of the error and of its root cause, the reason, and what `bodyOf` makes the body of a search of. */
export async function checkRefusals(index: string, lines: string, bodyOf: (json: unknown) => unknown): Promise<void> {
  const ask = await startRest();
  await ask(`PUT /${index}`, { mappings: MAPPINGS });
  await ask(`PUT /${index}/_doc/1?refresh=true`, DOCUMENT);
  for (const line of lines.trim().split('\n')) {
    const [types, reason, given = ''] = line.split(' | ');
    const { json, status } = await ask(`POST /${index}/_search`, bodyOf(JSON.parse(given)));
    equal(status, 400, given);
    const { type, root_cause: causes } = json.error as Failure;
    equal([type, ...causes.map((cause) => cause.type)].join(' '), types, given);
    equal(causes[0]?.reason.replaceAll('`', '´') ?? '', reason, given);
  }
}
