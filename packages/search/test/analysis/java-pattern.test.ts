import { deepEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { startRest } from '../rest/harness.ts';

// A pattern, its flags, a text, and what Elasticsearch 7.10.2 made of it on Java 17: tokens, or why it refused.
const ROWS = readFileSync(new URL('java-patterns.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as readonly [string, string, string, readonly string[] | string]);

test('1.2 patterns are read as Java reads them: classes inside of classes, properties, quoted text, flags, and mistakes in its words', async () => {
  const ask = await startRest();
  for (const [pattern, flags, text, told] of ROWS) {
    const { json } = await ask('POST /_analyze', { tokenizer: { type: 'pattern', pattern, flags }, text });
    deepEqual(json.error?.reason ?? json.tokens.map((token: { token: string }) => token.token), told, pattern);
  }
});

test('1.2 a code point beyond Unicode is a mistake of the pattern', async () => {
  const ask = await startRest();
  const pattern = String.raw`\x{110000}`;
  const { json, status } = await ask('POST /_analyze', { tokenizer: { type: 'pattern', pattern }, text: 'x' });
  deepEqual([status, json.error.reason.split('\n')[0]], [400, 'Hexadecimal codepoint is too big near index 9']);
});

test('1.2 what only Java can do is refused by name', async () => {
  const ask = await startRest();
  for (const pattern of ['a++b', '(?>a+)b', '(a)\\1', 'a(?m)^b']) {
    const { json, status } = await ask('POST /_analyze', { tokenizer: { type: 'pattern', pattern }, text: 'x' });
    deepEqual([status, json.error.type], [400, 'illegal_argument_exception'], pattern);
  }
});
