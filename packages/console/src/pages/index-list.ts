// Which indexes the caller can choose from, how many documents each holds and how far it is behind the data. Where the
// rules keep `_cat` to administrators, as they often do, the names alone, so that who may search can.
import { type Answer, call } from '../api.ts';

/** One index. */
export interface IndexRow {
  readonly name: string;
  /** Undefined for callers who may not know. */
  readonly documents: number | undefined;
  /** Changes of the data it does not show yet; undefined where it follows none, or for callers who may not know. */
  readonly lag: number | undefined;
}

/** Lists the indexes, as often as wished. */
export interface IndexList {
  /** The indexes by name, or none and what the server said instead. */
  read(): Promise<{ readonly rows: readonly IndexRow[]; readonly refusal?: Answer }>;
}

const TABLE = '/_cat/indices?format=json&h=index,docs.count,feed.lag';
const NAMES = '/_alias';

/** Makes a list that remembers whether the caller may have the figures, and asks for them no more once refused. */
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
