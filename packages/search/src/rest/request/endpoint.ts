// The definition of an endpoint: all that the API knows of it stands in one place. The router, the checks of parameters, docs/compatibility.md
// and the catalogue of random requests are made from it. `rest/endpoints.ts` lists them.
import { illegalArgument, type RequestError } from '../../errors/request-error.ts';
import { notANumber } from '../../json/json.ts';
import { readTime } from '../../json/time-value.ts';
import { type Answer, type Call, flagOf, integerOf, type RestRequest } from './request.ts';
import { nearestOfUrl } from './unknown-field.ts';

/** What a URL parameter takes. */
export type ParamKind = 'flag' | 'float' | 'indexFlag' | 'integer' | 'text' | 'time' | 'wildcards';

/** URL parameters by name. */
export type Params = Readonly<Record<string, ParamKind>>;

type Handler = (call: Call) => Answer | Promise<Answer>;

/** Warnings: of every answer, where the request names a type, and where it has `include_type_name`. */
export interface Warns {
  readonly always?: string;
  readonly type?: string;
  readonly typeName?: string;
  /** Whether the body is read before the type in the path is looked at: a request that cannot be read warns of no type. */
  readonly isParsedFirst?: true;
}

/** Several methods and paths that are answered alike. */
export interface Endpoint {
  readonly methods: readonly string[];
  /** With names in braces, for example `/{index}/_search`. */
  readonly paths: readonly string[];
  /** Those that it takes besides `COMMON`. */
  readonly params: Params;
  /** Under a view, what reads is asked at random for whether its answers reveal hidden documents. */
  readonly effect: 'reads' | 'opens' | 'changes';
  /** Whether it reads the body itself, of any size: lines, or a document. */
  readonly readsBody?: true;
  /** Whether `human` adds readable members to its numbers. */
  readonly isReadable?: true;
  /** What its answers warn of. */
  readonly warns?: Warns;
  /**
   * Reads a request that was refused as far as no index is asked. Its mistakes are reported before unknown parameters, unknown indices and
   * failures of shards.
   *
   * @throws RequestError for the first mistake
   */
  readonly parse?: (call: Call) => void | Promise<void>;
  readonly answer: Handler;
}

/** Methods and paths are words: `'GET HEAD'`, `'/_count /{index}/_count'`. */
type Define = (
  methods: string,
  paths: string,
  params: Params,
  answer: Handler,
  more?: Pick<Endpoint, 'isReadable' | 'warns' | 'readsBody' | 'parse'>,
) => Endpoint;

const defining =
  (effect: Endpoint['effect']): Define =>
  (methods, paths, params, answer, more) => ({
    methods: methods.split(' '),
    paths: paths.split(' '),
    params,
    effect,
    answer,
    ...more,
  });

/** Defines an endpoint that changes nothing, for example `reads('GET HEAD', '/', {}, info)`. */
export const reads = defining('reads');
/** Defines one that opens or closes what only its caller has: scrolls and points in time. */
export const opens = defining('opens');
/** Defines one that changes documents, indices or the cluster. */
export const changes = defining('changes');

/** Of endpoints that answer numbers about the cluster. */
export const READABLE = { isReadable: true } as const;

/** Parameters that every endpoint takes. */
const COMMON: Params = {
  pretty: 'flag',
  human: 'flag',
  error_trace: 'flag',
  source: 'text',
  source_content_type: 'text',
  filter_path: 'text',
  format: 'text',
};

/** Parameters that are unknown where the URL has no query. */
const OF_Q = ['df', 'analyzer', 'analyze_wildcard', 'default_operator', 'lenient'];

const CHECK: Readonly<Record<ParamKind, (value: string, name: string) => unknown>> = {
  text: () => undefined,
  flag: flagOf,
  float: checkFloat,
  indexFlag: checkIndexFlag,
  integer: integerOf,
  time: readTime,
  wildcards: checkWildcards,
};

const NAMES = new WeakMap<Endpoint, readonly string[]>();

/**
 * The names in braces in the paths of an endpoint that may stand in the query instead. Where the path decides who may do what, only it
 * names indices and documents.
 */
export function namesBesidePath({ indexByPathOnly }: RestRequest, endpoint: Endpoint): readonly string[] {
  let names = NAMES.get(endpoint);
  if (names === undefined) {
    const all = endpoint.paths.flatMap((path) => Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name!));
    NAMES.set(endpoint, (names = [...new Set(all)]));
  }
  return indexByPathOnly === true ? names.filter((name) => name === 'type') : names;
}

/** @throws RequestError for a parameter whose value is of another kind, then for unknown parameters */
export function checkParams({ request }: Call, endpoint: Endpoint): void {
  const { params } = endpoint;
  const unknown = new Set<string>();
  for (const [name, value] of request.query) {
    if (OF_Q.includes(name) && !request.query.has('q')) unknown.add(name);
    else if (Object.hasOwn(params, name)) CHECK[params[name]!](value, name);
    else if (!Object.hasOwn(COMMON, name) && !namesBesidePath(request, endpoint).includes(name)) unknown.add(name);
  }
  if (unknown.size === 0) return;
  const known = Object.keys({ ...COMMON, ...params }).filter((name) => !unknown.has(name));
  throw unrecognizedParams(request, [...unknown].sort(), known);
}

/** The refusal of parameters that an endpoint does not read. @param known those that may have been meant */
export function unrecognizedParams(
  { path }: RestRequest,
  names: readonly string[],
  known: readonly string[] = [],
): RequestError {
  const parts = names.map((name) => `[${name}]${nearestOfUrl(name, known)}`);
  return illegalArgument(
    `request [${decodeURIComponent(path)}] contains unrecognized parameter${names.length > 1 ? 's' : ''}: ${parts.join(', ')}`,
  );
}

function checkFloat(value: string, name: string): void {
  if (value.trim() === '' || Number.isNaN(Number(value)))
    throw illegalArgument(`Failed to parse float parameter [${name}] with value [${value}]`, {
      causedBy: value === '' ? { type: 'number_format_exception', reason: 'empty String' } : notANumber(value),
    });
}

/** Of the parameters that say which indices are meant. */
function checkIndexFlag(value: string, name: string): void {
  if (['', 'true', 'false'].includes(value)) return;
  throw illegalArgument(`Could not convert [${name}] to boolean`, {
    causedBy: {
      type: 'illegal_argument_exception',
      reason: `Failed to parse value [${value}] as only [true] or [false] are allowed.`,
    },
  });
}

/** @throws RequestError for a word that says nothing of wildcards */
export function checkWildcards(value: string): void {
  const wrong = value
    .split(',')
    .find((word) => word !== '' && !['open', 'closed', 'hidden', 'all', 'none'].includes(word));
  if (wrong !== undefined) throw illegalArgument(`No valid expand wildcard value [${wrong}]`);
}
