// One document as a caller sees it: where a name and a routing lead, and which parts of it are shown.
import { redError, redIndices } from '../request/red-indices.ts';
import { isSameShard, isSharded } from '../request/shard-of-routing.ts';
import { ONLY_SOURCE } from '../request/route-params.ts';
import { checkBlocks } from '../request/index-blocks.ts';
import { aliasesOf, nothingMeant } from '../request/resolve-indices.ts';
import { checkIsOpen } from '../request/index-state.ts';
import { type Call, listParam, param } from '../request/request.ts';
import { TimeSlices } from '../../tasks/scheduler.ts';
import { concatenate } from '../../tasks/copy-bytes.ts';
import { PrintedJson, printParts, RawJson } from '../../json/print-json.ts';
import { type SourceFilter, filterSource, readSourceFilter } from '../../fetch/source-filter.ts';
import { type StoredField, storedField } from '../../fetch/field-values.ts';
import { mappingOf } from '../../fetch/target.ts';
import { valuesOfPaths } from '../../json/values-at.ts';
import { isStored } from '../../mapping/field-type.ts';
import type { Mapping } from '../../mapping/mapping.ts';
import type { Engine, Index } from '../../engine/engine-api.ts';
import type { OperationResult, StoredDocument } from '../../index/operation.ts';
import { storedIn } from '../../collect/stored-in.ts';
import { asLong, isObject, type Json } from '../../json/json.ts';
import { asVersionType } from './writing.ts';
import { RequestError, illegalArgument, validationError } from '../../errors/request-error.ts';
import { LARGE, runJson } from '../../thread/read-json.ts';

const decoder = new TextDecoder();

/**
 * The routing of a document: that of the request, or of the alias that it names the index by.
 *
 * @param name of the index in the request
 * @throws RequestError where the two differ, and where the mapping requires one
 */
export function routingOf(index: Index, name: string, id: string, given: string | undefined): string | undefined {
  const own = name === index.name ? undefined : aliasesOf(index)[name]?.['index_routing'];
  if (typeof own === 'string' && given !== undefined && given !== own)
    throw illegalArgument(
      `Alias [${name}] has index routing associated with it [${own}], and was provided with routing value [${given}], rejecting operation`,
    );
  const routing = typeof own === 'string' ? own : given;
  checkRouting(index, id, routing);
  return routing;
}

/** Refuses a request without the routing that the mapping requires. */
export function checkRouting(index: Index, id: string, routing: string | undefined): void {
  if (routing === undefined && mappingOf(index).routingRequired)
    throw new RequestError(
      'SEARCH_ILLEGAL_ARGUMENT',
      'routing_missing_exception',
      `routing is required for [${index.name}]/[_doc]/[${id}]`,
      {
        fields: { index_uuid: index.uuid, index: index.name },
      },
    );
}

/** A document as the caller may see it, where the routing leads to it; a promise where its latest write may still be refused. */
export function readDocument(
  index: Index,
  id: string,
  realtime: boolean,
  routing: string | undefined,
): StoredDocument | undefined | Promise<StoredDocument | undefined> {
  const read = realtime ? index.get(id) : storedIn(index.searcher(false), id);
  if (read instanceof Promise) return read.then((document) => inShard(index, document, routing));
  return inShard(index, read, routing);
}

/** A document where the routing leads to it. */
export function inShard(
  index: Index,
  document: StoredDocument | undefined,
  routing: string | undefined,
): StoredDocument | undefined {
  return document !== undefined && isSameShard(index, document.id, document.routing, routing) ? document : undefined;
}

/** Whether a document is there, in a shard that the routing does not lead to: deleting it by that routing must not. */
export async function isElsewhere(index: Index, id: string, routing: string | undefined): Promise<boolean> {
  if (!isSharded(index)) return false;
  const document = await index.get(id);
  return document !== undefined && inShard(index, document, routing) === undefined;
}

/** What deleting a document answers that is not in the shard. */
export function notThere(id: string): OperationResult & { kind: 'done' } {
  return { kind: 'done', id, result: 'not_found', version: 1, seqNo: -2, primaryTerm: 0 };
}

/** Whether the URL says anything about `_source`. */
export const asksForSource = (call: Call): boolean =>
  Object.keys(ONLY_SOURCE).some((name) => param(call, name) !== undefined);

/** Which parts of `_source` the URL asks for. */
export function sourceFilterOf(call: Call): SourceFilter {
  const given = param(call, '_source');
  const base =
    given === undefined || given === ''
      ? readSourceFilter(undefined)
      : readSourceFilter(given === 'true' || given === 'false' ? given === 'true' : given.split(','));
  return {
    enabled: base.enabled,
    includes: listParam(call, '_source_includes') ?? base.includes,
    excludes: listParam(call, '_source_excludes') ?? [],
  };
}

/** What a request shows of a source: all of it or parts, and the values of stored fields. */
interface Shown {
  /** undefined where the mapping keeps none, or the request wants none. */
  readonly source: unknown;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The parts of a document that mapping and request show: at once where all of a small one is shown. */
export function shown(
  index: Index,
  document: StoredDocument,
  filter: SourceFilter,
  storedFields: readonly string[] | undefined,
): Shown | Promise<Shown> {
  const own = mappingOf(index).sourceSetting;
  const everything =
    own.includes.length + own.excludes.length + filter.includes.length + filter.excludes.length === 0 &&
    storedFields === undefined;
  // As nearly all are asked for.
  if (everything && !isLarge(document)) {
    const json = filter.enabled && own.enabled ? new RawJson(decoder.decode(document.source)) : undefined;
    return { source: json, fields: {} };
  }
  return takenApart(index, document, filter, storedFields);
}

/** @throws RequestError for an object among the stored fields */
function storedFieldsOf(mapping: Mapping, patterns: readonly string[]): readonly StoredField[] {
  return patterns.flatMap((pattern) => {
    if (mapping.field(pattern) === undefined && mapping.object(pattern) !== undefined)
      throw illegalArgument(`field [${pattern}] isn't a leaf field`);
    // Names only: no patterns here.
    const field = mapping.field(pattern);
    return field !== undefined && isStored(field) ? [storedField(pattern, field, mapping)] : [];
  });
}

/** A large one is taken apart in a thread, and stays bytes. */
async function takenApart(
  index: Index,
  document: StoredDocument,
  filter: SourceFilter,
  storedFields: readonly string[] | undefined,
): Promise<Shown> {
  const own = mappingOf(index).sourceSetting;
  const wanted = filter.enabled && own.enabled;
  const filters: SourceFilter[] = [{ ...own, enabled: true }, filter];
  const plain = filters.every(({ includes, excludes }) => includes.length + excludes.length === 0);
  const fields = storedFieldsOf(mappingOf(index), storedFields ?? []);
  const paths = fields.map((field) => field.paths);
  const fieldsOf = (values: readonly (readonly unknown[])[]): Shown['fields'] =>
    Object.fromEntries(
      fields
        .map(({ name, print }, at) => [name, print(values[at] ?? [])] as const)
        .filter(([, found]) => found.length > 0),
    );
  const source = document.readSource === undefined ? document.source : await document.readSource();
  const large = source.length >= LARGE;
  if (large && !(plain && paths.length === 0)) {
    const made = await runJson('show', { source, filters: plain ? [] : filters, paths });
    if (made !== undefined)
      return {
        source: wanted ? new PrintedJson(plain ? source : made.text) : undefined,
        fields: fieldsOf(made.values),
      };
  }
  let parsed: Json | undefined;
  const json = (): Json => (parsed ??= JSON.parse(decoder.decode(source)) as Json);
  const whole = (): RawJson => (large ? new PrintedJson(source) : new RawJson(decoder.decode(source)));
  return {
    source: wanted ? (plain ? whole() : filters.reduce(filterSource, json())) : undefined,
    fields: fieldsOf(paths.map((each) => valuesOfPaths(json(), each))),
  };
}

/** Whether a source is so large that it is read, taken apart and printed with turns of the event loop in between. */
export function isLarge(document: StoredDocument): boolean {
  // In this order: to look at the source of a large one would read it.
  return document.readSource !== undefined || document.source.length >= LARGE;
}

/** A document as get and mget print it. */
export function found(
  index: Index,
  document: StoredDocument,
  filter: SourceFilter,
  storedFields: readonly string[] | undefined,
  type: string,
): Json | Promise<Json> {
  // A request for nothing that is stored reads no routing, as in Elasticsearch.
  const readsRouting = filter.enabled || storedFields !== undefined;
  const whole = ({ source, fields }: Shown): Json => ({
    _index: index.name,
    _type: type,
    _id: document.id,
    _version: document.version,
    _seq_no: document.seqNo,
    _primary_term: document.primaryTerm,
    ...(document.routing === undefined || !readsRouting ? {} : { _routing: document.routing }),
    found: true,
    ...(source === undefined ? {} : { _source: source }),
    ...(Object.keys(fields).length === 0 ? {} : { fields }),
  });
  const made = shown(index, document, filter, storedFields);
  // Nearly always: each step that waits takes a tenth of what a get does.
  return made instanceof Promise ? made.then(whole) : whole(made);
}

/** An answer that may hold a large source: printed if it does, with turns of the event loop in between. */
export async function printed(json: Json): Promise<Json | PrintedJson> {
  const holdsPrinted = (value: unknown): boolean =>
    value instanceof PrintedJson || (isObject(value) && Object.values(value).some(holdsPrinted));
  return holdsPrinted(json) ? new PrintedJson(await concatenate(printParts(json), new TimeSlices())) : json;
}

/** Returns the open index of a name, or of an alias of one index. */
export function oneIndex(engine: Engine, name: string): Index {
  const index = findIndex(engine, name);
  checkIsOpen(index);
  checkBlocks([{ index }], 'read');
  return index;
}

function findIndex(engine: Engine, name: string): Index {
  const [red] = redIndices(engine, name);
  if (red !== undefined) throw redError(red);
  if (engine.has(name)) return engine.index(name);
  const behind = engine.indices().filter((index) => Object.hasOwn(aliasesOf(index), name));
  checkIsOne(name, behind);
  if (behind[0] === undefined) throw nothingMeant(name);
  return behind[0];
}

/** @throws RequestError for an alias of several indices, where a document of one is meant */
export function checkIsOne(name: string, indices: readonly Index[]): void {
  if (indices.length < 2) return;
  const names = indices.map((index) => index.name).join(', ');
  throw illegalArgument(
    `alias [${name}] has more than one index associated with it [${names}], can't execute a single index op`,
  );
}

/** The version that a request wants to read; undefined: any. @throws RequestError for what is none */
export function wantedVersion(version: unknown, type: unknown): number | undefined {
  const kind = type === undefined ? 'internal' : asVersionType(type);
  const wanted = version === undefined ? undefined : asLong(version, 'version');
  // The number by which Java says that any will do.
  if (wanted === undefined || wanted === -3) return undefined;
  if (wanted < (kind === 'internal' ? 1 : 0))
    throw validationError(`illegal version value [${wanted}] for version type [${kind.toUpperCase()}]`);
  return wanted;
}

/** Refuses a document of another version. Whatever its type, a version that is read has to be the one that is named. */
export function checkVersion(index: Index, document: StoredDocument, version: number | undefined): void {
  if (version === undefined || version === document.version) return;
  throw new RequestError(
    'SEARCH_CONFLICT',
    'version_conflict_engine_exception',
    `[${document.id}]: version conflict, current version [${document.version}] is different than the one provided [${version}]`,
    { fields: { index_uuid: index.uuid, shard: '0', index: index.name } },
  );
}
