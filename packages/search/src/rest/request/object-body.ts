// Reads a body that is one JSON object, with the refusals of Elasticsearch's parsers.
import { contentError, parsingError, RequestError } from '../../errors/request-error.ts';
import { endOfValue, isObject, type Json, tokenOf } from '../../json/json.ts';
import { lineAndColumn } from '../../json/json-place.ts';
import { type Call, jsonBody, missingBody } from './request.ts';

const decoder = new TextDecoder();

/**
 * The body; undefined where there is none. Text after the object is ignored, as in Elasticsearch.
 *
 * @param parser the name of the parser in messages, where Elasticsearch's has one
 * @throws RequestError for what is no object
 */
export function objectBody(call: Call, parser?: string): Json | undefined {
  return asBody(call, parser, true);
}

/** As `objectBody`, where one must be sent. */
export function requiredObject(call: Call, parser: string): Json {
  const body = objectBody(call, parser);
  if (body === undefined) throw missingBody();
  return body;
}

/** The body of a search, after which nothing may stand. @throws RequestError */
export function searchBody(call: Call): Json {
  const { body: bytes } = call.request;
  try {
    const body = asBody(call, undefined, false);
    if (body === undefined && bytes !== undefined && bytes.length > 0)
      throw parsingError('Expected [START_OBJECT] but found [null]', { fields: { line: 1, col: 0 } });
    return body ?? {};
  } catch (error) {
    const end = error instanceof Error ? endOfValue(error.message) : undefined;
    const text = decoder.decode(bytes);
    if (end === undefined || !/["{[\d]/.test(text[end] ?? '')) throw error;
    const token = tokenAt(text, end);
    throw parsingError(`Unexpected token [${token}] found after the main object.`, {
      fields: { ...lineAndColumn(text, end) },
    });
  }
}

/** The token that a text begins with at a quote, a bracket or a digit. */
function tokenAt(text: string, at: number): string {
  return tokenOf({ '"': '', '{': {}, '[': [] }[text.charAt(at)] ?? 0);
}

function asBody(call: Call, parser: string | undefined, ignoresRest: boolean): Json | undefined {
  const start = (): string => decoder.decode(call.request.body?.subarray(0, 1024));
  let value: unknown;
  try {
    value = jsonBody(call, ignoresRest);
  } catch (error) {
    // A list is refused by its first token.
    const isCut = error instanceof RequestError && error.type === 'json_e_o_f_exception';
    if (!isCut || !/^\s*\[/.test(start())) throw error;
    value = [];
  }
  if (isObject(value)) return value;
  if (value === undefined) {
    if (parser === undefined || (call.request.body?.length ?? 0) === 0) return undefined;
    throw contentError(`[1:0] [${parser}] Expected START_OBJECT but was: null`);
  }
  const text = start();
  const { line, col } = lineAndColumn(text, Math.max(0, text.search(/\S/)));
  if (parser === undefined)
    throw parsingError(`Expected [START_OBJECT] but found [${tokenOf(value)}]`, { fields: { line, col } });
  throw contentError(`[${line}:${col}] [${parser}] Expected START_OBJECT but was: ${tokenOf(value)}`);
}
