import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';

import { serverErrors } from '../../src/errors.ts';
import { createErrorId, failureResponse } from '../../src/http/route-response.ts';

test('an error response has its code and a remedy', () => {
  const answer = failureResponse(serverErrors.create('SERVER_BODY_TOO_LARGE', { limit: 3, key: 'bodySize' }), '/a', {
    write: () => undefined,
  });
  equal(answer.status, 413);
  deepEqual(JSON.parse(answer.body as string), {
    status: 413,
    error: 'Payload Too Large',
    message: 'The request body is larger than 3 bytes.',
    path: '/a',
    code: 'SERVER_BODY_TOO_LARGE',
    hint: 'Send less at a time, or raise "limits.bodySize" in the configuration.',
  });
});

test('any other failure is masked by an id, under which the log has it', () => {
  const logged: Record<string, unknown>[] = [];
  const log = { write: (_level: string, _message: string, facts = {}) => logged.push(facts) };
  const failure = new Error('password is hunter2');
  const answer = failureResponse(failure, '/a', log);
  equal(answer.status, 500);
  const body = JSON.parse(answer.body as string);
  equal(JSON.stringify(body).includes('hunter2'), false);
  match(body.message, new RegExp(String(logged[0]!['id'])));
  equal(logged[0]!['error'], failure);
});

test('an error id has no letters that look alike', () => {
  for (let i = 0; i < 200; i++) match(createErrorId(), /^[2-9A-HJKMNP-TW-Z]{4}-[2-9A-HJKMNP-TW-Z]{4}$/);
});
