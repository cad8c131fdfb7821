// `_termvectors` and `_mtermvectors`: the words of one document, field by field, with where they stand and how frequent they are. The
// words are made anew from the source.
import { causeOf } from '../request/error-shape.ts';
import { shownType } from '../request/index-state.ts';
import { checkRouting, checkVersion, oneIndex, readDocument } from './read-document.ts';
import { type Answer, bodyIndex, type Call, flagParam, jsonBody, listParam, param } from '../request/request.ts';
import type { Analyzer } from '../../analysis/analyzer.ts';
import { mappingOf } from '../../api/target.ts';
import type { Engine, Index } from '../../engine/engine-api.ts';
import { globMatches } from '../../glob.ts';
import { asBoolean, asObject, asString, checkKeys, isObject, type Json, toList, textOf } from '../../json.ts';
import { type MappedField, toTerm } from '../../mapping/field-type.ts';
import { fieldTotals, type Shown, termTotals } from '../../query/term-totals.ts';
import { type Allowance, withBudget } from '../../request-budget.ts';
import { illegalArgument, unsupported, validationError } from '../../request-error.ts';
import { valuesOfField } from '../../values-at.ts';

const SHOWN = ['fields', 'offsets', 'positions', 'payloads', 'term_statistics', 'field_statistics'];
const MEANT = ['routing', 'version', 'version_type'];

/** URL parameters that say what is shown. */
export const TERM_VECTOR_PARAMS = [...SHOWN, ...MEANT, 'realtime', 'preference'];

const OPTIONS = [...SHOWN, ...MEANT, 'doc', 'per_field_analyzer', 'filter'];

interface Wanted {
  readonly fields: readonly string[] | undefined;
  readonly offsets: boolean;
  readonly positions: boolean;
  readonly termStatistics: boolean;
  readonly fieldStatistics: boolean;
  readonly document: Json | undefined;
  readonly analyzers: Json;
}

function readWanted(body: Json, call: Call): Wanted {
  if (body['filter'] !== undefined) throw unsupported('[filter] in a term vectors request');
  const flag = (name: string, fallback: boolean): boolean =>
    body[name] === undefined ? flagParam(call, name, fallback) : asBoolean(body[name], name);
  // There are none to show; the option is read all the same.
  flag('payloads', true);
  const fields =
    body['fields'] === undefined
      ? listParam(call, 'fields')
      : toList(body['fields']).map((name) => asString(name, 'fields'));
  return {
    fields,
    offsets: flag('offsets', true),
    positions: flag('positions', true),
    termStatistics: flag('term_statistics', false),
    fieldStatistics: flag('field_statistics', true),
    document: body['doc'] === undefined ? undefined : asObject(body['doc'], 'doc'),
    analyzers:
      body['per_field_analyzer'] === undefined ? {} : asObject(body['per_field_analyzer'], 'per_field_analyzer'),
  };
}

/** `GET|POST /{index}/_termvectors[/{id}]`. */
export async function termVectors(engine: Engine, call: Call, allowance: Allowance): Promise<Answer> {
  const body = asObject(jsonBody(call) ?? {}, 'termvectors');
  checkKeys(body, 'termvectors', OPTIONS);
  const index = oneIndex(engine, call.path['index']!);
  return { json: await vectorsOf(index, call.path['id'], body, call, allowance) };
}

/** `GET|POST [/{index}]/_mtermvectors`. */
export async function multiTermVectors(engine: Engine, call: Call, allowance: Allowance): Promise<Answer> {
  const body = asObject(jsonBody(call) ?? {}, 'mtermvectors');
  checkKeys(body, 'mtermvectors', ['docs', 'ids', 'parameters']);
  const shared = body['parameters'] === undefined ? {} : asObject(body['parameters'], 'parameters');
  checkKeys(shared, 'parameters', OPTIONS);
  const ids = body['ids'] === undefined ? listParam(call, 'ids') : toList(body['ids']);
  const entries: Json[] = [
    ...toList(body['docs'] ?? []).map((entry) => asObject(entry, 'docs')),
    ...(ids ?? []).map((id) => ({ _id: id })),
  ];
  if (entries.length === 0) throw validationError('multi term vectors: no documents requested');
  const docs: Json[] = [];
  for (const entry of entries) {
    const { _index, _id, _type: _, _routing, ...own } = entry;
    const named = _index === undefined ? call.path['index'] : bodyIndex(call, asString(_index, '_index'));
    if (named === undefined) throw validationError('index is missing');
    checkKeys(own, 'docs', OPTIONS);
    const id = _id === undefined ? undefined : asString(_id, '_id');
    try {
      const options = { ...shared, ...own, ...(_routing === undefined ? {} : { routing: _routing }) };
      docs.push(await vectorsOf(oneIndex(engine, named), id, options, call, allowance));
    } catch (error) {
      const cause = causeOf(error).error;
      docs.push({ _index: named, _type: '_doc', _id: id ?? null, error: { root_cause: [cause], ...cause } });
    }
  }
  return { json: { docs } };
}

async function vectorsOf(
  index: Index,
  id: string | undefined,
  body: Json,
  call: Call,
  allowance: Allowance,
): Promise<Json> {
  const wanted = readWanted(body, call);
  if (id === undefined && wanted.document === undefined) throw validationError('id or doc is missing');
  if (id !== undefined && wanted.document !== undefined) throw validationError('an id and a doc cannot stand together');
  const started = performance.now();
  const head = { _index: index.name, _type: shownType(index, undefined), ...(id === undefined ? {} : { _id: id }) };
  let version = 0;
  let source = wanted.document;
  if (id !== undefined) {
    const given = body['routing'] ?? param(call, 'routing');
    const routing = given === undefined ? undefined : asString(given, 'routing');
    checkRouting(index, id, routing);
    const realtime = flagParam(call, 'realtime', true);
    const document = readDocument(index, id, realtime, routing);
    if (document === undefined)
      return { ...head, _version: 0, found: false, took: Math.round(performance.now() - started) };
    checkVersion(document, call);
    version = document.version;
    const parsed: unknown = JSON.parse(new TextDecoder().decode(document.source));
    source = isObject(parsed) ? parsed : {};
  }
  return {
    ...head,
    _version: version,
    found: true,
    took: Math.round(performance.now() - started),
    // One document at a time: it is answered here, however long the turn takes.
    term_vectors: withBudget({ ...allowance, turn: undefined }, () => vectors(index, source!, wanted)),
  };
}

function vectors(index: Index, source: Json, wanted: Wanted): Json {
  const mapping = mappingOf(index);
  const searcher = index.searcher();
  try {
    const shown: Shown[] = searcher.segments.map((segment) => ({
      segment,
      documents: searcher.matches({ kind: 'match_all' }, segment),
    }));
    const printed: Record<string, unknown> = {};
    for (const field of [...mapping.fields.values()].sort((a, b) => (a.path < b.path ? -1 : 1))) {
      if ((field.family !== 'text' && field.family !== 'keyword') || !field.index) continue;
      const isWanted =
        wanted.fields?.some((pattern) => globMatches(pattern, field.path)) ??
        // Without a list those that keep their vectors, or all of a document that is given.
        (wanted.document !== undefined || !['no', 'undefined'].includes(String(field.definition['term_vector'])));
      if (!isWanted) continue;
      const values = valuesOfField(field, source, mapping).filter((value) => !isObject(value));
      if (values.length > 0) printed[field.path] = vector(field, values, shown, wanted, mapping.analysis);
    }
    return printed;
  } finally {
    searcher.release();
  }
}

function vector(
  field: MappedField,
  values: readonly unknown[],
  shown: readonly Shown[],
  wanted: Wanted,
  analysis: ReturnType<typeof mappingOf>['analysis'],
): Json {
  const name = wanted.analyzers[field.path];
  let analyzer: Analyzer | undefined = field.family === 'text' ? field.analyzer : undefined;
  if (name !== undefined) {
    analyzer = analysis.analyzer(asString(name, 'per_field_analyzer'));
    if (analyzer === undefined) throw illegalArgument(`No analyzer [${textOf(name)}] found for field [${field.path}]`);
  }
  const terms = new Map<string, { position: number; start: number; end: number }[]>();
  let position = 0;
  let offset = 0;
  for (const value of values) {
    const text = textOf(value);
    const add = (term: string, at: number, start: number, end: number): void => {
      const list = terms.get(term);
      const token = { position: position + at, start: offset + start, end: offset + end };
      if (list === undefined) terms.set(term, [token]);
      else list.push(token);
    };
    if (analyzer === undefined) {
      if (text.length <= field.ignoreAbove) add(toTerm(field, value), 0, 0, text.length);
      position++;
    } else {
      const found = analyzer.analyze(text);
      found.terms.forEach((term, at) => add(term, found.positions[at]!, found.starts[at]!, found.ends[at]!));
      position += found.endPosition + analyzer.positionIncrementGap;
    }
    offset += text.length + 1;
  }
  const encoder = new TextEncoder();
  const sorted = [...terms].sort(([a], [b]) => Buffer.compare(encoder.encode(a), encoder.encode(b)));
  const totals = wanted.fieldStatistics ? fieldTotals(shown, field.path) : undefined;
  return {
    ...(totals === undefined
      ? {}
      : {
          field_statistics: {
            sum_doc_freq: totals.sumDocFreq,
            doc_count: totals.docCount,
            sum_ttf: totals.sumTotalTermFreq,
          },
        }),
    terms: Object.fromEntries(
      sorted.map(([term, tokens]) => {
        const frequencies = wanted.termStatistics ? termTotals(shown, field.path, term) : undefined;
        return [
          term,
          {
            ...(frequencies === undefined || frequencies.docFreq === 0
              ? {}
              : { doc_freq: frequencies.docFreq, ttf: frequencies.total }),
            term_freq: tokens.length,
            ...(wanted.positions || wanted.offsets
              ? {
                  tokens: tokens.map((token) => ({
                    ...(wanted.positions ? { position: token.position } : {}),
                    ...(wanted.offsets ? { start_offset: token.start, end_offset: token.end } : {}),
                  })),
                }
              : {}),
          },
        ];
      }),
    ),
  };
}
