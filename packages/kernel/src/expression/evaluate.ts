// The value of a checked expression for one caller and, where it speaks of one, one row. Null is SQL's null, so that a
// policy decides the same here, in a database and in the search index: comparing with null is unknown (only
// `x == null` written out asks for it), `and`/`or`/`not` follow three-valued logic, and only true grants.
import { compareDecimals, toDecimal } from '../decimal.ts';
import { expressionErrors } from '../errors.ts';
import type { Principal } from '../principal.ts';
import { ROLE_PREFIX } from '../principal.ts';
import type { ArithmeticNode, CallNode, CompareNode, Expression, QuantifierNode } from './ast.ts';
import { FORBIDDEN_MEMBERS, PRINCIPAL_MEMBERS } from './functions.ts';
import { isInIpRange } from './ip-range.ts';
import type { Bean } from './scope.ts';

/** What an evaluation reads. */
export interface ExpressionContext {
  readonly principal: Principal;
  /** How firmly the caller is known; from `principal.authenticated` when absent. */
  readonly login?: 'anonymous' | 'remembered' | 'full' | undefined;
  /** The peer's address, for hasIpAddress. */
  readonly remoteAddress?: string | undefined;
  /** Values of `#name`; an unset one is null. */
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  readonly beans?: Readonly<Record<string, Bean>> | undefined;
  /** The row's fields by name; related rows as objects, relations as arrays. An absent field is null. */
  readonly row?: Readonly<Record<string, unknown>> | undefined;
}

/** Outcome of a decision. `error` says why an expression that failed did not grant; it is for the log. */
export interface Decision {
  readonly granted: boolean;
  readonly error?: unknown;
}

/** How many nodes one evaluation may visit, lambdas included: bounds a policy over a long relation. */
const MAX_STEPS = 100_000;

const GRANTED: Decision = Object.freeze({ granted: true });
const REFUSED: Decision = Object.freeze({ granted: false });

/** Decides: granted only when the value is exactly true. Null, another value or an error never grants. */
export function decideExpression(text: string, expression: Expression, context: ExpressionContext): Decision {
  try {
    const value = evaluateExpression(text, expression, context);
    if (value === true) return GRANTED;
    if (value === false || value === null) return REFUSED;
    return { granted: false, error: failure(text, `it came out as a ${kindOf(value)}, not as true or false`) };
  } catch (error) {
    return { granted: false, error };
  }
}

/**
 * Computes the value of a checked expression, or of one of its nodes that does not depend on the row.
 *
 * @returns a string, number, boolean, null, array, or what a bean or attribute holds; never undefined
 * @throws ProductError EXPRESSION_EVALUATION
 */
export function evaluateExpression(text: string, expression: Expression, context: ExpressionContext): unknown {
  return new Evaluation(text, context).value(expression);
}

class Evaluation {
  readonly #text: string;
  readonly #context: ExpressionContext;
  readonly #locals: { readonly name: string; readonly value: unknown }[] = [];
  #steps = 0;

  constructor(text: string, context: ExpressionContext) {
    this.#text = text;
    this.#context = context;
  }

  value(node: Expression): unknown {
    this.#steps += 1;
    if (this.#steps > MAX_STEPS) throw failure(this.#text, `it takes more than ${MAX_STEPS} steps`);
    switch (node.kind) {
      case 'literal':
        return node.value;
      case 'list':
        return node.items.map((item) => this.value(item));
      case 'name':
        throw failure(this.#text, `nothing here is named "${node.name}"`);
      case 'field':
        return own(this.#context.row, node.name);
      case 'local':
        return this.#locals.findLast((local) => local.name === node.name)?.value ?? null;
      case 'variable':
        return own(this.#context.variables, node.name);
      case 'subject':
        return this.#subject(node.which);
      case 'bean':
        return this.#bean(node.name);
      case 'member':
        return this.#member(node);
      case 'call':
        return node.target === undefined ? this.#function(node) : this.#method(node, node.target);
      case 'quantifier':
        return this.#quantifier(node);
      case 'not': {
        const operand = this.#boolean(node.operand);
        return operand === null ? null : !operand;
      }
      case 'negate': {
        const operand = this.value(node.operand);
        return operand === null ? null : -this.#number(operand);
      }
      case 'logical':
        return this.#logical(node.operator, node.left, node.right);
      case 'compare':
        return this.#compare(node);
      case 'in':
        return this.#in(this.value(node.left), this.value(node.right), node.decimal);
      case 'arithmetic':
        return this.#arithmetic(node);
      case 'conditional': {
        const condition = this.#boolean(node.condition);
        if (condition === null) return null;
        return this.value(condition ? node.whenTrue : node.whenFalse);
      }
    }
  }

  #logical(operator: 'and' | 'or', leftNode: Expression, rightNode: Expression): boolean | null {
    const decisive = operator === 'or';
    const left = this.#boolean(leftNode);
    if (left === decisive) return decisive;
    const right = this.#boolean(rightNode);
    if (right === decisive) return decisive;
    return left === null || right === null ? null : !decisive;
  }

  #boolean(node: Expression): boolean | null {
    const value = this.value(node);
    if (typeof value === 'boolean' || value === null) return value;
    throw failure(this.#text, `a ${kindOf(value)} stands where true or false is needed`);
  }

  #number(value: unknown): number {
    if (typeof value === 'number') return value;
    throw failure(this.#text, `a ${kindOf(value)} stands where a number is needed`);
  }

  #string(value: unknown): string {
    if (typeof value === 'string') return value;
    throw failure(this.#text, `a ${kindOf(value)} stands where a string is needed`);
  }

  #compare(node: CompareNode): boolean | null {
    const left = this.value(node.left);
    const right = this.value(node.right);
    if (node.operator === '==' || node.operator === '!=') {
      // Only a null that is written out asks for null; two values that happen to be missing are not equal, or
      // `tenant == principal.tenant` would give rows without a tenant to users without one.
      if (isNullLiteral(node.left) || isNullLiteral(node.right))
        return (left === null && right === null) === (node.operator === '==');
      const equal = node.decimal === true ? equalDecimals(left, right) : equals(left, right);
      return equal === null ? null : equal === (node.operator === '==');
    }
    if (left === null || right === null) return null;
    const order = node.decimal === true ? orderDecimals(left, right) : this.#order(left, right);
    if (order === null) return null;
    switch (node.operator) {
      case '<':
        return order < 0;
      case '<=':
        return order <= 0;
      case '>':
        return order > 0;
      case '>=':
        return order >= 0;
    }
  }

  #order(left: unknown, right: unknown): number {
    if (typeof left === 'number' && typeof right === 'number') return left - right;
    if (typeof left === 'string' && typeof right === 'string') return left < right ? -1 : left > right ? 1 : 0;
    throw failure(this.#text, `a ${kindOf(left)} has no order with a ${kindOf(right)}`);
  }

  #in(value: unknown, list: unknown, decimal = false): boolean | null {
    if (value === null || list === null) return null;
    if (!Array.isArray(list)) throw failure(this.#text, `"in" needs a list, not a ${kindOf(list)}`);
    let unknown = false;
    for (const item of list as readonly unknown[]) {
      // What is no decimal is equal to none.
      const equal = decimal && item != null ? equalDecimals(value, item) === true : equals(value, item ?? null);
      if (equal === true) return true;
      if (equal === null) unknown = true;
    }
    return unknown ? null : false;
  }

  #arithmetic(node: ArithmeticNode): unknown {
    const left = this.value(node.left);
    const right = this.value(node.right);
    if (left === null || right === null) return null;
    if (node.operator === '+' && typeof left === 'string' && typeof right === 'string') return left + right;
    const a = this.#number(left);
    const b = this.#number(right);
    switch (node.operator) {
      case '+':
        return a + b;
      case '-':
        return a - b;
      case '*':
        return a * b;
      case '/':
        if (b === 0) throw failure(this.#text, 'it divides by zero');
        // Whole numbers divide to a whole number, as in SQL and in Spring.
        return Number.isInteger(a) && Number.isInteger(b) ? Math.trunc(a / b) : a / b;
      case '%':
        if (b === 0) throw failure(this.#text, 'it divides by zero');
        return a % b;
    }
  }

  #subject(which: 'authentication' | 'principal'): unknown {
    const { principal } = this.#context;
    if (which === 'principal') return principal;
    return Object.freeze({
      name: principal.name,
      authenticated: principal.authenticated,
      authorities: [...principal.authorities],
      principal,
    });
  }

  #bean(name: string): unknown {
    const bean = own(this.#context.beans, name);
    if (bean === null) throw failure(this.#text, `no bean is named "${name}"`);
    return bean;
  }

  #member(node: Expression & { readonly kind: 'member' }): unknown {
    const { target, name } = node;
    if (target.kind === 'subject') return this.#subjectMember(target.which, name);
    const value = this.value(target);
    if (value === null) return null;
    if (target.kind === 'bean') return plain((value as Readonly<Record<string, unknown>>)[name]);
    if (typeof value !== 'object') throw failure(this.#text, `a ${kindOf(value)} has no member "${name}"`);
    return FORBIDDEN_MEMBERS.has(name) ? null : own(value as Readonly<Record<string, unknown>>, name);
  }

  #subjectMember(which: 'authentication' | 'principal', name: string): unknown {
    const { principal } = this.#context;
    if (name === 'authorities') return [...principal.authorities];
    if (which === 'authentication') return name === 'authenticated' ? principal.authenticated : principal.name;
    if (!PRINCIPAL_MEMBERS.has(name)) return own(principal.attributes, name);
    // The anonymous caller is no user: it has a name in `authentication`, but no account to ask about.
    if (this.#login() === 'anonymous') return null;
    return name === 'username' || name === 'name' ? principal.name : true;
  }

  #login(): 'anonymous' | 'remembered' | 'full' {
    const { login, principal } = this.#context;
    return login ?? (principal.authenticated ? 'full' : 'anonymous');
  }

  #function(node: CallNode): boolean {
    switch (node.name) {
      case 'permitAll':
        return true;
      case 'denyAll':
        return false;
      case 'isAnonymous':
        return this.#login() === 'anonymous';
      case 'isAuthenticated':
        return this.#login() !== 'anonymous';
      case 'isFullyAuthenticated':
        return this.#login() === 'full';
      case 'isRememberMe':
        return this.#login() === 'remembered';
      case 'hasAuthority':
      case 'hasAnyAuthority':
        return node.arguments.some((argument) => this.#has(this.#argument(argument)));
      case 'hasRole':
      case 'hasAnyRole':
        return node.arguments.some((argument) => this.#has(withRolePrefix(this.#argument(argument))));
      case 'hasIpAddress':
        return isInIpRange(this.#context.remoteAddress ?? '', this.#argument(node.arguments[0]!));
      default:
        throw failure(this.#text, `no function is named "${node.name}"`);
    }
  }

  #has(authority: string): boolean {
    return this.#context.principal.authorities.has(authority);
  }

  #argument(node: Expression): string {
    return node.kind === 'literal' && typeof node.value === 'string' ? node.value : this.#string(this.value(node));
  }

  #method(node: CallNode, targetNode: Expression): unknown {
    const target = this.value(targetNode);
    if (target === null) return null;
    const given = node.arguments.map((argument) => this.value(argument));
    if (targetNode.kind === 'bean') {
      const method = (target as Readonly<Record<string, unknown>>)[node.name];
      if (typeof method !== 'function')
        throw failure(this.#text, `bean "${targetNode.name}" has no method "${node.name}"`);
      return plain(Reflect.apply(method, target, given));
    }
    if (given.includes(null)) return null;
    if (Array.isArray(target)) return this.#listMethod(target, node.name, given);
    if (node.name === 'toString' && (typeof target === 'boolean' || typeof target === 'number')) return String(target);
    return this.#stringMethod(this.#string(target), node.name, given);
  }

  #listMethod(list: readonly unknown[], name: string, given: readonly unknown[]): unknown {
    switch (name) {
      case 'size':
        return list.length;
      case 'isEmpty':
        return list.length === 0;
      case 'contains':
        return this.#in(given[0], list);
      default:
        throw failure(this.#text, `a list has no method "${name}"`);
    }
  }

  #stringMethod(text: string, name: string, given: readonly unknown[]): unknown {
    switch (name) {
      case 'length':
        return text.length;
      case 'isEmpty':
        return text === '';
      case 'startsWith':
        return text.startsWith(this.#string(given[0]));
      case 'endsWith':
        return text.endsWith(this.#string(given[0]));
      case 'contains':
        return text.includes(this.#string(given[0]));
      case 'equals':
        return text === given[0];
      case 'equalsIgnoreCase':
        return text.toLowerCase() === this.#string(given[0]).toLowerCase();
      case 'toLowerCase':
        return text.toLowerCase();
      case 'toUpperCase':
        return text.toUpperCase();
      case 'trim':
        return text.trim();
      case 'toString':
        return text;
      default:
        throw failure(this.#text, `a string has no method "${name}"`);
    }
  }

  /**
   * `any`: the body is true for some; `all`: true for each; `none`: true for no element (SQL's EXISTS). Null where there is
   * no list at all: the objects of an object that does not exist.
   */
  #quantifier(node: QuantifierNode): boolean | null {
    const list = this.value(node.target);
    if (list === null) return null;
    if (!Array.isArray(list)) throw failure(this.#text, `${node.quantifier}(…) needs a list, not a ${kindOf(list)}`);
    const wanted = node.quantifier !== 'all';
    for (const item of list as readonly unknown[]) {
      this.#locals.push({ name: node.parameter, value: item ?? null });
      const holds = this.#boolean(node.body) === true;
      this.#locals.pop();
      if (holds === wanted) return node.quantifier === 'any';
    }
    return node.quantifier !== 'any';
  }
}

/** Whether two exact numbers are equal; null where one is none. */
function equalDecimals(left: unknown, right: unknown): boolean | null {
  const order = orderDecimals(left, right);
  return order === null ? null : order === 0;
}

function orderDecimals(left: unknown, right: unknown): number | null {
  const [one, other] = [decimalOf(left), decimalOf(right)];
  return one === undefined || other === undefined ? null : compareDecimals(one, other);
}

function decimalOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? toDecimal(String(value)) : undefined;
}

function isNullLiteral(node: Expression): boolean {
  return node.kind === 'literal' && node.value === null;
}

/**
 * SQL's equality: unknown with null. Different kinds of value, and whole lists, are not compared either, as the database is not asked
 * to: an attribute of the wrong kind must not grant by differing.
 */
function equals(left: unknown, right: unknown): boolean | null {
  if (left === null || right === null || typeof left !== typeof right || typeof left === 'object') return null;
  return left === right;
}

function withRolePrefix(role: string): string {
  return role.startsWith(ROLE_PREFIX) ? role : ROLE_PREFIX + role;
}

/** An own property, or null: inherited members are out of reach of expressions. */
function own(holder: Readonly<Record<string, unknown>> | undefined, name: string): unknown {
  return holder !== undefined && Object.hasOwn(holder, name) ? plain(holder[name]) : null;
}

function plain(value: unknown): unknown {
  return value ?? null;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  return value instanceof Promise ? 'promise' : typeof value;
}

function failure(text: string, reason: string) {
  return expressionErrors.create('EXPRESSION_EVALUATION', { text, reason });
}
