// What copies, updates and deletions by query take alike: how many documents, how fast, and what conflicts come to.
import { isObject, type Json, notANumber, textOf, tokenOf } from '../../json.ts';
import { illegalArgument, parsingError, unsupported, validationError } from '../../request-error.ts';
import { type Call, integerParam, param } from '../request/request.ts';

/** Whether conflicts are only counted. */
export function proceeds(conflicts: unknown): boolean {
  if (conflicts === undefined || conflicts === 'abort') return false;
  if (conflicts === 'proceed') return true;
  throw illegalArgument(`conflicts may only be "proceed" or "abort" but was [${textOf(conflicts)}]`);
}

/** How many documents are written at most, by the URL and the body. */
export function mostDocuments(call: Call, body: Json): number {
  const slices = checkPace(call);
  const given = [body['max_docs'], integerParam(call, 'max_docs'), integerParam(call, 'size')]
    .filter((value) => value !== undefined)
    .map((value) => {
      const text = textOf(value);
      if (!/^-?\d+$/.test(text))
        throw illegalArgument(`Failed to parse int parameter [max_docs] with value [${text}]`, {
          causedBy: notANumber(text),
        });
      return Number(text);
    });
  const [first = Infinity, ...more] = given;
  const other = more.find((value) => value !== first);
  if (other !== undefined) throw illegalArgument(`[max_docs] set to two different values [${first}] and [${other}]`);
  if (first < 0) throw illegalArgument(`[max_docs] parameter cannot be negative, found [${first}]`);
  if (first < slices) throw illegalArgument('[max_docs] should be >= [slices]');
  return first;
}

/** Documents that are read together. @param name of what says it */
export function batchSize(given: number, name: string): number {
  if (given === 0) throw validationError('[size] cannot be [0] in a scroll context');
  if (given < 0) throw illegalArgument(`[size] parameter cannot be negative, found [${given}]`);
  if (given > 10_000) throw illegalArgument(`[${name}] parameter must be between 1 and 10000, found [${given}]`);
  return given;
}

/**
 * Whether a request asks to be done more slowly, or in several parts at once: there is one part, done as fast as it goes.
 *
 * @returns the parts that the request names
 */
function checkPace(call: Call): number {
  const pace = param(call, 'requests_per_second');
  if (pace !== undefined && Number(pace) !== -1) {
    if (!(Number(pace) > 0))
      throw illegalArgument('[requests_per_second] must be a float greater than 0. Use -1 to disable throttling.');
    throw unsupported('[requests_per_second] other than -1');
  }
  const slices = param(call, 'slices');
  if (slices === undefined || slices === 'auto') return 1;
  if (/^[1-9]\d*$/.test(slices)) return Number(slices);
  throw illegalArgument(
    `[slices] must be a positive integer or the string "auto", but was [${slices}]`,
    /^-?\d+$/.test(slices) ? {} : { causedBy: notANumber(slices) },
  );
}

/** @throws RequestError for a member that a body, which is a search in Elasticsearch, must not have */
export function checkSearchKeys(body: Json, known: readonly string[]): void {
  for (const [key, value] of Object.entries(body))
    if (!known.includes(key))
      throw parsingError(`Unknown key for a ${isObject(value) ? 'START_OBJECT' : tokenOf(value)} in [${key}].`);
}
