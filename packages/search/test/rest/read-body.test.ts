// Bodies of requests on their way from the socket.
import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { startSearch } from '@lockstitch/search';

test('a document of megabytes is taken as it was sent, of a known length or not', async (context) => {
  const server = await startSearch();
  context.after(() => server.close());
  const text = JSON.stringify({ note: 'añ '.repeat(300_000) });
  const pieces = (): ReadableStream => new Blob([text]).stream();
  for (const [id, body] of [
    ['1', text],
    ['2', pieces()],
  ] as const) {
    const url = `${server.url}/i/_doc/${id}`;
    const headers = { 'content-type': 'application/json' };
    const written = await fetch(url, { method: 'PUT', headers, body, duplex: 'half' } as RequestInit);
    equal(written.status, 201);
    equal(await (await fetch(`${server.url}/i/_source/${id}`)).text(), text);
  }
});
