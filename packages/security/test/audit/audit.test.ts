import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { type AuditEvent, createAuditStream, jsonLines } from '../../src/audit/audit.ts';

const failure = (username: string): AuditEvent => ({
  kind: 'authentication-failure',
  username,
  mechanism: 'basic',
  code: 'SECURITY_BAD_CREDENTIALS',
});

test('every listener gets every event with its time, until it leaves', () => {
  const stream = createAuditStream({ clock: { now: () => 0 } });
  const seen: string[] = [];
  const leave = stream.subscribe((event) => seen.push(`${event.at} ${event.kind}`));
  stream.record(failure('a'));
  leave();
  stream.record(failure('b'));
  deepEqual(seen, ['1970-01-01T00:00:00.000Z authentication-failure']);
});

test('a listener that throws harms neither the request nor the other listeners', () => {
  const errors: unknown[] = [];
  const stream = createAuditStream({ onListenerError: (error) => errors.push(error) });
  let seen = 0;
  stream.subscribe(() => {
    throw new Error('disk full');
  });
  stream.subscribe(() => (seen += 1));
  stream.record(failure('a'));
  deepEqual([seen, errors.length], [1, 1]);
});

test('an event is one line of JSON, whatever the user name', () => {
  const lines: string[] = [];
  const stream = createAuditStream();
  stream.subscribe(jsonLines((line) => lines.push(line)));
  const name = 'x\r\n{"kind":"authentication-success"}\u2028\u2029\u001b[31m\u007f\u0085"';
  stream.record(failure(name));
  equal(lines.length, 1);
  const codes = Array.from(lines[0]!.slice(0, -1), (char) => char.charCodeAt(0));
  equal(
    codes.some((code) => code < 0x20 || (code >= 0x7f && code <= 0x9f) || code === 0x2028 || code === 0x2029),
    false,
  );
  equal(lines[0]!.indexOf('\n'), lines[0]!.length - 1);
  equal((JSON.parse(lines[0]!) as { username: string }).username, name);
});

test('3.4 marks of direction and halves of surrogate pairs are escaped in a line of the audit', () => {
  const lines: string[] = [];
  jsonLines((line) => lines.push(line))({ at: '', ...failure('\u202e\u2066\ufeff\ud800') });
  equal(/[\u202e\u2066\ufeff]|\p{Cs}/u.test(lines[0]!), false);
});
