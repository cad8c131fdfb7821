// Reads the values that a CHECK constraint allows for one column: `status IN ('open', 'done')`, in the forms in which
// people write it and PostgreSQL prints it. Any other condition lists no values.

/** A constraint that lists the texts of a column. */
export interface ListedValues {
  readonly column: string;
  readonly values: readonly string[];
}

const TEXT = String.raw`'(?:[^']|'')*'`;
const CAST = String.raw`(?:::[a-z]+(?: varying)?(?:\(\d+\))?(?:\[\])?)*`;
const NAME = String.raw`(?:"((?:[^"]|"")+)"|\x60([^\x60]+)\x60|\[([^\]]+)\]|([A-Za-z_]\w*))`;
/** The column, alone, in brackets and cast to text. */
const COLUMN = String.raw`\(*${NAME}\)*${CAST}`;
const ITEM = String.raw`\(?${TEXT}${CAST}\)?${CAST}`;
const LIST = String.raw`${ITEM}(?:,\s*${ITEM})*`;
const FORMS = [
  new RegExp(String.raw`^${COLUMN}\s+IN\s*\((${LIST})\)$`, 'i'),
  new RegExp(String.raw`^${COLUMN}\s*=\s*ANY\s*\(\(?ARRAY\[(${LIST})\]\)?${CAST}\)$`, 'i'),
];
/** A CHECK holds for null, so this in front says the same. */
const OR_NULL = new RegExp(String.raw`^${COLUMN}\s+IS\s+NULL\)*\s+OR\s+`, 'i');
const EQUALS = new RegExp(String.raw`^${COLUMN}\s*=\s*(${TEXT})${CAST}$`, 'i');

/** The column and its values, if a condition lists them. */
export function listedValues(check: string): ListedValues | undefined {
  // One that ends in NOT VALID says nothing of the rows of before, and has none of the forms.
  const condition = bare(check.replace(/^CHECK\s*/i, ''));
  const open = OR_NULL.exec(condition);
  const rest = bare(condition.slice(open?.[0].length ?? 0));
  for (const form of [...FORMS, EQUALS]) {
    const found = form.exec(rest);
    if (found === null) continue;
    const name = nameIn(found);
    if (open !== null && nameIn(open) !== name) return undefined;
    const values = [...found[5]!.matchAll(new RegExp(TEXT, 'g'))].map(([text]) =>
      text.slice(1, -1).replaceAll("''", "'"),
    );
    return { column: name, values: [...new Set(values)] };
  }
  return undefined;
}

/** The name that a match of COLUMN has first. */
function nameIn(found: RegExpExecArray): string {
  return found[1]?.replaceAll('""', '"') ?? found[2] ?? found[3] ?? found[4]!;
}

/** Without brackets around the whole. */
function bare(text: string): string {
  const trimmed = text.trim();
  if (!trimmed.startsWith('(') || !trimmed.endsWith(')')) return trimmed;
  let depth = 0;
  for (const [at, token] of [...trimmed.matchAll(/'(?:[^']|'')*'|[()]/g)].map(
    (match) => [match.index, match[0]] as const,
  )) {
    if (token === '(') depth += 1;
    else if (token === ')') depth -= 1;
    if (depth === 0) return at === trimmed.length - 1 ? bare(trimmed.slice(1, -1)) : trimmed;
  }
  return trimmed;
}
