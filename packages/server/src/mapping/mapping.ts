// Builds the Elasticsearch mapping of an index from the searchable fields of the schema. The graph decides which fields
// a document has, the engine how it is analysed.
import { createHash } from 'node:crypto';

/** A field of a search document. */
export interface DocumentField {
  /** Dotted: `postedBy.githubLogin`. */
  readonly path: string;
  /** GraphQL named type: `String`, `ID`, `DateTime` or an enum. */
  readonly typeName: string;
  /** `@search(type:)`, if given. */
  readonly type: string | undefined;
  /** `@search(analyzer:)`, if given. */
  readonly analyzer: string | undefined;
}

/** Increase this whenever equal fields get a different mapping: existing indexes are then rebuilt. */
const MAPPING_VERSION = 2;

const BY_TYPE: Readonly<Record<string, string>> = {
  String: 'text',
  Int: 'long',
  BigInt: 'long',
  Float: 'double',
  // Documents hold the number as text, with all its digits.
  Decimal: 'double',
  Boolean: 'boolean',
  DateTime: 'date',
  Date: 'date',
  LocalDateTime: 'date',
};

/**
 * Builds the mapping of an index, and a fingerprint that changes whenever the mapping does.
 *
 * @param more further field definitions by dotted path
 * @param sources columns and relations that the values come from; another source makes another fingerprint
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
  // Documents come from the schema alone. A field outside the mapping is our bug and must not pass silently.
  const mappings = { dynamic: 'strict', properties: root };
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([MAPPING_VERSION, mappings, ...sources]))
    .digest('hex')
    .slice(0, 16);
  return { mappings, fingerprint };
}

interface Mapped {
  readonly properties?: Properties;
  readonly [option: string]: unknown;
}
type Properties = Record<string, Mapped>;

function place(properties: Properties, path: readonly string[], mapped: Mapped): void {
  const [name = '', ...rest] = path;
  if (rest.length === 0) {
    properties[name] = mapped;
    return;
  }
  const { properties: inner = {} } = properties[name] ?? {};
  properties[name] ??= { properties: inner };
  place(inner, rest, mapped);
}

/** Returns Elasticsearch's name for the type of a field. */
export function fieldType({ typeName, type }: Pick<DocumentField, 'typeName' | 'type'>): string {
  return type ?? BY_TYPE[typeName] ?? 'keyword';
}

function mapField({ analyzer, ...field }: DocumentField): Record<string, unknown> {
  const chosen = fieldType(field);
  if (chosen !== 'text') return { type: chosen };
  return {
    type: 'text',
    ...(analyzer === undefined ? {} : { analyzer }),
    // For exact matches, sorting and aggregations, as Elasticsearch's dynamic mapping of strings does.
    fields: { keyword: { type: 'keyword', ignore_above: 256 } },
  };
}
