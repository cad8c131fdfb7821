// Asks about a query instead of running it: is it valid (`_validate/query`), and why does this document match (`_explain`)?
import { reads, type Endpoint } from '../request/endpoint.ts';
import { EXPAND, QUERY, SOURCE } from '../request/route-params.ts';
import { checkIsOpen, shownType } from '../request/index-state.ts';
import { checkReadable, noSuchIndex, readableIndicesOf, resolveIndices } from '../request/index-names.ts';
import { type Answer, type Call, flagParam } from '../request/request.ts';
import { withMembers } from '../../json/print-json.ts';
import { withoutShards } from '../../json/error-shape.ts';
import { limitsOf, openTargets, releaseTargets } from '../request/search-state.ts';
import type { Json } from '../../json/json.ts';
import { settingsOf } from '../../settings/client-settings.ts';
import type { Index } from '../../engine/engine-api.ts';
import { RequestError, validationError } from '../../errors/request-error.ts';
import { answer } from '../../thread/answer.ts';
import { withUrl } from '../request/search-url.ts';
import { parseBody, parseQueryAlone, queryAlone } from './search-handlers.ts';

/** `GET|POST [/{index}]/_validate/query`. */
async function validateQuery(call: Call): Promise<Answer> {
  const [explain, rewrite, allShards] = ['explain', 'rewrite', 'all_shards'].map((name) => flagParam(call, name));
  let body: Json;
  try {
    body = queryAlone(call);
    await parseBody(call, body);
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    return { json: { valid: false, ...(explain ? { error: printError(error) } : {}) } };
  }
  const found = readableIndicesOf(call);
  const query = withUrl(call, body)['query'];
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
};

/** What cannot be read, as it prints: with its class only where that is a ParsingException. */
function printError({ message, type }: RequestError): string {
  return type === 'parsing_exception' ? `${JAVA_NAMES[type]}: ${message}` : message;
}

/** What an index does not take, as it prints (ElasticsearchException.getDetailedMessage). */
function printShardError({ details, message, type }: RequestError, { name, uuid }: Index): string {
  const { causedBy } = details;
  const nameOf = (some: string): string => JAVA_NAMES[some] ?? some;
  if (causedBy === undefined) return `${nameOf(type)}: ${message}`;
  const short = (some: string): string => nameOf(some).replace(/^.*\./, '');
  const { reason } = causedBy;
  const nested = `${short(type)}[${message}]; nested: ${short(causedBy.type)}[${reason}];`;
  return `[${name}/${uuid}] ${nested}; ${nameOf(causedBy.type)}: ${reason}`;
}

/** What one index says of the query. */
async function tell(index: Index, ask: () => Promise<readonly string[]>): Promise<Told> {
  try {
    return { valid: true, explanation: (await ask())[0] };
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    return { valid: false, error: printShardError(error, index) };
  }
}

/** `GET|POST /{index}/_explain/{id}`. */
async function explain(call: Call): Promise<Answer> {
  const body = queryAlone(call);
  const json = withUrl(call, body);
  if (json['query'] === undefined) throw validationError('query is missing');
  const name = call.path['index']!;
  // A document is of one index: no pattern and no list names that.
  const [found] = /[*,]/.test(name) ? [] : resolveIndices(call.engine, name);
  if (found === undefined) throw noSuchIndex(name);
  checkIsOpen(found.index);
  checkReadable(found.index);
  const id = call.path['id']!;
  const targets = openTargets([found], call);
  try {
    const head = { _index: found.index.name, _type: shownType(found.index, call.path['type']), _id: id };
    const options = { ...limitsOf(call), now: call.now };
    const explained = await answer('explain', { id, json }, targets, options, call.request.signal);
    if (explained === undefined) return { status: 404, json: { ...head, matched: false } };
    return { json: await withMembers(head, explained) };
  } catch (error) {
    throw withoutShards(error);
  } finally {
    releaseTargets(targets);
  }
}

/** Questions about a query. */
export const QUERY_ENDPOINTS: readonly Endpoint[] = [
  reads(
    'GET POST',
    ['/_validate/query', '/{index}/_validate/query', '/{index}/{type}/_validate/query'],
    { ...EXPAND, ...QUERY, explain: 'flag', rewrite: 'flag', all_shards: 'flag' },
    validateQuery,
  ),
  reads(
    'GET POST',
    ['/{index}/_explain/{id}', '/{index}/{type}/{id}/_explain'],
    { ...QUERY, ...SOURCE, routing: 'text', preference: 'text' },
    explain,
    { parse: parseQueryAlone },
  ),
];
