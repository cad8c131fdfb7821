// Parameters that `_reindex`, `_update_by_query` and `_delete_by_query` share: number of documents, speed, and conflicts.
import { isObject, type Json, notANumber, textOf, tokenOf } from '../../json/json.ts';
import type { Index } from '../../engine/engine-api.ts';
import { checkCount, primariesOf } from '../request/active-shards.ts';
import { illegalArgument, parsingError } from '../../errors/request-error.ts';
import { type Call, integerParam, param } from '../request/request.ts';
import { perSecondOf } from './pace.ts';

/** Whether conflicts are only counted. */
export function proceeds(conflicts: unknown): boolean {
  if (conflicts === undefined || conflicts === 'abort') return false;
  if (conflicts === 'proceed') return true;
  throw illegalArgument(`conflicts may only be "proceed" or "abort" but was [${textOf(conflicts)}]`);
}

/** The `size` that limits nothing. */
const EVERY = -1;

/** Maximum number of documents to write. */
export class MostDocuments {
  value = Infinity;

  /** Sets the maximum from a member of the body or a parameter. @throws RequestError for a value that is no number, and for a second, different one */
  take(given: unknown): void {
    if (given === undefined) return;
    const text = textOf(given);
    if (!/^-?\d+$/.test(text))
      throw illegalArgument(`Failed to parse int parameter [max_docs] with value [${text}]`, {
        causedBy: notANumber(text),
      });
    const most = Number(text);
    if (this.value !== Infinity && this.value !== most)
      throw illegalArgument(`[max_docs] set to two different values [${this.value}] and [${most}]`);
    if (most < 0) throw illegalArgument(`[max_docs] parameter cannot be negative, found [${most}]`);
    this.check(most, 1);
    this.value = most;
  }

  /** Sets the maximum from the URL, and checks that every slice gets a document. @param slices 0 while their number is not known */
  takeUrl(call: Call, slices: number): void {
    const size = integerParam(call, 'size');
    if (size !== undefined && size !== EVERY) {
      call.warn('Deprecated field [size] used, expected [max_docs] instead');
      this.take(size);
    }
    this.take(integerParam(call, 'max_docs'));
    this.check(this.value, slices);
  }

  check(most: number, slices: number): void {
    if (most < slices) throw illegalArgument('[max_docs] should be >= [slices]');
  }
}

/** Describes what is wrong with a batch size. */
export const batchProblems = (size: number): readonly string[] =>
  size === 0 ? ['[size] cannot be [0] in a scroll context'] : [];

/** Reads the batch size. @param name of the parameter */
export function batchSize(given: number, name: string): number {
  if (given < 0) throw illegalArgument(`[size] parameter cannot be negative, found [${given}]`);
  if (given > 10_000) throw illegalArgument(`[${name}] parameter must be between 1 and 10000, found [${given}]`);
  return given;
}

/** Maximum number of slices; each is a search. */
const MOST_SLICES = 1024;

/** Reads the number of slices. @param indices whose shards `auto` counts */
export function slicesOf(call: Call, indices: () => readonly Index[]): number {
  const slices = param(call, 'slices');
  if (slices === undefined) return 1;
  if (slices === 'auto') {
    const found = indices();
    return found.length === 0 ? 1 : Math.min(20, ...found.map(primariesOf));
  }
  if (!/^[1-9]\d*$/.test(slices))
    throw illegalArgument(
      `[slices] must be a positive integer or the string "auto", but was [${slices}]`,
      /^-?\d+$/.test(slices) ? {} : { causedBy: notANumber(slices) },
    );
  if (Number(slices) > MOST_SLICES)
    throw illegalArgument(`[slices] is [${slices}], more than the limit of [${MOST_SLICES}]`);
  return Number(slices);
}

/**
 * Reads how documents are written from the URL, before any index is looked up.
 *
 * @throws RequestError for the first mistake
 */
export function readCommonParams(call: Call, limit: MostDocuments): void {
  const slices = slicesOf(call, () => []);
  checkCount(call);
  perSecondOf(call);
  limit.takeUrl(call, param(call, 'slices') === 'auto' ? 0 : slices);
}

/** What is wrong with one slice of a request that divides itself. */
export function slicingProblems(call: Call, slice: unknown): readonly string[] {
  const slices = param(call, 'slices');
  return slice !== undefined && slices !== undefined && slices !== '1'
    ? ["can't specify both manual and automatic slicing at the same time"]
    : [];
}

/** @throws RequestError for a member that a body, which is a search in Elasticsearch, must not have */
export function checkSearchKeys(body: Json, known: readonly string[]): void {
  for (const [key, value] of Object.entries(body))
    if (!known.includes(key))
      throw parsingError(`Unknown key for a ${isObject(value) ? 'START_OBJECT' : tokenOf(value)} in [${key}].`);
}
