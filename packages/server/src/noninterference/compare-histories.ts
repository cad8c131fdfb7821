// Two states of the data that differ only in what a caller may not see, changed by the same mutations of that caller:
// answers, errors and what is left to read must be equal.
import type { Model } from '@lockstitch/graph';
import { lookUp, type Principal } from '@lockstitch/kernel';
import { comparable, type Random } from '@lockstitch/search/requests';

import { isSameSight, readVisible, type Visible } from './change-hidden.ts';
import { isDocumented } from './documented-differences.ts';
import type { GraphAsked } from './random-graph-requests.ts';
import { randomMutation } from './random-mutations.ts';
import { type Asked, askOffered, randomRequest, type RequestSurface } from './random-requests.ts';
import type { ScratchApp } from './scratch-app.ts';
import { isLiving, readStored, type StoredTypes } from './stored-rows.ts';

type Sight = ReadonlyMap<string, Visible>;

export interface History {
  readonly model: Model;
  readonly principal: Principal;
  readonly surface: RequestSurface;
  readonly random: Random;
  /** What the caller sees of both. */
  readonly seen: Sight;
  /** Both states; they are changed. */
  readonly worlds: readonly [ScratchApp, ScratchApp];
  /** Asks one of them. */
  readonly ask: (world: ScratchApp, asked: Asked, principal: Principal) => Promise<string>;
  /** Most requests. */
  readonly cases: number;
}

export interface HistoryResult {
  /** Answers of the first state. */
  readonly answers: readonly string[];
  readonly difference:
    | { readonly asked: Asked; readonly answers: readonly [string, string]; readonly steps: readonly GraphAsked[] }
    | undefined;
}

/** Requests that read after each mutation. */
const READS = 2;

/** Runs mutations and requests until an answer differs, or the states have become different for the caller. */
export async function compareHistories(history: History): Promise<HistoryResult> {
  const { ask, cases, model, principal, random, surface, worlds } = history;
  const answers: string[] = [];
  const steps: GraphAsked[] = [];
  let { seen } = history;
  const hidden = hiddenIn(surface.keys, seen);
  const readRows = (): Promise<readonly [StoredTypes, StoredTypes]> =>
    Promise.all([readStored(model, worlds[0].graph.store), readStored(model, worlds[1].graph.store)]);
  let before = await readRows();
  const differ = (asked: Asked, both: readonly [string, string]): HistoryResult => ({
    answers,
    difference: { asked, answers: both, steps },
  });
  const askFirst = (asked: Asked): Promise<string> => ask(worlds[0], asked, principal);
  const askSecond = async (asked: Asked, first: string): Promise<readonly [string, string]> => {
    answers.push(first);
    return [first, await ask(worlds[1], asked, principal)];
  };
  while (answers.length < cases) {
    // Mostly objects that the caller sees.
    const keys = new Map([...surface.keys].map(([type, all]) => [type, all.concat(...threeTimes(seen, type))]));
    const mutation = randomMutation(random, { ...surface, keys });
    const both = await askSecond(mutation, await askFirst(mutation));
    steps.push(mutation);
    const sights = [
      await readVisible(worlds[0].graph, principal),
      await readVisible(worlds[1].graph, principal),
    ] as const;
    const after = await readRows();
    const isSame = comparable(both[0]) === comparable(both[1]);
    // The caller may write what a rule reads, and so see more than before: then the states differ for them.
    if (sights.some((sight) => isRevealed(hidden, sight))) return { answers, difference: undefined };
    if (!isSame || !isSameSight(...sights) || !isSameLife(model, seen, after)) {
      const [one, other] = [0, 1].map((at) => ({ answer: both[at]!, before: before[at]!, after: after[at]! }));
      if (isDocumented({ model, query: mutation.query, seen }, [one!, other!]))
        return { answers, difference: undefined };
      return differ(mutation, isSame ? [both[0] + printSight(sights[0]), both[1] + printSight(sights[1])] : both);
    }
    before = after;
    seen = sights[0];
    for (let at = 0; at < READS && answers.length < cases; at++) {
      const [asked, first] = await askOffered(random, () => randomRequest(random, { ...surface, keys }), askFirst);
      const read = await askSecond(asked, first);
      if (comparable(read[0]) !== comparable(read[1])) return differ(asked, read);
    }
  }
  return { answers, difference: undefined };
}

function threeTimes(sight: Sight, type: string): readonly string[] {
  const rows = [...lookUp(sight, type).rows];
  return [...rows, ...rows, ...rows];
}

/** What a caller does not see: objects and, by field, objects in which it is withheld. */
function hiddenIn(keys: ReadonlyMap<string, readonly string[]>, sight: Sight): Sight {
  return new Map(
    [...sight].map(([type, { fields, rows }]) => {
      const all = keys.get(type) ?? [];
      const others = (seen: ReadonlySet<string>): ReadonlySet<string> => new Set(all.filter((key) => !seen.has(key)));
      return [type, { rows: others(rows), fields: new Map([...fields].map(([name, each]) => [name, others(each)])) }];
    }),
  );
}

function isRevealed(hidden: Sight, sight: Sight): boolean {
  return [...hidden].some(([type, { fields, rows }]) => {
    const seen = lookUp(sight, type);
    const overlaps = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean => !one.isDisjointFrom(other);
    return overlaps(rows, seen.rows) || [...fields].some(([name, keys]) => overlaps(keys, lookUp(seen.fields, name)));
  });
}

function printSight(sight: Sight): string {
  const print = (keys: ReadonlySet<string>): string => [...keys].toSorted().join(' ');
  const lines = [...sight].flatMap(([type, { fields, rows }]) => [
    `${type}: ${print(rows)}`,
    ...[...fields].map(([name, keys]) => `${type}.${name}: ${print(keys)}`),
  ]);
  return `\nAfterwards the caller sees:\n${lines.join('\n')}`;
}

/** Whether both states still have the same of the objects that the caller saw: those deleted softly may show. */
function isSameLife(model: Model, seen: Sight, [one, other]: readonly [StoredTypes, StoredTypes]): boolean {
  return [...seen].every(([type, { rows }]) => {
    const entity = lookUp(model.entities, type);
    return [...rows].every((key) => isLiving(entity, key, one) === isLiving(entity, key, other));
  });
}
