// Prints what an adoption left out, and what its author should know: `ADOPTED.md`.
import { printable } from '@lockstitch/kernel';
import type { Adoption, LeftOut, Note } from './adoption.ts';
import { shownName } from './database-description.ts';

const LEFT_OUT: readonly (readonly [LeftOut['kind'], string])[] = [
  ['secret', 'Columns that look like secrets'],
  ['no key', 'Tables and views without a key'],
  ['not expressible', 'What the schema language does not express'],
  ['no right', 'What this role may not read'],
];
const NOTES: readonly (readonly [Note['kind'], string])[] = [
  ['row-level security', 'Row-level security'],
  ['writes', 'What cannot be written'],
  ['relation', 'Relations'],
  ['data', 'Data'],
  ['slow', 'Slow relations'],
  ['names', 'Names'],
];

/** The report. @param database its address without the password */
export function printReport(adoption: Adoption, database: string): string {
  const { types, enums, leftOut, notes } = adoption;
  const head = [
    '# What was adopted',
    '',
    `From ${code(database)}: ${count(types.length, 'type')} and ${count(enums.length, 'enum')}. Nothing in the database was changed.`,
    'Every type is for the role `ADMIN` only and is not searched; `@auth` and `@search` in `schema.graphql` open it.',
    `${count(types.filter(({ writes }) => writes !== undefined).length, 'type')} can be written: the schema has mutations that create, update and delete.`,
    'What other programs write is found by `lockstitch index verify`; `@captureChanges` on a type lets search and subscriptions follow it at once.',
    '',
  ];
  const parts = LEFT_OUT.flatMap(([kind, title]) => {
    const lines = leftOut.filter((each) => each.kind === kind).map(printLeftOut);
    return lines.length === 0
      ? []
      : [`## Left out: ${title.charAt(0).toLowerCase()}${title.slice(1)}`, '', ...lines, ''];
  });
  const told = NOTES.flatMap(([kind, title]) => {
    const lines = notes
      .filter((each) => each.kind === kind)
      .map(({ table, text }) => `- ${code(shownName(table))}: ${printable(text)}.`);
    return lines.length === 0 ? [] : [`## ${title}`, '', ...lines, ''];
  });
  const all = parts.length === 0 ? ['Nothing was left out.', ''] : [];
  return [...head, ...all, ...parts, ...told].join('\n');
}

function printLeftOut({ table, column, reason, remedy }: LeftOut): string {
  const place = column === undefined ? shownName(table) : `${shownName(table)}.${column}`;
  return `- ${code(place)}: ${printable(reason)}.${remedy === undefined ? '' : ` ${printable(remedy)}`}`;
}

function code(text: string): string {
  const line = printable(text);
  return line.includes('`') ? `\`\` ${line} \`\`` : `\`${line}\``;
}

function count(number: number, noun: string): string {
  return number === 1 ? `1 ${noun}` : `${number} ${noun}s`;
}
