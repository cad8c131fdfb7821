// The lines of a bulk request: what is to be done, and with which document. With turns of the event loop in between, for a request may
// have a hundred thousand of them.
import { type Call, bodyWithLines } from '../request/request.ts';
import type { Stretches } from '../../drive.ts';
import { type Json, asChoice, isObject, parseJson } from '../../json.ts';
import { illegalArgument, RequestError } from '../../request-error.ts';
import { LARGE, readJson } from '../../thread/read-json.ts';

const ACTION_KEYS = [
  '_index',
  '_type',
  '_id',
  'routing',
  'version',
  'version_type',
  'if_seq_no',
  'if_primary_term',
  'retry_on_conflict',
  'pipeline',
  '_source',
  'require_alias',
  'op_type',
];

/** One action. */
export interface BulkItem {
  readonly action: 'index' | 'create' | 'delete' | 'update';
  readonly meta: Json;
  readonly source: Uint8Array | undefined;
}

/** @throws RequestError 413 for more than one request may have; nothing was written then */
function checkCount(count: number, most: number): void {
  if (count <= most) return;
  throw new RequestError(
    'SEARCH_TOO_LARGE',
    'illegal_argument_exception',
    `Too many operations in one bulk request: at most [${most}] are allowed. Send them in several requests.`,
    { hint: 'Send the operations in several requests, or raise maxBulkOperations.' },
  );
}

/** Reads them all. @param most operations of one request @throws RequestError when one is malformed, or there are too many */
export async function readBulk(call: Call, stretches: Stretches, most: number): Promise<BulkItem[]> {
  const items: BulkItem[] = [];
  const lines = bodyWithLines(call);
  let read = 0;
  for (;;) {
    const line = lines.next();
    if (line === undefined) break;
    if (stretches.isOver) await stretches.pause();
    // Empty lines count, too: they are looked at.
    checkCount(++read, most);
    if (line.length === 0) continue;
    const { number } = lines;
    const head = line.length < LARGE ? parseJson(line) : await readJson(line, []);
    if (!isObject(head) || Object.keys(head).length !== 1) {
      const empty = isObject(head) && Object.keys(head).length === 0;
      throw illegalArgument(
        `Malformed action/metadata line [${number}], expected ${empty ? 'FIELD_NAME but found [END_OBJECT]' : 'START_OBJECT or END_OBJECT but found [VALUE_STRING]'}`,
      );
    }
    const [action, value] = Object.entries(head)[0]!;
    if (action !== 'index' && action !== 'create' && action !== 'delete' && action !== 'update') {
      throw illegalArgument(
        `Malformed action/metadata line [${number}], expected field [create], [delete], [index] or [update] but found [${action}]`,
      );
    }
    if (!isObject(value))
      throw illegalArgument(
        `Malformed action/metadata line [${number}], expected START_OBJECT but found [VALUE_STRING]`,
      );
    for (const key of Object.keys(value)) {
      if (!ACTION_KEYS.includes(key))
        throw illegalArgument(`Action/metadata line [${number}] contains an unknown parameter [${key}]`);
    }
    if (action === 'delete') {
      items.push({ action, meta: value, source: undefined });
      continue;
    }
    const source = lines.next();
    if (source === undefined || source.length === 0)
      throw illegalArgument('The bulk request must be terminated by a newline [\\n]');
    const opType = action === 'index' ? asChoice(value['op_type'] ?? 'index', 'op_type', ['index', 'create']) : action;
    items.push({ action: opType, meta: value, source });
  }
  return items;
}
