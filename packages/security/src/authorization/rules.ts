// The rules of a chain as they are declared, as data or through the builder, before they are validated and compiled.
// The builder uses Spring's names; after anyRequest() neither its type nor the run time accepts more matchers.
import type { ExpressionScope } from '@lockstitch/kernel';
import { didYouMean, isProductError, type ProductError } from '@lockstitch/kernel';
import { securityErrors } from '../errors/chain-errors.ts';
import {
  compileMatcher,
  describePattern,
  type HttpMethod,
  isHttpMethod,
  readMethod,
  type RequestPattern,
} from '../match/matcher.ts';
import { EXACT } from '../match/path-view.ts';
import { refusePromise } from '../options/shape.ts';
import { type Access, type AccessFunction, readAccess, roleAuthority } from './access.ts';

/**
 * A rule as plain data. Exactly one of `ant`, `mvc`, `regex`, `any` selects; several patterns share the rule. `{ ant:
 * '/admin/**', method: 'GET', access: "hasRole('ADMIN')" }`
 */
export interface RuleData {
  readonly ant?: string | readonly string[] | undefined;
  readonly mvc?: string | readonly string[] | undefined;
  readonly regex?: string | readonly string[] | undefined;
  /** `true`: every request that no earlier rule selects. Only as the last rule. */
  readonly any?: true | undefined;
  readonly method?: HttpMethod | undefined;
  /** An access expression, or a function that decides. */
  readonly access: string | AccessFunction;
}

/** A declared rule: what it selects, and its access. */
export interface Rule {
  /** Position in the declaration, from 1. */
  readonly number: number;
  readonly source: RequestPattern;
  readonly access: Access;
}

/** Access of the selected requests. */
export interface AccessBuilder<Rest> {
  permitAll(): Rest;
  denyAll(): Rest;
  authenticated(): Rest;
  fullyAuthenticated(): Rest;
  anonymous(): Rest;
  rememberMe(): Rest;
  hasAuthority(authority: string): Rest;
  hasAnyAuthority(...authorities: readonly string[]): Rest;
  /** The role without its prefix `ROLE_`. */
  hasRole(role: string): Rest;
  hasAnyRole(...roles: readonly string[]): Rest;
  /** An expression, or a function that decides. */
  access(access: string | AccessFunction): Rest;
}

/**
 * Selects the requests of the next rule. The first argument of each method may be an HTTP method, alone or before
 * patterns.
 */
export interface RuleBuilder extends CompletedRules {
  ant(...methodAndPatterns: readonly string[]): AccessBuilder<RuleBuilder>;
  mvc(...methodAndPatterns: readonly string[]): AccessBuilder<RuleBuilder>;
  regex(...methodAndPatterns: readonly string[]): AccessBuilder<RuleBuilder>;
  anyRequest(): AccessBuilder<CompletedRules>;
}

/** Rules that end with a catch-all, or are meant to end here. */
export interface CompletedRules {
  readonly rules: readonly Rule[];
}

/** A setting that works but may be unintended; an `expression` warning is about one that can never grant. */
export interface SecurityWarning {
  readonly kind: 'pattern' | 'expression' | 'unmatched';
  readonly message: string;
}

export interface RuleScope extends ExpressionScope {
  /** Called for rules that are odd but never grant. */
  readonly warn?: ((warning: SecurityWarning) => void) | undefined;
}

/** Result of reading declared rules: the valid ones, and all problems of the others. */
export interface ReadRules {
  readonly rules: readonly Rule[];
  /**
   * SECURITY_RULE_…, SECURITY_ANY_REQUEST_TWICE, SECURITY_INCOMPLETE_MAPPING, SECURITY_NO_MAPPING, EXPRESSION_…, in
   * order.
   */
  readonly mistakes: readonly ProductError[];
}

/** Reads rules from data. */
export function readRules(data: readonly RuleData[], scope: RuleScope): ReadRules {
  const registry = new Registry(scope);
  for (const [index, rule] of data.entries()) registry.read(rule, index + 1);
  return registry.finish();
}

/** Runs a builder function. */
export function buildRules(build: (rules: RuleBuilder) => CompletedRules | void, scope: RuleScope): ReadRules {
  const registry = new Registry(scope);
  refusePromise('rules', build(registry));
  return registry.finish();
}

/**
 * Throws the problems of rules: one as it is, several as one error that lists them.
 *
 * @throws ProductError the problem, or SECURITY_RULES_INVALID with the problems as its `detail`
 */
export function refuseMistakes(mistakes: readonly ProductError[]): void {
  const [first, ...others] = mistakes;
  if (first === undefined) return;
  if (others.length === 0) throw first;
  const list = mistakes.map(({ message }, index) => `${index + 1}. ${message}`).join('\n');
  throw securityErrors.create('SECURITY_RULES_INVALID', { count: mistakes.length, list }, { detail: mistakes });
}

type PatternKind = 'ant' | 'mvc' | 'regex';
const PATTERN_KINDS: readonly PatternKind[] = ['ant', 'mvc', 'regex'];
const RULE_KEYS: readonly string[] = [...PATTERN_KINDS, 'any', 'method', 'access'];

class Registry implements RuleBuilder {
  readonly rules: Rule[] = [];
  readonly #scope: RuleScope;
  #pending: RequestPattern[] | undefined = undefined;
  #closed = false;
  /** Counts invalid rules too, so that each rule has the number of its position. */
  #count = 0;
  readonly #mistakes: ProductError[] = [];

  constructor(scope: RuleScope) {
    this.#scope = scope;
  }

  ant(...given: readonly string[]): AccessBuilder<RuleBuilder> {
    return this.#matchers('ant', given);
  }

  mvc(...given: readonly string[]): AccessBuilder<RuleBuilder> {
    return this.#matchers('mvc', given);
  }

  regex(...given: readonly string[]): AccessBuilder<RuleBuilder> {
    return this.#matchers('regex', given);
  }

  anyRequest(): AccessBuilder<CompletedRules> {
    const misplaced = this.#closed ? securityErrors.create('SECURITY_ANY_REQUEST_TWICE') : undefined;
    this.#closed = true;
    return this.#open([{ kind: 'any' }], misplaced);
  }

  select(kind: PatternKind, method: HttpMethod | undefined, patterns: readonly string[]): AccessBuilder<RuleBuilder> {
    const sources = patterns.map((pattern): RequestPattern => ({ kind, pattern, method }));
    const odd = patterns.find((pattern) => kind === 'ant' && typeof pattern === 'string' && isRelative(pattern));
    if (odd !== undefined)
      this.#scope.warn?.({
        kind: 'pattern',
        message: `The Ant pattern "${odd}" can never match: a path starts with "/". Did you mean "/${odd}"?`,
      });
    if (!this.#closed) return this.#open(sources);
    const values = { matcher: `${kind}Matchers`, subject: sources.map(describePattern).join(', ') };
    return this.#open(sources, securityErrors.create('SECURITY_RULE_AFTER_ANY_REQUEST', values));
  }

  /** Reads one rule from data. */
  read(rule: RuleData, number: number): void {
    // A rule with an invalid selection still has its number.
    const selection = this.#try(() => readSelection(rule, number));
    if (selection === undefined) return void (this.#count += 1);
    const { kind, patterns, method } = selection;
    const builder = kind === 'any' ? this.anyRequest() : this.select(kind, method, patterns);
    builder.access(rule.access);
  }

  finish(): ReadRules {
    this.#requireComplete();
    if (this.#count === 0) this.#mistakes.push(securityErrors.create('SECURITY_NO_MAPPING'));
    return { rules: this.rules, mistakes: this.#mistakes };
  }

  /** Runs a step and records its error, so that later rules are read as well. */
  #try<T>(step: () => T): T | undefined {
    try {
      return step();
    } catch (error) {
      if (!isProductError(error)) throw error;
      this.#mistakes.push(error);
      return undefined;
    }
  }

  #matchers(kind: PatternKind, given: readonly string[]): AccessBuilder<RuleBuilder> {
    const [first, ...rest] = given;
    if (first === undefined || !isHttpMethod(first)) return this.select(kind, undefined, given);
    return this.select(kind, first, rest.length > 0 ? rest : [kind === 'regex' ? '.*' : '/**']);
  }

  #open(sources: readonly RequestPattern[], misplaced?: ProductError): AccessBuilder<RuleBuilder> {
    this.#requireComplete();
    if (misplaced !== undefined) this.#mistakes.push(misplaced);
    this.#pending = [...sources];
    const say = (access: Access | undefined): RuleBuilder =>
      this.#complete(misplaced === undefined ? access : undefined);
    const named = (names: readonly string[], word: string, read: (name: string) => string): RuleBuilder => {
      const authorities = this.#try(() => requireNames(names, word).map(read));
      const text = `${word}(${quote(names)})`;
      return say(authorities === undefined ? undefined : { kind: 'authority', authorities, text });
    };
    return {
      permitAll: () => say({ kind: 'permitAll', text: 'permitAll' }),
      denyAll: () => say({ kind: 'denyAll', text: 'denyAll' }),
      authenticated: () => say({ kind: 'authenticated', text: 'authenticated' }),
      fullyAuthenticated: () => say({ kind: 'fullyAuthenticated', text: 'fullyAuthenticated' }),
      anonymous: () => say({ kind: 'anonymous', text: 'anonymous' }),
      rememberMe: () => say({ kind: 'rememberMe', text: 'rememberMe' }),
      hasAuthority: (name) => named([name], 'hasAuthority', requireAuthority),
      hasAnyAuthority: (...names) => named(names, 'hasAnyAuthority', requireAuthority),
      hasRole: (name) => named([name], 'hasRole', roleAuthority),
      hasAnyRole: (...names) => named(names, 'hasAnyRole', roleAuthority),
      access: (given) => say(this.#try(() => this.#readAccess(given))),
    };
  }

  #readAccess(access: string | AccessFunction): Access {
    if (typeof access !== 'string' && typeof access !== 'function')
      throw invalid(this.#count + 1, 'access is missing: it must be an expression or a function');
    const read = readAccess(access, {
      ...this.#scope,
      location: this.#scope.location ?? `rule ${this.#count + 1}`,
    });
    if (read.kind === 'expression')
      for (const message of read.expression.warnings) this.#scope.warn?.({ kind: 'expression', message });
    return read;
  }

  /** @param access undefined if it was invalid and is recorded already */
  #complete(access: Access | undefined): RuleBuilder {
    for (const source of this.#pending ?? []) {
      this.#count += 1;
      // Compiled here for its errors, so that the stack shows the rule's line.
      const isGood = this.#try(() => compileMatcher(source, EXACT)) !== undefined;
      if (isGood && access !== undefined) this.rules.push({ number: this.#count, source, access });
    }
    this.#pending = undefined;
    return this;
  }

  #requireComplete(): void {
    if (this.#pending === undefined || this.#pending.length === 0) return;
    const subject = this.#pending.map(describePattern).join(', ');
    this.#mistakes.push(securityErrors.create('SECURITY_INCOMPLETE_MAPPING', { subject }));
    this.#complete(undefined);
  }
}

function readSelection(
  rule: RuleData,
  number: number,
): {
  readonly kind: PatternKind | 'any';
  readonly patterns: readonly string[];
  readonly method: HttpMethod | undefined;
} {
  if (typeof rule !== 'object' || rule === null) throw invalid(number, 'it is not an object');
  for (const key of Object.keys(rule)) {
    if (!RULE_KEYS.includes(key))
      throw invalid(number, `it has the unknown key "${key}".${didYouMean(key, RULE_KEYS)}`);
  }
  if (typeof rule.access !== 'string' && typeof rule.access !== 'function')
    throw invalid(number, 'access is missing: it must be an expression or a function');
  const method = rule.method === undefined ? undefined : readMethod(rule.method);
  const kinds = PATTERN_KINDS.filter((kind) => rule[kind] !== undefined);
  if (kinds.length + (rule.any === undefined ? 0 : 1) > 1) throw invalid(number, 'it selects in more than one way');
  const kind = kinds[0];
  if (kind === undefined) {
    if (rule.any !== true && method === undefined)
      throw invalid(number, 'it selects no requests: ant, mvc, regex or any is missing');
    // Only a method: every path, but not the catch-all.
    return method === undefined ? { kind: 'any', patterns: [], method } : { kind: 'ant', patterns: ['/**'], method };
  }
  const patterns = [rule[kind]].flat();
  for (const pattern of patterns) {
    if (typeof pattern !== 'string') throw invalid(number, `${kind} must be a pattern or a list of patterns`);
  }
  return { kind, patterns: patterns as readonly string[], method };
}

/** Paths start with `/`; `**` alone is every path. */
function isRelative(pattern: string): boolean {
  return pattern !== '' && pattern !== '**' && !pattern.startsWith('/');
}

/** A rule without names never grants, which is certainly a mistake. @throws ProductError SECURITY_ROLE_INVALID */
function requireNames(names: readonly string[], word: string): readonly string[] {
  if (names.length > 0) return names;
  throw securityErrors.create('SECURITY_ROLE_INVALID', {
    reason: `${word}() names nobody; write denyAll() for nobody`,
  });
}

/** @throws ProductError SECURITY_ROLE_INVALID */
function requireAuthority(name: string): string {
  if (typeof name === 'string' && name !== '') return name;
  throw securityErrors.create('SECURITY_ROLE_INVALID', { reason: 'authority cannot be null or empty' });
}

function quote(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ');
}

function invalid(number: number, reason: string) {
  return securityErrors.create('SECURITY_RULE_INVALID', { number, reason });
}
