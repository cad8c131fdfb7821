// The token filter `min_hash`: the least hashes of all tokens, by which texts that are alike are found (Lucene's MinHashFilter).
import { illegalArgument } from '../errors/request-error.ts';
import { tick } from '../tasks/request-budget.ts';
import { HARD } from './part-definition.ts';
import { flag, integer } from './part-options.ts';
import { TokenCount } from './token-count.ts';
import { defineFilter, type TokenFilter } from './token-filter.ts';
import type { Token } from './token.ts';

/** A hash of 128 bits, the high half first: hashes are compared as unsigned numbers. */
type Hash = bigint;

const LOW = (1n << 64n) - 1n;
const low64 = (value: bigint): bigint => value & LOW;
const rotate = (value: bigint, by: bigint): bigint => low64((value << by) | (value >> (64n - by)));
const C1 = 0x87c37b91114253d5n;
const C2 = 0x4cf5ad432745937fn;
/** Steps of a search's budget for one hash of one token. */
const HASH_STEPS = 2000;

function mix1(block: bigint): bigint {
  return low64(rotate(low64(block * C1), 31n) * C2);
}

function mix2(block: bigint): bigint {
  return low64(rotate(low64(block * C2), 33n) * C1);
}

function finish(hash: bigint): bigint {
  const first = low64((hash ^ (hash >> 33n)) * 0xff51afd7ed558ccdn);
  const second = low64((first ^ (first >> 33n)) * 0xc4ceb9fe1a85ec53n);
  return second ^ (second >> 33n);
}

/** MurmurHash3, x64, 128 bits, seed 0. */
function murmur128(bytes: Buffer): Hash {
  let [h1, h2] = [0n, 0n];
  const whole = bytes.length - (bytes.length % 16);
  for (let at = 0; at < whole; at += 16) {
    h1 = low64((rotate(h1 ^ mix1(bytes.readBigUInt64LE(at)), 27n) + h2) * 5n + 0x52dce729n);
    h2 = low64((rotate(h2 ^ mix2(bytes.readBigUInt64LE(at + 8)), 31n) + h1) * 5n + 0x38495ab5n);
  }
  const tail = Buffer.alloc(16);
  bytes.copy(tail, 0, whole);
  const length = BigInt(bytes.length);
  h1 ^= mix1(tail.readBigUInt64LE(0)) ^ length;
  h2 ^= mix2(tail.readBigUInt64LE(8)) ^ length;
  h1 = low64(h1 + h2);
  h2 = finish(low64(h2 + h1));
  h1 = low64(finish(h1) + h2);
  return (low64(h2 + h1) << 64n) | h1;
}

/** The hash of one number, by which the hashes of a token differ from each other. */
function hashOfNumber(number: number): Hash {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(number);
  return murmur128(bytes);
}

function combine(one: Hash, other: Hash): Hash {
  const high = low64((one >> 64n) * 37n + (other >> 64n));
  return (high << 64n) | low64((one & LOW) * 37n + (other & LOW));
}

/** Returns the 16-bit parts of a number as characters, the highest first. */
function characters(value: bigint, parts: number): string {
  return Array.from({ length: parts }, (_, at) =>
    String.fromCharCode(Number((value >> BigInt(16 * (parts - 1 - at))) & 0xffffn)),
  ).join('');
}

interface MinHashOptions {
  readonly hashCount: number;
  readonly bucketCount: number;
  readonly setSize: number;
  readonly rotates: boolean;
}

/** Puts a hash among the least of a bucket, which are in order. */
function keep(least: Hash[], hash: Hash, size: number): void {
  const at = least.findIndex((each) => hash <= each);
  if (at >= 0 && least[at] === hash) return;
  least.splice(at < 0 ? least.length : at, 0, hash);
  if (least.length > size) least.pop();
}

function minHash({ bucketCount, hashCount, rotates, setSize }: MinHashOptions): TokenFilter {
  const bucketSize = Math.ceil(2 ** 32 / bucketCount);
  return (tokens) => {
    const end = tokens.at(-1)?.end;
    if (end === undefined) return [];
    const made = new TokenCount('min_hash');
    const found: Token[] = [];
    const hashes = tokens.map(({ term }) => murmur128(Buffer.from(term, 'utf16le')));
    for (let number = 0; number < hashCount; number++) {
      const salt = hashOfNumber(number);
      const buckets = new Map<number, Hash[]>();
      for (const hash of hashes) {
        tick(HASH_STEPS);
        const own = combine(hash, salt);
        const bucket = Math.floor(Number(own >> 96n) / bucketSize);
        const least = buckets.get(bucket) ?? [];
        buckets.set(bucket, least);
        keep(least, own, setSize);
      }
      const filled = [...buckets.keys()].sort((a, b) => a - b);
      const fills = rotates && setSize === 1;
      for (let bucket = 0, next = 0; fills ? bucket < bucketCount : next < filled.length; bucket++) {
        if (!fills) bucket = filled[next] ?? 0;
        // An empty bucket takes the hash of the next one that is filled.
        const source = filled[next] ?? filled[0] ?? 0;
        for (const hash of buckets.get(source) ?? []) {
          const one = hashCount === 1;
          const term = `${one ? '' : characters(BigInt(number), 2)}${characters(hash >> (one ? 0n : 32n), one ? 8 : 6)}`;
          made.add(term.length);
          found.push({ term, position: 0, start: 0, end, type: 'MIN_HASH' });
        }
        if (bucket === source) next++;
      }
    }
    return found;
  };
}

export const MIN_HASH = defineFilter({
  options: {
    hash_count: integer(1),
    bucket_count: integer(512),
    hash_set_size: integer(1),
    // On by default where there are several buckets.
    with_rotation: flag(true),
  },
  cost: ({ hash_count }) => HARD * Math.max(1, hash_count),
  build({ bucket_count: bucketCount, hash_count: hashCount, hash_set_size: setSize, with_rotation: rotates }) {
    if (hashCount <= 0) throw illegalArgument('hashCount must be greater than zero');
    if (bucketCount <= 0) throw illegalArgument('bucketCount must be greater than zero');
    if (setSize <= 0) throw illegalArgument('hashSetSize must be greater than zero');
    return minHash({ hashCount, bucketCount, setSize, rotates });
  },
});
