// Which pieces of a document's texts a hit shows, with the matching words in tags: Elasticsearch's `highlight`.
import { textOf } from '../json/json.ts';
import type { Analyzer } from '../analysis/analyzer.ts';
import type { Target } from '../fetch/target.ts';
import { parseInnerQuery } from '../dsl/parse-query.ts';
import { indexLimits } from '../settings/index-limits.ts';
import type { Json } from '../json/json.ts';
import { isStored, type MappedField } from '../mapping/field-type.ts';
import type { Query } from '../query/query.ts';
import { checkTime } from '../tasks/request-budget.ts';
import { illegalArgument, shardArgument } from '../errors/request-error.ts';
import { keptSource } from '../fetch/source-filter.ts';
import { storedField } from '../fetch/field-values.ts';
import { valuesOfPaths } from '../json/values-at.ts';
import { valuesOfField } from '../mapping/values-of-field.ts';
import { type HighlightOptions, readHighlight } from './highlight-options.ts';
import { matchText } from './matches-in-text.ts';
import { spacedOut, vectorFragments } from './fvh.ts';
import { Breaks, choosePassages, type Match, SEPARATOR } from './passages.ts';
import { chooseFragments } from './plain.ts';
import { wordsOf } from './sentences.ts';
import { isEmpty, type Marks, marksOf } from './terms-of-query.ts';

/** Fields of one request that are highlighted at most, patterns counted by what they match. */
const MAX_FIELDS = 1000;

const TYPES = ['unified', 'plain', 'fvh'];

/** Marks the texts of one hit. */
export interface Highlighter {
  highlight(source: Json): Json;
}

/** How one field is highlighted. */
interface Plan {
  /** As the request names it. */
  readonly name: string;
  readonly field: MappedField;
  readonly analyzer: Analyzer;
  readonly options: HighlightOptions;
  readonly marks: Marks;
  readonly accepts: (field: string) => boolean;
  /** Of `fvh`: the other fields whose matches are shown in this one; empty: its own. */
  readonly sources: readonly Source[];
}

/** A field whose matches are looked for. */
interface Source {
  readonly analyzer: Analyzer;
  readonly marks: Marks;
  readonly accepts: (field: string) => boolean;
}

/** Reads `highlight` for one index. */
export function createHighlighter(body: Json, query: Query, target: Target): Highlighter {
  const entries = readHighlight(body);
  if (entries.length > MAX_FIELDS) throw tooManyFields(entries.length);
  const { mapping } = target;
  const keyword = mapping.analysis.analyzer('keyword');
  const plans = new Map<string, Plan>();
  for (const [pattern, options] of entries) {
    const effective = options.query === undefined ? query : parseInnerQuery(options.query, target.context);
    for (const { field, name } of mapping.named(pattern)) {
      if (pattern.includes('*')) {
        if ((field.type !== 'text' && field.type !== 'keyword') || isPart(field, mapping)) continue;
        if (options.type === 'fvh' && !hasVectors(field)) continue;
      }
      checkTime();
      const sourceOf = (of: MappedField): Source => {
        const accepts = (path: string): boolean => !options.requireFieldMatch || path === of.path;
        const analyzer = of.family === 'text' ? of.analyzer : (keyword ?? of.analyzer);
        return { analyzer, marks: marksOf(effective, accepts), accepts };
      };
      const sources = (options.type === 'fvh' ? options.matchedFields : []).flatMap((path) => {
        const other = mapping.field(path);
        // Of a field whose vectors are not kept nothing is known.
        return other === undefined || !hasVectors(other) ? [] : [sourceOf(other)];
      });
      plans.set(name, { name, field, options, sources, ...sourceOf(field) });
      if (plans.size > MAX_FIELDS) throw tooManyFields(plans.size);
    }
  }
  return {
    highlight(source) {
      const kept = keptSource(mapping, source);
      const found: Record<string, unknown> = {};
      for (const plan of plans.values()) {
        checkTime();
        checkPlan(plan);
        if (isEmpty(plan.marks) && plan.sources.length === 0 && plan.options.noMatchSize <= 0) continue;
        const texts = textsOf(target, plan.field, isStored(plan.field) ? source : kept);
        if (texts.length === 0) continue;
        checkLength(texts, plan.field, plan.options, target);
        const fragments = fragmentsOf(texts, plan);
        if (fragments.length > 0) found[plan.name] = fragments;
      }
      return found;
    },
  };
}

/** Whether it is a field that a `search_as_you_type` makes beside itself. */
function isPart(field: MappedField, mapping: Target['mapping']): boolean {
  const dot = field.path.lastIndexOf('.');
  return (
    /^_(?:\dgram|index_prefix)$/.test(field.path.slice(dot + 1)) &&
    mapping.field(field.path.slice(0, dot))?.type === 'search_as_you_type'
  );
}

function tooManyFields(count: number): Error {
  return illegalArgument(
    `Too many fields in [highlight]. At most [${MAX_FIELDS}] are allowed but there were [${count}]`,
  );
}

/** What is noticed only where there is a hit. @throws RequestError */
function checkPlan({ field, name, options }: Plan): void {
  const { fragmenter, fragments, fragmentSize, margin, scanner, type } = options;
  if (!TYPES.includes(type)) throw shardArgument(`unknown highlighter type [${type}] for the field [${name}]`);
  if (type === 'unified' && scanner === 'chars') throw shardArgument('Invalid boundary scanner type: chars');
  if (
    type === 'plain' &&
    fragments !== 0 &&
    fragmenter !== undefined &&
    fragmenter !== 'simple' &&
    fragmenter !== 'span'
  )
    throw shardArgument(`unknown fragmenter option [${fragmenter}] for the field [${name}]`);
  if (type !== 'fvh') return;
  if (!hasVectors(field))
    throw shardArgument(
      `the field [${name}] should be indexed with term vector with position offsets to be used with fast vector highlighter`,
    );
  if (fragments === 0) return;
  if (margin < 0) throw shardArgument(`margin(${margin}) is too small. It must be 0 or higher.`);
  const least = Math.max(1, margin * 3);
  if (fragmentSize < least)
    throw shardArgument(`fragCharSize(${fragmentSize}) is too small. It must be ${least} or higher.`);
}

/** What is stored of a field, or what the source holds of it. */
function textsOf({ mapping }: Target, field: MappedField, source: Json): string[] {
  if (isStored(field)) {
    const { paths, print } = storedField(field.path, field, mapping);
    return print(valuesOfPaths(source, paths)).map(textOf);
  }
  return valuesOfField(field, source, mapping)
    .filter((value) => typeof value !== 'object')
    .map(textOf);
}

function fragmentsOf(texts: readonly string[], plan: Plan): readonly string[] {
  if (plan.options.type === 'plain') return plainFragments(texts, plan);
  return plan.options.type === 'fvh' ? centredFragments(texts, plan) : unifiedFragments(texts, plan);
}

/** Fragments around the matches, of all values together. */
function centredFragments(texts: readonly string[], plan: Plan): readonly string[] {
  const { options } = plan;
  const content = texts.join(SEPARATOR);
  const shown = spacedOut(content);
  const sources = options.matchedFields.length === 0 ? [plan] : plan.sources;
  const matched = sources.map(({ accepts, analyzer, marks }) =>
    // Spans are not among the queries that it knows.
    texts.map((text) => matchText(text, analyzer, { ...marks, spans: [] }, accepts, true)),
  );
  return vectorFragments(content, texts, matched, {
    size: options.fragments === 0 ? Infinity : options.fragmentSize,
    most: options.fragments === 0 ? Infinity : options.fragments,
    byScore: options.byScore,
    noMatchSize: options.noMatchSize,
    scanner: options.scanner ?? 'chars',
    locale: options.locale,
    margin: options.margin,
    boundaries: options.boundaries,
    maxScan: options.maxScan,
    phraseLimit: options.phraseLimit,
  }).map(({ end, marks: inside, start }) => tagged(shown, start, end, inside, options));
}

/** Passages of sentences, of all values together. */
function unifiedFragments(texts: readonly string[], plan: Plan): readonly string[] {
  const { field, options } = plan;
  const content = texts.join(SEPARATOR);
  if (content.length > field.ignoreAbove) return [];
  const matches: Match[] = [];
  let base = 0;
  for (const text of texts) {
    for (const { end, start, term } of matchesIn(text, plan))
      matches.push({ start: base + start, end: base + end, term });
    base += text.length + 1;
  }
  const counts = new Map<string, number>();
  for (const { term } of matches) counts.set(term, (counts.get(term) ?? 0) + 1);
  const isWhole = options.fragments === 0 || field.family !== 'text';
  const { fragmentSize: size, locale, scanner } = options;
  const passages = choosePassages(
    content,
    matches,
    { kind: isWhole ? 'value' : scanner === 'word' ? 'word' : 'sentence', locale, size },
    options.fragments <= 0 ? Infinity : options.fragments,
    (term) => counts.get(term)!,
  );
  if (passages.length === 0) return firstPart(content, options);
  const shown = passages
    .map(({ end, matches: inside, score, start }) => ({
      text: tagged(content, start, end, inside, options).trim(),
      score,
    }))
    .filter(({ text }) => text !== '');
  if (options.byScore) shown.sort((a, b) => b.score - a.score);
  return shown.map(({ text }) => text);
}

/** The matches of a value, in order; a keyword's as its normalizer makes it. */
function matchesIn(text: string, { accepts, analyzer, field, marks }: Plan): readonly Match[] {
  if (field.normalizer !== undefined && marks.terms.has(field.normalizer(text)))
    return [{ start: 0, end: text.length, term: text }];
  return matchText(text, analyzer, marks, accepts).matches.filter((match) => match !== undefined);
}

/** Fragments of one size, value by value. */
function plainFragments(
  texts: readonly string[],
  { accepts, analyzer, field, marks, options }: Plan,
): readonly string[] {
  const most = options.fragments === 0 ? 1 : options.fragments;
  const how = options.fragments === 0 ? 'whole' : options.fragmenter === 'simple' ? 'simple' : 'span';
  const found = texts.flatMap((text) => {
    if (text.length > field.ignoreAbove) return [];
    const { matches, spansOf, terms, tokens } = matchText(text, analyzer, marks, accepts);
    // It counts the terms that a pattern stands for one by one.
    const matchOf = (at: number): Match | undefined => matches[at] && { ...matches[at], term: terms[at]! };
    const cut = { how, size: options.fragmentSize } as const;
    return chooseFragments(text.length, tokens, matchOf, spansOf, cut, most).map((fragment) => ({
      text: tagged(text, fragment.start, fragment.end, fragment.marks, options),
      score: fragment.score,
    }));
  });
  if (options.byScore) found.sort((a, b) => b.score - a.score);
  const shown = options.fragments === 0 && texts.length > 1 ? found : found.slice(0, most);
  if (shown.length > 0) return shown.map(({ text }) => text);
  const [first] = texts;
  if (options.noMatchSize <= 0 || first === undefined) return [];
  const { ends } = analyzer.analyze(first);
  // The last word that ends within the size.
  const after = ends.findIndex((end) => end > options.noMatchSize);
  const end = after < 0 ? ends.at(-1) : ends[after - 1];
  return end === undefined || end <= 0 ? [] : [first.slice(0, end)];
}

/**
 * Refuses texts that would take too long to analyse: all values of a field together for `unified`, each alone for `plain`. Where
 * offsets are kept, nothing is analysed, except by `plain`.
 */
function checkLength(texts: readonly string[], field: MappedField, { type }: HighlightOptions, target: Target): void {
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
  return definition['index_options'] === 'offsets' || textOf(definition['term_vector']).includes('offsets');
}

/** Whether the index keeps positions and offsets of the words of each document. */
function hasVectors({ definition }: MappedField): boolean {
  return textOf(definition['term_vector']).startsWith('with_positions_offsets');
}

/** What is shown of texts without a match: the first value, to the end of a word. */
function firstPart(content: string, options: HighlightOptions): readonly string[] {
  if (options.noMatchSize <= 0) return [];
  let start = 0;
  while (content[start] === SEPARATOR) start++;
  if (start >= content.length) return [];
  const next = content.indexOf(SEPARATOR, start);
  let end = next < 0 ? content.length : next;
  if (options.noMatchSize + start < end) {
    const places = [0];
    for (const { index, segment } of wordsOf(content, options.locale)) places.push(index + segment.length);
    const after = new Breaks(places).following(options.noMatchSize + start);
    end = after < 0 ? content.length : after;
  }
  const text = tagged(content, start, end, [], options).trim();
  return text === '' ? [] : [text];
}

function encode(text: string, options: HighlightOptions): string {
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

function tagOf(tags: readonly string[], number: number): string {
  return tags[number % tags.length] ?? '';
}

/** A part of a text with its matches in tags; those that overlap are one. */
function tagged(
  text: string,
  start: number,
  end: number,
  matches: readonly Match[],
  options: HighlightOptions,
): string {
  let result = '';
  let at = start;
  for (let i = 0; i < matches.length; i++) {
    const { start: from, end: first, number = 0 } = matches[i]!;
    let to = first;
    while (i + 1 < matches.length && matches[i + 1]!.start < to) to = matches[++i]!.end;
    to = Math.min(to, end);
    result +=
      encode(text.slice(at, from), options) +
      tagOf(options.preTags, number) +
      encode(text.slice(from, to), options) +
      tagOf(options.postTags, number);
    at = to;
  }
  return result + encode(text.slice(at, Math.max(at, end)), options);
}
