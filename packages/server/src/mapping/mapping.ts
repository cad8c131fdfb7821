// From the searchable fields of the schema to the mapping of an index, in Elasticsearch's words. Which fields a document has
// is decided by the graph; how a document is analysed, by the engine.
import { createHash } from 'node:crypto';

/** A field of a search document. */
export interface DocumentField {
  /** Dotted: `postedBy.githubLogin`. */
  readonly path: string;
  /** The GraphQL named type: `String`, `ID`, `DateTime`, an enum. */
  readonly typeName: string;
  /** `@search(type:)`, when given. */
  readonly type: string | undefined;
  /** `@search(analyzer:)`, when given. */
  readonly analyzer: string | undefined;
}

/** Raised whenever equal fields are to be mapped differently than before: existing indexes are then built anew. */
const MAPPING_VERSION = 2;

const BY_TYPE: Readonly<Record<string, string>> = {
  String: 'text',
  Int: 'long',
  BigInt: 'long',
  Float: 'double',
  // Its documents hold the number as text, with all its digits.
  Decimal: 'double',
  Boolean: 'boolean',
  DateTime: 'date',
  Date: 'date',
};

/**
 * The mapping of an index, and a fingerprint that changes whenever the mapping does.
 *
 * @param more further fields with their definitions, by dotted path
 * @param sources where the documents take their values from: out of another column, or by another relation, the same fields hold others
 */
export function buildMapping(
  fields: readonly DocumentField[],
  more: ReadonlyMap<string, Readonly<Record<string, unknown>>> = new Map(),
  sources: readonly unknown[] = [],
): {
  readonly mappings: Readonly<Record<string, unknown>>;
  readonly fingerprint: string;
} {
  const root: Properties = {};
  for (const field of fields) place(root, field.path.split('.'), mapField(field));
  for (const [path, definition] of more) place(root, path.split('.'), { ...definition });
  // Documents come from the schema alone; a field outside the mapping would be a fault of ours and must not pass silently.
  const mappings = { dynamic: 'strict', properties: root };
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([MAPPING_VERSION, mappings, ...sources]))
    .digest('hex')
    .slice(0, 16);
  return { mappings, fingerprint };
}

type Properties = Record<string, Record<string, unknown>>;

function place(properties: Properties, path: readonly string[], mapped: Record<string, unknown>): void {
  const [name, ...rest] = path;
  if (rest.length === 0) {
    properties[name!] = mapped;
    return;
  }
  const object = (properties[name!] ??= { properties: {} });
  place(object['properties'] as Properties, rest, mapped);
}

/** Elasticsearch's name for the type of a field. */
export function fieldType({ typeName, type }: Pick<DocumentField, 'typeName' | 'type'>): string {
  return type ?? BY_TYPE[typeName] ?? 'keyword';
}

function mapField({ analyzer, ...field }: DocumentField): Record<string, unknown> {
  const chosen = fieldType(field);
  if (chosen !== 'text') return { type: chosen };
  return {
    type: 'text',
    ...(analyzer === undefined ? {} : { analyzer }),
    // For exact matches, sorting and aggregations, as Elasticsearch maps strings by itself.
    fields: { keyword: { type: 'keyword', ignore_above: 256 } },
  };
}
