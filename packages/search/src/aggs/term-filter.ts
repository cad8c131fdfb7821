// Which values of a `terms` aggregation get buckets: `include` and `exclude`, as a pattern, a list, or a partition.
import { isProductError } from '@lockstitch/kernel';
import { causeOf } from '../json/error-shape.ts';
import { floorMod, mixed, murmur3, sortableBits } from '../index/shard-hash.ts';
import { asInteger, asString, isObject } from '../json/json.ts';
import { regexpMatcher } from '../automaton/regexp.ts';
import { contentError, illegalArgument, RequestError } from '../errors/request-error.ts';

/** Decides about values. */
export interface TermFilter {
  readonly pattern: boolean;
  /** What is listed. */
  readonly texts: readonly unknown[];
  accepts(term: string): boolean;
  /** @param read turns a listed value into the column's number */
  acceptsNumber(value: number, read: (text: unknown) => number, isWhole: boolean): boolean;
}

interface Options {
  readonly include?: unknown;
  readonly exclude?: unknown;
}

/** Whether the filter can be used on numbers. */
export function isNumberList(filter: TermFilter): boolean {
  return !filter.pattern;
}

/** Reads `include` and `exclude` of an aggregation; undefined when neither is given. */
export function readTermFilter(type: string, { include, exclude }: Options): TermFilter | undefined {
  if (include === undefined && exclude === undefined) return undefined;
  if (isObject(include)) {
    const refuse = (reason: string, kind = 'illegal_argument_exception'): Error =>
      contentError(`[${type}] failed to parse field [include]`, { type: kind, reason });
    const other = Object.keys(include).find((key) => key !== 'partition' && key !== 'num_partitions');
    if (other !== undefined) throw refuse(`Unknown parameter in Include/Exclude clause: ${other}`, 'parse_exception');
    for (const key of ['partition', 'num_partitions'])
      if (include[key] === undefined) throw refuse(`Missing [${key}] parameter for partition-based include`);
    const partition = asInteger(include['partition'], 'include.partition');
    const partitions = asInteger(include['num_partitions'], 'include.num_partitions');
    if (partition < 0 || partition >= partitions)
      throw refuse(`Partition must be >=0 and < numPartition which is ${partitions}`);
    if (exclude !== undefined)
      throw illegalArgument('Cannot specify any excludes when using a partition-based include');
    const known = new Map<number, boolean>();
    return {
      pattern: false,
      texts: [],
      accepts: (term) => floorMod(murmur3(Buffer.from(term), PARTITION_SEED), partitions) === partition,
      acceptsNumber(value, _read, isWhole) {
        let isIn = known.get(value);
        if (isIn === undefined) {
          const rest = BigInt.asIntN(64, mixed(isWhole ? BigInt(value) : sortableBits(value))) % BigInt(partitions);
          isIn = (Number(rest) + partitions) % partitions === partition;
          if (known.size < MOST_KNOWN) known.set(value, isIn);
        }
        return isIn;
      },
    };
  }
  const yes = part(type, include, 'include');
  const no = part(type, exclude, 'exclude');
  if (yes !== undefined && no !== undefined && yes.kind !== no.kind)
    throw illegalArgument(`Cannot mix a ${METHODS[yes.kind]}-based include with a ${METHODS[no.kind]}-based method`);
  const listed = (list: readonly unknown[], read: (text: unknown) => number): ReadonlySet<number> =>
    new Set(list.map(read));
  let yesNumbers: ReadonlySet<number> | undefined;
  let noNumbers: ReadonlySet<number> | undefined;
  return {
    texts: [yes, no].flatMap((each) => (each?.kind === 'list' ? each.values : [])),
    pattern: yes?.kind === 'pattern' || no?.kind === 'pattern',
    accepts: (term) => (yes === undefined || yes.accepts(term)) && (no === undefined || !no.accepts(term)),
    acceptsNumber(value, read) {
      if (yes?.kind === 'list') yesNumbers ??= listed(yes.values, read);
      if (no?.kind === 'list') noNumbers ??= listed(no.values, read);
      return (yesNumbers === undefined || yesNumbers.has(value)) && noNumbers?.has(value) !== true;
    },
  };
}

type Part =
  | { readonly kind: 'pattern'; accepts(term: string): boolean }
  | { readonly kind: 'list'; readonly values: readonly unknown[]; accepts(term: string): boolean };

function part(type: string, value: unknown, where: string): Part | undefined {
  if (value === undefined) return undefined;
  if (Array.isArray(value)) {
    if (value.some((each) => typeof each === 'object'))
      throw contentError(`[${type}] failed to parse field [${where}]`, {
        type: 'parse_exception',
        reason: 'Array elements in include/exclude clauses should be string values',
      });
    const set = new Set(value.map((each) => asString(each, where)));
    return { kind: 'list', values: value, accepts: (term) => set.has(term) };
  }
  const pattern = asString(value, where);
  // Lucene's syntax on an automaton: no pattern takes more than linear time, and too complex ones are refused.
  try {
    const matcher = regexpMatcher(pattern, 'ALL', false, 10_000);
    return { kind: 'pattern', accepts: (term) => matcher.matches(term) };
  } catch (error) {
    if (!isProductError(error) || !(error instanceof RequestError || error.code === 'SEARCH_PATTERN_SYNTAX'))
      throw error;
    const { reason, type: kind } = causeOf(error).error;
    if (kind !== 'illegal_argument_exception') throw error;
    throw contentError(`[${type}] failed to parse field [${where}]`, { type: kind, reason });
  }
}

const METHODS = { pattern: 'regex', list: 'set' };
/** IncludeExclude.HASH_PARTITIONING_SEED. */
const PARTITION_SEED = 31;
/** Numbers whose partition is remembered. */
const MOST_KNOWN = 100_000;
