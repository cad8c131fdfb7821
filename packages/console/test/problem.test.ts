import assert from 'node:assert/strict';
import { test } from 'node:test';

import { problemOf } from '../src/api.ts';

const answer = (status: number, body: unknown) => ({ status, body, text: '', milliseconds: 1 });

test('an error of the server is shown by its message, code and hint', () => {
  const body = { status: 403, error: 'Forbidden', message: 'No token.', path: '/', code: 'X_CSRF', hint: 'Get one.' };
  assert.deepEqual(problemOf(answer(403, body)), {
    title: 'No token.',
    detail: 'X_CSRF · Forbidden · HTTP 403',
    hint: 'Get one.',
  });
});

test('a GraphQL error is shown by the first of the list', () => {
  const errors = [{ message: 'Unknown field "nmae".', extensions: { code: 'GRAPH_VALIDATION', hint: undefined } }];
  assert.deepEqual(problemOf(answer(200, { errors })), {
    title: 'Unknown field "nmae".',
    detail: 'GRAPH_VALIDATION · HTTP 200',
    hint: undefined,
  });
});

test('an Elasticsearch error is shown by its root cause, or else by its reason and type', () => {
  const cause = { type: 'parsing_exception', reason: 'unknown query [mtach] did you mean "match"?' };
  const error = { type: 'search_phase_execution_exception', reason: 'all shards failed', root_cause: [cause] };
  assert.deepEqual(problemOf(answer(400, { error, status: 400 })), {
    title: cause.reason,
    detail: 'parsing_exception · HTTP 400',
  });
  assert.deepEqual(problemOf(answer(404, { error: { type: 'not_found', reason: 'no such index' } })), {
    title: 'no such index',
    detail: 'not_found · HTTP 404',
  });
});

test('anything else still says which status it had', () => {
  for (const body of ['', '<html>', null, {}, { errors: [] }]) {
    assert.equal(problemOf(answer(502, body)).title, 'The server answered 502.');
  }
});

test('of several errors of an operation the first is shown, and how many there are', () => {
  const hidden = { message: 'You may not read Project.notes.', extensions: { code: 'GRAPH_FIELD_FORBIDDEN' } };
  const { detail } = problemOf(answer(200, { data: {}, errors: [hidden, hidden, hidden] }));
  assert.equal(detail, 'GRAPH_FIELD_FORBIDDEN · HTTP 200 · first of 3 errors, all in the answer');
});
