// What URL parameters say about a search, put into its body.
import { type Call, flagParam, integerOf, integerParam, listParam, param } from './request.ts';
import { readOperator } from '../../dsl/read-text-query.ts';
import { type Json, toList } from '../../json/json.ts';
import { unrecognizedParams } from './endpoint.ts';
import { illegalArgument } from '../../errors/request-error.ts';

/** Parameters that say a query. */
const OF_QUERY = ['q', 'df', 'analyzer', 'analyze_wildcard', 'default_operator', 'lenient'];

/**
 * The query of a request that takes it from the body or from the URL.
 *
 * @param read parameters that are read whatever the body says
 * @throws RequestError for others of `OF_QUERY` beside a body, as Elasticsearch reads none of them then
 */
export function queryOf(call: Call, body: Json, read: readonly string[] = []): unknown {
  checkUnread(call, read);
  return hasBody(call) ? body['query'] : withUrl(call, body)['query'];
}

/** @throws RequestError for a query in the URL beside a body */
export function checkUnread(call: Call, read: readonly string[] = []): void {
  const unread = OF_QUERY.filter((name) => param(call, name) !== undefined && !read.includes(name));
  if (hasBody(call) && unread.length > 0) throw unrecognizedParams(call.request, unread.toSorted());
}

const hasBody = ({ request }: Call): boolean => (request.body?.length ?? 0) > 0;

/** The body of a search with the URL's parameters put in. */
export function withUrl(call: Call, body: Json): Json {
  const merged: Record<string, unknown> = { ...body };
  const q = param(call, 'q');
  if (q !== undefined) {
    const operator = param(call, 'default_operator');
    if (operator !== undefined && !['AND', 'OR'].includes(operator.toUpperCase()))
      throw illegalArgument(`No enum constant org.elasticsearch.index.query.Operator.${operator.toUpperCase()}`);
    merged['query'] = {
      query_string: {
        query: q,
        ...(param(call, 'df') === undefined ? {} : { default_field: param(call, 'df') }),
        ...(param(call, 'analyzer') === undefined ? {} : { analyzer: param(call, 'analyzer') }),
        ...(param(call, 'default_operator') === undefined
          ? {}
          : { default_operator: readOperator(param(call, 'default_operator')) }),
        ...(param(call, 'lenient') === undefined ? {} : { lenient: flagParam(call, 'lenient') }),
        ...(param(call, 'analyze_wildcard') === undefined
          ? {}
          : { analyze_wildcard: flagParam(call, 'analyze_wildcard') }),
      },
    };
  }
  for (const name of ['from', 'size', 'terminate_after'] as const) {
    const value = integerParam(call, name);
    if (name === 'terminate_after') checkTerminateAfter(value);
    if (value !== undefined && value < -1 && name !== 'terminate_after')
      throw illegalArgument(`[${name}] parameter cannot be negative${name === 'from' ? '' : `, found [${value}]`}`);
    if (value !== undefined) merged[name] = value;
  }
  for (const name of ['timeout'] as const) if (param(call, name) !== undefined) merged[name] = param(call, name);
  for (const name of ['track_scores', 'version', 'seq_no_primary_term', 'explain'] as const) {
    const value = param(call, name);
    // Elasticsearch reads an empty one as none, but for [track_scores].
    if (value !== undefined && (value !== '' || name === 'track_scores')) merged[name] = flagParam(call, name);
  }
  const track = param(call, 'track_total_hits');
  if (track !== undefined) merged['track_total_hits'] = readTrack(track);
  const sort = listParam(call, 'sort');
  // Keys of the URL come behind those of the body.
  if (sort !== undefined)
    merged['sort'] = [...(body['sort'] === undefined ? [] : toList(body['sort'])), ...sort.flatMap(sortOf)];
  const stats = listParam(call, 'stats');
  if (stats !== undefined) merged['stats'] = stats;
  const stored = listParam(call, 'stored_fields');
  if (stored !== undefined) merged['stored_fields'] = stored;
  const docvalues = listParam(call, 'docvalue_fields');
  if (docvalues !== undefined)
    merged['docvalue_fields'] = [
      ...(body['docvalue_fields'] === undefined ? [] : toList(body['docvalue_fields'])),
      ...docvalues,
    ];
  const source = param(call, '_source') || undefined;
  const includes = listParam(call, '_source_includes');
  const excludes = listParam(call, '_source_excludes');
  if (source !== undefined)
    merged['_source'] = source === 'true' || source === 'false' ? source === 'true' : source.split(',');
  if (includes !== undefined || excludes !== undefined)
    merged['_source'] = {
      includes: [
        ...(includes ?? []),
        ...(source === undefined || source === 'true' || source === 'false' ? [] : source.split(',')),
      ],
      excludes: excludes ?? [],
    };
  const suggest = suggestOf(call, q);
  if (suggest !== undefined) merged['suggest'] = suggest;
  return merged;
}

/** Reads `track_total_hits`, of which a URL takes less than a body. */
function readTrack(text: string): boolean | number {
  if (text === 'true' || text === 'false') return text === 'true';
  const most = integerOf(text, 'track_total_hits');
  if (most < -1) throw illegalArgument(`[track_total_hits] parameter must be positive or equals to -1, got ${most}`);
  return most;
}

/** @throws RequestError for a number below 0 */
export function checkTerminateAfter(value = 0): void {
  if (value < 0) throw illegalArgument('terminateAfter must be > 0');
}

/** The suggestion that the URL asks for, named like its field. */
function suggestOf(call: Call, q: string | undefined): Json | undefined {
  const field = param(call, 'suggest_field');
  if (field === undefined) {
    const alone = ['suggest_text', 'suggest_mode', 'suggest_size'].find((name) => param(call, name) !== undefined);
    if (alone === undefined) return undefined;
    throw illegalArgument(
      `request [${decodeURIComponent(call.request.path)}] contains unrecognized parameter: [${alone}] -> did you mean [suggest_field]?`,
    );
  }
  const text = param(call, 'suggest_text') ?? q;
  const size = integerParam(call, 'suggest_size');
  return {
    [field]: {
      ...(text === undefined ? {} : { text }),
      term: {
        field,
        ...(size === undefined ? {} : { size }),
        suggest_mode: param(call, 'suggest_mode') ?? 'missing',
      },
    },
  };
}

/** `field:desc`, always of a field; in a body the colon is part of the name. */
function sortOf(given: string): readonly unknown[] {
  const colon = given.lastIndexOf(':');
  if (colon <= 0) return [given];
  const order = given.slice(colon + 1);
  // What is no order is ignored with its field (RestSearchAction.parseSearchSource).
  return order === 'asc' || order === 'desc' ? [{ [given.slice(0, colon)]: { order } }] : [];
}
