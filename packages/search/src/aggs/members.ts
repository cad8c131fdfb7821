// What values the members of aggregations take, as Elasticsearch's parsers of objects read them: member by member, so that the first
// mistake is told. What a value means, the reader of the aggregation knows.
import { byWord } from '@lockstitch/kernel';
import { asBoolean, asNumber, type Json, knownHere, nearest, tokenOf } from '../json/json.ts';
import { checkToken, coercedInteger, type MemberKind, unknownMember, within } from '../json/object-parser.ts';
import { contentError, illegalArgument, parsingError, RequestError } from '../errors/request-error.ts';
import { readGapPolicy } from './buckets-path.ts';
import { checkValueType } from './value-type.ts';

/** By name: a member of one name takes the same in all aggregations, but for `OTHERS`. */
const KINDS: Readonly<Record<string, MemberKind>> = byWord({
  string: `
    field value_type format collect_mode execution_hint calendar_interval fixed_interval minimum_interval unit
    distance_type separator gap_policy method`,
  value: 'missing',
  number: `
    time_zone interval offset sigma compression precision rehash precision_threshold size shard_size min_doc_count
    shard_min_doc_count max_doc_count max_docs_per_value buckets initial_buffer window shift from`,
  objectOrString: 'script',
  objects: 'order ranges sources',
  objectsOrString: 'include',
  strings: 'exclude source_fields buckets_path',
  boolean: `
    show_term_doc_count_error keyed wrap_longitude show_distribution filter_duplicate_text`,
  object: `
    extended_bounds hard_bounds tdigest hdr value weight a b bounds after filters background_filter script_heuristic
    jlh gnd percentage chi_square mutual_information`,
  numbers: 'percents values',
  point: 'origin',
});

/** Those of some aggregations that take something else. */
const OTHERS: Readonly<Record<string, Readonly<Record<string, MemberKind>>>> = {
  bucket_script: { buckets_path: 'objectsOrString' },
  bucket_sort: { sort: 'objects' },
  moving_fn: { buckets_path: 'string' },
};

/** Whole numbers of 32 bits, with the least that each may be. */
const LEAST: Readonly<Record<string, { readonly least: number; readonly name: string } | undefined>> = {
  size: { least: 1, name: 'size' },
  shard_size: { least: 1, name: 'shardSize' },
  min_doc_count: { least: 0, name: 'minDocCount' },
  shard_min_doc_count: { least: 0, name: 'shardMinDocCount' },
  max_doc_count: { least: 1, name: 'max_doc_count' },
  max_docs_per_value: { least: 1, name: 'maxDocsPerValue' },
  buckets: undefined,
  initial_buffer: undefined,
  precision_threshold: undefined,
  window: undefined,
  shift: undefined,
  from: undefined,
};

/** Aggregations that check these numbers themselves. */
const OWN_LEAST = ['bucket_sort', 'composite', 'diversified_sampler', 'top_metrics', 'variable_width_histogram'];

/** @throws RequestError for the first member of a body that its aggregation does not know or that has no such value */
export function checkMembers(type: string, name: string, body: Json, options: readonly string[]): void {
  for (const [key, value] of Object.entries(body)) {
    if (!options.includes(key) && key !== 'script') throw unknownOf(type, key, options);
    const kind = OTHERS[type]?.[key] ?? KINDS[key];
    if (kind === undefined) continue;
    checkToken(type, key, value, kind);
    if (key === 'missing' && value === null)
      throw contentError(`[${type}] failed to parse field [missing]`, {
        type: 'illegal_argument_exception',
        reason: '[missing] must not be null',
      });
    if (key === 'value_type' && type !== 'weighted_avg') checkValueType(type, value);
    if (kind === 'number') within(type, key, () => checkNumber(type, name, key, value));
    // An empty text is no.
    else if (kind === 'boolean' && value !== '') within(type, key, () => asBoolean(value, key));
  }
}

/** Of significant terms a member that is not known would be a measure. */
function unknownOf(type: string, key: string, options: readonly string[]): RequestError {
  if (!type.startsWith('significant_')) return unknownMember(type, key, options);
  const causedBy = { type: 'named_object_not_found_exception', reason: `unknown field [${key}]` };
  return new RequestError(
    'SEARCH_PARSING',
    'x_content_parse_exception',
    `[${type}] unknown field [${key}]${nearest(key, options)}`,
    { causedBy, ...(nearest(key, options) === '' ? knownHere(key, options) : {}) },
  );
}

/** Numbers that may be texts of another kind: the reader says what it takes. */
const TEXTS_TOO = ['time_zone', 'offset', 'interval', 'precision'];

function checkNumber(type: string, name: string, key: string, value: unknown): void {
  if (TEXTS_TOO.includes(key) && !(type === 'rare_terms' && key === 'precision')) return;
  if (!Object.hasOwn(LEAST, key)) {
    asNumber(value, key);
    return;
  }
  const number = coercedInteger(value, key);
  const bound = LEAST[key];
  if (bound === undefined || number >= bound.least || OWN_LEAST.includes(type)) return;
  const words = bound.least === 0 ? 'greater than or equal to 0' : 'greater than 0';
  throw illegalArgument(`[${bound.name}] must be ${words}. Found [${number}] in [${name}]`);
}

/** What tokens the members of pipelines that are read by hand begin with. */
const TOKENS: Readonly<Record<string, readonly string[]>> = {
  buckets_path: ['VALUE_STRING', 'START_ARRAY'],
  format: ['VALUE_STRING'],
  gap_policy: ['VALUE_STRING'],
  unit: ['VALUE_STRING'],
  model: ['VALUE_STRING'],
  lag: ['VALUE_NUMBER'],
  window: ['VALUE_NUMBER'],
  predict: ['VALUE_NUMBER'],
  sigma: ['VALUE_NUMBER'],
  percents: ['START_ARRAY'],
  keyed: ['VALUE_BOOLEAN'],
  minimize: ['VALUE_BOOLEAN'],
  settings: ['START_OBJECT'],
  script: ['VALUE_STRING', 'START_OBJECT'],
};

/** A pipeline whose members are checked. */
interface Pipeline {
  readonly type: string;
  readonly name: string;
  readonly body: Json;
  readonly options: readonly string[];
}

/** The members of a pipeline that a parser of objects reads. */
export function checkParsedPipeline({ type, name, body, options }: Pipeline): void {
  checkMembers(type, name, body, options);
  if (body['gap_policy'] !== undefined) within(type, 'gap_policy', () => readGapPolicy(body, name));
}

/** Those of one that is read by hand. @param unexpected words the refusal of a token */
export function checkPipelineByHand(
  { name, body, options, type }: Pipeline,
  unexpected: (token: string, key: string) => string,
): void {
  for (const [key, value] of Object.entries(body)) {
    const token = tokenOf(value);
    const takes =
      type === 'bucket_selector' && key === 'buckets_path' ? ['START_OBJECT', ...TOKENS[key]!] : TOKENS[key];
    if (!options.includes(key) || takes?.includes(token) === false)
      throw parsingError(unexpected(token, key), knownHere(key, options));
    if (key === 'gap_policy') readGapPolicy(body, name, true);
  }
}
