// Prints the reals of a response as JavaScript does: SQLite prints 31.0 and up to 17 digits, PostgreSQL 1e+15. Parsing and
// printing the whole response would take as long as grouping 20,000 rows, and round the numbers of JSON values.
import type { Json } from '../sql/sql.ts';
import { endOfValue, patternOfKeys } from './json-values.ts';

/** Rewrites the text of a response. */
export type PrintReals = (text: string) => string;

interface Keys {
  readonly reals: Set<string>;
  /** Of JSON values, whose members may have any name. */
  readonly json: Set<string>;
}

/** Creates the function for responses of one statement; undefined if they have no reals. */
export function createPrintReals(body: Json): PrintReals | undefined {
  const reals = new Set<string>();
  const json = new Set<string>();
  collectKeys(body, { reals, json });
  // A key of both would need the place of each value: such reals stay as the database prints them.
  const printed = [...reals.difference(json)];
  if (printed.length === 0) return undefined;
  const real = `("(?:${printed.join('|')})":)(-?\\d+(?:\\.\\d+)?(?:[eE][-+]?\\d+)?)(?=[,}])`;
  if (json.size === 0) {
    const pattern = new RegExp(real, 'g');
    return (text) => text.replace(pattern, (all, key: string, digits: string) => printReal(all, key, digits));
  }
  const pattern = new RegExp(`${real}|${patternOfKeys(json)}`, 'g');
  return (text) => printBetweenJson(text, pattern);
}

function printReal(all: string, key: string, digits: string): string {
  const printed = String(Number(digits));
  return printed === digits ? all : key + printed;
}

/** Prints the reals that match, and skips JSON values. */
function printBetweenJson(text: string, pattern: RegExp): string {
  let printed = '';
  let end = 0;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const [all, key, digits] = match;
    if (key === undefined || digits === undefined) pattern.lastIndex = endOfValue(text, pattern.lastIndex);
    else {
      printed += text.slice(end, match.index) + printReal(all, key, digits);
      end = pattern.lastIndex;
    }
  }
  return printed + text.slice(end);
}

/** Collects response keys. `key`: that of the value itself. */
function collectKeys(json: Json, keys: Keys, key?: string): void {
  switch (json.kind) {
    case 'value':
      if (key !== undefined && json.format === 'real') keys.reals.add(key);
      if (key !== undefined && json.format === 'json') keys.json.add(key);
      break;
    case 'object':
      for (const member of json.members) collectKeys(member.value, keys, member.key);
      break;
    case 'one':
    case 'list':
    case 'elements':
      collectKeys(json.element, keys, key);
      break;
    case 'concat':
      for (const part of json.parts) collectKeys(part, keys, key);
      break;
    case 'beforeDeadline':
    case 'with':
      collectKeys(json.value, keys, key);
      break;
    case 'choose':
      for (const { use } of json.branches) collectKeys(use, keys, key);
      collectKeys(json.otherwise, keys, key);
      break;
    default:
  }
}
