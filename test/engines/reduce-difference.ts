// Cuts a difference down: as few requests before it as bring it about, and as little in each of them. A part is left out where the two
// engines still answer differently in the same way without it.
import type { Step } from './ask.ts';

type Json = unknown;

/** Whether the last of some requests, asked after the others of two empty engines, is still answered differently. */
export type StillDiffers = (steps: readonly Step[]) => Promise<boolean>;

/** Attempts for one difference; each replays its requests on both engines. */
const MOST_ATTEMPTS = 300;

/** What only reads: left out first, all at once. */
const READS = /^(?:GET|HEAD) |\/_(?:search|msearch|count|analyze|validate|explain|field_caps|termvectors|mget)\b/;

/** @param steps the last one is answered differently @returns the least that was found */
export async function reduceDifference(steps: readonly Step[], stillDiffers: StillDiffers): Promise<readonly Step[]> {
  let left = MOST_ATTEMPTS;
  const attempt = async (tried: readonly Step[]): Promise<boolean> => left-- > 0 && (await stillDiffers(tried));
  let best = steps;
  const last = steps.length - 1;
  const writes = steps.filter(({ target }, at) => at === last || !READS.test(target));
  if (writes.length < best.length && (await attempt(writes))) best = writes;
  best = [
    ...(await shortest(best.slice(0, -1), (before) => attempt([...before, ...best.slice(-1)]))),
    ...best.slice(-1),
  ];
  // The last request first: what it does not need is not needed before it either.
  for (let at = best.length - 1; at >= 0; at--) {
    const step = best[at];
    if (step?.body === undefined) continue;
    const withBody = (body: string): readonly Step[] => best.with(at, { ...step, body });
    const body = await smallestBody(step, (tried) => attempt(withBody(tried)));
    best = withBody(body);
  }
  return best;
}

/** Leaves out runs of a list, long ones first. */
async function shortest<Item>(
  items: readonly Item[],
  isEnough: (items: readonly Item[]) => Promise<boolean>,
): Promise<readonly Item[]> {
  let best = items;
  for (let size = best.length; size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < best.length;) {
      const tried = best.toSpliced(at, size);
      if (await isEnough(tried)) best = tried;
      else at += size;
    }
  }
  return best;
}

async function smallestBody({ body = '', type }: Step, isEnough: (body: string) => Promise<boolean>): Promise<string> {
  if (type !== 'application/x-ndjson') {
    const value = parse(body);
    return value === undefined
      ? body
      : JSON.stringify(await smallest(value, (tried) => isEnough(JSON.stringify(tried))));
  }
  const print = (parts: readonly string[]): string => parts.map((part) => `${part}\n`).join('');
  // An action with its document, and a header with its search.
  const pairs = await shortest(pairsOf(body.trimEnd().split('\n')), (parts) => isEnough(print(parts)));
  return print(pairs);
}

function pairsOf(lines: readonly string[]): readonly string[] {
  return lines.flatMap((_, at) => (at % 2 === 0 ? [lines.slice(at, at + 2).join('\n')] : []));
}

function parse(body: string): Json {
  try {
    return JSON.parse(body) as Json;
  } catch {
    return undefined;
  }
}

/** The first smaller value that is enough, again and again. */
async function smallest(value: Json, isEnough: (value: Json) => Promise<boolean>): Promise<Json> {
  let best = value;
  for (let found = true; found;) {
    found = false;
    for (const tried of smaller(best)) {
      if (!(await isEnough(tried))) continue;
      best = tried;
      found = true;
      break;
    }
  }
  return best;
}

/** Values with one part less, large parts first. */
function* smaller(value: Json): Generator<Json, void> {
  if (Array.isArray(value)) {
    for (const at of value.keys()) yield value.toSpliced(at, 1);
    for (const [at, element] of value.entries()) for (const inner of smaller(element)) yield value.with(at, inner);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const members = Object.entries(value);
  for (const [name] of members) yield Object.fromEntries(members.filter(([other]) => other !== name));
  // An object in place of the one around it, as a clause in place of a query of several.
  for (const [, member] of members)
    for (const inner of Array.isArray(member) ? (member as readonly Json[]) : [member])
      if (typeof inner === 'object' && inner !== null && !Array.isArray(inner)) yield inner;
  for (const [name, member] of members) for (const inner of smaller(member)) yield { ...value, [name]: inner };
}
