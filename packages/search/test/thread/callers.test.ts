// What the long searches of one caller do to those of others.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { createEngine, createRestApi, type RestRequest } from '@lockstitch/search';

/** Resolves when a search is queued for a thread: only then does it listen to its signal. */
function queued(signal: AbortSignal): Promise<void> {
  const listen = signal.addEventListener.bind(signal);
  return new Promise((resolve) => {
    signal.addEventListener = (...given: Parameters<typeof listen>) => {
      listen(...given);
      resolve();
    };
  });
}

const request = (method: string, path: string, body: object, more: Partial<RestRequest> = {}): RestRequest => ({
  method,
  path,
  query: new URLSearchParams(path === '/t/_doc/1' ? 'refresh=true' : ''),
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify(body)),
  ...more,
});

test('a caller who keeps all search threads busy delays no other, and those who wait take turns by caller', async (t) => {
  const engine = await createEngine();
  // All searches go to threads, and take as long as they like.
  const rest = createRestApi(engine, { maxTurn: 0, maxSearchTime: 60_000 });
  t.after(async () => {
    rest.close();
    await engine.close();
  });
  const letters = 'a b c d e f g h i j'.split(' ');
  const words = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => `w${a}${b}${c}`)));
  await rest.handle(request('PUT', '/t/_doc/1', { text: words.join(' ') }));
  // Each word may be any of hundreds of others: more than a minute.
  const generator = { field: 'text', suggest_mode: 'always', size: 1000, prefix_length: 0, max_term_freq: 1e9 };
  const phrase = { field: 'text', max_errors: 20, size: 1000, shard_size: 1000, confidence: 0, token_limit: 50 };
  const endless = {
    suggest: { a: { text: words.slice(0, 20).join(' '), phrase: { ...phrase, direct_generator: [generator] } } },
  };
  const ended: string[] = [];
  const ask = (name: string, caller: string, body: object) => {
    const abort = new AbortController();
    const inLine = queued(abort.signal);
    const asked = request('POST', '/t/_search', body, { caller, signal: () => abort.signal });
    const answer = rest.handle(asked).then(({ status }) => void ended.push(`${name} ${status}`));
    return { inLine, answer, end: () => abort.abort() };
  };
  const ofOne = [1, 2, 3, 4].map((at) => ask(`greedy ${at}`, 'greedy', endless));
  await Promise.all(ofOne.map(({ inLine }) => inLine));
  await ask('one', 'modest', {}).answer;
  deepEqual(ended, ['one 200']);
  // Now three threads are taken: who comes next waits, but not behind those of the greedy.
  const guest = ask('guest', 'modest', endless);
  await guest.inLine;
  const third = ask('third', 'third', {});
  await third.inLine;
  ofOne[0]!.end();
  await third.answer;
  equal(ended.includes('third 200'), true);
  equal(
    ended.some((each) => /greedy [2-4]|guest/.test(each)),
    false,
  );
  for (const each of [...ofOne, guest]) each.end();
  await Promise.all([...ofOne, guest].map(({ answer }) => answer));
});
