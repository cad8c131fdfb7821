// Prints docs/spec-coverage.md: each row of the specification with the tests that prove it, or with what is missing.
import { readdirSync, readFileSync } from 'node:fs';
import { SPEC_ROWS } from '../../test/spec/rows.ts';

const specFolder = new URL('../../test/spec/', import.meta.url);

/** A row's id as a text of its own; tables of rows name it without calling `spec` beside it. */
const ROW_ID = /'([ABC]\.[a-z-]+\.\d+|(?:Event|Error|Limit)\.\d+)'/g;

/** Row id → the test files that name it. */
export function findProofs(): Map<string, string[]> {
  const proofs = new Map<string, string[]>();
  for (const file of readdirSync(specFolder).toSorted()) {
    if (!file.endsWith('.test.ts')) continue;
    for (const [, id] of readFileSync(new URL(file, specFolder), 'utf8').matchAll(ROW_ID)) {
      const files = proofs.get(id!) ?? [];
      if (!files.includes(file)) files.push(file);
      proofs.set(id!, files);
    }
  }
  return proofs;
}

/** The page. */
export function printSpecCoveragePage(): string {
  const proofs = findProofs();
  const open = SPEC_ROWS.filter((row) => row.todo !== undefined);
  const lines = [
    '# Coverage of the specification',
    '',
    'Generated from `test/spec/` by `npm run docs`; a test fails when it is not what the suite says. Area A is the graph, B search, C security.',
    'Each row is proven by black-box tests that run twice, in the process and over a socket, except where a row is about a part used as a library.',
    '',
    `${SPEC_ROWS.length - open.length} of ${SPEC_ROWS.length} rows are proven; ${open.length} are to do.`,
  ];
  if (open.length > 0) {
    lines.push('', '## To do', '', '| Row | What it asks | What is missing |', '|---|---|---|');
    for (const row of open) lines.push(`| ${row.id} | ${cell(row.text)} | ${cell(row.todo!)} |`);
  }
  lines.push('', '## Proven', '', '| Row | What it asks | Proven in |', '|---|---|---|');
  for (const row of SPEC_ROWS.filter((candidate) => candidate.todo === undefined)) {
    const files = (proofs.get(row.id) ?? []).map((file) => `\`test/spec/${file}\``).join(', ');
    lines.push(`| ${row.id} | ${cell(row.text)} | ${files} |`);
  }
  return `${lines.join('\n')}\n`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
