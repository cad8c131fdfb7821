// Compares an index with the data: first by hashes over key ranges, then document by document where the hashes differ.
// Reports the differences and, if asked to, repairs them. Changes that arrive during the comparison are not
// differences: each suspect is compared again after the index has caught up.
import { createHash } from 'node:crypto';
import { last } from '@lockstitch/kernel';

import type { Feed } from '@lockstitch/graph';

import type { DocumentSource } from './document-source.ts';
import type { DependencyPaths } from './dependency-paths.ts';
import type { SchemaIndex } from './schema-index.ts';
import type { IndexTarget } from './index-target.ts';
import { isEqual } from './seen-documents.ts';
import { toOperation } from './write-documents.ts';

/** A document that differs from the data. */
export interface Difference {
  readonly index: string;
  readonly key: string;
  /** `missing`: only in the data. `surplus`: only in the index. */
  readonly kind: 'changed' | 'missing' | 'surplus';
  /** Dotted paths whose values differ, for `changed`. */
  readonly fields: readonly string[];
}

export interface VerifyReport {
  readonly index: string;
  /** Number of documents in the data. */
  readonly documents: number;
  /** Key ranges, and those whose hashes differed. */
  readonly ranges: number;
  readonly differingRanges: number;
  readonly changed: number;
  readonly missing: number;
  readonly surplus: number;
  readonly mended: number;
  /** Suspects that kept changing during the comparison. */
  readonly unsettled: number;
  /** Set if the index was rebuilt first because a file was damaged: the reason. */
  readonly rebuilt?: string;
  /** At most 1,000 differences. */
  readonly differences: readonly Difference[];
}

export interface VerifyOptions {
  /** Repair what differs. */
  readonly mend: boolean;
  /** Aborts the comparison. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress: (event: { readonly index: string; readonly done: number; readonly total: number }) => void;
}

export interface VerifyContext {
  readonly feed: Pick<Feed, 'head' | 'read'>;
  readonly source: DocumentSource;
  readonly dependencyPaths: DependencyPaths;
  /** The current index. */
  readonly index: () => IndexTarget;
  /** Applies everything that is in the feed now, then runs work while nothing else is applied. */
  readonly caughtUp: <T>(work: () => Promise<T>) => Promise<T>;
  /** Position up to which changes are applied. */
  readonly applied: () => number;
  readonly signal: AbortSignal;
}

/** Documents per key range. */
const RANGE = 200;
const NAMED = 1000;
/** Attempts at a suspect that keeps changing. */
const LOOKS = 5;

/** Compares an index with the data. */
export async function verifyIndex(
  context: VerifyContext,
  { name, type }: SchemaIndex,
  options: VerifyOptions,
): Promise<VerifyReport> {
  const { source } = context;
  const signals = [context.signal, options.signal];
  const count = { changed: 0, missing: 0, surplus: 0, mended: 0, unsettled: 0 };
  const differences: Difference[] = [];
  const suspected = new Set<string>();
  const recheck = async (suspects: readonly string[]): Promise<void> => {
    const keys = suspects.filter((key) => !suspected.has(key));
    for (const key of keys) suspected.add(key);
    const found = await recheckSuspects(context, type, keys, options.mend);
    count.unsettled += found.unsettled;
    count.mended += found.mended;
    for (const difference of found.differences) {
      count[difference.kind]++;
      if (differences.length < NAMED) differences.push({ index: name, ...difference });
    }
  };
  const index = context.index();
  const seen = await index.open();
  try {
    const total = await source.count(type);
    let [documents, ranges, differingRanges] = [0, 0, 0];
    let after: string | undefined;
    for (;;) {
      for (const signal of signals) signal?.throwIfAborted();
      const range = await source.byRange(type, after, RANGE);
      if (range.length === 0) break;
      const held = await seen.sources(range.map(({ key }) => key));
      const stored = range.map((document) => index.comparable(document.source));
      if (hashOf(stored) !== hashOf(held)) {
        differingRanges++;
        const suspects = range.filter((_, place) => !isEqual(stored[place]!, held[place]));
        await recheck(suspects.map(({ key }) => key));
      }
      documents += range.length;
      ranges++;
      after = last(range).key;
      options.onProgress({ index: name, done: documents, total: Math.max(total, documents) });
      await new Promise((resolve) => setImmediate(resolve));
    }
    for await (const keys of seen.others(RANGE)) {
      for (const signal of signals) signal?.throwIfAborted();
      await recheck(keys);
    }
    return { index: name, documents, ranges, differingRanges, ...count, differences };
  } finally {
    seen.release();
  }
}

type Found = Omit<Difference, 'index'>;

/** Compares suspects again, reports those that really differ, and repairs them if asked to. */
async function recheckSuspects(
  { feed, source, dependencyPaths, index, caughtUp, applied }: VerifyContext,
  type: string,
  keys: readonly string[],
  mend: boolean,
): Promise<{ readonly differences: readonly Found[]; readonly mended: number; readonly unsettled: number }> {
  const differences: Found[] = [];
  let mended = 0;
  let open = keys;
  for (let look = 0; look < LOOKS && open.length > 0; look++)
    open = await caughtUp(async () => {
      const target = index();
      const version = await target.version();
      const documents = new Map((await source.byKeys(type, open)).map((document) => [document.key, document]));
      // The data was read after the index position: a change in between looks like a difference.
      const between = await feed.read(applied(), RANGE);
      const isMoving = between.length === RANGE || between.some((change) => dependencyPaths.has(change.type));
      const moved = new Set(between.filter((change) => change.type === type).map(({ key }) => key));
      const again: string[] = [];
      const wrong: Found[] = [];
      const held = await target.sources(open);
      for (const [at, key] of open.entries()) {
        const stored = documents.get(key);
        const difference = compare(key, stored && target.comparable(stored.source), held[at]);
        if (difference === undefined) continue;
        if (isMoving || moved.has(key)) again.push(key);
        else wrong.push(difference);
      }
      if (mend) {
        const operations = wrong.map(({ key }) => toOperation(key, documents.get(key)));
        const rejected = await target.write(operations, version);
        mended += wrong.length - rejected.length;
      }
      differences.push(...wrong);
      return again;
    });
  return { differences, mended, unsettled: open.length };
}

function compare(key: string, stored: Uint8Array | undefined, held: Uint8Array | undefined): Found | undefined {
  if (stored === undefined) return held === undefined ? undefined : { key, kind: 'surplus', fields: [] };
  if (held === undefined) return { key, kind: 'missing', fields: [] };
  return isEqual(stored, held) ? undefined : { key, kind: 'changed', fields: differingFields(stored, held) };
}

/** Hashes the documents of a range. */
function hashOf(sources: readonly (Uint8Array | undefined)[]): string {
  const hash = createHash('sha256');
  const length = new Uint8Array(4);
  for (const source of sources) {
    // Lengths are included, so that two different lists never hash the same bytes.
    new DataView(length.buffer).setInt32(0, source === undefined ? -1 : source.length);
    hash.update(length);
    if (source !== undefined) hash.update(source);
  }
  return hash.digest('base64');
}

function differingFields(left: Uint8Array, right: Uint8Array): readonly string[] {
  const decoder = new TextDecoder();
  const paths: string[] = [];
  const walk = (path: string, a: unknown, b: unknown): void => {
    if (isObject(a) && isObject(b)) {
      for (const name of new Set([...Object.keys(a), ...Object.keys(b)]))
        walk(path === '' ? name : `${path}.${name}`, a[name], b[name]);
    } else if (JSON.stringify(a) !== JSON.stringify(b)) paths.push(path);
  };
  walk('', JSON.parse(decoder.decode(left)), JSON.parse(decoder.decode(right)));
  return paths;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
