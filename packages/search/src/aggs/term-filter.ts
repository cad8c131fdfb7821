// Which values of a `terms` aggregation get buckets: `include` and `exclude`, as a pattern, a list, or a partition.
import { asInteger, asString, isObject } from '../json.ts';
import { regexpMatcher } from '../query/regexp.ts';
import { illegalArgument } from '../request-error.ts';

/** Decides about values. */
export interface TermFilter {
  readonly pattern: boolean;
  accepts(term: string): boolean;
  /** @param read turns a listed value into the column's number */
  acceptsNumber(value: number, read: (text: unknown) => number): boolean;
}

/** Whether the filter can be used on numbers. */
export function isNumberList(filter: TermFilter): boolean {
  return !filter.pattern;
}

/** Reads `include` and `exclude`; undefined when neither is given. */
export function readTermFilter(include: unknown, exclude: unknown): TermFilter | undefined {
  if (include === undefined && exclude === undefined) return undefined;
  if (isObject(include)) {
    const partition = asInteger(include['partition'], 'include.partition');
    const partitions = asInteger(include['num_partitions'], 'include.num_partitions');
    if (exclude !== undefined) throw illegalArgument('Cannot use any excludes when using partition-based include');
    if (partition < 0 || partition >= partitions)
      throw illegalArgument(`Missing [num_partitions] parameter for partition-based include`);
    const inside = (text: string): boolean => hash(text) % partitions === partition;
    return { pattern: false, accepts: inside, acceptsNumber: (value) => inside(String(value)) };
  }
  const yes = part(include, 'include');
  const no = part(exclude, 'exclude');
  const listed = (list: readonly unknown[], read: (text: unknown) => number): ReadonlySet<number> =>
    new Set(list.map(read));
  let yesNumbers: ReadonlySet<number> | undefined;
  let noNumbers: ReadonlySet<number> | undefined;
  return {
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

function part(value: unknown, where: string): Part | undefined {
  if (value === undefined) return undefined;
  if (Array.isArray(value)) {
    const set = new Set(value.map((each) => asString(each, where)));
    return { kind: 'list', values: value, accepts: (term) => set.has(term) };
  }
  const pattern = asString(value, where);
  // Lucene's syntax on an automaton: no pattern takes more than linear time, and too complex ones are refused.
  const matcher = regexpMatcher(pattern, 'ALL', false, 10_000);
  return { kind: 'pattern', accepts: (term) => matcher.matches(term) };
}

function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 16777619);
  return value >>> 0;
}
