// Checks a parsed expression in its scope: resolves every name (function, row field, lambda parameter, bean), checks
// arguments and types, and refuses what cannot be true or false. All this happens when the application is configured, so
// that no request finds such a mistake.
import { expressionErrors } from '../errors.ts';
import type { ProductError } from '../error.ts';
import { toDecimal } from '../decimal.ts';
import { didYouMean } from '../suggest.ts';
import type { CallNode, Expression, MemberNode, NameNode, QuantifierNode } from './ast.ts';
import {
  AUTHENTICATION_MEMBERS,
  FORBIDDEN_MEMBERS,
  LIST_METHODS,
  PLAIN_METHODS,
  PRINCIPAL_MEMBERS,
  ROOT_FUNCTIONS,
  ROOT_WORDS,
  type Signature,
  STRING_METHODS,
} from './functions.ts';
import { isIpRange } from './ip-range.ts';
import type { ExpressionScope, FieldShape, RowShape, ValueType } from './scope.ts';

/** What other systems call the caller. */
const CALLER_WORDS: ReadonlySet<string> = new Set(
  'user currentuser me viewer caller self auth session request req context ctx jwt token claims identity account username userid uid'.split(
    ' ',
  ),
);
/** Methods of other languages, and what is written here. */
const FOREIGN_METHODS: ReadonlyMap<string, string> = new Map([
  ['some', 'any(x, …)'],
  ['exists', 'any(x, …)'],
  ['anymatch', 'any(x, …)'],
  ['every', 'all(x, …)'],
  ['allmatch', 'all(x, …)'],
  ['nonematch', 'none(x, …)'],
  ['filter', 'any(x, …)'],
  ['map', 'any(x, …)'],
  ['includes', 'contains(…)'],
  ['has', 'contains(…)'],
  ['count', 'size()'],
  ['tolocalelowercase', 'toLowerCase()'],
]);

/** An expression whose names are all resolved. */
export interface CheckedExpression {
  readonly text: string;
  readonly expression: Expression;
  /** Mistakes that do not stop the configuration because the expression merely never grants there. */
  readonly warnings: readonly string[];
}

type Relation = Expression & { readonly kind: 'compare' | 'in' };

/** A checked node with what is known of its value. `row` and `of` say how to go on from it. */
interface Typed {
  readonly node: Expression;
  readonly type: ValueType;
  readonly shape?: FieldShape | undefined;
}

/**
 * Checks a parsed expression against what it may speak about.
 *
 * @throws ProductError EXPRESSION_UNKNOWN_NAME, EXPRESSION_ARGUMENTS, EXPRESSION_TYPE, EXPRESSION_UNSUPPORTED
 */
export function checkExpression(text: string, parsed: Expression, scope: ExpressionScope = {}): CheckedExpression {
  const checker = new Checker(text, scope);
  const root = checker.boolean(parsed);
  if (root.kind === 'literal' && root.value === null) throw checker.wrong(root, 'null can never grant');
  return { text, expression: root, warnings: checker.warnings };
}

class Checker {
  readonly warnings: string[] = [];
  readonly #text: string;
  readonly #scope: ExpressionScope;
  readonly #locals: { readonly name: string; readonly typed: Omit<Typed, 'node'> }[] = [];

  constructor(text: string, scope: ExpressionScope) {
    this.#text = text;
    this.#scope = scope;
  }

  /** Checks a node that must be true or false. */
  boolean(node: Expression): Expression {
    // An unknown name in place of a boolean: without a row it is left to evaluation, as in Spring. So
    // `hasAuthority('x') and unknownThing` is false for most callers, and never grants.
    if (node.kind === 'name' && this.#scope.row === undefined && !this.#knows(node)) {
      const error = this.#unknownName(node);
      this.warnings.push(`${error.message} The expression never grants where it reads this name.`);
      return node;
    }
    const typed = this.#check(node);
    const isNull = typed.node.kind === 'literal' && typed.node.value === null;
    if (typed.type !== 'boolean' && typed.type !== 'unknown' && !isNull)
      throw this.wrong(node, `${oneOf(typed.type)} stands where true or false is needed`);
    return typed.node;
  }

  wrong(node: Expression, reason: string): ProductError {
    return this.#error('EXPRESSION_TYPE', { reason, column: node.start + 1 });
  }

  #check(node: Expression): Typed {
    switch (node.kind) {
      case 'literal':
        return { node, type: node.value === null ? 'unknown' : (typeof node.value as ValueType) };
      case 'list':
        return { node: { ...node, items: node.items.map((item) => this.#item(item)) }, type: 'list' };
      case 'name':
        return this.#name(node);
      case 'variable':
        return this.#variable(node);
      case 'bean':
        if (this.#bean(node.name) === undefined) throw this.#unknown('bean', node.name, node, this.#beanNames());
        return { node, type: 'object' };
      case 'member':
        return this.#member(node);
      case 'call':
        return node.target === undefined ? this.#function(node) : this.#method(node, node.target);
      case 'quantifier':
        return this.#quantifier(node);
      case 'not':
        return { node: { ...node, operand: this.boolean(node.operand) }, type: 'boolean' };
      case 'negate':
        return { node: { ...node, operand: this.#number(node.operand) }, type: 'number' };
      case 'logical':
        return {
          node: { ...node, left: this.boolean(node.left), right: this.boolean(node.right) },
          type: 'boolean',
        };
      case 'compare':
      case 'in':
        return this.#relation(node);
      case 'arithmetic': {
        const left = this.#check(node.left);
        const right = this.#check(node.right);
        const joined = node.operator === '+' && left.type === 'string' && right.type === 'string';
        if (!joined) {
          for (const [side, typed] of [
            [node.left, left],
            [node.right, right],
          ] as const) {
            if (typed.type !== 'number' && typed.type !== 'unknown')
              throw this.wrong(side, `"${node.operator}" cannot take a ${typed.type}`);
          }
        }
        return { node: { ...node, left: left.node, right: right.node }, type: joined ? 'string' : 'number' };
      }
      case 'conditional': {
        const whenTrue = this.#check(node.whenTrue);
        const whenFalse = this.#check(node.whenFalse);
        const type = whenTrue.type === whenFalse.type ? whenTrue.type : 'unknown';
        const condition = this.boolean(node.condition);
        return { node: { ...node, condition, whenTrue: whenTrue.node, whenFalse: whenFalse.node }, type };
      }
      case 'field':
      case 'local':
      case 'subject':
        throw new Error(`A ${node.kind} node cannot be checked twice.`);
    }
  }

  #knows(node: NameNode): boolean {
    return (
      ROOT_WORDS.has(node.name) ||
      node.name === 'authentication' ||
      node.name === 'principal' ||
      this.#locals.some((local) => local.name === node.name) ||
      this.#scope.row?.has(node.name) === true ||
      this.#bean(node.name) !== undefined
    );
  }

  #name(node: NameNode): Typed {
    const { name, start, end } = node;
    const local = this.#locals.findLast((candidate) => candidate.name === name);
    if (local !== undefined) return { node: { kind: 'local', name, start, end }, ...local.typed };
    const word = ROOT_WORDS.get(name);
    if (word !== undefined)
      return { node: { kind: 'call', target: undefined, name: word, arguments: [], start, end }, type: 'boolean' };
    if (name === 'authentication' || name === 'principal')
      return { node: { kind: 'subject', which: name, start, end }, type: 'object' };
    const field = this.#scope.row?.get(name);
    if (field !== undefined) return { node: { kind: 'field', name, start, end }, ...describe(field) };
    if (this.#bean(name) !== undefined) return { node: { kind: 'bean', name, start, end }, type: 'object' };
    throw this.#unknownName(node);
  }

  #unknownName(node: NameNode): ProductError {
    const fields = [...(this.#scope.row?.keys() ?? [])];
    if (ROOT_FUNCTIONS.has(node.name)) return this.#arguments(node, node.name, 'is a function and needs its arguments');
    const words = [...fields, ...ROOT_WORDS.keys(), 'authentication', 'principal', ...this.#beanNames()];
    const meant = CALLER_WORDS.has(node.name.toLowerCase().replace(/^\$/, ''))
      ? ' The caller is authentication.name, and what else their account says principal.<name>.'
      : undefined;
    return this.#unknown(this.#scope.row === undefined ? 'word' : 'field or word', node.name, node, words, meant);
  }

  #variable(node: Expression & { readonly kind: 'variable' }): Typed {
    const known = this.#scope.variables;
    if (known !== undefined && !known.includes(node.name))
      throw this.#unknown('variable', `#${node.name}`, node, known);
    return { node, type: 'unknown' };
  }

  #member(node: MemberNode): Typed {
    this.#allowed(node);
    const target = this.#check(node.target);
    const checked: Expression = { ...node, target: target.node };
    if (target.node.kind === 'subject') {
      const members = target.node.which === 'principal' ? PRINCIPAL_MEMBERS : AUTHENTICATION_MEMBERS;
      const type = members.get(node.name);
      if (type !== undefined) {
        // `authentication.principal` is `principal`: one node kind for walkers to know.
        if (target.node.which === 'authentication' && node.name === 'principal')
          return { node: { kind: 'subject', which: 'principal', start: node.start, end: node.end }, type };
        return { node: checked, type };
      }
      if (target.node.which === 'principal') return { node: checked, type: 'unknown' };
      throw this.#unknown('member of authentication', node.name, node, members.keys());
    }
    const row = rowOf(target.shape);
    if (row !== undefined) {
      const field = row.get(node.name);
      if (field === undefined) throw this.#unknown('field', node.name, node, row.keys());
      return { node: checked, ...describe(field) };
    }
    if (target.type === 'list')
      throw this.wrong(node, `a list has no member "${node.name}"; ask any(x, x.${node.name} …)`);
    if (target.type !== 'object' && target.type !== 'unknown')
      throw this.wrong(node, `${oneOf(target.type)} has no member "${node.name}"`);
    if (target.node.kind === 'bean' && !(node.name in this.#bean(target.node.name)!))
      throw this.#unknown(
        `member of bean ${target.node.name}`,
        node.name,
        node,
        membersOf(this.#bean(target.node.name)!),
      );
    return { node: checked, type: 'unknown' };
  }

  #function(node: CallNode): Typed {
    const signature = ROOT_FUNCTIONS.get(node.name);
    if (signature === undefined) throw this.#unknown('function', node.name, node, ROOT_FUNCTIONS.keys());
    const checked = this.#call(node, undefined, signature);
    if (node.name === 'hasIpAddress') {
      const [range] = node.arguments;
      if (range?.kind === 'literal' && !isIpRange(String(range.value)))
        throw this.#arguments(
          node,
          node.name,
          `cannot read "${range.value}" as an address or a range`,
          "Write hasIpAddress('10.0.0.0/8').",
        );
    }
    return { node: checked, type: 'boolean' };
  }

  #method(node: CallNode, targetNode: Expression): Typed {
    this.#allowed(node);
    const target = this.#check(targetNode);
    if (target.node.kind === 'bean') {
      const bean = this.#bean(target.node.name)!;
      if (typeof (bean as Record<string, unknown>)[node.name] !== 'function')
        throw this.#unknown(`method of bean ${target.node.name}`, node.name, node, membersOf(bean));
      return { node: this.#call(node, target.node, undefined), type: 'unknown' };
    }
    const methods = methodsOf(target.type);
    const signature = methods.get(node.name);
    if (signature === undefined) {
      const meant = FOREIGN_METHODS.get(node.name.toLowerCase());
      throw this.#unknown(
        `method of a ${target.type === 'unknown' ? 'value' : target.type}`,
        node.name,
        node,
        [...methods.keys(), ...(target.type === 'list' ? ['any', 'all', 'none'] : [])],
        meant === undefined ? undefined : ` Write ${meant}.`,
      );
    }
    return { node: this.#call(node, target.node, signature), type: signature.gives };
  }

  #call(node: CallNode, target: Expression | undefined, signature: Signature | undefined): Expression {
    const given = node.arguments.map((argument) => this.#check(argument));
    if (signature !== undefined) {
      const { least, most, parameters } = signature;
      if (given.length < least || given.length > most) {
        const wanted = least === most ? `${least}` : `at least ${least}`;
        const reason = `takes ${wanted} argument${wanted === '1' ? '' : 's'}, not ${given.length}`;
        throw this.#arguments(node, node.name, reason, given.length > most ? anyOf(node.name) : undefined);
      }
      for (const [index, argument] of given.entries()) {
        const wanted = parameters[Math.min(index, parameters.length - 1)]!;
        const isNull = argument.node.kind === 'literal' && argument.node.value === null;
        if (argument.type === 'decimal' && node.name === 'contains')
          throw this.wrong(node.arguments[index]!, 'a decimal is looked for by "in", not by contains(…)');
        if (wanted === 'unknown') continue;
        if (isNull || (argument.type !== wanted && argument.type !== 'unknown')) {
          const got = isNull ? 'null' : oneOf(argument.type);
          const usage = argument.type === 'list' ? anyOf(node.name) : undefined;
          throw this.#arguments(node, node.name, `takes ${oneOf(wanted)}, not ${got}`, usage);
        }
      }
    }
    return { ...node, target, arguments: given.map((argument) => argument.node) };
  }

  #quantifier(node: QuantifierNode): Typed {
    const target = this.#check(node.target);
    if (target.type !== 'list' && target.type !== 'unknown')
      throw this.wrong(node, `${node.quantifier}(…) needs a list, not ${oneOf(target.type)}`);
    const element = target.shape?.kind === 'list' ? describe(target.shape.of) : { type: 'unknown' as const };
    this.#locals.push({ name: node.parameter, typed: element });
    const body = this.boolean(node.body);
    this.#locals.pop();
    return { node: { ...node, target: target.node, body }, type: 'boolean' };
  }

  /** An item of a list: what is among them is compared as it stands, which decimals are not. */
  #item(node: Expression): Expression {
    const typed = this.#check(node);
    if (typed.type === 'decimal') throw this.wrong(node, 'a decimal cannot be an item; compare it by ==');
    return typed.node;
  }

  #relation(node: Relation): Typed {
    const left = this.#check(node.left);
    const right = this.#check(node.right);
    const isDecimal = left.type === 'decimal' || (node.kind === 'compare' && right.type === 'decimal');
    if (node.kind === 'in') this.#checkMembership(node, left, right);
    else this.#checkComparison(node, left, right);
    const checked = { ...node, left: left.node, right: right.node };
    return { node: isDecimal ? { ...checked, decimal: true } : checked, type: 'boolean' };
  }

  /** @throws ProductError EXPRESSION_TYPE for values that are never equal, or have no order */
  #checkComparison(node: Relation & { readonly kind: 'compare' }, left: Typed, right: Typed): void {
    if (node.operator !== '==' && node.operator !== '!=') {
      for (const { shape } of [left, right])
        if (shape?.kind === 'scalar' && shape.unordered === true)
          throw this.wrong(
            node,
            `"${node.operator}" needs values with an order, and those of a custom scalar have none`,
          );
    }
    if (left.type === right.type || left.type === 'unknown' || right.type === 'unknown') return;
    const [decimal, other] = left.type === 'decimal' ? [left, right] : [right, left];
    const isNumber = (other.type === 'number' || other.type === 'string') && !isNoDecimal(other.node);
    if (decimal.type === 'decimal' && isNumber) return;
    throw this.wrong(
      node,
      `${oneOf(left.type)} never compares with ${oneOf(right.type)}${this.#keyInstead(left) || this.#keyInstead(right)}`,
    );
  }

  /** @throws ProductError EXPRESSION_TYPE for a value that is never in the list */
  #checkMembership(node: Relation & { readonly kind: 'in' }, left: Typed, right: Typed): void {
    if (right.type !== 'list' && right.type !== 'unknown') {
      const example =
        node.right.kind === 'literal' ? `; write [${this.#text.slice(node.right.start, node.right.end)}]` : '';
      throw this.wrong(node.right, `"in" needs a list, not ${oneOf(right.type)}${example}`);
    }
    if (left.type === 'list') throw this.wrong(node, 'a list is never in a list; ask any(x, x in …) of it');
    if (left.type === 'unknown') return;
    const isOfRows = right.shape?.kind === 'list' && right.shape.of.kind === 'object';
    if (isOfRows && left.type !== 'object')
      throw this.wrong(node, `${oneOf(left.type)} is never among objects${this.#keyInstead(right)}`);
    for (const item of right.node.kind === 'list' ? right.node.items : []) {
      if (item.kind !== 'literal' || item.value === null) continue;
      const fits =
        left.type === 'decimal'
          ? typeof item.value !== 'boolean' && !isNoDecimal(item)
          : typeof item.value === left.type;
      if (!fits)
        throw this.wrong(item, `${oneOf(left.type)} never equals ${oneOf(typeof item.value)}${this.#keyInstead(left)}`);
    }
  }

  /** What to write for related rows that are compared with a value: their key. */
  #keyInstead({ node, shape }: Typed): string {
    const text = this.#text.slice(node.start, node.end);
    if (shape?.kind === 'object' && shape.key !== undefined) return `; compare its key: ${text}.${shape.key}`;
    const of = shape?.kind === 'list' ? shape.of : undefined;
    return of?.kind === 'object' && of.key !== undefined ? `; ask ${text}.any(x, x.${of.key} == …)` : '';
  }

  #number(node: Expression): Expression {
    const typed = this.#check(node);
    if (typed.type !== 'number' && typed.type !== 'unknown') throw this.wrong(node, `"-" cannot take a ${typed.type}`);
    return typed.node;
  }

  #bean(name: string): object | undefined {
    const beans = this.#scope.beans;
    return beans !== undefined && Object.hasOwn(beans, name) ? beans[name] : undefined;
  }

  #beanNames(): string[] {
    return Object.keys(this.#scope.beans ?? {});
  }

  #allowed(node: MemberNode | CallNode): void {
    if (!FORBIDDEN_MEMBERS.has(node.name)) return;
    throw this.#error('EXPRESSION_UNSUPPORTED', {
      what: `"${node.name}"`,
      column: node.start + 1,
      instead: 'Ask a named bean instead.',
    });
  }

  #unknown(what: string, name: string, node: Expression, known: Iterable<string>, meant?: string): ProductError {
    const words = [...known];
    return this.#error('EXPRESSION_UNKNOWN_NAME', {
      what,
      name,
      column: node.start + 1,
      suggestion: meant ?? didYouMean(name, words),
      known: words.length === 0 ? 'nothing' : words.slice(0, 40).join(', '),
    });
  }

  #arguments(node: Expression, name: string, reason: string, usage = "Example: hasAuthority('read')."): ProductError {
    return this.#error('EXPRESSION_ARGUMENTS', { name, reason, column: node.start + 1, usage });
  }

  #error(code: keyof (typeof expressionErrors)['templates'], values: Record<string, string | number>): ProductError {
    return expressionErrors.create(code, { text: this.#text, ...values }, { path: this.#scope.location });
  }
}

/** A text in the expression that is no decimal number. */
function isNoDecimal(node: Expression): boolean {
  return node.kind === 'literal' && typeof node.value === 'string' && toDecimal(node.value) === undefined;
}

/** The function of the same kind that takes several, as its usage. */
function anyOf(name: string): string | undefined {
  const [, kind] = /^has(?:Any)?(Role|Authority)$/.exec(name) ?? [];
  return kind === undefined ? undefined : `Write hasAny${kind}('A', 'B').`;
}

/** A type with its article. */
function oneOf(type: string): string {
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`;
}

function describe(shape: FieldShape): Omit<Typed, 'node'> {
  switch (shape.kind) {
    case 'scalar':
      return { type: shape.type, shape };
    case 'object':
      return { type: 'object', shape };
    case 'list':
      return { type: 'list', shape };
  }
}

function rowOf(shape: FieldShape | undefined): RowShape | undefined {
  return shape?.kind === 'object' ? shape.row() : undefined;
}

const NO_METHODS: ReadonlyMap<string, Signature> = new Map();
const ANY_METHODS: ReadonlyMap<string, Signature> = new Map([...LIST_METHODS, ...STRING_METHODS]);

function methodsOf(type: ValueType): ReadonlyMap<string, Signature> {
  switch (type) {
    case 'string':
      return STRING_METHODS;
    case 'list':
      return LIST_METHODS;
    case 'number':
    case 'boolean':
      return PLAIN_METHODS;
    case 'decimal':
    case 'object':
      return NO_METHODS;
    case 'unknown':
      return ANY_METHODS;
  }
}

function membersOf(bean: object): string[] {
  const names = new Set<string>();
  for (let level = bean; level !== null && level !== Object.prototype; level = Object.getPrototypeOf(level) as object) {
    for (const name of Object.getOwnPropertyNames(level)) if (!FORBIDDEN_MEMBERS.has(name)) names.add(name);
  }
  return [...names];
}
