// Finds every problem in the security configuration, with its line: each rule alone, stored passwords, then the layer
// as a whole. The security package decides what is valid.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { didYouMean, isProductError, membersIn, silentLog } from '@lockstitch/kernel';
import { standardEncoders } from '@lockstitch/security';

import { buildSecurity, readEncoder } from './build-security.ts';
import { checkConfig } from '../config/check-config.ts';
import type { ResolvedConfig } from '../config/config.ts';
import type { LoadedConfig, Problem } from '../config/load-config.ts';
import { locateKey } from '../config/locate-key.ts';

type Keys = readonly (string | number)[];

export function checkSecurity(loaded: LoadedConfig): readonly Problem[] {
  const { config, file, folder } = loaded;
  const source = sourceOf(loaded);
  const at = (keys: Keys, line = locateKey(source, keys)): string => placeOf(loaded, line);
  // A configuration with other problems cannot be built, but its rules can be checked alone.
  const isSound = loaded.problems.length === 0;
  const base: ResolvedConfig = {
    ...(isSound ? config : checkConfig({}).config),
    users: undefined,
    userStore: 'config',
  };
  const url = file === undefined ? undefined : `${pathToFileURL(join(folder, file)).href}:`;
  const problems: Problem[] = [];
  const report = ({ message, hint }: Refusal, where: string): void => {
    const isTold = problems.some((problem) => problem.message === message && problem.where === where);
    if (!isTold) problems.push({ where, message, hint });
  };
  const general = generalMistakes(loaded, base);
  for (const { keys, error } of general) report(error, at(keys));
  const isReadable = !loaded.invalidKeys.has('rules') && !loaded.invalidKeys.has('chains');
  // With a problem outside of the rules nothing can be built, so the rules are checked in an otherwise empty
  // configuration.
  const sound = general.length === 0 ? base : checkConfig({}).config;
  const chains = isReadable
    ? checkConfig({ chains: config.chains.map(({ path, rules }) => ({ path, rules })) }).config.chains
    : [];
  for (const { keys, rules, build } of isReadable
    ? ruleSets(sound, config.rules, general.length === 0 ? sound.chains : chains)
    : []) {
    if (Array.isArray(rules)) {
      for (const [index, rule] of rules.entries()) {
        for (const error of refusals(loaded, build([rule]))) report(error, at([...keys, index, 'access']));
      }
    }
    for (const error of refusals(loaded, build(rules))) {
      const line = url === undefined ? undefined : error.stack?.split(url)[1]?.match(/^\d+/)?.[0];
      const index = indexOfPattern(rules, error.detail);
      // Problems of single rules were reported above with their lines.
      if (Array.isArray(rules) && !BETWEEN_RULES.has(error.code ?? '')) continue;
      if (line !== undefined) report(error, at([], Number(line)));
      else report(error, index === undefined ? at(keys) : at([...keys, index]));
    }
  }
  if (isSound) problems.push(...checkPasswords(config, at));
  return problems;
}

/** Returns the function that locates a key of the configuration. */
export function keyPlaces(loaded: LoadedConfig): (keys: Keys) => string {
  const source = sourceOf(loaded);
  return (keys) => placeOf(loaded, locateKey(source, keys));
}

function sourceOf({ file, folder }: LoadedConfig): string {
  return file === undefined ? '' : readFileSync(join(folder, file), 'utf8');
}

function placeOf({ file }: LoadedConfig, line: number | undefined): string {
  return `${file ?? 'configuration'}${line === undefined ? '' : `:${line}`}`;
}

interface Mistake {
  readonly keys: Keys;
  readonly error: Refusal;
}

/** Keys that can be checked alone. */
const KEYS = [
  'login',
  'csrf',
  'cors',
  'headers',
  'session',
  'bearer',
  'staticKeys',
  'signatures',
  'filters',
  'firewall',
] as const;

/** Problems that exist without any rule. */
function generalMistakes(loaded: LoadedConfig, base: ResolvedConfig): readonly Mistake[] {
  const plain = { ...base, rules: undefined, chains: base.chains.map(withoutRules) };
  const whole = refusals(loaded, plain).map((error): Mistake => ({ keys: [], error }));
  if (whole.length === 0) return [];
  // Check each key alone, so that each problem has a line.
  const { github } = base;
  const nothing: ResolvedConfig = { ...checkConfig({}).config, github };
  const single = KEYS.flatMap((key) =>
    refusals(loaded, { ...nothing, [key]: base[key] }).map((error): Mistake => ({ keys: [key], error })),
  );
  const chains = plain.chains.flatMap((chain, index) =>
    refusals(loaded, { ...nothing, chains: [chain] }).map((error): Mistake => ({ keys: ['chains', index], error })),
  );
  return single.length + chains.length > 0 ? [...single, ...chains] : whole;
}

/** Problems between rules. */
const BETWEEN_RULES: ReadonlySet<string> = new Set([
  'SECURITY_RULE_UNREACHABLE',
  'SECURITY_RULE_AFTER_ANY_REQUEST',
  'SECURITY_ANY_REQUEST_TWICE',
]);

type Rules = ResolvedConfig['rules'];

interface RuleSet {
  readonly keys: Keys;
  readonly rules: Rules;
  /** The configuration with these rules here and none elsewhere. */
  readonly build: (rules: Rules) => ResolvedConfig;
}

/** The application's rules and those of each chain, each to be built without the others. */
function ruleSets(base: ResolvedConfig, rules: Rules, chains: ResolvedConfig['chains']): readonly RuleSet[] {
  const own = chains.map((chain, index): RuleSet => ({
    keys: ['chains', index, 'rules'],
    rules: chain.rules,
    build: (given) => ({ ...base, rules: undefined, chains: [{ ...chain, rules: given }] }),
  }));
  return [{ keys: ['rules'], rules, build: (given) => ({ ...base, rules: given, chains: [] }) }, ...own];
}

function withoutRules(chain: ResolvedConfig['chains'][number]): ResolvedConfig['chains'][number] {
  return { ...chain, rules: undefined };
}

/** Index of the rule with this pattern. */
function indexOfPattern(rules: Rules, detail: unknown): number | undefined {
  const { kind, pattern } = membersIn(detail);
  if (!Array.isArray(rules) || pattern === undefined || (kind !== 'ant' && kind !== 'mvc' && kind !== 'regex'))
    return undefined;
  // The last one: of two equal rules, the later never decides.
  const index = rules.findLastIndex((rule) => rule[kind] === pattern);
  return index === -1 ? undefined : index;
}

interface Refusal {
  readonly message: string;
  readonly hint?: string | undefined;
  readonly code?: string;
  readonly stack?: string | undefined;
  readonly detail?: unknown;
}

function refusals({ user }: LoadedConfig, config: ResolvedConfig): readonly Refusal[] {
  const { stackTraceLimit } = Error;
  // The stack is searched for the rule's line, and patterns are parsed deep in the call stack.
  Error.stackTraceLimit = 50;
  try {
    const { security } = buildSecurity(config, user, silentLog);
    // Such a rule works but never grants, which is certainly a mistake.
    return security.warningsOf('expression').map((message) => ({ message }));
  } catch (error) {
    if (!isProductError(error)) throw error;
    return error.code === 'SECURITY_RULES_INVALID' ? (error.detail as readonly Refusal[]) : [error];
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Users with a stored password that can never match. Names the user, never the password. */
function checkPasswords(config: ResolvedConfig, at: (keys: Keys) => string): readonly Problem[] {
  const encoder = readEncoder(config);
  if (encoder === undefined || config.users === undefined) return [];
  return config.users.flatMap(({ username, password }, index) => {
    if (typeof config.passwordEncoder !== 'string') return [];
    const reason =
      config.passwordEncoder === 'delegating'
        ? delegatedReason(password)
        : reasonOf(config.passwordEncoder, encoder, password);
    if (reason === undefined) return [];
    return {
      where: at(['users', index, 'password']),
      message: `The stored password of user "${username}" can never match: ${reason}`,
      hint: 'Store what the encoder made of the password, whole and unchanged.',
    };
  });
}

function delegatedReason(stored: string): string | undefined {
  const encoders = standardEncoders();
  const id = /^\{([^}]*)\}/.exec(stored)?.[1];
  if (id === undefined) return 'it does not begin with the name of its encoder, as {bcrypt}… does.';
  const encoder = Object.hasOwn(encoders, id) ? encoders[id] : undefined;
  // A stored password that begins with "{" may be anything up to "}"; only text that looks like a name is quoted.
  if (encoder === undefined) {
    const shown = /^[\w@.-]{1,32}$/.test(id) ? ` "${id}"` : '';
    return `there is no encoder${shown}.${didYouMean(id, Object.keys(encoders))}`;
  }
  return reasonOf(id, encoder, stored.slice(id.length + 2));
}

/** Length in hexadecimal digits of salt and digest, for encoders without parameters in their output. */
const HEX_LENGTHS: Readonly<Record<string, number>> = { standard: 80, sha256: 80, 'pbkdf2@SpringSecurity_v5_8': 96 };

function reasonOf(
  name: string,
  encoder: { upgradeEncoding(encoded: string): boolean },
  stored: string,
): string | undefined {
  const length = HEX_LENGTHS[name];
  if (length !== undefined && !(stored.length === length && /^[0-9a-f]+$/i.test(stored)))
    return `${name} makes ${length} hexadecimal digits.`;
  if (stored === '' && name !== 'noop') return 'it is empty.';
  try {
    encoder.upgradeEncoding(stored);
    return undefined;
  } catch (error) {
    if (!isProductError(error)) throw error;
    return error.message;
  }
}
