// Asks about a query instead of running it: is it valid (`_validate/query`), and why does this document match (`_explain`)?
import { checkIsOne, routingOf } from '../documents/read-document.ts';
import { warnsOfTypes } from '../request/warnings.ts';
import { reads, type Endpoint } from '../request/endpoint.ts';
import { EXPAND, QUERY, SOURCE } from '../request/route-params.ts';
import { checkIsOpen, shownType } from '../request/index-state.ts';
import { blockFailure, checkBlocks } from '../request/index-blocks.ts';
import { undamagedIndicesOf } from '../request/index-names.ts';
import { noSuchIndex, nothingMeant, resolveIndices } from '../request/resolve-indices.ts';
import { type Answer, type Call, checkPreference, flagParam, param } from '../request/request.ts';
import { withMembers } from '../../json/print-json.ts';
import { withoutShards } from '../../json/error-shape.ts';
import { limitsOf, openTargets, releaseTargets } from '../request/search-state.ts';
import type { Json } from '../../json/json.ts';
import { settingsOf } from '../../settings/client-settings.ts';
import type { Index } from '../../engine/engine-api.ts';
import { type Cause, failedQuery, isRewriteError, RequestError, validationError } from '../../errors/request-error.ts';
import { answer } from '../../thread/answer.ts';
import { checkUnread, queryOf, withUrl } from '../request/search-url.ts';
import { parseQueryAlone, queryAlone } from './search-handlers.ts';
import { warnerOf, warnOfQuery } from './search-warnings.ts';

/** `GET|POST [/{index}]/_validate/query`. */
async function validateQuery(call: Call): Promise<Answer> {
  const [explain, rewrite, allShards] = ['explain', 'rewrite', 'all_shards'].map((name) => flagParam(call, name));
  checkUnread(call);
  let query: unknown;
  try {
    await parseQueryAlone(call);
    query = queryOf(call, queryAlone(call));
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    // What is wrong with a parameter has no class before it.
    const said = error.type === 'illegal_argument_exception' ? error.message : printError(error);
    return { json: { valid: false, ...(explain ? { error: said } : {}) } };
  }
  if (query === undefined && (call.request.body?.length ?? 0) > 0) throw validationError('query cannot be null');
  const found = undamagedIndicesOf(call);
  const blocked = blockFailure(found, 'read');
  if (blocked !== undefined) return { json: withoutIndices(blocked) };
  // Without an index there is nothing to ask, unless the request says otherwise.
  if (found.length === 0 && !flagParam(call, 'allow_no_indices')) throw noSuchIndex(call.path['index'] ?? '_all');
  warnOfQuery(query, warnerOf(call, found.length > 0), ['query']);
  const options = { ...limitsOf(call), now: call.now };
  const input = { query, rewrite: rewrite === true };
  const targets = openTargets(found, call);
  const told: Told[] = [];
  const ask = (some: typeof targets): Promise<readonly string[]> =>
    answer('validate', input, some, options, call.request.signal);
  try {
    const texts = found.length === 0 ? [] : await ask(targets);
    for (const explanation of texts) told.push({ valid: true, explanation });
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    if (isRewriteError(error)) return { json: withoutIndices(error) };
    for (const each of targets) told.push(await tell(each.target.index, () => ask([each])));
  } finally {
    releaseTargets(targets);
  }
  // Asked in one shard of each index unless in all of them.
  const explanations = found.flatMap(({ index }, at): Json[] => {
    const { valid, ...text } = told[at]!;
    if (allShards !== true) return [{ index: index.name, valid, ...text }];
    const shards = Number(settingsOf(index.definition)['number_of_shards'] ?? 1);
    return Array.from({ length: shards }, (_, shard) => ({ index: index.name, shard, valid, ...text }));
  });
  const { length } = explanations;
  return {
    json: {
      _shards: { total: length, successful: length, failed: 0 },
      valid: told.every(({ valid }) => valid),
      ...((explain || rewrite || allShards) && length > 0 ? { explanations } : {}),
    },
  };
}

/** What is said of a query that cannot be rewritten, or whose indices are blocked: no shard was asked. */
function withoutIndices({ message }: { readonly message: string }): Json {
  const _shards = { total: 0, successful: 0, failed: 0 };
  return { _shards, valid: false, explanations: [{ valid: false, error: message }] };
}

/** What an index says of a query. */
type Told =
  | { readonly valid: true; readonly explanation: string | undefined }
  | { readonly valid: false; readonly error: string };

/** Java's names of errors that Elasticsearch prints with their class. */
const JAVA_NAMES: Readonly<Record<string, string>> = {
  parsing_exception: 'org.elasticsearch.common.ParsingException',
  query_shard_exception: 'org.elasticsearch.index.query.QueryShardException',
  parse_exception: 'org.elasticsearch.ElasticsearchParseException',
  illegal_argument_exception: 'java.lang.IllegalArgumentException',
  illegal_state_exception: 'java.lang.IllegalStateException',
  number_format_exception: 'java.lang.NumberFormatException',
  unsupported_operation_exception: 'java.lang.UnsupportedOperationException',
  x_content_parse_exception: 'org.elasticsearch.common.xcontent.XContentParseException',
  date_time_parse_exception: 'java.time.format.DateTimeParseException',
  too_many_clauses: 'org.apache.lucene.search.BooleanQuery$TooManyClauses',
  named_object_not_found_exception: 'org.elasticsearch.common.xcontent.NamedObjectNotFoundException',
  json_parse_exception: 'com.fasterxml.jackson.core.JsonParseException',
  too_complex_to_determinize_exception: 'org.apache.lucene.util.automaton.TooComplexToDeterminizeException',
};

/** A cause by its class. */
function className({ type }: Cause): string {
  return JAVA_NAMES[type] ?? type;
}

/** An error with its causes (ElasticsearchException.getDetailedMessage). @param index the one that does not take the query */
function printError({ details, message, type }: RequestError, index?: Index): string {
  const { causedBy } = details;
  const where = index === undefined || causedBy === undefined ? '' : `[${index.name}/${index.uuid}] `;
  return where + printCause({ type, reason: message, ...(causedBy === undefined ? {} : { caused_by: causedBy }) });
}

function printCause(cause: Cause): string {
  const { caused_by: inner, reason } = cause;
  const name = className(cause);
  // Java's own exceptions, and those of parsers of objects, print without their causes.
  if (inner === undefined || !name.startsWith('org.elasticsearch.') || name.includes('.xcontent.'))
    return `${name}: ${reason}`;
  const chain: string[] = [];
  for (let each: Cause | undefined = cause; each !== undefined; each = each.caused_by)
    chain.push(`${className(each).replace(/^.*\./, '')}[${each.reason}]`);
  return `${chain.join('; nested: ')};; ${printCause(inner)}`;
}

/** What one index says of the query. */
async function tell(index: Index, ask: () => Promise<readonly string[]>): Promise<Told> {
  try {
    return { valid: true, explanation: (await ask())[0] };
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    return { valid: false, error: printError(error, index) };
  }
}

/** `GET|POST /{index}/_explain/{id}`. */
async function explain(call: Call): Promise<Answer> {
  const body = queryAlone(call);
  const json: Json = { ...withUrl(call, body), query: queryOf(call, body, ['q']) };
  if (json['query'] === undefined) throw validationError('query is missing');
  const name = call.path['index']!;
  // A document is of one index: no pattern and no list names that.
  const meant =
    name === '_all' || /[*,]/.test(name)
      ? []
      : resolveIndices(call.engine, name, { expandsNothing: true, allowNoIndices: false });
  checkIsOne(
    name,
    meant.map(({ index }) => index),
  );
  const [found] = meant;
  if (found === undefined) throw name === '_all' ? nothingMeant(name) : noSuchIndex(name);
  checkIsOpen(found.index);
  checkBlocks([found], 'read');
  checkPreference(call);
  warnOfQuery(json['query'], warnerOf(call, true), ['query']);
  const id = call.path['id']!;
  routingOf(found.index, name, id, param(call, 'routing'));
  const targets = openTargets([found], call);
  try {
    const head = { _index: found.index.name, _type: shownType(found.index, call.path['type']), _id: id };
    const options = { ...limitsOf(call), now: call.now };
    const explained = await answer('explain', { id, json }, targets, options, call.request.signal);
    if (explained === undefined) return { status: 404, json: { ...head, matched: false } };
    return { json: await withMembers(head, explained) };
  } catch (error) {
    throw withoutShards(isRewriteError(error) ? failedQuery(error.message, name, error.type) : error);
  } finally {
    releaseTargets(targets);
  }
}

/** Questions about a query. */
export const QUERY_ENDPOINTS: readonly Endpoint[] = [
  reads(
    'GET POST',
    '/_validate/query /{index}/_validate/query /{index}/{type}/_validate/query',
    { ...EXPAND, ...QUERY, explain: 'flag', rewrite: 'flag', all_shards: 'flag' },
    validateQuery,
    warnsOfTypes('validate query requests'),
  ),
  reads(
    'GET POST',
    '/{index}/_explain/{id} /{index}/{type}/{id}/_explain',
    { ...QUERY, ...SOURCE, routing: 'text', preference: 'text', parent: 'text' },
    explain,
    {
      parse: parseQueryAlone,
      warns: { type: '[types removal] Specifying a type in explain requests is deprecated.' },
    },
  ),
];
