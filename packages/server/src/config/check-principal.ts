// Checks that accounts can have the attributes that rules read from the caller (`principal.tenant`). An attribute that
// no configured account has is a problem; with accounts from elsewhere it is reported as unchecked.
import type { AuthRules, Model, SourceLocation } from '@lockstitch/graph';
import {
  childrenOf,
  didYouMean,
  type Expression,
  parseExpression,
  PRINCIPAL_MEMBERS,
  suggest,
} from '@lockstitch/kernel';

import type { ResolvedConfig } from './config.ts';
import type { Problem } from './load-config.ts';

/** Attributes that accounts have, as far as the configuration says. */
interface Accounts {
  readonly attributes: ReadonlySet<string>;
  /** Sources of accounts whose attributes are unknown here. */
  readonly elsewhere: readonly string[];
}

/** A rule with its location. */
interface PlacedRule {
  readonly text: string;
  readonly what: string;
  readonly where: string;
}

/** Problems, and attributes that cannot be checked with the reason. */
export interface PrincipalCheck {
  readonly problems: readonly Problem[];
  readonly unchecked: readonly string[];
}

/** Checks the rules of the schema, of the chain, and of access keys. `at` returns the location of a key. */
export function checkPrincipal(
  model: Model | undefined,
  config: ResolvedConfig,
  at: (keys: readonly (string | number)[]) => string,
): PrincipalCheck {
  const rules = [...(model === undefined ? [] : schemaRules(model)), ...chainRules(config, at)];
  const read = rules.flatMap((rule) => membersIn(rule.text).map((name) => ({ rule, name })));
  const { attributes, elsewhere } = accountsOf(config);
  const asked = read.filter(({ name }) => !PRINCIPAL_MEMBERS.has(name) && !attributes.has(name));
  const names = new Set(asked.map(({ name }) => name));
  if (elsewhere.length === 0)
    return { problems: asked.map(({ rule, name }) => mistake(rule, name, attributes)), unchecked: [] };
  const unchecked = [...names].map((name) => {
    const others = [...PRINCIPAL_MEMBERS.keys(), ...attributes, ...moreOften(read, name)];
    const places = [...new Set(asked.filter((each) => each.name === name).map(({ rule }) => rule.where))];
    return `principal.${name} (${places.join(', ')}).${didYouMean(name, others).replace(/"/g, '')}`;
  });
  if (unchecked.length === 0) return { problems: [], unchecked };
  return { problems: [], unchecked: [`Not checked, as accounts come from ${elsewhere.join(', ')}:`, ...unchecked] };
}

function mistake({ text, what, where }: PlacedRule, name: string, attributes: ReadonlySet<string>): Problem {
  const known = [...PRINCIPAL_MEMBERS.keys(), ...attributes];
  // Claims of a token are one level deeper.
  const isClaim = attributes.has('claims') && suggest(name, known) === undefined;
  return {
    where,
    message: `${what} reads principal.${name}, which no account has: "${text}" is null there.${didYouMean(name, known)}`,
    hint: isClaim
      ? `What a token says is in principal.claims: write principal.claims.${name}.`
      : `Write it into "attributes" of "users", or bring it by a "userStore" of your own. There are: ${known.join(', ')}.`,
  };
}

/** Names that rules use more often than this one. */
function moreOften(read: readonly { readonly name: string }[], name: string): readonly string[] {
  const count = (of: string): number => read.filter((each) => each.name === of).length;
  return [...new Set(read.map((each) => each.name))].filter((other) => other !== name && count(other) > count(name));
}

function accountsOf(config: ResolvedConfig): Accounts {
  const attributes = new Set((config.users ?? []).flatMap((user) => Object.keys(user.attributes)));
  const elsewhere: string[] = [];
  if (config.userStore === 'sql') elsewhere.push("the database (userStore: 'sql')");
  else if (typeof config.userStore === 'object') elsewhere.push('a "userStore" of your own');
  if (config.filters.add.length > 0) elsewhere.push('filters of your own');
  for (const { bearer, login } of [config, ...config.chains]) {
    if (bearer !== undefined) attributes.add('claims');
    for (const { toPrincipal } of login?.providers ?? []) {
      if (toPrincipal !== undefined) elsewhere.push('"toPrincipal" of a provider');
    }
    if (login?.github === true || (login?.providers ?? []).length > 0)
      for (const name of ['name', 'email']) attributes.add(name);
  }
  return { attributes, elsewhere: [...new Set(elsewhere)] };
}

function schemaRules(model: Model): readonly PlacedRule[] {
  const rules: PlacedRule[] = [];
  const note = (auth: AuthRules | undefined, name: string, at: SourceLocation | undefined): void => {
    const where = at === undefined ? 'schema' : `${at.file}:${at.line}:${at.column}`;
    for (const action of ['read', 'create', 'update', 'delete', 'readDeleted', 'purge'] as const) {
      const text = auth?.[action];
      if (text !== undefined) rules.push({ text, what: `@auth(${action}:) of ${name}`, where });
    }
  };
  for (const entity of model.entities.values()) {
    note(entity.auth, entity.name, entity.location);
    for (const field of entity.fields.values()) note(field.auth, `${entity.name}.${field.name}`, field.location);
  }
  return rules;
}

/** Rules that are lists. Rules built by code cannot be read. */
function chainRules(config: ResolvedConfig, at: (keys: readonly (string | number)[]) => string): readonly PlacedRule[] {
  const of = (rules: ResolvedConfig['rules'], keys: readonly (string | number)[]): readonly PlacedRule[] =>
    Array.isArray(rules)
      ? (rules as readonly { readonly access: string }[]).map(({ access }, index) => ({
          text: access,
          what: 'A rule',
          where: at([...keys, 'rules', index, 'access']),
        }))
      : [];
  const keys = (['introspection', 'explain'] as const).flatMap((key) => {
    const text = config.graph[key];
    return typeof text === 'string' ? [{ text, what: `graph.${key}`, where: at(['graph', key]) }] : [];
  });
  return [
    ...of(config.rules, []),
    ...config.chains.flatMap(({ rules }, index) => of(rules, ['chains', index])),
    ...keys,
  ];
}

/** Members of `principal` that an expression reads; none if it does not parse, which is reported elsewhere. */
function membersIn(text: string): readonly string[] {
  try {
    return [...new Set(walk(parseExpression(text)))];
  } catch {
    // Reported where the expression is checked.
    return [];
  }
}

function walk(node: Expression): string[] {
  const below = childrenOf(node).flatMap(walk);
  return node.kind === 'member' && isPrincipal(node.target) ? [node.name, ...below] : below;
}

function isPrincipal(node: Expression): boolean {
  if (node.kind === 'name') return node.name === 'principal';
  return (
    node.kind === 'member' &&
    node.name === 'principal' &&
    node.target.kind === 'name' &&
    node.target.name === 'authentication'
  );
}
