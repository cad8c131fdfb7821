// Tokens of tokenizers and filters with a grammar of their own: each line of the data is a custom analyzer, a text, and the tokens that
// Lucene 8.7 makes of it: term, position, length in positions, offsets, type.
import { deepEqual } from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { standardAnalysis } from '../../src/analysis/analysis-registry.ts';
import { runParts } from '../../src/analysis/analyzer.ts';
import { CHAR_FILTERS } from '../../src/analysis/char-filters.ts';
import { TOKEN_FILTERS } from '../../src/analysis/token-filters.ts';
import { TOKENIZERS } from '../../src/analysis/tokenizers.ts';
import { isObject } from '../../src/json/json.ts';

type Row = readonly [parts: Parameters<typeof standardAnalysis.custom>[0], text: string, tokens: readonly string[]];

const folder = new URL('lucene-tokens/', import.meta.url);

for (const file of readdirSync(folder)) {
  const rows = readFileSync(new URL(file, folder), 'utf8').trimEnd().split('\n');
  test(`${file.replace('.jsonl', '')} makes the tokens that Lucene makes`, () => {
    for (const row of rows) {
      const [parts, text, expected] = JSON.parse(row) as Row;
      const { tokens } = runParts(standardAnalysis.custom(parts), text);
      const found = tokens.map(
        ({ term, position, positionLength = 1, start, end, type }) =>
          `${term} ${position}+${positionLength} ${start}-${end} ${type}`,
      );
      deepEqual(found, expected, row);
    }
  });
}

test('every tokenizer, char filter and token filter has a row', () => {
  const rows = readFileSync(new URL('parts.jsonl', folder), 'utf8').trimEnd().split('\n');
  const shown = new Set(
    rows.flatMap((row) => {
      const [{ charFilters = [], filters = [], tokenizer }] = JSON.parse(row) as Row;
      const typeOf = (part: unknown): unknown => (isObject(part) ? part['type'] : part);
      return [
        `tokenizer ${String(typeOf(tokenizer))}`,
        ...charFilters.map((part) => `char_filter ${String(typeOf(part))}`),
        ...filters.map((part) => `filter ${String(typeOf(part))}`),
      ];
    }),
  );
  const all = { tokenizer: TOKENIZERS, char_filter: CHAR_FILTERS, filter: TOKEN_FILTERS };
  const missing = Object.entries(all).flatMap(([kind, { names }]) => names.map((name) => `${kind} ${name}`));
  deepEqual(
    missing.filter((name) => !shown.has(name)),
    [],
  );
});
