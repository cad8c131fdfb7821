// What a field of type `search_as_you_type` has beside itself: sub-fields of its words in pairs, threes and fours.
import type { Analysis } from '../analysis/analysis-registry.ts';
import { asInteger } from '../json.ts';
import { mapperParsing } from '../request-error.ts';
import { createField, type MappedField } from './field-type.ts';
import type { FieldNode } from './mapping-tree.ts';

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
  if (size < 2 || size > 4) {
    throw mapperParsing(`[max_shingle_size] must be at least [2] and at most [4], got [${size}]`);
  }
  const { max_shingle_size: _size, ...rest } = field.definition;
  for (let width = 2; width <= size; width++) {
    const sub = createField(`${field.path}._${width}gram`, { ...rest, type: 'text' }, analysis, nestedPath);
    const analyzer = shingled(sub.analyzer, width);
    multi.set(`_${width}gram`, {
      kind: 'field',
      field: { ...sub, analyzer, searchAnalyzer: shingled(sub.searchAnalyzer, width), searchQuoteAnalyzer: analyzer },
      multi: new Map(),
    });
  }
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
