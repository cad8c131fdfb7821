import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { findProofs } from '../../scripts/docs/spec-coverage-page.ts';
import { SPEC_ROWS } from './rows.ts';

test('every row of the specification is proven by a test or listed as to do, never both', () => {
  const proofs = findProofs();
  const unproven = SPEC_ROWS.filter((row) => row.todo === undefined && !proofs.has(row.id)).map((row) => row.id);
  const provenButTodo = SPEC_ROWS.filter((row) => row.todo !== undefined && proofs.has(row.id)).map((row) => row.id);
  const unknown = [...proofs.keys()].filter((id) => !SPEC_ROWS.some((row) => row.id === id));
  deepEqual({ unproven, provenButTodo, unknown }, { unproven: [], provenButTodo: [], unknown: [] });
});
