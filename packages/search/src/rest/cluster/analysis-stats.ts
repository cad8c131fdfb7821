// `indices.analysis` of `_cluster/stats`: which kinds of analysis parts the indices define, and which built-in ones they use.
import type { Index } from '../../engine/engine-api.ts';
import { isObject, type Json, textOf, toList } from '../../json/json.ts';
import { settingsOf } from '../../settings/client-settings.ts';

/** Uses of one name. */
interface Uses {
  count: number;
  readonly indices: Set<string>;
}

/** Counts uses by name. */
class Counter {
  readonly #uses = new Map<string, Uses>();

  add(name: unknown, index: Index): void {
    const key = textOf(name);
    const uses = this.#uses.get(key) ?? { count: 0, indices: new Set() };
    uses.count++;
    uses.indices.add(index.name);
    this.#uses.set(key, uses);
  }

  toJSON(without: ReadonlySet<string> = new Set()): readonly Json[] {
    return [...this.#uses]
      .filter(([name]) => !without.has(name))
      .map(([name, { count, indices }]) => ({ name, count, index_count: indices.size }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

const PARTS = ['char_filter', 'tokenizer', 'filter', 'analyzer'] as const;
type Part = (typeof PARTS)[number];

const byPart = <T>(make: () => T): Readonly<Record<Part, T>> => ({
  char_filter: make(),
  tokenizer: make(),
  filter: make(),
  analyzer: make(),
});

/** The statistics of all indices. */
export function analysisStats(indices: readonly Index[]): Json {
  const types = byPart(() => new Counter());
  const uses = byPart(() => new Counter());
  const defined = byPart(() => new Set<string>());
  for (const index of indices) {
    const { analysis } = settingsOf(index.definition);
    for (const part of PARTS) {
      const definitions = isObject(analysis) && isObject(analysis[part]) ? analysis[part] : {};
      for (const [name, definition] of Object.entries(definitions)) {
        if (!isObject(definition)) continue;
        defined[part].add(name);
        const { type = part === 'analyzer' ? 'custom' : undefined } = definition;
        if (type !== undefined) types[part].add(type, index);
        if (part !== 'analyzer') continue;
        for (const used of ['char_filter', 'tokenizer', 'filter'] as const)
          for (const each of toList(definition[used] ?? [])) uses[used].add(each, index);
      }
    }
    for (const analyzer of analyzersIn(index.mapper.toJSON())) uses.analyzer.add(analyzer, index);
  }
  const members = PARTS.flatMap((part) => [
    [`${part}_types`, types[part].toJSON()],
    [`built_in_${part}s`, uses[part].toJSON(defined[part])],
  ]);
  return Object.fromEntries(members) as Json;
}

/** The analyzers that fields name. */
function analyzersIn(mapping: unknown): readonly unknown[] {
  if (!isObject(mapping)) return [];
  return ['properties', 'fields'].flatMap((below) =>
    isObject(mapping[below])
      ? Object.values(mapping[below]).flatMap((field) =>
          isObject(field)
            ? [
                ...['analyzer', 'search_analyzer', 'search_quote_analyzer'].flatMap((key) => toList(field[key] ?? [])),
                ...analyzersIn(field),
              ]
            : [],
        )
      : [],
  );
}
