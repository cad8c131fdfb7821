import { deepEqual, equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalTarget, createNoOpEncoder, createSecurity } from '@lockstitch/security';
import fc from 'fast-check';
import { serve } from '../support/serve.ts';

test('a plain target is its own canonical form', () => {
  deepEqual(canonicalTarget('/a/b.c/?x=1&y=%2F'), {
    kind: 'canonical',
    path: '/a/b.c/',
    encodedPath: '/a/b.c/',
    query: 'x=1&y=%2F',
  });
  deepEqual(canonicalTarget('/'), { kind: 'canonical', path: '/', encodedPath: '/', query: '' });
  equal(canonicalTarget('/.well-known/x').kind, 'canonical');
  equal(canonicalTarget('/a..b/.c').kind, 'canonical');
});

test('escapes are decoded once and every path has one encoded spelling', () => {
  const read = (target: string) => {
    const result = canonicalTarget(target);
    return result.kind === 'canonical' ? [result.path, result.encodedPath] : result.reason;
  };
  deepEqual(read('/%61dmin'), ['/admin', '/admin']);
  deepEqual(read('/%C3%A9'), ['/é', '/%C3%A9']);
  deepEqual(read('/%c3%a9'), ['/é', '/%C3%A9']);
  deepEqual(read('/a%20b'), ['/a b', '/a%20b']);
  deepEqual(read('/a%3Fb%23c'), ['/a?b#c', '/a%3Fb%23c']);
});

test('absolute targets are read as their path, without user information', () => {
  deepEqual(canonicalTarget('http://h:1/admin?x'), {
    kind: 'canonical',
    path: '/admin',
    encodedPath: '/admin',
    query: 'x',
  });
  deepEqual(canonicalTarget('HTTPS://h'), { kind: 'canonical', path: '/', encodedPath: '/', query: '' });
  deepEqual(canonicalTarget('http://h?x'), { kind: 'canonical', path: '/', encodedPath: '/', query: 'x' });
  for (const target of ['http://u@h/', 'http://u:p@h/', 'http:///a', 'ftp://h/', 'http:/a'])
    equal(canonicalTarget(target).kind, 'refused', target);
});

test('targets with two readings are refused', () => {
  const refused = [
    '//a',
    '/a//b',
    '/a/',
    '/./a',
    '/a/.',
    '/../a',
    '/a/..',
    '/a/../b',
    '/%2e/a',
    '/%2E%2e/a',
    '/.%2e/a',
    '/a%2fb',
    '/a%2Fb',
    '/a%5cb',
    '/a\\b',
    '/a;x=1',
    '/;/a',
    '/a%3Bx',
    '/a%00',
    '/a%0a',
    '/a%0D',
    '/a%25',
    '/%252e',
    '/a%zz',
    '/a%',
    '/a%u002f',
    '/%c0%ae',
    '/%e0%80%af',
    '/%ff',
    '/%ED%A0%80',
    '/a%E2%80%A8',
    '/a%E2%80%A9',
    '/a%09b',
    '/a%7f',
    '/a#b',
    '/é',
    '/a b',
    '*',
    '',
    '?x',
    'a',
    '/a\u0000',
  ].filter((target) => target !== '/a/');
  for (const target of refused) equal(canonicalTarget(target).kind, 'refused', target);
});

test('every accepted path is equal after encoding and parsing it again', () => {
  const piece = fc.constantFrom(
    '/',
    'a',
    'A',
    '.',
    '..',
    '%2e',
    '%2f',
    '%61',
    '%41',
    ';',
    '\\',
    '%5c',
    '%',
    '%25',
    '%C3%A9',
    '?',
    '%3f',
    '%00',
    ' ',
    '%20',
    'http://h',
    '@',
    '#',
    '%E2%80%A8',
    '&',
    '+',
    '~',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 10 }), (pieces) => {
      const first = canonicalTarget(pieces.join(''));
      if (first.kind === 'refused') return;
      const again = canonicalTarget(first.encodedPath);
      deepEqual([again.kind, again.kind === 'canonical' && again.path], ['canonical', first.path]);
      equal(new URL(first.encodedPath, 'http://h').pathname, first.encodedPath, 'URL parsers change nothing in it');
      // oxlint-disable-next-line no-control-regex -- control characters are what must not be there
      equal(/\/\/|\/\.{1,2}(?:\/|$)|[;\\%\0-\x1f]/.test(first.path), false, first.path);
    }),
    { numRuns: 3000 },
  );
});

test('over a socket, odd targets, methods and hosts are answered 400 and reach no handler', async (t) => {
  const { send, ask } = await serve(t, {
    rules: [{ any: true, access: 'permitAll' }],
    csrf: false,
    firewall: { allowedHosts: ['example.org'] },
  });
  const headers = [['Host', 'example.org:8080']] as const;
  for (const target of ['//a', '/a/../b', '/a;b', '/a%2fb', '/%00', 'http://u@h/a']) {
    const { status, body } = await send(target, { headers });
    equal(status, 400, target);
    equal((JSON.parse(body) as { code: string }).code, 'SECURITY_TARGET_REFUSED');
  }
  equal((await send('/a', { headers })).status, 200);
  for (const method of ['TRACE', 'PROPFIND']) {
    const { status, body } = await send('/a', { method, headers });
    deepEqual([status, (JSON.parse(body) as { code: string }).code], [400, 'SECURITY_METHOD_REFUSED']);
  }
  equal(await ask('/a'), '400', 'a host that is not listed');
});

test('hosts and methods that no request could name are mistakes of the configuration', () => {
  const refused = [
    { allowedHosts: ['https://a.example'] },
    { allowedHosts: ['a.example:8080'] },
    { allowedHosts: ['a.example/x'] },
    { allowedHosts: ['[::1]:80'] },
    { allowedHosts: [''] },
    { allowedMethods: ['get'] },
    { allowedMethods: ['GET POST'] },
  ];
  for (const firewall of refused) {
    throws(() => createSecurity({ firewall, users: [], passwordEncoder: createNoOpEncoder() }), {
      code: 'SECURITY_CONFIG_INVALID',
    });
  }
  for (const allowedHosts of [['a.example', 'LOCALHOST', '127.0.0.1', '[::1]']]) {
    createSecurity({
      firewall: { allowedHosts, allowedMethods: ['PROPFIND'] },
      users: [],
      passwordEncoder: createNoOpEncoder(),
    });
  }
});
