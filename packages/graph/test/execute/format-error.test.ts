import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { ProductError } from '@lockstitch/kernel';
import { GraphQLError } from 'graphql';
import { formatErrors } from '../../src/execute/format-error.ts';

/** What the client and the log are told of an error that a resolver threw. */
function tell(status: number, cause?: Error) {
  const lines: (readonly [level: string, facts: Readonly<Record<string, unknown>>])[] = [];
  const thrown = new ProductError({ code: 'APP_CODE', message: 'Not set up.', status, cause });
  const error = new GraphQLError('Not set up.', { originalError: thrown, path: ['login'] });
  const [told] = formatErrors([error], { write: (level, _message, facts = {}) => void lines.push([level, facts]) });
  return { told, lines, thrown };
}

test('a state that was foreseen is a warning with its code and no stack; a refusal below 500 is no line at all', () => {
  const { told, lines } = tell(503);
  equal(told?.extensions?.['code'], 'APP_CODE');
  deepEqual(lines, [['warn', { path: 'login', code: 'APP_CODE', reason: 'Not set up.' }]]);
  deepEqual(tell(409).lines, []);
});

test('the failure of another service is logged whole, with what caused it', () => {
  const { lines, thrown } = tell(502, new Error('connection refused'));
  deepEqual(lines, [['error', { path: 'login', error: thrown }]]);
});
