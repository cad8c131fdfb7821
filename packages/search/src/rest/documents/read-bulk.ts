// Parses the lines of a bulk request: actions and documents. Yields to the event loop, as a request may have 100,000 lines.
import { wordsOf } from '@lockstitch/kernel';
import { warnsOfTypes } from '../request/warnings.ts';
import { type Call, bodyWithLines } from '../request/request.ts';
import type { TimeSlices } from '../../tasks/scheduler.ts';
import { type Json, isObject, parseJson, tokenOf } from '../../json/json.ts';
import { illegalArgument, RequestError } from '../../errors/request-error.ts';
import { LARGE, readJson } from '../../thread/read-json.ts';
import { asUpdateBody } from './update-body.ts';

/** Warning for types in paths or actions. */
export const BULK_TYPES = warnsOfTypes('bulk requests');

const ACTION_KEYS = wordsOf(`
  _index _type _id routing version version_type if_seq_no if_primary_term retry_on_conflict pipeline _source
  require_alias op_type`);

/** One action. */
export interface BulkItem {
  readonly action: 'index' | 'create' | 'delete' | 'update';
  /** Its members without null values. */
  readonly meta: Json;
  readonly source: Uint8Array | undefined;
  /** The parsed body of an update, unless it is large or many others are kept. */
  readonly body?: Json;
}

/** Maximum bytes of parsed updates that are kept between their check and their execution. */
const MOST_HELD = 1 << 22;

/** @throws RequestError 413 for too many operations; nothing was written */
function checkCount(count: number, most: number): void {
  if (count <= most) return;
  throw new RequestError(
    'SEARCH_TOO_LARGE',
    'illegal_argument_exception',
    `Too many operations in one bulk request: at most [${most}] are allowed. Send them in several requests.`,
    { hint: 'Send the operations in several requests, or raise maxBulkOperations.' },
  );
}

/** Reads all operations. @param most maximum operations @throws RequestError if one is malformed, or there are too many */
export async function readBulk(call: Call, slices: TimeSlices, most: number): Promise<BulkItem[]> {
  const items: BulkItem[] = [];
  const lines = bodyWithLines(call, 'bulk');
  let read = 0;
  let held = 0;
  for (;;) {
    const line = lines.next();
    if (line === undefined) break;
    if (slices.isOver) await slices.yield();
    // Empty lines take time, too.
    checkCount(++read, most);
    if (line.length === 0) continue;
    const { number } = lines;
    const { action, value } = await readHead(line, number);
    const meta = readMeta(value, number);
    if (meta['_type'] !== undefined) call.warn(BULK_TYPES.warns.type);
    if (action === 'update' && (meta['version'] !== undefined || (meta['version_type'] ?? 'internal') !== 'internal'))
      throw illegalArgument(
        'Update requests do not support versioning. Please use `if_seq_no` and `if_primary_term` instead',
      );
    if (action === 'delete') {
      items.push({ action, meta, source: undefined });
      continue;
    }
    const source = lines.next();
    // As in Elasticsearch, the last action is ignored without its document.
    if (source === undefined) break;
    const creates = action === 'create' || (action === 'index' && meta['op_type'] === 'create');
    if (action === 'update' && source.length < LARGE) {
      // Read here, so that the first mistake in the lines is the one that is named.
      const body = asUpdateBody(source);
      items.push({ action, meta, source, ...((held += source.length) < MOST_HELD ? { body } : {}) });
    } else items.push({ action: creates ? 'create' : action, meta, source });
  }
  return items;
}

/** The action of a line and its members. */
async function readHead(
  line: Uint8Array,
  number: number,
): Promise<{ readonly action: BulkItem['action']; readonly value: Json }> {
  const malformed = (expected: string, found: string): Error =>
    illegalArgument(`Malformed action/metadata line [${number}], expected ${expected} but found [${found}]`);
  let head: unknown;
  try {
    head = line.length < LARGE ? parseJson(line) : await readJson(line, []);
  } catch (error) {
    head = firstMember(line.subarray(0, LARGE), error);
  }
  if (!isObject(head)) throw malformed('START_OBJECT', tokenOf(head));
  // Text after the object of the action is ignored: some clients count their attempts there.
  const [first] = Object.entries(head);
  if (first === undefined) throw malformed('FIELD_NAME', 'END_OBJECT');
  const [action, value] = first;
  // Elasticsearch 7.10 silently drops unknown actions with their documents.
  if (action !== 'index' && action !== 'create' && action !== 'delete' && action !== 'update')
    throw malformed('field [create], [delete], [index] or [update]', action);
  if (!isObject(value)) throw malformed('START_OBJECT or END_OBJECT', tokenOf(value));
  return { action, value };
}

/** Parses the first object of a malformed line. @param error thrown if the mistake is in that object */
function firstMember(line: Uint8Array, error: unknown): unknown {
  const text = new TextDecoder().decode(line);
  const end = endOfInner(text);
  if (end === undefined) throw error;
  return parseJson(`${text.slice(0, end)}}`);
}

/** End of the inner object. */
function endOfInner(text: string): number | undefined {
  let depth = 0;
  for (const match of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/g)) {
    if (match[0] === '{' || match[0] === '[') depth++;
    else if (match[0] === '}' || match[0] === ']') {
      depth--;
      if (depth === 1) return match.index + 1;
      if (depth < 1) return undefined;
    }
  }
  return undefined;
}

function readMeta(value: Json, number: number): Json {
  const meta: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    if (member === null) continue;
    if (typeof member === 'object' && !(key === '_source' && isObject(member)))
      throw illegalArgument(
        `Malformed action/metadata line [${number}], expected a simple value for field [${key}] but found [${tokenOf(member)}]`,
      );
    if (!ACTION_KEYS.includes(key))
      throw illegalArgument(`Action/metadata line [${number}] contains an unknown parameter [${key}]`);
    meta[key] = member;
  }
  return meta;
}
