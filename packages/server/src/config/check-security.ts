// Every mistake in what a configuration says of security, each with its line: rules one by one, stored passwords, and then
// the layer as a whole. What a rule or a password must look like, the security package decides.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { isProductError, didYouMean, silentLog } from '@lockstitch/kernel';
import { standardEncoders } from '@lockstitch/security';

import { buildSecurity, readEncoder } from '../build-security.ts';
import { checkConfig } from './check-config.ts';
import type { ResolvedConfig } from './config.ts';
import type { LoadedConfig, Problem } from './load-config.ts';
import { locateKey } from './locate-key.ts';

type Keys = readonly (string | number)[];

/** Finds them. */
export function checkSecurity(loaded: LoadedConfig): readonly Problem[] {
  const { config, file, folder } = loaded;
  const source = file === undefined ? '' : readFileSync(join(folder, file), 'utf8');
  const at = (keys: Keys, line = locateKey(source, keys)): string =>
    `${file ?? 'configuration'}${line === undefined ? '' : `:${line}`}`;
  // A configuration with other mistakes in it cannot be built; its rules can be looked at all the same.
  const isSound = loaded.problems.length === 0;
  const base: ResolvedConfig = {
    ...(isSound ? config : checkConfig({}).config),
    users: undefined,
    userStore: 'config',
  };
  const rules = loaded.problems.some(({ message }) => message.includes('"rules')) ? undefined : config.rules;
  const problems: Problem[] = [];
  if (Array.isArray(rules)) {
    for (const [index, rule] of rules.entries()) {
      const error = refusal(loaded, { ...base, rules: [rule] });
      // What is wrong without the rule as well is not the rule's fault.
      if (error === undefined || refusal(loaded, { ...base, rules: undefined }) !== undefined) continue;
      problems.push({ where: at(['rules', index, 'access']), message: error.message, hint: error.hint });
    }
  }
  if (problems.length === 0 && (isSound || typeof rules === 'function')) {
    const error = refusal(loaded, { ...base, rules });
    const url = file === undefined ? undefined : `${pathToFileURL(join(folder, file)).href}:`;
    const line = url === undefined ? undefined : error?.stack?.split(url)[1]?.match(/^\d+/)?.[0];
    if (error !== undefined) {
      const where = line === undefined ? (file ?? 'configuration') : at([], Number(line));
      problems.push({ where, message: error.message, hint: error.hint });
    }
  }
  if (isSound) problems.push(...checkPasswords(config, at));
  return problems;
}

interface Refusal {
  readonly message: string;
  readonly hint?: string | undefined;
  readonly stack?: string | undefined;
}

function refusal({ user }: LoadedConfig, config: ResolvedConfig): Refusal | undefined {
  try {
    const { warnings } = buildSecurity(config, user, silentLog).security;
    // Such a rule never grants; it runs, and is still not what anybody meant.
    const unknown = warnings.find((warning) => warning.startsWith('Unknown word'));
    return unknown === undefined ? undefined : { message: unknown };
  } catch (error) {
    if (!isProductError(error)) throw error;
    return error;
  }
}

/** Users whose stored password nobody's could ever match. Names the user, never the password. */
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
  // A stored password that begins with "{" may be anything up to "}"; only what looks like a name is quoted.
  if (encoder === undefined) {
    const shown = /^[\w@.-]{1,32}$/.test(id) ? ` "${id}"` : '';
    return `there is no encoder${shown}.${didYouMean(id, Object.keys(encoders))}`;
  }
  return reasonOf(id, encoder, stored.slice(id.length + 2));
}

/** Length in hexadecimal digits of what encoders without parameters in their text make: salt and digest. */
const HEX_LENGTHS: Readonly<Record<string, number>> = { standard: 80, sha256: 80, 'pbkdf2@SpringSecurity_v5_8': 96 };

function reasonOf(
  name: string,
  encoder: { upgradeEncoding(encoded: string): boolean },
  stored: string,
): string | undefined {
  const length = HEX_LENGTHS[name];
  if (length !== undefined && !(stored.length === length && /^[0-9a-f]+$/i.test(stored))) {
    return `${name} makes ${length} hexadecimal digits.`;
  }
  if (stored === '' && name !== 'noop') return 'it is empty.';
  try {
    encoder.upgradeEncoding(stored);
    return undefined;
  } catch (error) {
    if (!isProductError(error)) throw error;
    return error.message;
  }
}
