// Validates a configuration and fills in the defaults. Collects every problem with the dotted path of the key and a
// remedy. It does no I/O: whether a folder is writable shows on use.
import { didYouMean, hasMembers, isOneOf, isProductError, suggest } from '@lockstitch/kernel';

import { CONFIG_SETTINGS, type ResolvedConfig } from './config.ts';
import type { Setting, Shape } from './setting.ts';

export interface ConfigProblem {
  /** Keys and list indexes from the outside in: `['users', 0, 'rolls']`. */
  readonly keys: readonly (string | number)[];
  readonly message: string;
  readonly hint: string;
}

/** Text for a key that is written but has no value, as with `key: process.env.KEY` without the variable. */
const UNSET = 'undefined; is it read from an environment variable that is not set?';

type Keys = readonly (string | number)[];
type Settings = Readonly<Record<string, Setting>>;

/**
 * Validates a configuration and fills in the defaults.
 *
 * @param written the default export of the configuration file
 * @returns the configuration, valid only if `problems` is empty
 */
export function checkConfig(written: unknown): {
  readonly config: ResolvedConfig;
  readonly problems: readonly ConfigProblem[];
} {
  const problems: ConfigProblem[] = [];
  const config = resolveGroup(CONFIG_SETTINGS, written, [], problems) as ResolvedConfig;
  return { config, problems };
}

/** Prints keys as they are written in code: `users[0].roles`. */
export function printKeys(keys: Keys): string {
  let text = '';
  for (const key of keys) text += typeof key === 'number' ? `[${key}]` : text === '' ? key : `.${key}`;
  return text;
}

function resolveGroup(settings: Settings, written: unknown, keys: Keys, problems: ConfigProblem[]): unknown {
  if (!isPlainObject(written)) {
    const whole = keys.length === 0;
    problems.push({
      keys,
      message: `${whole ? 'The configuration' : `"${printKeys(keys)}"`} must be an object, not ${describe(written)}.`,
      hint: whole
        ? 'Write: export default { port: 8080 };'
        : `Write ${printKeys(keys)}: { ${Object.keys(settings).slice(0, 3).join(', ')} … }.`,
    });
    return resolveGroup(settings, {}, keys, []);
  }
  const resolved: Record<string, unknown> = {};
  for (const key of Object.keys(written)) {
    if (Object.hasOwn(settings, key)) continue;
    const place = keys.length === 0 ? '' : ` in "${printKeys(keys)}"`;
    problems.push({
      keys: [...keys, key],
      message: `Unknown key "${key}"${place}.${didYouMean(key, Object.keys(settings))}`,
      hint: `Known${place}: ${Object.keys(settings).join(', ')}.`,
    });
  }
  for (const [key, setting] of Object.entries(settings)) {
    const value = Object.hasOwn(written, key) ? written[key] : undefined;
    if (value !== undefined) resolved[key] = resolveSetting(setting, value, [...keys, key], problems);
    else if (setting.required === true)
      problems.push({
        keys: [...keys, key],
        message: `"${printKeys([...keys, key])}" is ${Object.hasOwn(written, key) ? UNSET : 'missing.'}`,
        hint: `Write ${key}: ${exampleOf(setting.shape)} — ${setting.doc}`,
      });
    else resolved[key] = defaultOf(setting);
  }
  return resolved;
}

/** Returns the value of a key, or its default if the value is invalid, so that later checks see no other type. */
function resolveSetting(setting: Setting, value: unknown, keys: Keys, problems: ConfigProblem[]): unknown {
  const known = problems.length;
  const resolved = resolveValue(setting.shape, value, keys, problems);
  return problems.length === known || setting.shape.kind === 'group' ? resolved : defaultOf(setting);
}

function defaultOf(setting: Setting): unknown {
  // The defaults of a group are in its rows, so that each default is written once. A group without a default is off as
  // a whole.
  if (setting.shape.kind !== 'group' || setting.default === undefined) return setting.default;
  return resolveGroup(setting.shape.settings, setting.default, [], []);
}

function resolveValue(shape: Shape, value: unknown, keys: Keys, problems: ConfigProblem[]): unknown {
  if (shape.kind === 'group') return resolveGroup(shape.settings, value, keys, problems);
  if (shape.kind === 'list' && Array.isArray(value))
    return value.map((item, index) => resolveValue(shape.item, item, [...keys, index], problems));
  if (shape.kind === 'map' && isPlainObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, resolveValue(shape.item, item, [...keys, key], problems)]),
    );
  if (shape.kind === 'oneOf') {
    // Take the first shape that accepts the value at first sight; then check lists and objects in depth.
    const fitting = shape.shapes.find((candidate) => fits(candidate, value));
    if (fitting !== undefined) return resolveValue(fitting, value, keys, problems);
  }
  if (!fits(shape, value)) problems.push(mismatch(shape, value, keys));
  else if (shape.kind === 'text' && typeof value === 'string') problems.push(...textProblems(shape, value, keys));
  return value;
}

function textProblems(shape: Extract<Shape, { kind: 'text' }>, value: string, keys: Keys): readonly ConfigProblem[] {
  const { form, check } = shape;
  if (form?.test(value) === false)
    return [
      {
        keys,
        message: `"${printKeys(keys)}" must be ${form.expects}.`,
        hint: `Write ${keys.findLast((key) => typeof key === 'string')}: ${exampleOf(shape)}.`,
      },
    ];
  try {
    check?.(value);
    return [];
  } catch (error) {
    if (!isProductError(error)) throw error;
    return [{ keys, message: `"${printKeys(keys)}": ${error.message}`, hint: error.hint ?? '' }];
  }
}

function fits(shape: Shape, value: unknown): boolean {
  switch (shape.kind) {
    case 'text':
      return typeof value === 'string' && value !== '';
    case 'flag':
      return typeof value === 'boolean';
    case 'number':
      return isInteger(value) && value >= shape.minimum && value <= shape.maximum;
    case 'choice':
      return isOneOf(shape.values, value);
    case 'list':
      return Array.isArray(value);
    case 'map':
    case 'group':
      return isPlainObject(value);
    case 'function':
      return typeof value === 'function';
    case 'object':
      return hasMethods(value, shape.methods);
    case 'any':
      return true;
    default:
      return shape.shapes.some((candidate) => fits(candidate, value));
  }
}

function mismatch(shape: Shape, value: unknown, keys: Keys): ConfigProblem {
  const meant = typeof value === 'string' ? suggest(value, choicesOf(shape)) : undefined;
  const question = meant === undefined ? '' : ` Did you mean "${meant}"?`;
  return {
    keys,
    message:
      value === undefined
        ? `"${printKeys(keys)}" is ${UNSET}`
        : `"${printKeys(keys)}" must be ${expectation(shape)}, not ${describe(value)}.${question}`,
    hint: `Write ${keys.at(-1)}: ${meant === undefined ? exampleOf(shape) : `'${meant}'`}.`,
  };
}

/** Words that a shape accepts, also if it is a union. */
function choicesOf(shape: Shape): readonly string[] {
  if (shape.kind === 'choice') return shape.values;
  return 'shapes' in shape ? shape.shapes.flatMap(choicesOf) : [];
}

/** Describes a shape in words: `a whole number from 0 to 65535`. */
export function expectation(shape: Shape): string {
  switch (shape.kind) {
    case 'text':
      return 'a string';
    case 'flag':
      return 'true or false';
    case 'number':
      return shape.maximum === Number.MAX_SAFE_INTEGER
        ? `a whole number from ${shape.minimum}`
        : `a whole number from ${shape.minimum} to ${shape.maximum}`;
    case 'choice':
      return `one of ${shape.values.join(', ')}`;
    case 'list':
      return 'a list';
    case 'map':
    case 'group':
      return 'an object';
    case 'function':
      return 'a function';
    case 'object':
      return `an object with ${shape.methods.join(', ')}`;
    case 'any':
      return 'anything';
    default:
      return shape.shapes.map(expectation).join(' or ');
  }
}

function exampleOf(shape: Shape): string {
  switch (shape.kind) {
    case 'text':
      if (shape.example?.startsWith('process.env.') === true) return shape.example;
      return `'${(shape.example ?? '…').replaceAll("'", "\\'")}'`;
    case 'flag':
      return 'true';
    case 'number':
      return String(Math.max(shape.minimum, Math.min(shape.maximum, 1000)));
    case 'choice':
      return `'${shape.values[0]}'`;
    case 'list':
      return `[${exampleOf(shape.item)}]`;
    case 'map':
      return `{ name: ${exampleOf(shape.item)} }`;
    case 'group': {
      const entries = Object.entries(shape.settings);
      const shown = entries.filter(([, setting]) => setting.required === true);
      const examples = (shown.length > 0 ? shown : entries.slice(0, 1)).map(
        ([key, setting]) => `${key}: ${exampleOf(setting.shape)}`,
      );
      return `{ ${examples.join(', ')} }`;
    }
    case 'function':
      return shape.signature;
    case 'object':
    case 'any':
      return '…';
    default:
      return exampleOf(shape.shapes[0]!);
  }
}

/** Describes a value without quoting more than necessary: it may be a secret in the wrong place. */
function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return value === '' ? 'an empty string' : `the string "${value.slice(0, 20)}"`;
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

const isInteger = (value: unknown): value is number => Number.isSafeInteger(value);

function hasMethods(value: unknown, methods: readonly string[]): boolean {
  return hasMembers(value) && methods.every((method) => typeof value[method] === 'function');
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  // Module namespaces and objects of other realms have other prototypes. Class instances need the shape `anything`.
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
