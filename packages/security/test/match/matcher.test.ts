import { deepEqual, equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { compileMatcher, EXACT, type PathComparison, type RequestPattern, viewPath } from '@lockstitch/security';
import fc from 'fast-check';
import { codePoint } from '../../../kernel/test/code-point.ts';
import { compileAntPattern } from '../../src/match/ant-pattern.ts';
import { foldCase, splitPath } from '../../src/match/path-view.ts';

const LENIENT: PathComparison = { caseSensitive: false, slashTolerant: true };

function matches(source: RequestPattern, path: string, comparison = EXACT, method = 'GET', query = ''): boolean {
  return compileMatcher(source, comparison).matches(method, viewPath(path), query);
}

function expectAnt(pattern: string, yes: readonly string[], no: readonly string[]): void {
  for (const path of yes) equal(matches({ kind: 'ant', pattern }, path), true, `${pattern} takes ${path}`);
  for (const path of no) equal(matches({ kind: 'ant', pattern }, path), false, `${pattern} leaves ${path}`);
}

function expectMvc(pattern: string, yes: readonly string[], no: readonly string[]): void {
  for (const path of yes) equal(matches({ kind: 'mvc', pattern }, path), true, `${pattern} takes ${path}`);
  for (const path of no) equal(matches({ kind: 'mvc', pattern }, path), false, `${pattern} leaves ${path}`);
}

test('the six forms of Ant patterns select what the specification says', () => {
  expectAnt('/a', ['/a'], ['/a/', '/a/b', '/A', '/ab', '/']);
  expectAnt('/a/*', ['/a/b', '/a/b.json', '/a/'], ['/a', '/a/b/c', '/a/b/']);
  expectAnt('/a/**', ['/a', '/a/', '/a/b', '/a/b/c', '/a/b/c/'], ['/ab', '/A/b', '/']);
  expectAnt('/a/**/c', ['/a/c', '/a/b/c', '/a/b/d/c', '/a/b/d/e/c'], ['/a/b/d', '/a', '/a/b/c/d', '/a/b/c/']);
  expectAnt('/a/{param}', ['/a/x', '/a/x.y', '/a/ '], ['/a', '/a/', '/a/x/y', '/a/x/']);
  expectAnt('/a/{id:\\d+}', ['/a/12'], ['/a/12a', '/a/x', '/a/', '/a/12/']);
});

test('Ant patterns know ?, * and ** within and between segments', () => {
  expectAnt('/**', ['/', '/a', '/a/b/'], []);
  expectAnt('/?', ['/a'], ['/ab', '/']);
  expectAnt('/a*/b', ['/a/b', '/axx/b'], ['/xa/b', '/a/b/c']);
  expectAnt('/**/*.html', ['/x.html', '/a/b/c.html'], ['/a/b/c.htm', '/a/b.html/c']);
  expectAnt('/a/**/b/**/c', ['/a/b/c', '/a/x/b/y/z/c'], ['/a/x/y/c', '/a/b']);
  expectAnt('/a/**/**/c', ['/a/c', '/a/b/c'], ['/a/b']);
  expectAnt('/a//b', ['/a/b'], ['/a']);
  expectAnt('/a.b', ['/a.b'], ['/axb']);
  expectAnt('/{x}-{y}', ['/1-2', '/1-2-3'], ['/12']);
  expectAnt('/{file:.+}.txt', ['/b.txt'], ['/b.text', '/.txt']);
  expectAnt('/{id:[a-z]{2}}', ['/ab'], ['/abc']);
  expectAnt('/{id:^[0-9]*$}', ['/1234'], ['/12a4']);
});

test('MVC patterns take a path with and without a trailing slash, but not without one that they ask for', () => {
  expectMvc('/hello', ['/hello', '/hello/'], ['/hello.json', '/Hello', '/hello/x']);
  expectMvc('/hello/', ['/hello/'], ['/hello']);
  expectMvc('hello', ['/hello'], ['/x']);
  expectMvc('/a/*', ['/a/b', '/a/b/', '/a/'], ['/a', '/a/b/c']);
  expectMvc('/a/**', ['/a', '/a/', '/a/b/c'], ['/ab']);
  expectMvc('/a/{id:\\d+}', ['/a/1', '/a/1/'], ['/a/x', '/a']);
  expectMvc('/a/**/c', ['/a/b/c', '/a/b/d/c/'], ['/a/b']);
  expectMvc('/été', ['/été'], ['/ete']);
});

test('regular expressions match the whole of path and query', () => {
  const source: RequestPattern = { kind: 'regex', pattern: '.*/(us|uk|ca)+/(en|fr).*' };
  equal(matches(source, '/x/us/en/y'), true);
  equal(matches(source, '/x/ukus/fr'), true);
  equal(matches(source, '/x/de/en'), false);
  const digits: RequestPattern = { kind: 'regex', pattern: '/item\\?.*[0-9].*' };
  equal(matches(digits, '/item', EXACT, 'GET', 'n=7'), true);
  equal(matches(digits, '/item7'), false);
  equal(matches({ kind: 'regex', pattern: '/a.b' }, '/a\nb'), true, 'a dot takes a line break too (CVE-2022-22978)');
});

test('a method narrows every kind of matcher and compares exactly', () => {
  for (const source of [
    { kind: 'ant', pattern: '/a', method: 'POST' },
    { kind: 'mvc', pattern: '/a', method: 'POST' },
    { kind: 'regex', pattern: '/a', method: 'POST' },
    { kind: 'any', method: 'POST' },
  ] as const) {
    equal(matches(source, '/a', EXACT, 'POST'), true);
    equal(matches(source, '/a', EXACT, 'GET'), false);
    equal(matches(source, '/a', EXACT, 'post'), false);
  }
  throws(
    () => compileMatcher({ kind: 'any', method: 'PSOT' as 'POST' }, EXACT),
    /"PSOT" is not an HTTP method.*Did you mean "POST"\?/,
  );
});

test('path variables are available, decoded as in the path', () => {
  const variables = (kind: 'ant' | 'mvc', pattern: string, path: string) =>
    compileMatcher({ kind, pattern }, EXACT).variables(viewPath(path));
  deepEqual(variables('ant', '/a/{x}/b/{y:\\d+}', '/a/ü/b/7'), { x: 'ü', y: '7' });
  deepEqual(variables('mvc', '/a/{x}', '/a/1/'), { x: '1' });
  deepEqual(variables('ant', '/{x}-{y}', '/1-2-3'), { x: '1-2', y: '3' });
  deepEqual(variables('ant', '/a/**/{x}', '/a/b/c/d'), { x: 'd' });
  deepEqual(variables('ant', '/{bla}.*', '/testing.html'), { bla: 'testing' });
});

test('a pattern that cannot be read is refused with the reason', () => {
  throws(() => compileMatcher({ kind: 'ant', pattern: '' }, EXACT), /it is empty/);
  throws(() => compileMatcher({ kind: 'ant', pattern: '/a/{x' }, EXACT), /a "\{" has no closing "\}"/);
  throws(
    () => compileMatcher({ kind: 'mvc', pattern: '/a/{x:[}' }, EXACT),
    /Unterminated character class|character class/,
  );
  throws(() => compileMatcher({ kind: 'regex', pattern: '(' }, EXACT), /Regex pattern "\(" is not valid/);
});

test('behind a lenient router, patterns take every spelling that the router takes', () => {
  for (const kind of ['ant', 'mvc'] as const) {
    equal(matches({ kind, pattern: '/admin' }, '/ADMIN/', LENIENT), true);
    equal(matches({ kind, pattern: '/Admin/**' }, '/aDmIn/x', LENIENT), true);
    equal(matches({ kind, pattern: '/admin/{id:[a-z]+}' }, '/Admin/ABC/', LENIENT), true);
    equal(matches({ kind, pattern: '/admin/' }, '/admin', LENIENT), true);
  }
  equal(matches({ kind: 'regex', pattern: '/admin' }, '/Admin/', LENIENT), true);
  equal(
    matches({ kind: 'ant', pattern: '/admin' }, '/adm\u0131n', LENIENT),
    false,
    'a dotless i is no i to a router either',
  );
});

test('case is folded as JavaScript routers fold it, for every character', () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint, maxLength: 3 }), fc.string({ unit: codePoint, maxLength: 3 }), (a, b) => {
      const pattern = new RegExp(`^${a.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)}$`, 'is');
      equal(foldCase(a) === foldCase(b), pattern.test(b), JSON.stringify([a, b]));
    }),
  );
});

test('a path made from an Ant pattern matches it, however its wildcards are filled', () => {
  const literal = fc.stringMatching(/^[a-z]{1,3}$/);
  const part = fc.oneof(literal, fc.constantFrom('*', '**', '{v}', 'a*', '?'));
  fc.assert(
    fc.property(
      fc.array(part, { minLength: 1, maxLength: 6 }),
      fc.array(literal, { minLength: 6, maxLength: 6 }),
      (parts, words) => {
        let used = 0;
        const word = (): string => words[used++ % words.length]!;
        const path = parts.flatMap((each) => {
          if (each === '**') return used % 2 === 0 ? [] : [word(), word()];
          if (each === '*' || each === '{v}') return [word()];
          return [each === 'a*' ? `a${word()}` : each === '?' ? 'q' : each];
        });
        if (path.length === 0) return;
        equal(compileAntPattern(`/${parts.join('/')}`, EXACT).matches(viewPath(`/${path.join('/')}`)), true);
      },
    ),
  );
});

test('paths split at slashes, empty parts left out', () => {
  deepEqual(splitPath('/a//b/'), ['a', 'b']);
  deepEqual(splitPath('/'), []);
  deepEqual(splitPath('a'), ['a']);
});

test('an expression that only Java understands is refused: here it would silently select nothing', () => {
  for (const pattern of [
    String.raw`\Q/a\E`,
    String.raw`/\p{Alpha}+`,
    String.raw`\A/a\z`,
    String.raw`/a\h`,
    '/[a-z&&[^b]]+',
    '/[a[bc]]',
    '/[[:alpha:]]',
    String.raw`/\07`,
    String.raw`/a\x6`,
  ]) {
    throws(() => compileMatcher({ kind: 'regex', pattern }, EXACT), { code: 'SECURITY_PATTERN_INVALID' }, pattern);
  }
  throws(() => compileMatcher({ kind: 'mvc', pattern: String.raw`/a/{id:\p{Alpha}+}` }, EXACT), {
    code: 'SECURITY_PATTERN_INVALID',
  });
  const selects = (pattern: string, path: string): boolean =>
    compileMatcher({ kind: 'regex', pattern }, EXACT).matches('GET', viewPath(path), '');
  for (const [pattern, path] of [
    [String.raw`/[\w\-.\]\[&]+`, '/a-b.c]['],
    [String.raw`/\x61\u0062\/\.`, '/ab/.'],
    [String.raw`/(?<n>b)\k<n>`, '/bb'],
    [String.raw`/(b)\1`, '/bb'],
    ['/[a&b]', '/&'],
  ] as const) {
    equal(selects(pattern, path), true, pattern);
  }
});
