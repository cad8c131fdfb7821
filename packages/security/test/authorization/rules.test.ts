import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { isProductError, type ProductError } from '@lockstitch/kernel';
import { createSecurity, type RuleBuilder, type RuleData, type SecurityConfig } from '@lockstitch/security';
import { USERS } from '../support/serve.ts';

function refusal(rules: SecurityConfig['rules']): ProductError {
  try {
    createSecurity({ ...USERS, rules });
  } catch (error) {
    if (isProductError(error)) return error;
    throw error;
  }
  throw new Error('The rules were accepted.');
}

function refuses(rules: SecurityConfig['rules'], code: string, message: RegExp): void {
  const error = refusal(rules);
  equal(error.code, code, error.message);
  match(error.message, message);
}

const any: RuleData = { any: true, access: 'authenticated' };

test('after anyRequest no rule can be declared, by type and at run time', () => {
  refuses(
    [any, { ant: '/a', access: 'permitAll' }],
    'SECURITY_RULE_AFTER_ANY_REQUEST',
    /Can't configure antMatchers after anyRequest/,
  );
  refuses([any, { mvc: '/a', access: 'permitAll' }], 'SECURITY_RULE_AFTER_ANY_REQUEST', /mvcMatchers after anyRequest/);
  refuses(
    [any, { regex: '/a', access: 'permitAll' }],
    'SECURITY_RULE_AFTER_ANY_REQUEST',
    /regexMatchers after anyRequest/,
  );
  refuses(
    [any, { method: 'GET', access: 'permitAll' }],
    'SECURITY_RULE_AFTER_ANY_REQUEST',
    /antMatchers after anyRequest/,
  );
  refuses([any, any], 'SECURITY_ANY_REQUEST_TWICE', /Can't configure anyRequest after itself/);
  refuses(
    (r) => {
      const completed = r.anyRequest().authenticated();
      // @ts-expect-error -- the type of completed rules has no matchers
      completed.ant('/a').permitAll();
    },
    'SECURITY_RULE_AFTER_ANY_REQUEST',
    /antMatchers/,
  );
});

test('all mistakes are reported, whether the rules are data or a function', () => {
  const codes = (rules: SecurityConfig['rules']): readonly string[] => {
    const error = refusal(rules);
    equal(error.code, 'SECURITY_RULES_INVALID', error.message);
    const mistakes = error.detail as readonly ProductError[];
    for (const { message } of mistakes) equal(error.message.includes(message), true, message);
    return mistakes.map(({ code }) => code.replace('SECURITY_', ''));
  };
  const built = refusal((r) =>
    r
      .ant('/a/{b')
      .permitAll()
      .ant('/b')
      .hasRole('ROLE_ADMIN')
      .ant('/c')
      .access('hasRole(')
      .ant('/d/**')
      .permitAll()
      .ant('/d/e')
      .denyAll()
      .anyRequest()
      .authenticated(),
  );
  deepEqual(
    (built.detail as readonly ProductError[]).map(({ code }) => code),
    ['SECURITY_PATTERN_INVALID', 'SECURITY_ROLE_INVALID', 'EXPRESSION_SYNTAX', 'SECURITY_RULE_UNREACHABLE'],
  );
  match(built.message, /Rule 5 .* rule 4/);
  deepEqual(
    codes([
      { ant: '/a/{b', access: 'permitAll' },
      { ant: '/b', mvc: '/b', access: 'permitAll' },
      { ant: '/c' } as RuleData,
      any,
      { ant: '/d', access: 'permitAll' },
      any,
    ]),
    ['PATTERN_INVALID', 'RULE_INVALID', 'RULE_INVALID', 'RULE_AFTER_ANY_REQUEST', 'ANY_REQUEST_TWICE'],
  );
});

test('a mapping that says nothing, and no mapping at all, are refused', () => {
  refuses((r: RuleBuilder) => void r.ant('/a'), 'SECURITY_INCOMPLETE_MAPPING', /\[Ant \[pattern='\/a'\]\]/);
  refuses((r: RuleBuilder) => (r.ant('/a'), r.anyRequest().permitAll()), 'SECURITY_INCOMPLETE_MAPPING', /\/a/);
  refuses(() => undefined, 'SECURITY_NO_MAPPING', /At least one mapping is required/);
  refuses([], 'SECURITY_NO_MAPPING', /At least one mapping/);
});

test('a rule that an earlier one covers can never decide and is refused with both named', () => {
  const unreachable = (earlier: Omit<RuleData, 'access'>, later: Omit<RuleData, 'access'>): void => {
    const rules = [
      { ...earlier, access: 'permitAll' },
      { ...later, access: 'denyAll' },
    ] as RuleData[];
    refuses(rules, 'SECURITY_RULE_UNREACHABLE', /^Rule 2 .* can never decide: rule 1 /);
  };
  unreachable({ ant: '/a/**' }, { ant: '/a/b' });
  unreachable({ ant: '/a/**' }, { mvc: '/a/{id}/c' });
  unreachable({ ant: '/a/**' }, { ant: '/a/b/**' });
  unreachable({ mvc: '/a/**' }, { ant: '/a' });
  unreachable({ ant: '/**' }, { regex: '/a' });
  unreachable({ ant: '/**' }, { any: true });
  unreachable({ ant: '/a/*' }, { ant: '/a/b' });
  unreachable({ mvc: '/a' }, { ant: '/a' });
  unreachable({ ant: '/a' }, { ant: '/a', method: 'POST' });
  unreachable({ regex: '/a.*' }, { regex: '/a.*' });
  unreachable({ method: 'GET' }, { ant: '/a', method: 'GET' });
});

test('rules that can decide something are accepted, however close they are', () => {
  const reachable = (...selections: readonly Omit<RuleData, 'access'>[]): void => {
    createSecurity({
      ...USERS,
      rules: selections.map((selection) => ({ ...selection, access: 'permitAll' })),
    });
  };
  reachable({ ant: '/a' }, { ant: '/a/**' });
  reachable({ ant: '/a' }, { mvc: '/a' });
  reachable({ ant: '/a', method: 'POST' }, { ant: '/a' });
  reachable({ ant: '/a/{id:\\d+}' }, { ant: '/a/**' }, { any: true });
  reachable({ ant: '/a/*' }, { mvc: '/a/b' });
  reachable({ ant: '/a/**' }, { ant: '/ab/**' });
  reachable({ method: 'GET' }, { any: true });
});

test('a rule that is no rule is refused by its number', () => {
  refuses([{ ant: '/a' } as RuleData], 'SECURITY_RULE_INVALID', /Rule 1 .* access is missing/);
  refuses([{ access: 'permitAll' }], 'SECURITY_RULE_INVALID', /selects no requests/);
  refuses([{ ant: '/a', mvc: '/a', access: 'permitAll' }], 'SECURITY_RULE_INVALID', /more than one way/);
  refuses([{ path: '/a', access: 'permitAll' } as RuleData], 'SECURITY_RULE_INVALID', /unknown key "path"/);
  refuses([{ ant: 3, access: 'permitAll' } as unknown as RuleData], 'SECURITY_RULE_INVALID', /must be a pattern/);
  refuses(
    [{ ant: '/a', method: 'get' as 'GET', access: 'permitAll' }],
    'SECURITY_METHOD_UNKNOWN',
    /Did you mean "GET"\?/,
  );
  refuses([any, null as unknown as RuleData], 'SECURITY_RULE_INVALID', /Rule 2/);
});

test('an expression that cannot decide is refused with the number of its rule', () => {
  const error = refusal([
    { ant: '/a', access: 'permitAll' },
    { ant: '/b', access: "hasRole('" },
  ]);
  deepEqual([error.code, error.path], ['EXPRESSION_SYNTAX', 'rule 2']);
  refuses([{ ant: '/a', access: "'yes'" }], 'EXPRESSION_TYPE', /true or false/);
});

test('roles are named without their prefix in rules', () => {
  refuses((r) => r.anyRequest().hasRole('ROLE_ADMIN'), 'SECURITY_ROLE_INVALID', /should not start with 'ROLE_'/);
  refuses((r) => r.anyRequest().hasAnyRole('A', ''), 'SECURITY_ROLE_INVALID', /role cannot be null/);
});

test('requests that no rule selects are open, and a warning at start-up says so', () => {
  const warnings = (config: SecurityConfig): readonly string[] => createSecurity({ ...USERS, ...config }).warnings;
  match(warnings({ rules: [{ ant: '/a', access: 'authenticated' }] })[0] ?? '', /open to anyone.*denyUnmatched: true/);
  deepEqual(warnings({ rules: [{ ant: '/a', access: 'authenticated' }], denyUnmatched: true }), []);
  deepEqual(warnings({ rules: [any] }), []);
  deepEqual(warnings({ rules: [{ ant: '/**', access: 'authenticated' }] }), []);
  deepEqual(warnings({}), []);
});

test('unknown keys of the configuration are refused with the nearest known one', () => {
  const build = (config: object) => () => createSecurity({ ...USERS, ...config });
  for (const [config, message] of [
    [{ rulez: [] }, /unknown key "rulez"\. Did you mean "rules"\?/],
    [{ headers: { hstss: false } }, /headers has the unknown key "hstss"\. Did you mean "hsts"\?/],
    [{ cors: { '/a': { allowedOrigin: ['*'] } } }, /Did you mean "allowedOrigins"\?/],
    [{ chains: [{ path: '/a', form: true }] }, /chain 1 has the unknown key "form"/],
    [{ sessions: false }, /sessions is false/],
    [{ sessions: false, csrf: false, formLogin: true }, /formLogin needs sessions/],
  ] as const) {
    let caught: unknown;
    try {
      build(config)();
    } catch (error) {
      caught = error;
    }
    match(String(caught), message);
  }
});
