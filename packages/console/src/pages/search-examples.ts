// Example searches made from the fields of an index, so that nobody has to know a field's name before the first search.

/** A field of a mapping: dotted path and type. */
export interface MappedField {
  readonly path: string;
  readonly type: string;
}

/** A search with a title. */
export interface Example {
  readonly title: string;
  readonly body: Readonly<Record<string, unknown>>;
}

type Properties = Readonly<Record<string, { type?: string; properties?: Properties; fields?: Properties }>>;

/** Reads the answer to `GET /<index>/_mapping` into a flat list, sub-fields included. */
export function readFields(body: unknown): readonly MappedField[] {
  const index = Object.values((body ?? {}) as Record<string, { mappings?: { properties?: Properties } }>)[0];
  return flatten(index?.mappings?.properties ?? {}, '');
}

function flatten(properties: Properties, prefix: string): MappedField[] {
  return Object.entries(properties).flatMap(([name, { type, properties: inner, fields }]) => {
    const path = `${prefix}${name}`;
    const own = type === undefined || type === 'object' || type === 'nested' ? [] : [{ path, type }];
    return [...own, ...flatten(inner ?? {}, `${path}.`), ...flatten(fields ?? {}, `${path}.`)];
  });
}

/** Makes the examples; the first is the one to open with. */
export function examplesFor(fields: readonly MappedField[]): readonly Example[] {
  const of = (...types: readonly string[]): readonly string[] =>
    fields.filter(({ type }) => types.includes(type)).map(({ path }) => path);
  const keywords = of('keyword').filter((path) => !/(^|\.)(id|url|avatar)(\.|$)/i.test(path));
  const texts = of('text').filter((path) => !path.includes('.'));
  const dates = of('date');
  const related = keywords.find((path) => path.replace(/\.keyword$/, '').includes('.'));
  const own = keywords.find((path) => !path.includes('.')) ?? keywords[0];
  const facets = [...new Set([own, related].filter((path) => path !== undefined))];
  const aggs = Object.fromEntries(
    facets.map((field) => [field.replace(/\.keyword$/, ''), { terms: { field, size: 8 } }]),
  );
  const examples: Example[] = [];
  if (facets.length > 0)
    examples.push({
      title: 'Everything, counted',
      body: { query: { match_all: {} }, aggs, size: 12, track_total_hits: true },
    });
  examples.push({ title: 'Everything', body: { query: { match_all: {} }, size: 12 } });
  if (texts[0] !== undefined) {
    examples.push({
      title: `Match in ${texts[0]}`,
      body: { query: { match: { [texts[0]]: 'night' } }, aggs, size: 12 },
    });
    examples.push({
      title: 'Match in every text',
      body: { query: { multi_match: { query: 'night', fields: texts } }, size: 12 },
    });
  }
  if (dates[0] !== undefined)
    examples.push({
      title: `Newest by ${dates[0]}`,
      body: { query: { match_all: {} }, sort: [{ [dates[0]]: 'desc' }], size: 12 },
    });
  if (texts[0] !== undefined && own !== undefined) {
    const must = [{ match: { [texts[0]]: 'night' } }];
    examples.push({
      title: 'Match and filter',
      body: { query: { bool: { must, filter: [{ exists: { field: own } }] } }, size: 12 },
    });
  }
  return examples;
}
