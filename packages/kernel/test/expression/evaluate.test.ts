import { equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import {
  ANONYMOUS,
  compileExpression,
  createPrincipal,
  type ExpressionContext,
  type ExpressionScope,
  isInIpRange,
  type RowShape,
} from '@lockstitch/kernel';
import fc from 'fast-check';

const photo: RowShape = new Map([
  ['owner', { kind: 'scalar', type: 'string' }],
  ['size', { kind: 'scalar', type: 'number' }],
  ['public', { kind: 'scalar', type: 'boolean' }],
  ['tags', { kind: 'list', of: { kind: 'scalar', type: 'string' } }],
  ['postedBy', { kind: 'object', row: () => user }],
  ['members', { kind: 'list', of: { kind: 'object', row: () => user } }],
]);
const user: RowShape = new Map([['login', { kind: 'scalar', type: 'string' }]]);

const beans = {
  clock: { hour: () => 13, open: true, check: (who: { name: string }, name: string) => who.name === name },
};
const john = createPrincipal('john', ['read', 'ROLE_USER'], { tenant: 'acme', tags: ['a'] });

function decide(text: string, context: Partial<ExpressionContext> = {}, scope: ExpressionScope = { beans }): boolean {
  return compileExpression(text, scope).decide({ principal: john, ...context }).granted;
}

function grants(text: string, context?: Partial<ExpressionContext>): void {
  equal(decide(text, context), true, text);
}

function denies(text: string, context?: Partial<ExpressionContext>): void {
  equal(decide(text, context), false, text);
}

function onRow(text: string, row: Record<string, unknown>): boolean {
  return decide(text, { row }, { row: photo });
}

test('authorities and roles are compared exactly, and the role prefix is not doubled', () => {
  grants("hasAuthority('read')");
  denies("hasAuthority('READ')");
  grants("hasAnyAuthority('x', 'read')");
  grants("hasRole('USER')");
  grants("hasRole('ROLE_USER')");
  denies("hasRole('user')");
  grants("hasAnyRole('ADMIN', 'USER')");
  grants("hasAuthority('ROLE_USER')");
  denies("hasAuthority('read') and !hasAuthority('ROLE_USER')");
});

test('how firmly the caller is known decides the words about logging in', () => {
  const remembered = { login: 'remembered' } as const;
  const anonymous = { principal: ANONYMOUS };
  grants('authenticated');
  grants('isFullyAuthenticated() and not anonymous and not rememberMe');
  grants('isAuthenticated() and isRememberMe()', remembered);
  denies('fullyAuthenticated', remembered);
  grants("anonymous and hasRole('ANONYMOUS')", anonymous);
  denies('isAuthenticated() or isFullyAuthenticated() or rememberMe', anonymous);
  grants("authentication.name == 'anonymousUser' and !authentication.authenticated", anonymous);
  denies("principal.username == 'anonymousUser'", anonymous);
});

test('operators have words and signs, in any case, with the usual precedence', () => {
  grants('true AND not false');
  grants('TRUE Or false');
  grants('false and false or true');
  grants('!false && (false || true)');
  grants('!!true and not not true');
  grants('true == !false');
  grants('1 lt 2 and 2 GT 1 and 1 le 1 and 1 ge 1 and 1 eq 1 and 1 ne 2');
  grants('1 + 2 * 3 == 7 and (1 + 2) * 3 == 9 and 7 / 2 == 3 and 7 mod 4 == 3 and -1 < 0');
  grants("not authentication.name == 'jane'");
  grants("'it''s' == \"it's\"");
  grants('true ? 1 == 1 : 1 == 2');
  grants("'b' in {'a', 'b'} and not ('c' in {'a', 'b'})");
});

test('values of the caller, variables and beans can be asked', () => {
  grants("authentication.name == 'john' and principal.username == 'john' and principal.enabled");
  grants("principal.tenant == 'acme' and 'a' in principal.tags and principal.authorities.contains('read')");
  grants("#id == '42'", { variables: { id: '42' } });
  denies("#id == '42'");
  grants('@clock.hour() >= 9 and clock.hour() < 17 and @clock.open');
  grants("@clock.check(authentication, 'john')");
  grants("#this.hasAuthority('read') and hasAuthority('read').toString() == 'true'");
  grants("principal?.username.startsWith('jo') and 'abc'.length() == 3");
});

test('values of different kinds neither equal nor differ, and lists are not compared whole', () => {
  for (const rule of [
    'principal.tags == authentication.name',
    'principal.tags != authentication.name',
    'not (principal.tags == authentication.name)',
    "principal.level == '1'",
    "principal.level != '1'",
    'principal.tags == principal.tags',
    'principal.tags != principal.tags',
    'not (authentication.name in principal.tenant)',
  ]) {
    const caller = createPrincipal('ann', [], { tags: ['x'], level: 1, tenant: 'acme' });
    denies(rule, { principal: caller });
  }
});

test('the address of the peer can be asked, in IPv4, IPv6 and mapped form', () => {
  grants("hasIpAddress('192.168.1.0/24')", { remoteAddress: '192.168.1.7' });
  grants("hasIpAddress('192.168.1.7')", { remoteAddress: '::ffff:192.168.1.7' });
  denies("hasIpAddress('10.0.0.0/8')", { remoteAddress: '192.168.1.7' });
  denies("hasIpAddress('10.0.0.0/8')");
  equal(isInIpRange('2001:db8::5', '2001:db8::/32'), true);
  equal(isInIpRange('2001:db9::5', '2001:db8::/32'), false);
  equal(isInIpRange('1.2.3.4', '2001:db8::/32'), false);
  equal(isInIpRange('fe80::1%eth0', 'fe80::/10'), true);
  equal(isInIpRange('1.2.3.4', '0.0.0.0/0'), true);
  for (const wrong of ['1.2.3', '1.2.3.256', '1::2::3', ':::', 'a', '', '1.2.3.4/33', '12345::']) {
    equal(isInIpRange(wrong, '0.0.0.0/0') || isInIpRange('1.2.3.4', wrong), false, wrong);
  }
});

test('null and missing values never grant, in either position', () => {
  denies('principal.nothing == #nothing');
  denies('principal.nothing != #nothing');
  denies('not (principal.nothing == 1)');
  denies('principal.nothing < 3');
  denies('not (principal.nothing < 3)');
  denies('principal.nothing ? true : true');
  denies('#nothing');
  denies('not #nothing');
  denies("principal.nothing.startsWith('a')");
  grants('principal.nothing == null and principal.tenant != null');
  grants('#nothing or true');
  denies('#nothing and true');
});

test('an evaluation that fails never grants and says why', () => {
  const outcome = compileExpression('#a < 1').decide({ principal: john, variables: { a: 'x' } });
  equal(outcome.granted, false);
  match(String(outcome.error), /a string has no order with a number/);
  denies('#a', { variables: { a: 'true' } });
  denies('#a', { variables: { a: 1 } });
  denies('not #a', { variables: { a: 0 } });
  denies('1 / 0 == 1 or true');
  const throwing = {
    clock: {
      hour: () => {
        throw new Error('broken');
      },
    },
  };
  equal(decide('@clock.hour() < 3 or true', {}, { beans: throwing }), false);
  const slow = { clock: { open: () => Promise.resolve(true) } };
  equal(decide('@clock.open()', {}, { beans: slow }), false);
});

test('inherited members are out of reach of attributes and variables', () => {
  denies('#a.toString != null', { variables: { a: {} } });
  denies('#a.secret == 1', { variables: { a: Object.create({ secret: 1 }) as object } });
  denies('#a.b == 1', { variables: { a: 'text' } });
});

test('a row is asked by its field names, through relations too', () => {
  equal(onRow('owner == authentication.name', { owner: 'john' }), true);
  equal(onRow('owner == authentication.name', { owner: 'jane' }), false);
  equal(onRow('owner == authentication.name', { owner: null }), false);
  equal(onRow('owner == null', {}), true);
  equal(onRow('public or size < 10', { public: null, size: 3 }), true);
  equal(onRow("'x' in tags and tags.size() == 2", { tags: ['x', 'y'] }), true);
  equal(onRow('postedBy.login == authentication.name', { postedBy: { login: 'john' } }), true);
  equal(onRow("postedBy.login == authentication.name or hasRole('USER')", { postedBy: null }), true);
});

test('quantifiers ask relations: any, all, none', () => {
  const members = [{ login: 'jane' }, { login: 'john' }];
  equal(onRow('members.any(m, m.login == authentication.name)', { members }), true);
  equal(onRow('members.all(m, m.login == authentication.name)', { members }), false);
  equal(onRow('members.none(m, m.login == authentication.name)', { members }), false);
  equal(onRow("members.none(m, m.login == 'jim')", { members }), true);
  equal(onRow('members.any(m, true)', { members: [] }), false);
  equal(onRow('members.all(m, false)', { members: [] }), true);
  equal(onRow("tags.any(t, t.startsWith('pub'))", { tags: ['a', 'public'] }), true);
  equal(onRow('members.none(m, true)', {}), false, 'a relation that was not loaded grants nothing');
});

test('a policy over a very long relation is cut off and does not grant', () => {
  const tags = Array.from({ length: 60_000 }, () => 'x');
  equal(onRow("tags.all(t, t == 'x')", { tags }), false);
  equal(onRow("tags.all(t, t == 'x')", { tags: tags.slice(0, 1000) }), true);
});

test('any text is either compiled or refused with a code, and decisions never throw', () => {
  const word = fc.constantFrom(
    'true',
    'not',
    'and',
    'or',
    '(',
    ')',
    "'a'",
    '1',
    '#id',
    '@clock',
    '.',
    'hour',
    '==',
    '{',
    '}',
    ',',
    'in',
    '?',
    ':',
    'principal',
    'x',
    'any',
    '-',
    '!',
    'hasRole',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(word, { maxLength: 12 }).map((words) => words.join(' ')),
        fc.string({ maxLength: 30 }),
      ),
      (text) => {
        let rule;
        try {
          rule = compileExpression(text, { beans });
        } catch (error) {
          match(String((error as { code?: string }).code), /^EXPRESSION_/);
          return;
        }
        equal(typeof rule.decide({ principal: john }).granted, 'boolean');
      },
    ),
    { numRuns: 2000 },
  );
});
