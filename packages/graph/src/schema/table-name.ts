// Reads the name of a table as `@entity(table:)` writes it: `orders`, `shop.orders` with a schema of PostgreSQL, and as in
// SQL a part with a dot or quote in double quotes: `shop."a.b"`. The model keeps this text; SQL quotes its parts.

/** A table's name in parts. */
export interface TableName {
  /** Schema of PostgreSQL; undefined: the first of the search path with such a table. */
  readonly schema: string | undefined;
  readonly name: string;
}

const PART = '("(?:[^"]|"")+"|[^".]+)';
const FORM = new RegExp(`^(?:${PART}\\.)?${PART}$`);

/** Undefined if the text is no name. */
export function parseTableName(text: string): TableName | undefined {
  const parts = FORM.exec(text);
  if (parts === null || text.includes('\0')) return undefined;
  const bare = (part: string): string => (part.startsWith('"') ? part.slice(1, -1).replaceAll('""', '"') : part);
  return { schema: parts[1] === undefined ? undefined : bare(parts[1]), name: bare(parts[2]!) };
}

/** Whether the engine or the database keeps such names for itself. */
export function isKeptName({ schema, name }: TableName): boolean {
  return /^(?:sqlite|pg|lockstitch)_/i.test(name) || schema === 'lockstitch';
}

/** The name without its schema, as the database reports it. */
export function bareTableName(text: string): string {
  return parseTableName(text)?.name ?? text;
}

/** The name for SQL text. */
export function quoteTable(text: string): string {
  if (!/[."]/.test(text)) return quoteName(text);
  const { schema, name } = parseTableName(text) ?? { schema: undefined, name: text };
  return schema === undefined ? quoteName(name) : `${quoteName(schema)}.${quoteName(name)}`;
}

/** Quotes an identifier. */
export function quoteName(name: string): string {
  return name.includes('"') ? `"${name.replaceAll('"', '""')}"` : `"${name}"`;
}

/** Quotes a text as an SQL literal. */
export function quoteText(text: string): string {
  return text.includes("'") ? `'${text.replaceAll("'", "''")}'` : `'${text}'`;
}
