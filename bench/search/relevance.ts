// How relevant the first ten hits are: nDCG@10 over a judged collection, for two analyzers and two pairs of BM25 parameters.
// The collection (corpus.jsonl, queries.jsonl, qrels.tsv: Cranfield in BEIR's form) is not part of the project; its folder is
// the argument. Gains are the judgements themselves and discounts logarithmic, as trec_eval's ndcg_cut.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { createEngine, createRestApi } from '../../packages/search/src/index.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write('Name the folder of corpus.jsonl, queries.jsonl and qrels.tsv.\n');
  process.exit(2);
}

interface Text {
  readonly _id: string;
  readonly title?: string;
  readonly text: string;
}

const lines = (file: string): string[] => readFileSync(join(folder, file), 'utf8').trim().split('\n');
const readTexts = (file: string): Text[] => lines(file).map((line) => JSON.parse(line) as Text);
const corpus = readTexts('corpus.jsonl');
const queries = readTexts('queries.jsonl');

const judgements = new Map<string, Map<string, number>>();
for (const line of lines('qrels.tsv').slice(1)) {
  const [query = '', document = '', score] = line.split('\t');
  const judged = judgements.get(query) ?? new Map<string, number>();
  judged.set(document, Number(score));
  judgements.set(query, judged);
}

const rest = createRestApi(await createEngine());

async function ask(method: string, path: string, body?: string): Promise<any> {
  const response = await rest.handle({
    method,
    path,
    query: new URLSearchParams(),
    headers: { 'content-type': 'application/json' },
    body: body === undefined ? undefined : Buffer.from(body),
  });
  if (response.status >= 300) throw new Error(response.body);
  return JSON.parse(response.body);
}

function dcg(gains: readonly number[]): number {
  return gains.slice(0, 10).reduce((sum, gain, rank) => sum + gain / Math.log2(rank + 2), 0);
}

async function measure(analyzer: string, k1: number, b: number): Promise<number> {
  const index = `/${analyzer}-${k1}-${b}`;
  const settings = { similarity: { default: { type: 'BM25', k1, b } } };
  const mappings = { properties: { text: { type: 'text', analyzer } } };
  await ask('PUT', index, JSON.stringify({ settings, mappings }));
  // BEIR's way: title and text are one field.
  const bulk = corpus.map(({ _id, title = '', text }) => {
    return `{"index":{"_id":"${_id}"}}\n${JSON.stringify({ text: `${title} ${text}` })}\n`;
  });
  await ask('POST', `${index}/_bulk`, bulk.join(''));
  await ask('POST', `${index}/_refresh`);
  let sum = 0;
  let count = 0;
  for (const { _id, text } of queries) {
    const judged = judgements.get(_id);
    if (judged === undefined) continue;
    const body = JSON.stringify({ size: 10, _source: false, query: { match: { text } } });
    const { hits } = await ask('POST', `${index}/_search`, body);
    const gains = hits.hits.map((hit: { readonly _id: string }) => judged.get(hit._id) ?? 0);
    const ideal = dcg([...judged.values()].sort((one, other) => other - one));
    sum += ideal === 0 ? 0 : dcg(gains) / ideal;
    count++;
  }
  return sum / count;
}

process.stdout.write(`${corpus.length} documents, ${judgements.size} judged queries\nanalyzer  k1   b     nDCG@10\n`);
for (const analyzer of ['standard', 'english']) {
  for (const [k1, b] of [
    [0.9, 0.4],
    [1.2, 0.75],
  ] as const) {
    const value = await measure(analyzer, k1, b);
    process.stdout.write(`${analyzer.padEnd(9)} ${String(k1).padEnd(4)} ${String(b).padEnd(5)} ${value.toFixed(4)}\n`);
  }
}
