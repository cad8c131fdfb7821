// `_analyze`: which index is asked, how many tokens it allows, and where the texts are analysed. What is answered is in `search/analyze.ts`.
import { reads, type Endpoint } from '../request/endpoint.ts';
import { readAnalyze, runAnalyze } from '../../search/analyze.ts';
import { flatten, settingsOf } from '../../settings/client-settings.ts';
import { IndexSearcher } from '../../collect/searcher.ts';
import type { Index } from '../../engine/engine-api.ts';
import { asInteger } from '../../json/json.ts';
import { PrintedJson } from '../../json/print-json.ts';
import { parseException } from '../../errors/request-error.ts';
import { runJson } from '../../thread/read-json.ts';
import { oneIndex } from '../documents/read-document.ts';
import { targetOf } from '../request/index-names.ts';
import { type Answer, type Call, jsonBody, param } from '../request/request.ts';
import { objectBody } from '../request/object-body.ts';

/** Bytes of a body from which its texts are analysed in a thread: shingles of many words hold the main thread for 20 ms at twice as many. */
const LONG = 1024;

/** `GET|POST [/{index}]/_analyze`. */
async function analyze(call: Call): Promise<Answer> {
  const { body } = call.request;
  const isLong = (body?.length ?? 0) > LONG;
  const given = isLong ? undefined : objectBody(call, 'analyze_request');
  if (!isLong && given === undefined) throw parseException('request body or source parameter is required');
  const name = call.path['index'] ?? param(call, 'index');
  // A mistake in the request is told before that there is no such index.
  if (!isLong) readAnalyze(given, name !== undefined);
  const index = name === undefined ? undefined : oneIndex(call.engine, name);
  const most = mostTokens(index);
  const target = index === undefined ? undefined : targetOf({ index, aliases: [] }, call);
  if (isLong) {
    const targets = target === undefined ? [] : [{ target, state: NO_DOCUMENTS, searcher: NO_DOCUMENTS }];
    const printed = await runJson('analyze', { text: body!, most }, targets, call.now);
    if (printed !== undefined) return { json: new PrintedJson(printed) };
  }
  return { json: runAnalyze(isLong ? jsonBody(call) : given, target?.mapping, most) };
}

/** A state of an index for those who ask nothing of it but its mapping. */
const NO_DOCUMENTS = new IndexSearcher(
  [],
  { k1: 1.2, b: 0.75, scaleByK1: true },
  { maxResultWindow: 0, maxTerms: 0, maxClauses: 0, maxDepth: 0 },
);

/** Tokens at most: `index.analyze.max_token_count`. */
function mostTokens(index: Index | undefined): number {
  const given =
    index === undefined ? undefined : new Map(flatten(settingsOf(index.definition))).get('analyze.max_token_count');
  return given === undefined || given === null ? 10_000 : asInteger(given, 'index.analyze.max_token_count');
}

/** What becomes of a text. */
export const ANALYZE_ENDPOINTS: readonly Endpoint[] = [
  reads('GET POST', '/_analyze /{index}/_analyze', { index: 'text' }, analyze, { readsBody: true }),
];
