// `collate` of phrase suggestions: a query with a place for the suggested text. Texts that it finds no document for are left out, or marked.
import { isObject, type Json, nearOrKnown } from '../json/json.ts';
import { parseObject, TEXT } from '../json/object-parser.ts';
import { contentError, illegalArgument, parsingError, shardArgument, unsupported } from '../errors/request-error.ts';
import { compileTemplate, type Template } from '../json/mustache.ts';

/** A query for suggested texts. */
export interface Collate {
  /** The query as JSON. @throws RequestError for a template that cannot be read */
  readonly queryFor: (suggestion: string) => string;
  /** Whether texts without a document are shown, too, and marked. */
  readonly prune: boolean;
}

const KEYS = ['query', 'params', 'prune'];

/** Reads `collate`. @returns undefined where it has no query: then it does nothing */
export function readCollate(body: Json): Collate | undefined {
  let source: string | undefined;
  let params: Json = {};
  let prune = false;
  for (const [key, value] of Object.entries(body)) {
    if (key === 'query') source = readSource(value);
    else if (key === 'params') params = isObject(value) ? value : {};
    else if (key === 'prune') {
      if (value !== true && value !== false && value !== 'true' && value !== 'false')
        throw parsingError("suggester[phrase][collate] prune must be either 'true' or 'false'");
      prune = String(value) === 'true';
    } else throw parsingError(`suggester[phrase][collate] doesn't support field [${key}]${nearOrKnown(key, KEYS)}`);
  }
  if (source === undefined) return undefined;
  const text = source;
  let template: Template | undefined;
  return {
    queryFor: (suggestion) => (template ??= compileTemplate(text, shardArgument))({ ...params, suggestion }),
    prune,
  };
}

const SCRIPT = {
  source: { kind: 'objectOrString', read: (value: unknown) => value },
  inline: { kind: 'objectOrString', read: (value: unknown) => value },
  id: TEXT,
  lang: TEXT,
  options: { kind: 'object', read: () => undefined },
  params: { kind: 'object', read: () => undefined },
} as const;

/** The text of the template. */
function readSource(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!isObject(value)) throw contentError('[script] Expected START_OBJECT');
  const { id, inline, lang = 'mustache', source = inline } = parseObject(value, 'script', SCRIPT);
  if (id !== undefined) throw unsupported('A stored template in [collate]');
  if (source === undefined)
    throw illegalArgument('must specify either [source] for an inline script or [id] for a stored script');
  if (lang !== 'mustache') throw unsupported(`A template in [${lang}] in [collate]`);
  return typeof source === 'string' ? source : JSON.stringify(source);
}
