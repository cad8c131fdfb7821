import { deepEqual, equal, match, throws } from 'node:assert/strict';
import { test } from 'node:test';
import {
  compileExpression,
  createPrincipal,
  type ExpressionScope,
  type FieldShape,
  ProductError,
} from '@lockstitch/kernel';

function refusal(text: string, scope?: ExpressionScope): ProductError {
  try {
    compileExpression(text, scope);
  } catch (error) {
    if (error instanceof ProductError) return error;
    throw error;
  }
  throw new Error(`"${text}" was accepted`);
}

function refuses(text: string, code: string, message: RegExp, scope?: ExpressionScope): void {
  const error = refusal(text, scope);
  equal(error.code, code, `${text}: ${error.message}`);
  match(error.message, message);
}

test('an expression that cannot be read is refused with the column of the mistake', () => {
  refuses('true and', 'EXPRESSION_SYNTAX', /a value is missing at column 9/);
  refuses('and true', 'EXPRESSION_SYNTAX', /complete before "true" at column 5/);
  refuses("hasRole('A", 'EXPRESSION_SYNTAX', /no closing ' at column 9/);
  refuses("hasRole('A'); denyAll", 'EXPRESSION_SYNTAX', /";" means nothing here at column 13/);
  refuses('(permitAll', 'EXPRESSION_SYNTAX', /"\)" is missing/);
  refuses('  ', 'EXPRESSION_SYNTAX', /blank/);
  refuses('#', 'EXPRESSION_SYNTAX', /name of a variable is missing/);
});

test('the place of an expression is the path of its error', () => {
  equal(refusal('true and', { location: 'rules[3]' }).path, 'rules[3]');
  equal(refusal('hasPower()', { location: 'schema.graphql:4:2' }).path, 'schema.graphql:4:2');
});

test('an expression that could not come out as true or false is refused', () => {
  for (const text of ['0', "'true'", 'null', '1 + 1', "{'a'}", 'authentication.name', 'authentication', "'a' + 'b'"]) {
    equal(refusal(text).code, 'EXPRESSION_TYPE', text);
  }
  refuses("not 'x'", 'EXPRESSION_TYPE', /a string stands where true or false is needed/);
  refuses("1 == 'x'", 'EXPRESSION_TYPE', /a number never compares with a string/);
});

test('expressions that reach into JavaScript are rejected when configured', () => {
  refuses('T(java.lang.Runtime).getRuntime() != null', 'EXPRESSION_UNSUPPORTED', /type reference/);
  refuses("new java.lang.String('x') == 'x'", 'EXPRESSION_UNSUPPORTED', /constructor/);
  refuses("''.class.forName('x') != null", 'EXPRESSION_UNSUPPORTED', /"class"/);
  refuses('principal.constructor == null', 'EXPRESSION_UNSUPPORTED', /"constructor"/);
  refuses('principal.__proto__ == null', 'EXPRESSION_UNSUPPORTED', /"__proto__"/);
  refuses('#id = 3', 'EXPRESSION_UNSUPPORTED', /assignment/);
  refuses("#ids[0] == 'x'", 'EXPRESSION_UNSUPPORTED', /index/);
  refuses("authentication.name matches '(a+)+'", 'EXPRESSION_UNSUPPORTED', /"matches"/);
});

test('an unknown name is refused with the nearest known one', () => {
  refuses("hasPower('x')", 'EXPRESSION_UNKNOWN_NAME', /Unknown function "hasPower" at column 1/);
  refuses("hasAutority('x')", 'EXPRESSION_UNKNOWN_NAME', /Did you mean "hasAuthority"\?/);
  refuses('@clok.hour() < 3', 'EXPRESSION_UNKNOWN_NAME', /Did you mean "clock"\?/, {
    beans: { clock: { hour: () => 1 } },
  });
  refuses('@clock.huor() < 3', 'EXPRESSION_UNKNOWN_NAME', /Did you mean "hour"\?/, {
    beans: { clock: { hour: () => 1 } },
  });
  refuses('#idd == 1', 'EXPRESSION_UNKNOWN_NAME', /Did you mean "id"\?/, { variables: ['id'] });
  refuses('hasAuthority(read)', 'EXPRESSION_UNKNOWN_NAME', /"read" at column 14/);
  refuses('authentication.nmae == null', 'EXPRESSION_UNKNOWN_NAME', /Did you mean "name"\?/);
});

test('4 lists in square brackets, "not in" and the words of other languages: each works or names what to write', () => {
  const strings = { kind: 'list', of: { kind: 'scalar', type: 'string' } } as const;
  const member = new Map([['role', { kind: 'scalar', type: 'string' } as const]]);
  const row: ExpressionScope['row'] = new Map<string, FieldShape>([
    ['role', { kind: 'scalar', type: 'string' }],
    ['tags', strings],
    ['author', { kind: 'object', row: () => member, key: 'login' }],
    ['members', { kind: 'list', of: { kind: 'object', row: () => member, key: 'login' } }],
  ]);
  const principal = createPrincipal('ada', [], { team: 'B' });
  const decide = (text: string, role: string | null = 'B'): boolean =>
    compileExpression(text, { row }).decide({ principal, row: { role, tags: ['x'], members: [{ role }] } }).granted;
  for (const text of ["role in ['A', 'B']", "role in {'A','B'}", 'role in ["B"]', "role not in ['A']", "'x' in tags"])
    equal(decide(text), true, text);
  equal(decide("members.any(m, m.role in ['A', principal.team])"), true);
  equal(decide("role not in ['B']"), false);
  equal(decide("role not in ['B']", null), false, 'null is in no list and in none that lacks it');
  const remedies: readonly (readonly [string, RegExp])[] = [
    ["role in ('A', 'B')", /square ones: \['A', 'B'\]/],
    ["role in 'A'", /write \['A'\]/],
    ['role in [1]', /a string never equals a number/],
    ['author == authentication.name', /an object never compares with a string; compare its key: author\.login\./],
    ['authentication.name != author', /a string never compares with an object; compare its key: author\.login\./],
    ["members.any(m, m.role == 'A' and author in ['A'])", /an object never equals a string; .* author\.login\./],
    ['members == authentication.name', /a list never compares with a string; ask members\.any\(x, x\.login == …\)\./],
    ['authentication.name in members', /a string is never among objects; ask members\.any\(x, x\.login == …\)\./],
    ['authentication.name in author', /"in" needs a list, not an object/],
    ['author', /an object stands where true or false is needed/],
    ["tags in ['a']", /ask any\(x, x in …\)/],
    ["role = 'A'", /Compare with ==/],
    ["role === 'A'", /Compare with ==/],
    ["role !== 'A'", /Compare with == or !=/],
    ["role <> 'A'", /Write !=/],
    ["role == 'A' & true", /write "&&"/],
    ['role is not null', /Write x == null or x != null/],
    ["role like 'A%'", /startsWith, endsWith or contains/],
    ["tags contains 'a'", /tags\.contains\('x'\)/],
    ["tags.includes('a')", /Write contains\(…\)/],
    ["members.some(m, m.role == 'A')", /Write any\(x, …\)/],
    ["members.any(m => m.role == 'A')", /any\(x, x\.login == authentication\.name\)/],
    ["members.any(m.role == 'A')", /any\(x, x\.login == authentication\.name\)/],
    ["members.find(m => m.role == 'A')", /an arrow function/],
    ['role == `A`', /write ' or "/],
    ['user.id == role', /The caller is authentication\.name, .*principal\.<name>/],
    ['$currentUser == role', /The caller is authentication\.name/],
    ["hasRole(['A', 'B'])", /hasAnyRole\('A', 'B'\)/],
    ["hasRole('A', 'B')", /hasAnyRole\('A', 'B'\)/],
  ];
  for (const [text, remedy] of remedies) {
    const { message, hint } = refusal(text, { row });
    match(`${message} ${hint}`, remedy, text);
  }
});

test('a function called with the wrong arguments is refused', () => {
  refuses("hasAuthority('a', 'b')", 'EXPRESSION_ARGUMENTS', /takes 1 argument, not 2/);
  refuses('hasRole()', 'EXPRESSION_ARGUMENTS', /takes 1 argument, not 0/);
  refuses('hasRole(null)', 'EXPRESSION_ARGUMENTS', /takes a string, not null/);
  refuses('hasAnyRole(1)', 'EXPRESSION_ARGUMENTS', /takes a string, not a number/);
  refuses('hasRole', 'EXPRESSION_ARGUMENTS', /needs its arguments/, { row: new Map() });
  refuses("hasIpAddress('10.0.0.0/40')", 'EXPRESSION_ARGUMENTS', /cannot read "10.0.0.0\/40"/);
});

test('length, depth and number of parts are bounded', () => {
  refuses('x'.repeat(5000), 'EXPRESSION_TOO_LARGE', /4096/);
  refuses(`${'('.repeat(200)}true${')'.repeat(200)}`, 'EXPRESSION_TOO_LARGE', /deeper than 64/);
  refuses('!'.repeat(200) + 'true', 'EXPRESSION_TOO_LARGE', /deeper than 64/);
  refuses('not '.repeat(200) + 'true', 'EXPRESSION_TOO_LARGE', /deeper than 64/);
  refuses(Array.from({ length: 600 }, () => 'true').join('||'), 'EXPRESSION_TOO_LARGE', /1000 parts/);
});

test('an unknown word in a boolean position warns and never grants', () => {
  const rule = compileExpression("hasAuthority('x') and unknownThing");
  match(rule.warnings[0] ?? '', /Unknown word "unknownThing"/);
  deepEqual(rule.decide({ principal: createPrincipal('a') }), { granted: false });
  const outcome = rule.decide({ principal: createPrincipal('a', ['x']) });
  equal(outcome.granted, false);
  throws(() => {
    throw outcome.error;
  }, /nothing here is named "unknownThing"/);
});

test('the checked tree names what every word means', () => {
  const row = new Map([
    ['owner', { kind: 'scalar', type: 'string' }],
    ['members', { kind: 'list', of: { kind: 'object', row: () => row } }],
  ] as const) as NonNullable<ExpressionScope['row']>;
  const { expression } = compileExpression('members.any(m, m.owner == authentication.name) or permitAll', { row });
  equal(expression.kind, 'logical');
  if (expression.kind !== 'logical' || expression.left.kind !== 'quantifier') throw new Error(expression.kind);
  deepEqual(
    [expression.left.target.kind, expression.left.parameter, expression.left.body.kind, expression.right.kind],
    ['field', 'm', 'compare', 'call'],
  );
  refuses('members.any(m, m.ownr == null)', 'EXPRESSION_UNKNOWN_NAME', /Did you mean "owner"\?/, { row });
  refuses("ownr == 'x'", 'EXPRESSION_UNKNOWN_NAME', /Unknown field or word "ownr".*Did you mean "owner"\?/, { row });
  refuses('owner == 3', 'EXPRESSION_TYPE', /a string never compares with a number/, { row });
  refuses("members.owner == 'x'", 'EXPRESSION_TYPE', /ask any\(x, x\.owner …\)/, { row });
});
