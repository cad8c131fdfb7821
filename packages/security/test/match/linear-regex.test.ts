import { equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compileLinear } from '../../src/match/linear-regex.ts';
import { compileRegex } from '../../src/match/safe-regex.ts';

test('expressions that hold a backtracking engine for hours are answered at once', () => {
  for (const source of ['(a+)+$', '(a|a)*$', '(?:a*)*b', '(.*a){12}', '([a-z]+)*[0-9]', '(a|aa)+']) {
    const regex = compileRegex(source, true, 'Regex', source);
    equal(regex.test(`${'a'.repeat(5000)}!`), false, source);
  }
  equal(compileRegex('(a+)+$', true, 'Regex', '').test('aaaa'), true);
});

test('the linear engine and the one of the platform agree on whether a whole text matches', () => {
  const atom = fc.constantFrom(
    'a',
    'b',
    '.',
    '[ab]',
    '[^a]',
    '\\d',
    '\\w',
    '\\.',
    '[a-c0-9]',
    '^',
    '$',
    '-',
    '/',
    '[\\d-]',
    '\\S',
  );
  const quantifier = fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,}', '{0,2}', '*?', '+?');
  const { expression } = fc.letrec<{ expression: string; term: string }>((tie) => ({
    expression: fc.oneof(
      { maxDepth: 3 },
      fc.array(tie('term'), { minLength: 1, maxLength: 4 }).map((terms) => terms.join('')),
      fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `${a}|${b}`),
    ),
    term: fc.oneof(
      { maxDepth: 3 },
      fc.tuple(atom, quantifier).map(([a, q]) => (a === '^' || a === '$' ? a : a + q)),
      fc
        .tuple(tie('expression'), fc.constantFrom('(', '(?:', '(?<n>'), quantifier)
        .map(([inner, open, q]) => `${open}${inner})${q}`),
    ),
  }));
  fc.assert(
    fc.property(
      expression,
      fc.array(fc.stringMatching(/^[ab1.\-/ A]{0,6}$/), { minLength: 3, maxLength: 6 }),
      fc.boolean(),
      (source, texts, exact) => {
        // The platform's own engine is wrong there: /^(?:.*?a^a|a?)$/s does not match the empty text (Node 26.10).
        if (/[^(|:>]\^/.test(source)) return;
        let platform: RegExp;
        try {
          platform = new RegExp(`^(?:${source})$`, exact ? 's' : 'is');
        } catch {
          return;
        }
        const linear = compileLinear(source, exact);
        if (linear === undefined) return;
        for (const text of texts)
          equal(linear.test(text), platform.test(text), `/${source}/ on ${JSON.stringify(text)}`);
      },
    ),
    { numRuns: 3000 },
  );
});

test('non-regular expressions run on short texts only; long texts are rejected', () => {
  equal(compileLinear('(?=a)a+b+', true), undefined);
  const regex = compileRegex('(?!x)[a-z]+[0-9]+', true, 'Regex', '');
  equal(regex.test('abc12'), true);
  equal(regex.test('xbc12'), false);
  throws(
    () => regex.test('a'.repeat(300)),
    (error: { code?: string; status?: number }) => {
      equal(error.code, 'SECURITY_TARGET_REFUSED');
      return error.status === 400;
    },
  );
});

test('a non-regular expression that could take for ever is rejected when configured', () => {
  for (const source of ['(?=a)(a+)+$', '(?!x).*a.*b.*c.*d', '(a+)\\1+(b)*']) {
    throws(() => compileRegex(source, true, 'Regex', source), /could take for ever/, source);
  }
});

test('an automaton that would be too large falls back', () => {
  equal(compileLinear('((a{100}){100}){100}', true), undefined);
});
