// The sub-fields of a `search_as_you_type` field: shingles of two, three and four words, and their prefixes.
import type { Analysis } from '../analysis/analysis-registry.ts';
import { asInteger } from '../json/json.ts';
import { mapperParsing } from '../errors/request-error.ts';
import { createField, type MappedField } from './field-type.ts';
import type { FieldNode } from './mapping-tree.ts';

/** Maximum characters of a prefix. */
export const MOST_PREFIX_CHARACTERS = 20;

/** `search_as_you_type` has shingle sub-fields `_2gram`, `_3gram` … and a prefix sub-field. */
export function addSearchAsYouType(
  field: MappedField,
  multi: Map<string, FieldNode>,
  analysis: Analysis,
  nestedPath: string | undefined,
): void {
  const size =
    field.definition['max_shingle_size'] === undefined
      ? 3
      : asInteger(field.definition['max_shingle_size'], 'max_shingle_size');
  if (size < 2 || size > 4)
    throw mapperParsing(`[max_shingle_size] must be at least [2] and at most [4], got [${size}]`);
  const { max_shingle_size: _size, copy_to: _copies, store: _isStored, meta: _meta, ...rest } = field.definition;
  for (let width = 2; width <= size; width++) {
    const sub = createField(`${field.path}._${width}gram`, { ...rest, type: 'text' }, analysis, nestedPath);
    const analyzer = shingled(sub.analyzer, width);
    multi.set(`_${width}gram`, {
      kind: 'field',
      field: { ...sub, analyzer, searchAnalyzer: shingled(sub.searchAnalyzer, width), searchQuoteAnalyzer: analyzer },
      multi: new Map(),
    });
  }
  const definition = { ...rest, type: 'text', norms: false };
  const sub = createField(`${field.path}._index_prefix`, definition, analysis, nestedPath);
  const searched = shingled(sub.searchAnalyzer, size);
  multi.set('_index_prefix', {
    kind: 'field',
    field: {
      ...sub,
      type: 'prefix',
      analyzer: beginnings(sub.analyzer, size),
      searchAnalyzer: searched,
      searchQuoteAnalyzer: searched,
    },
    multi: new Map(),
  });
}

/** The prefixes of every shingle of so many words; at the end of the text, empty words fill them up. */
function beginnings(base: MappedField['analyzer'], width: number): MappedField['analyzer'] {
  const analyze: MappedField['analyzer']['analyze'] = (text) => {
    const list = base.analyze(text);
    const words = [...list.terms, ...Array.from({ length: width - 1 }, () => '')];
    const terms: string[] = [];
    const positions: number[] = [];
    const starts: number[] = [];
    const ends: number[] = [];
    for (let at = 0; at < list.terms.length; at++) {
      const whole = words.slice(at, at + width).join(' ');
      const characters = Array.from(whole);
      const found = characters.slice(0, MOST_PREFIX_CHARACTERS).map((_, end) => characters.slice(0, end + 1).join(''));
      if (characters.length > MOST_PREFIX_CHARACTERS) found.push(whole);
      for (const term of found) {
        terms.push(term);
        positions.push(at);
        starts.push(list.starts[at]!);
        ends.push(list.ends[Math.min(at + width, list.terms.length) - 1]!);
      }
    }
    const types = terms.map(() => 'shingle');
    return { terms, positions, starts, ends, types, endPosition: list.terms.length };
  };
  return {
    name: base.name,
    positionIncrementGap: base.positionIncrementGap,
    weight: base.weight * width * MOST_PREFIX_CHARACTERS,
    analyze,
    push(text, from, target) {
      const list = analyze(text);
      list.terms.forEach((term, at) => target.add(term, from + list.positions[at]!));
      return from + list.endPosition;
    },
  };
}

function shingled(base: MappedField['analyzer'], width: number): MappedField['analyzer'] {
  const analyze: MappedField['analyzer']['analyze'] = (text) => {
    const list = base.analyze(text);
    const count = Math.max(0, list.terms.length - width + 1);
    return {
      terms: Array.from({ length: count }, (_, at) => list.terms.slice(at, at + width).join(' ')),
      positions: Array.from({ length: count }, (_, at) => at),
      starts: list.starts.slice(0, count),
      ends: list.ends.slice(width - 1),
      types: Array.from({ length: count }, () => 'shingle'),
      endPosition: count,
    };
  };
  return {
    name: base.name,
    positionIncrementGap: base.positionIncrementGap,
    weight: base.weight * width * 2,
    analyze,
    push(text, from, target) {
      const list = analyze(text);
      list.terms.forEach((term, at) => target.add(term, from + at));
      return from + list.endPosition;
    },
  };
}
