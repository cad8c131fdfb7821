import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { ProductError } from '@lockstitch/kernel';
import { GraphQLError } from 'graphql';
import { formatErrors } from '../../src/execute/format-error.ts';

/** What the client and the log learn about an error that a resolver threw. */
function tell(status: number, cause?: Error) {
  const lines: (readonly [level: string, facts: Readonly<Record<string, unknown>>])[] = [];
  const thrown = new ProductError({ code: 'APP_CODE', message: 'Not set up.', status, cause });
  const error = new GraphQLError('Not set up.', { originalError: thrown, path: ['login'] });
  const [told] = formatErrors([error], { write: (level, _message, facts = {}) => void lines.push([level, facts]) });
  return { told, lines, thrown };
}

test('an expected 5xx is logged as a warning without stack, a 4xx is not logged', () => {
  const { told, lines } = tell(503);
  equal(told?.extensions?.['code'], 'APP_CODE');
  deepEqual(lines, [['warn', { path: 'login', code: 'APP_CODE', reason: 'Not set up.' }]]);
  deepEqual(tell(409).lines, []);
});

test('a failure of another service is logged with its cause', () => {
  const { lines, thrown } = tell(502, new Error('connection refused'));
  deepEqual(lines, [['error', { path: 'login', error: thrown }]]);
});

test('one cause in many fields is one log line with a count', () => {
  const lines: unknown[] = [];
  const away = (): ProductError =>
    new ProductError({ code: 'APP_AWAY', message: 'It is away.', status: 503, cause: new Error('connection refused') });
  const fail = (): Error => new TypeError('x is undefined');
  const [one, other] = [1, 2].map(fail);
  const thrown = [away(), away(), one!, other!, away(), new TypeError('y is undefined')];
  const errors = thrown.map((originalError, at) => new GraphQLError('No.', { originalError, path: ['rows', at] }));
  const told = formatErrors(errors, {
    write: (level, _message, { id: _id, ...facts } = {}) => void lines.push([level, facts]),
  });
  deepEqual(lines, [
    ['error', { path: 'rows.0', error: thrown[0], fields: 3 }],
    ['error', { path: 'rows.2', error: thrown[2], fields: 2 }],
    ['error', { path: 'rows.5', error: thrown[5] }],
  ]);
  deepEqual(
    told.map(({ path, extensions }) => [path?.[1], extensions?.['code']]),
    thrown.map((_, at) => [at, [2, 3, 5].includes(at) ? 'GRAPH_INTERNAL' : 'APP_AWAY']),
  );
  // Each id is found in the log.
  equal(new Set(told.flatMap(({ extensions }) => extensions?.['id'] ?? [])).size, 2);
});
