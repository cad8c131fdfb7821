// Asks about a query instead of running it: is it valid (`_validate/query`), and why does this document match (`_explain`)?
import { checkIsOpen, shownType } from '../request/index-state.ts';
import { checkReadable, noSuchIndex, readableIndicesOf, resolveIndices } from '../request/index-names.ts';
import { type Answer, type Call, flagParam, jsonBody } from '../request/request.ts';
import { withMembers } from '../../print-json.ts';
import { withoutShards } from '../../error-shape.ts';
import { limitsOf, openTargets, releaseTargets, type SearchState } from '../request/search-state.ts';
import { asObject, type Json } from '../../json.ts';
import { RequestError, validationError } from '../../request-error.ts';
import { answerExplain, answerValidate } from '../../thread/answer.ts';
import { withUrl } from '../request/search-url.ts';
import { queryAlone } from './search-handlers.ts';

/** `GET|POST [/{index}]/_validate/query`. */
export async function validateQuery(state: SearchState, call: Call): Promise<Answer> {
  const explain = flagParam(call, 'explain');
  const shards = { total: 1, successful: 1, failed: 0 };
  const found = readableIndicesOf(call.engine, call);
  try {
    const body = queryAlone(asObject(jsonBody(call) ?? {}, 'validate'));
    const query = withUrl(call, body)['query'];
    const targets = openTargets(found, call);
    let explanations: Json[] = [];
    const ask = (some: typeof targets): Promise<readonly string[]> =>
      answerValidate(query, some, { ...limitsOf(state, call), now: call.now }, call.request.signal);
    try {
      const told = found.length === 0 ? [] : await ask(targets);
      explanations = targets.map(({ target }, at) => ({
        index: target.index.name,
        valid: true,
        explanation: told[at],
      }));
    } catch (error) {
      if (!explain || !isOfIndex(error)) throw error;
      for (const each of targets) explanations.push(await explanationOf(each.target.index.name, () => ask([each])));
    } finally {
      releaseTargets(targets);
    }
    const valid = explanations.every((each) => each['valid'] === true);
    return { json: { _shards: shards, valid, ...(explain ? { explanations } : {}) } };
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    return {
      json: {
        valid: false,
        ...(explain ? { error: `${JAVA_NAMES[error.type] ?? error.type}: ${error.message}` } : {}),
      },
    };
  }
}

/** What Elasticsearch calls errors where it prints them with their class. */
const JAVA_NAMES: Readonly<Record<string, string>> = {
  parsing_exception: 'org.elasticsearch.common.ParsingException',
  parse_exception: 'org.elasticsearch.ElasticsearchParseException',
  illegal_argument_exception: 'java.lang.IllegalArgumentException',
  number_format_exception: 'java.lang.NumberFormatException',
};

/** Whether the query fails for what the mapping of an index says. */
function isOfIndex(error: unknown): error is RequestError {
  return error instanceof RequestError && error.details.phase === true;
}

/** What one index says of the query. */
async function explanationOf(index: string, ask: () => Promise<readonly string[]>): Promise<Json> {
  try {
    return { index, valid: true, explanation: (await ask())[0] };
  } catch (error) {
    if (!isOfIndex(error)) throw error;
    return { index, valid: false, error: `${error.type}: ${error.message}` };
  }
}

/** `GET|POST /{index}/_explain/{id}`. */
export async function explain(state: SearchState, call: Call): Promise<Answer> {
  const name = call.path['index']!;
  // A document is of one index: no pattern and no list names that.
  const [found] = /[*,]/.test(name) ? [] : resolveIndices(call.engine, name);
  if (found === undefined) throw noSuchIndex(name);
  checkIsOpen(found.index);
  checkReadable(found.index);
  const body = queryAlone(asObject(jsonBody(call) ?? {}, 'explain'));
  const json = withUrl(call, body);
  if (json['query'] === undefined) throw validationError('query is missing');
  const id = call.path['id']!;
  const targets = openTargets([found], call);
  try {
    const head = { _index: found.index.name, _type: shownType(found.index, call.path['type']), _id: id };
    const options = { ...limitsOf(state, call), now: call.now };
    const explained = await answerExplain(id, json, targets[0]!, options, call.request.signal);
    if (explained === undefined) return { status: 404, json: { ...head, matched: false } };
    return { json: await withMembers(head, explained) };
  } catch (error) {
    throw withoutShards(error);
  } finally {
    releaseTargets(targets);
  }
}
