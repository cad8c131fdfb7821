// Random request targets, made of what paths are made of and of what has fooled parsers, sent without credentials to
// handlers that need some. The tests send thousands, `npm run soak -- security-paths` a hundred thousand.
import { createSecurity, type SecurityConfig } from '@lockstitch/security';
import fc from 'fast-check';
import { CONFIG, MOUNTS, PROTECTED } from './mounts.ts';
import { asking } from './serve.ts';

/** What became of the targets. */
export interface FuzzResult {
  readonly sent: number;
  /** Targets by which a protected handler ran. */
  readonly leaks: readonly string[];
  /** Targets that were answered 5xx. */
  readonly faults: readonly string[];
  /** How many were answered with which status; 0 is a closed connection. */
  readonly statuses: Readonly<Record<number, number>>;
}

const PIECES = [
  '/ // /./ /../ . .. %2e %2e%2e .%2e %2f %2F %5c \\ ; ;x=1 ;/ ? ?x=1 # @ : * + ~ %20 %09 %00 %0a %0d%0a %25 %2561 %252e',
  '%c0%af %c0%ae %e2%80%a8 %ef%bc%8f %u002f %ff %C4%B0 %e4%b8%ad ı K ／ http://h http://h/ HTTP://h //h/ https://u:p@h:1',
  'admin Admin ADMIN %61dmin adm%69n users USERS api secret files abc x index.html .json .html',
]
  .join(' ')
  .split(' ');

type Change = (path: string) => string;

const piece = fc.constantFrom(...PIECES);
const place = fc.double({ min: 0, max: 1, noNaN: true });
const at = (path: string, where: number): number => Math.min(path.length - 1, Math.floor(where * path.length));

/** Small changes to a path: one character escaped, escaped twice or in the other case; something put in or taken out. */
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(place, fc.constantFrom('%', '%25')).map(([where, sign]): Change => (path) => {
    const index = at(path, where);
    const code = path.charCodeAt(index);
    return code > 0x7f ? path : `${path.slice(0, index)}${sign}${code.toString(16)}${path.slice(index + 1)}`;
  }),
  place.map((where): Change => (path) => {
    const index = at(path, where);
    const letter = path[index]!;
    const other = letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase();
    return path.slice(0, index) + other + path.slice(index + 1);
  }),
  fc.tuple(place, piece).map(([where, text]): Change => (path) => {
    const index = Math.floor(where * (path.length + 1));
    return path.slice(0, index) + text + path.slice(index);
  }),
  place.map(
    (where): Change =>
      (path) =>
        path.slice(0, at(path, where)) + path.slice(at(path, where) + 1) || '/',
  ),
  piece.map(
    (text): Change =>
      (path) =>
        text + path,
  ),
  piece.map(
    (text): Change =>
      (path) =>
        path + text,
  ),
);

/** Mostly a protected path with a few changes, now and then pieces at random. */
const target: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom(...PROTECTED), fc.array(change, { maxLength: 3 }))
      .map(([path, changes]) => changes.reduce((text, apply) => apply(text), path)),
  },
  { weight: 1, arbitrary: fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join('')) },
);

/**
 * Sends `count` targets through one adapter.
 *
 * @param options.rules default: those of the mounts; an open layer shows which targets the router takes to a handler
 */
export async function fuzzPaths(options: {
  readonly adapter: string;
  readonly count: number;
  readonly seed: number;
  readonly rules?: SecurityConfig['rules'];
}): Promise<FuzzResult> {
  const { adapter, count, seed, rules = CONFIG.rules } = options;
  const closing: (() => unknown)[] = [];
  const security = createSecurity({ ...CONFIG, rules, csrf: false });
  const { port, reached } = await MOUNTS[adapter]!({ after: (close) => closing.push(close) }, security);
  const { send } = asking(port);
  const leaks: string[] = [];
  const faults: string[] = [];
  const statuses: Record<number, number> = {};
  try {
    for (const text of fc.sample(target, { seed, numRuns: count })) {
      const before = reached.length;
      const { status } = await send(text);
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (reached.length > before) leaks.push(text);
      if (status >= 500) faults.push(text);
    }
  } finally {
    for (const close of closing) await close();
  }
  return { sent: count, leaks, faults, statuses };
}
