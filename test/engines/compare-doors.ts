// Asks the REST API over several worlds on a cluster, and that of the embedded engine over the visible documents, the same random requests
// under one view. Worlds that differ in hidden documents, histories and shards must answer alike to the byte; what the cluster is asked at
// all must be answered as the embedded engine does.
import {
  askPages,
  comparable,
  type Random,
  randomSearchRequest,
  type SearchAsked,
  printSearchAsked,
} from '../../packages/search/src/requests/index.ts';
import type { Json } from '../../packages/search/src/json/json.ts';
import { type Door, knock } from '../../packages/search/test/cluster/doors.ts';
import { surface, VIEW } from './cluster-worlds.ts';
import { differing } from './differing.ts';

export interface ComparedDoors {
  readonly asked: number;
  readonly refused: number;
  /** Requests that worlds answered differently. */
  readonly leaks: readonly string[];
  /** Requests that the embedded engine answered differently. */
  readonly differences: readonly string[];
}

/** Relative: scores are sums of floats in another order. */
const TOLERANCE = 2e-6;
/** A request that is refused because it goes to a cluster. */
const REFUSED =
  /cannot be asked of a search cluster|is not offered with search\.engine|does not take the request|^400 $/;

export async function compareDoors(
  worlds: readonly Door[],
  embedded: { readonly door: Door; readonly ownMembers: readonly string[] } | undefined,
  random: Random,
  cases: number,
): Promise<ComparedDoors> {
  const leaks: string[] = [];
  const differences: string[] = [];
  let [asked, refused] = [0, 0];
  for (let attempt = 0; asked < cases && attempt < cases * 4; attempt++) {
    const request = randomSearchRequest(random, surface);
    const answers: string[] = [];
    for (const world of worlds) answers.push(await send(world, request));
    const [first = '', ...others] = answers;
    const other = others.find((each) => each !== first);
    if (other !== undefined) leaks.push(`${printSearchAsked(request)}\n${differing(first, other)}`);
    if (REFUSED.test(first)) {
      refused++;
      continue;
    }
    asked++;
    if (embedded === undefined) continue;
    const expected = await send(embedded.door, request);
    if (expected !== first && !isAlike(expected, first, embedded.ownMembers))
      differences.push(`${printSearchAsked(request)}\n${differing(expected, first)}`);
  }
  return { asked, refused, leaks, differences };
}

async function send(door: Door, asked: SearchAsked): Promise<string> {
  const one = async (target: string, body?: unknown): Promise<string> => {
    const { body: text, status } = await knock(door, [target, body], { view: VIEW });
    return `${status} ${text}`;
  };
  const text = asked.kind === 'search' ? await one(asked.target, asked.body) : await askPages(asked, one);
  return comparable(text).replaceAll('{,', '{').replaceAll(',,', ',').replaceAll(',}', '}');
}

/** Whether two answers are alike but for the last digits of scores, and the members that a cluster computes in its own way. */
function isAlike(expected: string, found: string, ownMembers: readonly string[]): boolean {
  const [own, other] = [expected.split('\n'), found.split('\n')];
  return own.length === other.length && own.every((line, at) => isSame(read(line), read(other[at]!), ownMembers));
}

function read(line: string): unknown {
  const [, status = '', text = ''] = /^(\d+) (.*)$/.exec(line) ?? [];
  try {
    return [status, JSON.parse(text)];
  } catch {
    return line;
  }
}

function isSame(own: unknown, other: unknown, ownMembers: readonly string[]): boolean {
  if (typeof own === 'number' && typeof other === 'number')
    return Math.abs(own - other) <= TOLERANCE * Math.max(Math.abs(own), 1e-30);
  if (typeof own !== 'object' || own === null || typeof other !== 'object' || other === null) return own === other;
  const keys = new Set([...Object.keys(own), ...Object.keys(other)]);
  return [...keys].every(
    (key) => ownMembers.includes(key) || isSame((own as Json)[key], (other as Json)[key], ownMembers),
  );
}
