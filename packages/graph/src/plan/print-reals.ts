// Prints the reals of a response as JavaScript does: SQLite prints 31.0 and up to 17 digits, PostgreSQL 1e+15. Parsing and
// printing the whole response would take as long as grouping 20,000 rows, and round the integers of JSON values.
import type { Json } from '../sql/sql.ts';

/** Rewrites the text of a response. */
export type PrintReals = (text: string) => string;

/** Creates the function for responses of one statement; undefined if they have no reals. */
export function createPrintReals(body: Json): PrintReals | undefined {
  const keys = new Set<string>();
  collectKeys(body, keys);
  if (keys.size === 0) return undefined;
  // Inside of a JSON string there is a backslash between a key and its quote.
  const reals = new RegExp(`("(?:${[...keys].join('|')})":)(-?\\d+(?:\\.\\d+)?(?:[eE][-+]?\\d+)?)(?=[,}])`, 'g');
  return (text) =>
    text.replace(reals, (all, key: string, digits: string) => {
      const printed = String(Number(digits));
      return printed === digits ? all : key + printed;
    });
}

/** The response keys of reals. `key`: that of the value itself. */
function collectKeys(json: Json, keys: Set<string>, key?: string): void {
  switch (json.kind) {
    case 'value':
      if (json.format === 'real' && key !== undefined) keys.add(key);
      break;
    case 'object':
      for (const member of json.members) collectKeys(member.value, keys, member.key);
      break;
    case 'one':
    case 'list':
      collectKeys(json.element, keys, key);
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
