// The body of an update: which members it may have, and what contradicts itself in it. What is done with it stands in update.ts.
import { wordsOf } from '@lockstitch/kernel';
import { asBoolean, isObject, type Json, parseJson, tokenOf } from '../../json/json.ts';
import { placeOf } from '../../json/json-place.ts';
import { isLarge } from '../../json/large-json.ts';
import { RequestError, unsupported } from '../../errors/request-error.ts';
import { unknownField } from '../request/unknown-field.ts';
import type { WriteConditions } from '../../index/operation.ts';

const NAME = 'UpdateRequest';
const KEYS = wordsOf(`
  doc upsert doc_as_upsert scripted_upsert script detect_noop _source if_seq_no if_primary_term`);

/** Reads one. @throws RequestError for what no update can be */
export function asUpdateBody(source: Uint8Array): Json {
  const body = parseJson(source);
  checkUpdateBody(body, source);
  return body;
}

/** @param source the text, where it is at hand: it says where a mistake stands @throws RequestError */
export function checkUpdateBody(body: unknown, source?: Uint8Array): asserts body is Json {
  const refused = (path: readonly string[], reason: string, more: object = {}): Error =>
    new RequestError(
      'SEARCH_PARSING',
      'x_content_parse_exception',
      `${placeOf(source, path, path.length > 0 && !reason.startsWith('unknown'))} [${NAME}] ${reason}`,
      more,
    );
  if (!isObject(body)) throw refused([], `Expected START_OBJECT but was: ${tokenOf(body)}`);
  for (const [key, value] of Object.entries(body)) {
    if (!KEYS.includes(key)) throw unknownField(NAME, key, KEYS, source);
    if ((key === 'doc' || key === 'upsert') && !isObject(value) && !isLarge(value))
      throw refused([key], `${key} doesn't support values of type: ${tokenOf(value)}`);
    if ((key === 'doc_as_upsert' || key === 'detect_noop' || key === 'scripted_upsert') && typeof value !== 'boolean') {
      if (typeof value !== 'string') throw refused([key], `${key} doesn't support values of type: ${tokenOf(value)}`);
      if (value !== 'true' && value !== 'false')
        throw refused([key], `failed to parse field [${key}]`, {
          causedBy: {
            type: 'illegal_argument_exception',
            reason: `Failed to parse value [${value}] as only [true] or [false] are allowed.`,
          },
        });
    }
  }
}

/** @throws RequestError for what Elasticsearch can do and this engine cannot */
export function checkIsOffered(body: Json): void {
  if (body['script'] !== undefined || body['scripted_upsert'] !== undefined) throw unsupported('[script] in an update');
}

/** Whether the document stands in for one that is missing. */
export const isUpsert = (body: Json): boolean =>
  body['doc_as_upsert'] !== undefined && asBoolean(body['doc_as_upsert'], 'doc_as_upsert');

/** What contradicts itself in an update. */
export function updateProblems(
  body: Json,
  { condition, problems }: { readonly condition: WriteConditions; readonly problems: readonly string[] },
  retries: number,
): readonly string[] {
  const found = [...problems];
  if (condition.ifSeqNo !== undefined) {
    if (retries > 0) found.push('compare and write operations can not be retried');
    if (isUpsert(body)) found.push('compare and write operations can not be used with upsert');
    if (body['upsert'] !== undefined) found.push("upsert requests don't support `if_seq_no` and `if_primary_term`");
  }
  if (body['script'] === undefined && body['doc'] === undefined) found.push('script or doc is missing');
  if (body['script'] !== undefined && body['doc'] !== undefined) found.push("can't provide both script and doc");
  if (isUpsert(body) && body['doc'] === undefined) found.push('doc must be specified if doc_as_upsert is enabled');
  return found;
}
