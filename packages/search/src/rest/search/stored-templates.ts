// Templates of searches that are stored by id (`_scripts`), in the engine's metadata. Scripts of other languages are refused by name.
import { ACKNOWLEDGED, type Answer, type Call, mapBody } from '../request/request.ts';
import { checkMayChange } from '../request/check-admin.ts';
import { changes, type Endpoint, reads } from '../request/endpoint.ts';
import { TIMEOUTS } from '../request/route-params.ts';
import {
  illegalArgument,
  parsingError,
  RequestError,
  unsupported,
  validationError,
} from '../../errors/request-error.ts';
import type { Engine } from '../../engine/engine-api.ts';
import { show } from '../../json/java-values.ts';
import { isObject, type Json, textOf, tokenOf } from '../../json/json.ts';
import { checkMetadata } from '../indices/templates.ts';

/** A template as it is kept and shown. */
interface StoredTemplate {
  readonly lang: 'mustache';
  readonly source: string;
  readonly options?: Json;
}

/** Bytes of one at most (`script.max_size_in_bytes`). */
const LONGEST = 65_535;
/** How many there are at most: all are kept in memory, and written together. */
const MOST = 1000;

const OPTIONS = { content_type: 'application/json; charset=UTF-8' } as const;

/** Languages of scripts that Elasticsearch has. */
const OTHER_LANGUAGES: readonly string[] = ['painless', 'expression'];

function readStored({ metadata }: Engine): Readonly<Record<string, StoredTemplate>> {
  return isObject(metadata) && isObject(metadata['scripts'])
    ? (metadata['scripts'] as Record<string, StoredTemplate>)
    : {};
}

async function store(engine: Engine, scripts: Readonly<Record<string, StoredTemplate>>): Promise<void> {
  const { metadata } = engine;
  await engine.updateMetadata({ ...(isObject(metadata) ? metadata : {}), scripts });
}

/** The text of a stored template. @throws RequestError where there is none */
export function storedSource(engine: Engine, id: string): string {
  const stored = readStored(engine);
  if (Object.hasOwn(stored, id)) return stored[id]!.source;
  throw missing(`unable to find script [${id}] in cluster state`);
}

const missing = (reason: string): Error => new RequestError('SEARCH_NOT_FOUND', 'resource_not_found_exception', reason);

function readScript(body: Json): StoredTemplate {
  const [stray] = Object.keys(body).filter((key) => key !== 'script');
  const { script } = body;
  if (stray !== undefined || script === undefined)
    throw parsingError(`unexpected field [${stray ?? ''}], expected [script]`);
  if (!isObject(script)) throw parsingError(`unexpected token [${tokenOf(script)}], expected [{, <source>]`);
  const { lang, options, source } = script;
  if (lang === undefined) throw illegalArgument('must specify lang for stored script');
  if (lang !== 'mustache') {
    const name = textOf(lang);
    throw OTHER_LANGUAGES.includes(name)
      ? unsupported(`[script] in [${name}] stored by itself`)
      : illegalArgument(`unable to put stored script with unsupported lang [${name}]`);
  }
  if (isObject(options) && Object.keys(options).some((key) => key !== 'content_type'))
    throw illegalArgument(`illegal compiler options [${show(options)}] specified`);
  if (isObject(source)) return { lang, source: JSON.stringify(source), options: OPTIONS };
  if (typeof source !== 'string' || source === '') throw illegalArgument('must specify source for stored script');
  return { lang, source, ...(isObject(options) ? { options } : {}) };
}

/** `PUT|POST /_scripts/{id}[/{context}]`. */
async function putScript(call: Call): Promise<Answer> {
  const { engine } = call;
  const id = call.path['id']!;
  const script = readScript(mapBody(call, true) ?? {});
  if (id.includes('#')) throw validationError(`id cannot contain '#' for stored script`);
  const { context } = call.path;
  if (context !== undefined && context !== 'template')
    throw illegalArgument(`failed to parse/compile stored script [${id}]`, {
      causedBy: { type: 'illegal_argument_exception', reason: `Unknown context [${context}]` },
    });
  const size = Buffer.byteLength(script.source);
  if (size > LONGEST)
    throw illegalArgument(
      `exceeded max allowed stored script size in bytes [${LONGEST}] with size [${size}] for script [${id}]`,
    );
  checkMayChange(call);
  checkMetadata(engine);
  const stored = readStored(engine);
  if (!Object.hasOwn(stored, id) && Object.keys(stored).length >= MOST)
    throw illegalArgument(`there are [${MOST}] stored scripts, which is the limit; delete one first`);
  await store(engine, { ...stored, [id]: script });
  return ACKNOWLEDGED;
}

/** `GET /_scripts/{id}`. */
function getScript({ engine, path }: Call): Answer {
  const id = path['id']!;
  const stored = readStored(engine);
  const script = Object.hasOwn(stored, id) ? stored[id] : undefined;
  if (script === undefined) return { status: 404, json: { _id: id, found: false } };
  return { json: { _id: id, found: true, script } };
}

/** `DELETE /_scripts/{id}`. */
async function deleteScript(call: Call): Promise<Answer> {
  const { engine, path } = call;
  const id = path['id']!;
  checkMayChange(call);
  checkMetadata(engine);
  const { [id]: deleted, ...left } = readStored(engine);
  if (deleted === undefined) throw missing(`stored script [${id}] does not exist and cannot be deleted`);
  await store(engine, left);
  return ACKNOWLEDGED;
}

/** Stored templates. */
export const STORED_TEMPLATE_ENDPOINTS: readonly Endpoint[] = [
  reads('GET', '/_scripts/{id}', { master_timeout: 'time' }, getScript),
  changes('PUT POST', '/_scripts/{id} /_scripts/{id}/{context}', TIMEOUTS, putScript),
  changes('DELETE', '/_scripts/{id}', TIMEOUTS, deleteScript),
];
