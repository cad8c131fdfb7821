// Lists the indexes that the caller can choose from, with their numbers of documents and their lag. Rules often reserve
// `_cat` for administrators; then only the names are listed.
import { type Answer, call } from '../api.ts';

/** One index. */
export interface IndexRow {
  readonly name: string;
  /** Undefined if the caller may not know. */
  readonly documents: number | undefined;
  /** Changes of the data that it does not show yet; undefined if it follows no data, or the caller may not know. */
  readonly lag: number | undefined;
}

export interface IndexList {
  /** The indexes by name, or none and the server's refusal. */
  read(): Promise<{ readonly rows: readonly IndexRow[]; readonly refusal?: Answer }>;
}

const TABLE = '/_cat/indices?format=json&h=index,docs.count,feed.lag';
const NAMES = '/_alias';

/** Creates a list. Once the figures were refused, it asks for names only. */
export function createIndexList(): IndexList {
  let named: readonly IndexRow[] | undefined;
  return {
    async read() {
      if (named !== undefined) return { rows: named };
      const table = await call(TABLE);
      if (table.status < 400) return { rows: readTable(table.body) };
      if (table.status !== 403) return { rows: [], refusal: table };
      const names = await call(NAMES);
      if (names.status >= 400) return { rows: [], refusal: table };
      named = readNames(names.body);
      return { rows: named };
    },
  };
}

function readTable(body: unknown): readonly IndexRow[] {
  if (!Array.isArray(body)) return [];
  const count = (cell: string | null | undefined): number | undefined =>
    typeof cell === 'string' && /^\d+$/.test(cell) ? Number(cell) : undefined;
  return (body as readonly Readonly<Record<string, string | null | undefined>>[])
    .map((row) => ({
      name: row['index'] ?? '',
      documents: count(row['docs.count']),
      lag: count(row['feed.lag']),
    }))
    .filter(({ name }) => name !== '')
    .sort(byName);
}

function readNames(body: unknown): readonly IndexRow[] {
  if (typeof body !== 'object' || body === null) return [];
  return Object.keys(body)
    .map((name) => ({ name, documents: undefined, lag: undefined }))
    .sort(byName);
}

function byName(left: IndexRow, right: IndexRow): number {
  return left.name.localeCompare(right.name);
}
