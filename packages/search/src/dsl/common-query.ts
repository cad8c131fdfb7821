// Reads `common`: of the words of a text, those in many documents count for the score only.
import type { CommonGroup } from '../query/kinds/common-terms.ts';
import { asNumber, asObject, isObject, type Json, textOf } from '../json/json.ts';
import { illegalArgument, parsingError } from '../errors/request-error.ts';
import { countClauses } from './context.ts';
import { common, type Reader } from './read-body.ts';
import { type QueryMembers, readMembers } from './query-members.ts';
import { readOperator } from './read-text-query.ts';
import { analyzerNamed } from './match-query.ts';
import { wordsOf } from './token-graph.ts';

const MEMBERS: QueryMembers = {
  members: {
    query: 'any',
    analyzer: 'text',
    low_freq_operator: 'text',
    high_freq_operator: 'text',
    minimum_should_match: 'anything',
    cutoff_frequency: 'number',
    boost: 'number',
    _name: 'text',
  },
  lists: 'ignored',
};

/** Words of more than this share of the documents are common. */
const DEFAULT_CUTOFF = 0.01;

/** Reads `common`. */
export const commonQuery: Reader = (json, context) => {
  const [name, given, other] = onlyField(asObject(json, 'common'));
  if (other !== undefined)
    throw parsingError(`[common] query doesn't support multiple fields, found [${name}] and [${other}]`);
  const body = isObject(given) ? readMembers(given, 'common', MEMBERS) : { query: given };
  const text = body['query'];
  const cutoff = body['cutoff_frequency'] === undefined ? DEFAULT_CUTOFF : asNumber(body['cutoff_frequency'], 'cutoff');
  const [rare, frequent] = readMinimum(body['minimum_should_match']);
  const groups = {
    rare: groupOf(body['low_freq_operator'], rare),
    common: groupOf(body['high_freq_operator'], frequent),
  };
  if (text === undefined || text === null || typeof text === 'object') throw illegalArgument('text cannot be null');
  const field = context.mapping.field(name);
  const analyzer =
    body['analyzer'] === undefined && field !== undefined
      ? field.searchAnalyzer
      : analyzerNamed(textOf(body['analyzer'] ?? 'default'), 'common', context);
  const terms = wordsOf(analyzer, textOf(text)).words.map(({ term }) => term);
  countClauses(context, terms.length);
  return common(body, { kind: 'common_terms', field: field?.path ?? name, terms, cutoff, ...groups });
};

function onlyField(object: Json): readonly [name: string, body: unknown, other: string | undefined] {
  const [name, other] = Object.keys(object);
  if (name === undefined) throw illegalArgument('field name is null or empty');
  return [name, object[name], other];
}

function groupOf(operator: unknown, minimum: unknown): CommonGroup {
  return { operator: readOperator(operator), ...(minimum === undefined ? {} : { minimumShouldMatch: minimum }) };
}

/** Of the rare words and of the common ones. */
function readMinimum(given: unknown): readonly [rare: unknown, common: unknown] {
  if (!isObject(given)) return [given ?? undefined, undefined];
  const stray = Object.keys(given).find((key) => key !== 'low_freq' && key !== 'high_freq');
  if (stray !== undefined) throw parsingError(`[common] query does not support [${stray}] for [minimum_should_match]`);
  return [given['low_freq'], given['high_freq']];
}
