// The search server alone over HTTP with the corpus in it, written through `_bulk` as a client would. Arguments: the corpus, and how
// many documents a second are written while it is under load (batches ten times a second; 0: none).
import { startSearch } from '../../packages/search/src/rest/start-search.ts';
import { announce } from '../lib/serve.ts';
import { corpusLines } from './debian-index.ts';

const [corpus, written] = process.argv.slice(2);
const running = await startSearch();
const call = async (method: string, path: string, body: string): Promise<void> => {
  const headers = { 'content-type': path.endsWith('_bulk') ? 'application/x-ndjson' : 'application/json' };
  const response = await fetch(`${running.url}${path}`, { method, headers, body });
  if (!response.ok) throw new Error(await response.text());
  await response.arrayBuffer();
};

const keyword = { type: 'keyword' };
const text = { type: 'text' };
await call(
  'PUT',
  '/packages',
  JSON.stringify({
    mappings: {
      dynamic: false,
      properties: {
        name: keyword,
        section: keyword,
        maintainer: keyword,
        summary: text,
        description: text,
        installed_size: { type: 'long' },
      },
    },
  }),
);
const lines: string[] = [];
let batch: string[] = [];
for (const line of corpusLines(corpus!)) {
  const source = Buffer.from(line).toString();
  lines.push(source);
  batch.push(`{"index":{"_id":"${lines.length}"}}\n${source}\n`);
  if (batch.length < 1000) continue;
  await call('POST', '/packages/_bulk', batch.join(''));
  batch = [];
}
await call('POST', '/packages/_bulk', batch.join(''));
await call('POST', '/packages/_refresh', '');

/** Writes over and over what is there: every write replaces a document, so segments, deletions and merges keep coming. */
async function keepWriting(perSecond: number): Promise<void> {
  let at = 0;
  const size = Math.max(1, Math.round(perSecond / 10));
  for (;;) {
    const started = performance.now();
    const part = Array.from({ length: size }, () => {
      at = (at + 7919) % lines.length;
      return `{"index":{"_id":"${at + 1}"}}\n${lines[at]}\n`;
    });
    await call('POST', '/packages/_bulk', part.join(''));
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, 100 - (performance.now() - started))));
  }
}
if (Number(written) > 0) void keepWriting(Number(written));
announce(running.url);
