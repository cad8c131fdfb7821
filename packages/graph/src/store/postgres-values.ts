// Converts PostgreSQL's values to JavaScript's: timestamps as ISO text in UTC, JSON as text. Not here: values in
// responses, which the statement prints itself (sql/dialect-postgres.ts).
import type pg from 'pg';

type Parse = (text: string) => unknown;

const asText: Parse = (text) => text;
const PARSERS: ReadonlyMap<number, Parse> = new Map<number, Parse>([
  [16, (text) => text === 't'],
  [20, toInteger],
  [21, Number],
  [23, Number],
  [26, Number],
  [700, Number],
  [701, Number],
  [1184, toIsoText],
]);

/** For `pg`; results are always in text format. */
export const postgresTypes: pg.CustomTypesConfig = { getTypeParser: (oid: number) => PARSERS.get(oid) ?? asText };

function toInteger(text: string): number | bigint {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}

/** `2026-11-21 05:00:00.5+00` → `2026-11-21T05:00:00.500Z`; other forms (infinity, BC) are unchanged. */
function toIsoText(text: string): string {
  const parts = /^(\d{4,6}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,3})\d*)?\+00$/.exec(text);
  return parts === null ? text : `${parts[1]!}T${parts[2]!}.${(parts[3] ?? '').padEnd(3, '0')}Z`;
}
