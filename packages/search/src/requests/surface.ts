// The names and values that requests to one index are made of: its fields by what they can be asked, as its mapping says. Not here:
// which of them a request takes (words.ts).
import { FAMILIES } from '../mapping/field-parameters.ts';

/** What fields of a kind can be asked. */
export type Family =
  | 'text'
  | 'keyword'
  | 'number'
  | 'date'
  | 'boolean'
  | 'ip'
  | 'range'
  | 'geo_point'
  | 'rank_feature'
  | 'completion'
  | 'nested';

/** One index. */
export interface IndexSurface {
  readonly name: string;
  /** Aliases and the like: other names that it answers to. */
  readonly aliases: readonly string[];
  /** The second segment of its typed path. */
  readonly type: string;
  readonly fields: Readonly<Record<Family, readonly string[]>>;
  /** Objects, fields that callers should not know of, and a name that nothing has. */
  readonly others: readonly string[];
  /** Ids of documents, hidden ones among them. */
  readonly ids: readonly string[];
}

/** What requests are made of. */
export interface Surface {
  readonly indexes: readonly IndexSurface[];
  /** Words and values that occur in the data, hidden ones among them. */
  readonly words: readonly string[];
  /** Whether writes to the indexes are refused. Where they are not, none is asked for: it would change what is asked about. */
  readonly isReadOnly: boolean;
  /** Whether `_seq_no` and the like are asked for values as other fields are. */
  readonly asksMetadata?: boolean;
}

interface Definition {
  readonly type?: string;
  readonly path?: string;
  readonly properties?: Properties;
  readonly fields?: Properties;
}

type Properties = Readonly<Record<string, Definition>>;

/** How a field of a type can be asked; undefined: as no value, or not at all. */
function familyOf(type: string): Family | undefined {
  if (type === 'nested' || type === 'rank_feature' || type === 'geo_point') return type;
  const family = FAMILIES[type];
  if (family === 'constant') return 'keyword';
  return family === 'geo' || family === 'id' || family === 'none' ? undefined : family;
}

/** Reads the fields of a mapping. */
export function fieldsOf({
  properties = {},
}: {
  readonly properties?: unknown;
}): Pick<IndexSurface, 'fields' | 'others'> {
  const fields: Record<Family, string[]> = {
    text: [],
    keyword: [],
    number: [],
    date: [],
    boolean: [],
    ip: [],
    range: [],
    geo_point: [],
    rank_feature: [],
    completion: [],
    nested: [],
  };
  const others: string[] = [];
  const visit = (level: Properties, prefix: string): void => {
    for (const [name, definition] of Object.entries(level)) {
      const path = `${prefix}${name}`;
      const { type = 'object' } = resolve(properties as Properties, definition);
      const family = familyOf(type);
      if (family === undefined) others.push(path);
      else fields[family].push(path);
      if (type === 'flattened') fields.keyword.push(`${path}.colour`);
      if (type === 'rank_features') fields.rank_feature.push(`${path}.pages`);
      if (type === 'search_as_you_type') fields.text.push(`${path}._2gram`);
      visit(definition.fields ?? {}, `${path}.`);
      visit(definition.properties ?? {}, `${path}.`);
    }
  };
  visit(properties as Properties, '');
  return { fields, others: [...others, '_ignored', '_id', '_index', 'absent'] };
}

/** What an alias stands for. */
function resolve(root: Properties, definition: Definition): Definition {
  if (definition.type !== 'alias' || definition.path === undefined) return definition;
  let found: Definition = { properties: root };
  for (const step of definition.path.split('.'))
    found = found.properties?.[step] ?? found.fields?.[step] ?? { type: 'object' };
  return found;
}
