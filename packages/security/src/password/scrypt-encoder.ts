// scrypt (RFC 7914) in Spring's layout: `$<hex of log2(N)<<16|r<<8|p>$<Base64 salt>$<Base64 key>`. The parameters are
// read from the stored text, so any encoder reads any strength.
import { randomBytes, scrypt } from 'node:crypto';
import {
  checkSetting,
  equalBytes,
  fromBase64,
  malformedHash,
  type PasswordEncoder,
  requireRaw,
  isMissing,
} from './password-encoder.ts';
import { SCRYPT } from '../options/part-shapes.ts';
import { requireOptions } from '../options/shape.ts';

/** The defaults are Spring Security 5.8's. */
export interface SCryptOptions {
  /** N, a power of two. Default: 65,536. */
  readonly cpuCost?: number;
  /** r. Default: 8. */
  readonly memoryCost?: number;
  /** p. Default: 1. */
  readonly parallelization?: number;
  /** Bytes of key. Default: 32. */
  readonly keyLength?: number;
  /** Bytes of salt. Default: 16. */
  readonly saltLength?: number;
}

/** Parameters of Spring Security 4.1 to 5.7. */
export const SCRYPT_V4_1: SCryptOptions = { cpuCost: 16_384, saltLength: 64 };

interface Cost {
  readonly log2N: number;
  readonly r: number;
  readonly p: number;
}

/** A stored text must not cause unbounded allocation: 1 GiB is 16 times what 5.8 uses. */
const MAX_MEMORY = 1 << 30;

export function createSCryptEncoder(options: SCryptOptions = {}): PasswordEncoder {
  requireOptions('createSCryptEncoder', SCRYPT, options);
  const { cpuCost = 65_536, memoryCost: r = 8, parallelization: p = 1, keyLength = 32, saltLength = 16 } = options;
  const log2N = Math.log2(cpuCost);
  checkSetting('scrypt', 'log2(cpuCost)', log2N, 1, 31);
  checkSetting('scrypt', 'memoryCost', r, 1, 255);
  checkSetting('scrypt', 'parallelization', p, 1, 255);
  checkSetting('scrypt', 'keyLength', keyLength, 16, 1024);
  checkSetting('scrypt', 'saltLength', saltLength, 8, 1024);
  const own: Cost = { log2N, r, p };
  return {
    async encode(raw) {
      const salt = randomBytes(saltLength);
      const key = await derive(requireRaw(raw), salt, own, keyLength);
      const cost = (log2N * 65_536 + r * 256 + p).toString(16);
      return `$${cost}$${salt.toString('base64')}$${key.toString('base64')}`;
    },
    async matches(raw, encoded) {
      if (isMissing(encoded)) return false;
      const parts = encoded.split('$');
      if (parts.length !== 4 || parts[0] !== '') return false;
      const cost = readCost(parts[1]!);
      const salt = fromBase64(parts[2]!);
      const key = fromBase64(parts[3]!);
      if (salt === undefined || key === undefined || key.length === 0 || key.length > 1024) return false;
      return equalBytes(key, await derive(requireRaw(raw), salt, cost, key.length));
    },
    upgradeEncoding(encoded) {
      if (typeof encoded !== 'string' || encoded === '') return false;
      const parts = encoded.split('$');
      if (parts.length !== 4) throw malformedHash('scrypt', 'it does not have three parts');
      const stored = readCost(parts[1]!);
      return stored.log2N < log2N || stored.r < r || stored.p < p;
    },
  };
}

function readCost(hex: string): Cost {
  if (!/^[0-9a-f]{1,8}$/i.test(hex)) throw malformedHash('scrypt', 'its parameters are not hexadecimal');
  const packed = Number.parseInt(hex, 16);
  const cost: Cost = { log2N: packed >>> 16, r: (packed >> 8) & 0xff, p: packed & 0xff };
  if (cost.log2N < 1 || cost.r < 1 || cost.p < 1 || memoryOf(cost) > MAX_MEMORY)
    throw malformedHash('scrypt', 'its parameters are out of range');
  return cost;
}

/** RFC 7914 §2: V takes 128·r·N bytes, B another 128·r·p. */
function memoryOf(cost: Cost): number {
  return 128 * cost.r * (2 ** cost.log2N + cost.p + 2);
}

function derive(raw: string, salt: Uint8Array, cost: Cost, keyLength: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { N: 2 ** cost.log2N, r: cost.r, p: cost.p, maxmem: memoryOf(cost) + 1024 };
    scrypt(raw, salt, keyLength, options, (error, key) => (error === null ? resolve(key) : reject(error)));
  });
}
