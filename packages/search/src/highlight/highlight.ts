// Which pieces of a document's texts a hit shows, with the matching words in tags: Elasticsearch's `highlight` in its
// `unified` shape (sentences); `plain` and `fvh` answer in the same shape.
import type { Analyzer } from '../analysis/analyzer.ts';
import { valuesAt } from '../values-at.ts';
import { indexLimits } from '../index-limits.ts';
import type { Target } from '../api/target.ts';
import { targetQuery } from '../api/target.ts';
import { asBoolean, asChoice, asInteger, asString, checkKeys, isObject, type Json, toList, textOf } from '../json.ts';
import type { MappedField } from '../mapping/field-type.ts';
import type { Query } from '../query/query.ts';
import { checkTime } from '../request-budget.ts';
import { illegalArgument, shardArgument, unsupported } from '../request-error.ts';
import { sentencesOf, wordsOf } from './sentences.ts';
import { type Marks, marksOf } from './terms-of-query.ts';

/** Fields of one request that are highlighted at most, patterns counted by what they match. */
const MAX_FIELDS = 1000;

function tooManyFields(count: number): Error {
  return illegalArgument(
    `Too many fields in [highlight]. At most [${MAX_FIELDS}] are allowed but there were [${count}]`,
  );
}

const OPTION_KEYS = [
  'type',
  'pre_tags',
  'post_tags',
  'fragment_size',
  'number_of_fragments',
  'fragment_offset',
  'no_match_size',
  'order',
  'encoder',
  'tags_schema',
  'require_field_match',
  'highlight_query',
  'matched_fields',
  'boundary_scanner',
  'boundary_scanner_locale',
  'boundary_chars',
  'boundary_max_scan',
  'fragmenter',
  'force_source',
  'phrase_limit',
  'options',
];

const FVH_KEYS = ['boundary_chars', 'boundary_max_scan', 'fragment_offset', 'phrase_limit'];

interface Options {
  readonly type: 'unified' | 'plain' | 'fvh';
  readonly preTag: string;
  readonly postTag: string;
  readonly fragmentSize: number;
  readonly fragments: number;
  readonly noMatchSize: number;
  readonly byScore: boolean;
  readonly html: boolean;
  readonly requireFieldMatch: boolean;
  readonly query: unknown;
  readonly matchedFields: readonly string[];
  /** Fragments are single words instead of sentences. */
  readonly byWord: boolean;
  /** Whose sentences and words they are. */
  readonly locale: string;
}

/** Marks the texts of one hit. */
export interface Highlighter {
  highlight(source: Json): Json;
}

function readOptions(body: Json, base: Json): Options {
  const pick = (key: string): unknown => body[key] ?? base[key];
  const schema = pick('tags_schema') === 'styled';
  const tags = (key: string, fallback: string): string => {
    const given = pick(key);
    return given === undefined ? fallback : asString(toList(given)[0], key);
  };
  const type = pick('type');
  if (type !== undefined) {
    const known = ['unified', 'plain', 'fvh'];
    if (!known.includes(textOf(type))) {
      throw illegalArgument(
        `unknown highlighter type [${textOf(type)}] for the field; it is one of [${known.join(', ')}]`,
      );
    }
  }
  // What only these highlighters know of a text, and what would be another answer than the one of `unified`.
  for (const key of type === 'fvh' ? FVH_KEYS : [])
    if (pick(key) !== undefined) throw unsupported(`[${key}] of the highlighter [fvh]`);
  if (type === 'plain' && pick('fragmenter') === 'simple')
    throw unsupported('[fragmenter] [simple] of the highlighter [plain]');
  const scanner = pick('boundary_scanner');
  // `chars` is what fvh has by default, which answers as unified does.
  const scanners = type === 'fvh' ? ['sentence', 'word', 'chars'] : ['sentence', 'word'];
  const byWord = scanner !== undefined && asChoice(scanner, 'boundary_scanner', scanners) === 'word';
  if (pick('fragmenter') !== undefined) asChoice(pick('fragmenter'), 'fragmenter', ['simple', 'span']);
  if (pick('order') !== undefined) asChoice(pick('order'), 'order', ['score', 'none']);
  const number = (key: string, fallback: number): number =>
    pick(key) === undefined ? fallback : asInteger(pick(key), key);
  return {
    type: (type ?? 'unified') as Options['type'],
    preTag: tags('pre_tags', schema ? '<em class="hlt1">' : '<em>'),
    postTag: tags('post_tags', '</em>'),
    fragmentSize: number('fragment_size', 100),
    fragments: number('number_of_fragments', 5),
    noMatchSize: number('no_match_size', 0),
    byScore: pick('order') === 'score',
    html: pick('encoder') !== undefined && asChoice(pick('encoder'), 'encoder', ['default', 'html']) === 'html',
    requireFieldMatch:
      pick('require_field_match') === undefined || asBoolean(pick('require_field_match'), 'require_field_match'),
    query: pick('highlight_query'),
    byWord,
    locale: readLocale(pick('boundary_scanner_locale')),
    matchedFields: body['matched_fields'] === undefined ? [] : toList(body['matched_fields']).map(String),
  };
}

/** @throws RequestError for a locale that has no rules of its own here, as its sentences would be those of another one */
function readLocale(value: unknown): string {
  if (value === undefined) return 'en';
  const name = asString(value, 'boundary_scanner_locale').replaceAll('_', '-');
  try {
    return Intl.getCanonicalLocales(name)[0] ?? 'en';
  } catch {
    throw illegalArgument(`[boundary_scanner_locale] [${name}] is not a language tag such as [en-US]`);
  }
}

/** Reads `highlight` for one index. */
export function createHighlighter(body: Json, query: Query, target: Target): Highlighter {
  checkKeys(body, 'highlight', ['fields', ...OPTION_KEYS.filter((key) => key !== 'matched_fields')]);
  const given = body['fields'];
  if (given === undefined) throw illegalArgument('[highlight] needs [fields]');
  const entries: [string, unknown][] = (Array.isArray(given) ? given : [given]).flatMap((each) =>
    Object.entries(isObject(each) ? each : {}),
  );
  if (entries.length > MAX_FIELDS) throw tooManyFields(entries.length);
  const plans: { field: MappedField; options: Options; marks: Marks }[] = [];
  for (const [pattern, own] of entries) {
    const settings = isObject(own) ? own : {};
    checkKeys(settings, 'highlight', OPTION_KEYS);
    const options = readOptions(settings, body);
    const effective = options.query === undefined ? query : targetQuery(target, options.query);
    for (const field of target.mapping.matching(pattern)) {
      if (field.family !== 'text' && field.family !== 'keyword') continue;
      const accepts = (name: string): boolean =>
        !options.requireFieldMatch || name === field.path || options.matchedFields.includes(name);
      checkTime();
      plans.push({ field, options, marks: marksOf(effective, accepts) });
      if (plans.length > MAX_FIELDS) throw tooManyFields(plans.length);
    }
  }
  return {
    highlight(source) {
      const found: Record<string, unknown> = {};
      for (const { field, options, marks } of plans) {
        checkTime();
        if (marks.terms.size + marks.patterns.length + marks.phrases.length === 0 && options.noMatchSize === 0)
          continue;
        const texts = textsOf(target, field, source);
        const fragments = mark(texts, field, options, marks, target);
        if (fragments.length > 0) found[field.path] = fragments;
      }
      return found;
    },
  };
}

function textsOf(target: Target, field: MappedField, source: Json): string[] {
  let path = field.path;
  for (;;) {
    const values = valuesAt(source, path.split('.'));
    if (values.length > 0) return values.filter((value) => typeof value !== 'object').map(String);
    const dot = path.lastIndexOf('.');
    if (dot < 0 || target.mapping.fields.get(path.slice(0, dot)) === undefined) return [];
    path = path.slice(0, dot);
  }
}

interface Span {
  readonly start: number;
  readonly end: number;
  readonly term: string;
}

function spansOf(text: string, analyzer: Analyzer, marks: Marks): Span[] {
  const list = analyzer.analyze(text);
  const spans: Span[] = [];
  const add = (at: number): void =>
    void spans.push({ start: list.starts[at]!, end: list.ends[at]!, term: list.terms[at]! });
  const byPosition = new Map<number, number[]>();
  if (marks.phrases.length > 0) {
    list.positions.forEach((position, at) => byPosition.set(position, [...(byPosition.get(position) ?? []), at]));
  }
  list.terms.forEach((term, at) => {
    if ((at & 255) === 0) checkTime();
    if (marks.terms.has(term) || marks.patterns.some((matches) => matches(term))) add(at);
  });
  for (const phrase of marks.phrases) {
    const slots = [
      ...phrase.slots.map((slot) => ({ position: slot.position, fits: (term: string) => slot.terms.includes(term) })),
      ...(phrase.prefix === undefined
        ? []
        : [
            {
              position: phrase.prefix.position,
              fits: (term: string) => phrase.prefix!.texts.some((text) => term.startsWith(text)),
            },
          ]),
    ];
    if (phrase.slop > 0) {
      list.terms.forEach((term, at) => slots.some((slot) => slot.fits(term)) && add(at));
      continue;
    }
    for (const first of byPosition.keys()) {
      if ((first & 255) === 0) checkTime();
      const run = slots.map((slot) =>
        byPosition.get(first + slot.position - slots[0]!.position)?.find((at) => slot.fits(list.terms[at]!)),
      );
      if (run.every((at) => at !== undefined)) for (const at of run) add(at);
    }
  }
  spans.sort((a, b) => a.start - b.start || b.end - a.end);
  // Overlaps (n-grams, synonyms) become one mark.
  const merged: Span[] = [];
  for (const span of spans) {
    const last = merged.at(-1);
    if (last !== undefined && span.start < last.end) {
      if (span.end > last.end) merged[merged.length - 1] = { ...last, end: span.end };
    } else merged.push(span);
  }
  return merged;
}

/** The words that hold a span. */
function wordPieces(text: string, spans: readonly Span[], locale: string): (readonly [number, number])[] {
  const found: (readonly [number, number])[] = [];
  let at = 0;
  for (const { segment, index } of wordsOf(text, locale)) {
    const end = index + segment.length;
    if (spans[at] === undefined) break;
    if (spans[at]!.start >= end) continue;
    found.push([index, end]);
    while (at < spans.length && spans[at]!.start < end) at++;
  }
  return found;
}

function mark(texts: readonly string[], field: MappedField, options: Options, marks: Marks, target: Target): string[] {
  const passages: { text: string; score: number; order: number }[] = [];
  let order = 0;
  checkLength(texts, field, options, target);
  for (const text of texts) {
    if (text.length > field.ignoreAbove) continue;
    const analyzer =
      field.family === 'text' ? field.analyzer : (target.mapping.analysis.analyzer('keyword') ?? field.analyzer);
    const spans =
      field.normalizer === undefined
        ? spansOf(text, analyzer, marks)
        : marks.terms.has(field.normalizer(text))
          ? [{ start: 0, end: text.length, term: text }]
          : spansOf(text, analyzer, marks);
    if (spans.length === 0) continue;
    for (const [start, end] of options.fragments === 0
      ? [[0, text.length] as const]
      : options.byWord
        ? wordPieces(text, spans, options.locale)
        : pieces(text, spans, options)) {
      const inside = spans.filter((span) => span.start >= start && span.start < end);
      const distinct = new Set(inside.map((span) => span.term));
      passages.push({
        text: tagged(text, start, Math.max(end, inside.at(-1)?.end ?? end), inside, options),
        score: distinct.size * 100 + inside.length,
        order: order++,
      });
    }
  }
  if (passages.length === 0) {
    const first = texts[0];
    if (options.noMatchSize === 0 || first === undefined) return [];
    return [encode(firstPart(first, options), options)];
  }
  if (options.fragments === 0)
    return [passages.map((passage) => passage.text).join(' ')].slice(0, texts.length > 1 ? undefined : 1);
  const best = passages.toSorted((a, b) => b.score - a.score || a.order - b.order).slice(0, options.fragments);
  return (options.byScore ? best : best.sort((a, b) => a.order - b.order)).map((passage) => passage.text);
}

/**
 * Refuses texts that would take too long to analyse: all values of a field together for `unified`, each alone for `plain`. Where
 * offsets are kept, nothing is analysed, except by `plain`.
 */
function checkLength(texts: readonly string[], field: MappedField, { type }: Options, target: Target): void {
  if (type === 'fvh' || (type === 'unified' && keepsOffsets(field))) return;
  const limit = indexLimits(target.index.definition).highlightOffset;
  const length =
    type === 'plain'
      ? Math.max(0, ...texts.map((text) => text.length))
      : texts.reduce((sum, text) => sum + text.length + 1, -1);
  if (length <= limit || length > field.ignoreAbove) return;
  const other = type === 'plain' ? ', and highlighting with unified or fvh highlighter' : '';
  throw shardArgument(
    `The length of [${field.path}] field of a document of [${target.index.name}] index has exceeded [${limit}] - maximum allowed to be analyzed for highlighting. This maximum can be set by changing the [index.highlight.max_analyzed_offset] index level setting. For large texts, indexing with offsets or term vectors${other} is recommended!`,
  );
}

/** Whether the index knows where the words of the field's texts are. */
function keepsOffsets({ definition }: MappedField): boolean {
  return definition['index_options'] === 'offsets' || String(definition['term_vector']).includes('offsets');
}

/** Sentences that hold a span, cut to about the fragment's size around the words. */
function pieces(
  text: string,
  spans: readonly Span[],
  { fragmentSize: size, locale }: Options,
): (readonly [number, number])[] {
  const found: (readonly [number, number])[] = [];
  let at = 0;
  for (const { segment, index } of sentencesOf(text, locale)) {
    const end = index + segment.length;
    const last = found.at(-1);
    // Short sentences join until the fragment's size is reached.
    const until = last !== undefined && end - last[0] <= size ? last[0] : index;
    let any = false;
    while (at < spans.length && spans[at]!.start < end) {
      any = true;
      at++;
    }
    if (!any) continue;
    if (until < index) found[found.length - 1] = [until, end];
    else found.push([index, end]);
  }
  return found.flatMap((piece) => windows(text, piece, spans, size));
}

function windows(
  text: string,
  [start, end]: readonly [number, number],
  spans: readonly Span[],
  size: number,
): (readonly [number, number])[] {
  if (end - start <= size * 1.5 || size <= 0) return [trimmed(text, start, end)];
  const found: (readonly [number, number])[] = [];
  for (const span of spans) {
    if (span.start < start || span.start >= end) continue;
    const last = found.at(-1);
    if (last !== undefined && span.end <= last[1]) continue;
    const slack = Math.max(0, size - (span.end - span.start));
    let from = Math.max(start, last?.[1] ?? start, span.start - Math.floor(slack / 2));
    let to = Math.min(end, from + size);
    if (from > start && from > (last?.[1] ?? 0)) {
      const space = text.indexOf(' ', from);
      if (space >= 0 && space < span.start) from = space + 1;
    }
    if (to < end) {
      const space = text.lastIndexOf(' ', to);
      if (space >= span.end) to = space;
    }
    found.push(trimmed(text, from, Math.max(to, span.end)));
  }
  return found;
}

function trimmed(text: string, start: number, end: number): readonly [number, number] {
  let from = start;
  let to = end;
  while (from < to && /\s/.test(text[from]!)) from++;
  while (to > from && /\s/.test(text[to - 1]!)) to--;
  return [from, to];
}

function firstPart(text: string, { noMatchSize: size, locale }: Options): string {
  const first = [...sentencesOf(text, locale)][0]?.segment.trimEnd() ?? text;
  if (first.length <= size) return first;
  const space = text.indexOf(' ', size);
  return space < 0 ? text : text.slice(0, space);
}

function encode(text: string, options: Options): string {
  if (!options.html) return text;
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#x27;',
    '/': '&#x2F;',
  };
  return text.replace(/[&<>"'/]/g, (character) => entities[character]!);
}

function tagged(text: string, start: number, end: number, spans: readonly Span[], options: Options): string {
  let result = '';
  let at = start;
  for (const span of spans) {
    result +=
      encode(text.slice(at, span.start), options) +
      options.preTag +
      encode(text.slice(span.start, span.end), options) +
      options.postTag;
    at = span.end;
  }
  return result + encode(text.slice(at, end), options);
}
