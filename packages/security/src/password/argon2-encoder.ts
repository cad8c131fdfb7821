// Argon2 (RFC 9106) in the common text form: `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. Node hashes (`crypto.argon2`, Node
// ≥ 24.7); the parameters are read from the stored text.
import { randomBytes } from 'node:crypto';
import { argon2 } from '../node-crypto.ts';
import {
  checkSetting,
  equalBytes,
  fromBase64,
  malformedHash,
  type PasswordEncoder,
  requireRaw,
} from './password-encoder.ts';
import { ARGON2 } from '../options/part-shapes.ts';
import { requireOptions } from '../options/shape.ts';

/** The defaults are Spring Security 5.8's. */
export interface Argon2Options {
  /** Bytes of salt. Default: 16. */
  readonly saltLength?: number;
  /** Bytes of hash. Default: 32. */
  readonly hashLength?: number;
  /** p. Default: 1. */
  readonly parallelism?: number;
  /** m, in KiB. Default: 16,384. */
  readonly memory?: number;
  /** t. Default: 2. */
  readonly iterations?: number;
}

interface Cost {
  readonly memory: number;
  readonly iterations: number;
  readonly parallelism: number;
}

type Variant = 'argon2d' | 'argon2i' | 'argon2id';

const FORMAT = /^\$(argon2(?:d|i|id))\$v=19\$m=(\d{1,8}),t=(\d{1,6}),p=(\d{1,3})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;
/** A stored text must not cause unbounded allocation: 1 GiB. */
const MAX_MEMORY_KIB = 1 << 20;

/** Creates an Argon2id encoder; it also reads hashes of the variants d and i. */
export function createArgon2Encoder(options: Argon2Options = {}): PasswordEncoder {
  requireOptions('createArgon2Encoder', ARGON2, options);
  const { saltLength = 16, hashLength = 32, parallelism = 1, memory = 16_384, iterations = 2 } = options;
  checkSetting('argon2', 'saltLength', saltLength, 8, 1024);
  checkSetting('argon2', 'hashLength', hashLength, 16, 1024);
  checkSetting('argon2', 'parallelism', parallelism, 1, 255);
  checkSetting('argon2', 'memory', memory, 8 * parallelism, MAX_MEMORY_KIB);
  checkSetting('argon2', 'iterations', iterations, 1, 1000);
  return {
    async encode(raw) {
      const salt = randomBytes(saltLength);
      const hash = await derive('argon2id', requireRaw(raw), salt, { memory, iterations, parallelism }, hashLength);
      return `$argon2id$v=19$m=${memory},t=${iterations},p=${parallelism}$${bare(salt)}$${bare(hash)}`;
    },
    async matches(raw, encoded) {
      const parts = FORMAT.exec(encoded);
      if (parts === null) return false;
      const salt = fromBase64(parts[5]!);
      const hash = fromBase64(parts[6]!);
      if (salt === undefined || hash === undefined || salt.length < 8 || hash.length < 4 || hash.length > 1024)
        return false;
      return equalBytes(hash, await derive(parts[1] as Variant, requireRaw(raw), salt, readCost(parts), hash.length));
    },
    upgradeEncoding(encoded) {
      if (typeof encoded !== 'string' || encoded === '') return false;
      const parts = FORMAT.exec(encoded);
      if (parts === null) throw malformedHash('argon2', 'it does not look like Argon2');
      const stored = readCost(parts);
      return stored.memory < memory || stored.iterations < iterations;
    },
  };
}

function readCost(parts: RegExpExecArray): Cost {
  const cost: Cost = { memory: Number(parts[2]), iterations: Number(parts[3]), parallelism: Number(parts[4]) };
  const sound =
    cost.parallelism >= 1 &&
    cost.parallelism <= 255 &&
    cost.memory >= 8 * cost.parallelism &&
    cost.memory <= MAX_MEMORY_KIB &&
    cost.iterations >= 1 &&
    cost.iterations <= 1000;
  if (!sound) throw malformedHash('argon2', 'its parameters are out of range');
  return cost;
}

function derive(variant: Variant, raw: string, nonce: Uint8Array, cost: Cost, tagLength: number): Promise<Buffer> {
  const parameters = {
    message: raw,
    nonce,
    tagLength,
    memory: cost.memory,
    passes: cost.iterations,
    parallelism: cost.parallelism,
  };
  return new Promise((resolve, reject) => {
    argon2(variant, parameters, (error, key) => (error === null ? resolve(key) : reject(error)));
  });
}

function bare(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
