// Groups answers that differ by how they do, so that one cause is one line.
import type { Answer } from './ask.ts';
import type { Difference } from './comparison.ts';
import { isOwn } from './normalize-answer.ts';

type Json = unknown;

/** Kind → its differences, the most frequent kind first. */
export function groupDifferences(
  differences: readonly Difference[],
): readonly (readonly [string, readonly Difference[]])[] {
  const groups = new Map<string, Difference[]>();
  for (const difference of differences) {
    const kind = kindOf(difference);
    const group = groups.get(kind);
    if (group === undefined) groups.set(kind, [difference]);
    else group.push(difference);
  }
  return [...groups].toSorted(([, left], [, right]) => right.length - left.length);
}

/** How two answers differ. */
export function kindOf({ theirs, ours }: Pick<Difference, 'theirs' | 'ours'>): string {
  if (theirs.status >= 400 || ours.status >= 400) return `${toldOf(theirs)} | ours ${toldOf(ours)}`;
  const places = new Set(placesOf(read(theirs), read(ours), ''));
  if (places.size === 0 && theirs.warning !== ours.warning) return `warns ${theirs.warning} | ours ${ours.warning}`;
  return [...places].toSorted().slice(0, 3).join('; ');
}

/** Status, type and first words of an answer. */
function toldOf(answer: Answer): string {
  const { error } = (read(answer) ?? {}) as {
    readonly error?: {
      readonly type?: string;
      readonly root_cause?: readonly { readonly type?: string; readonly reason?: string }[];
    };
  };
  const [cause] = error?.root_cause ?? [];
  const reason = cause?.reason?.replaceAll(/\[[^\]]*\]/g, '[…]').slice(0, 100);
  return [answer.status, error?.type, cause?.type, reason].filter((word) => word !== undefined).join(' ');
}

function read({ body }: Answer): Json {
  try {
    return JSON.parse(body) as Json;
  } catch {
    return body;
  }
}

/** Where two answers differ. */
function placesOf(theirs: Json, ours: Json, path: string): readonly string[] {
  if (Array.isArray(theirs) && Array.isArray(ours)) {
    if (theirs.length !== ours.length) return [`${path}[] has another length`];
    return theirs.flatMap((each, at) => placesOf(each, ours[at], `${path}[]`));
  }
  if (isObject(theirs) && isObject(ours)) {
    const names = new Set([...Object.keys(theirs), ...Object.keys(ours)].filter((name) => !isOwn(name)));
    return [...names].flatMap((name) => {
      const place = path.startsWith('.aggregations') ? path : `${path}.${name}`;
      if (!(name in theirs)) return [`${place} is ours only`];
      return name in ours ? placesOf(theirs[name], ours[name], place) : [`${place} is missing`];
    });
  }
  return theirs === ours ? [] : [`${path} is another`];
}

function isObject(value: Json): value is Readonly<Record<string, Json>> {
  return typeof value === 'object' && value !== null;
}
