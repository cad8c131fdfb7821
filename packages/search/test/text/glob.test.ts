import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { globMatches } from '../../src/text/glob.ts';

/** What the pattern says, one character at a time. */
function naive(pattern: string, name: string): boolean {
  if (pattern === '') return name === '';
  if (pattern.startsWith('*')) return naive(pattern.slice(1), name) || (name !== '' && naive(pattern, name.slice(1)));
  return name !== '' && pattern[0] === name[0] && naive(pattern.slice(1), name.slice(1));
}

test('a star stands for any characters, everything else for itself', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '.', '\n'), maxLength: 8 });
  const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '*', '.'), maxLength: 8 });
  fc.assert(fc.property(pattern, text, (glob, name) => equal(globMatches(glob, name), naive(glob, name))));
});

test('a pattern of many stars is answered on a long name that nearly fits', () => {
  equal(globMatches('*a'.repeat(100) + '*z', 'a'.repeat(10_000)), false);
  equal(globMatches('*a'.repeat(100) + '*z', `${'a'.repeat(10_000)}z`), true);
});
