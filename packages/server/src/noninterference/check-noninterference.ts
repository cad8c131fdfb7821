// The promise as something to run: for a caller, two states of the data that differ only in what he may not see are told
// apart by no request, at neither door. A failure names the caller and the request.
import { type Model, type Store } from '@lockstitch/graph';
import type { Principal } from '@lockstitch/kernel';
import { comparable, createRandom, type Random, SiteCounts, type ThrowSite } from '@lockstitch/search/requests';

import { changeHidden, isSameSight, readVisible } from './change-hidden.ts';
import { changeWithheldFields } from './change-withheld-fields.ts';
import { type Asked, randomRequest, readSurface, type RequestSurface } from './random-requests.ts';
import { openScratch, type OpenWorld, readTables, type ScratchWorld, type Tables } from './scratch-app.ts';

/** A request that told two states apart. */
export interface Interference {
  readonly principal: Principal;
  readonly asked: Asked;
  /** The answers, on the data as it is and with hidden parts changed. */
  readonly answers: readonly [string, string];
  /** Fields he may read of no object, and that search held otherwise in the second world: `Photo.text`. */
  readonly fields: readonly string[];
}

/** What was found. */
export interface NoninterferenceResult {
  readonly cases: number;
  /** Hidden values and rows that were changed. */
  readonly changed: number;
  /** Requests that were answered with an error, which must reveal nothing either. */
  readonly refused: number;
  /** Answers with the error of a site, by site. */
  readonly provoked: ReadonlyMap<string, number>;
  readonly interference: Interference | undefined;
}

/** What to check. */
export interface NoninterferenceOptions {
  readonly model: Model;
  /** The data; only read. */
  readonly store: Store;
  readonly principals: readonly Principal[];
  /** Requests in all. */
  readonly cases: number;
  readonly seed: number;
  /** Places whose errors are counted. */
  readonly sites?: readonly ThrowSite[];
  /** Search gets only requests that fail on a value of some document. */
  readonly onlyRisky?: boolean;
  /** Rows of one table that are looked at, at most. 200 by default. */
  readonly rows?: number;
  readonly onProgress?: (done: number) => void;
  /** What the copies are; in memory by default. */
  readonly openWorld?: OpenWorld;
  /** Between a world and who asks it: tests plant leaks here. */
  readonly ask?: (world: ScratchWorld, asked: Asked, principal: Principal) => Promise<string>;
}

/** Requests to one pair of states. */
const PER_PAIR = 40;

/** Runs it. The same seed on the same data asks the same. */
export async function checkNoninterference(options: NoninterferenceOptions): Promise<NoninterferenceResult> {
  const { model, principals, cases, onProgress = () => undefined, openWorld = openScratch } = options;
  const ask = options.ask ?? ((world: ScratchWorld, asked: Asked, principal: Principal) => world.ask(asked, principal));
  const random = createRandom(options.seed);
  const tables = await readTables(model, options.store, options.rows ?? 200);
  const surface = readSurface(model, wordsOf(tables), keysOf(model, tables));
  let done = 0;
  let changed = 0;
  let refused = 0;
  const counts = new SiteCounts(options.sites ?? []);
  const mistake = options.onlyRisky === true ? 'risky' : undefined;
  const original = await openWorld(model, tables);
  try {
    for (let round = 0; done < cases; round++) {
      const principal = principals[round % principals.length]!;
      const pair = await openChanged(options, tables, original, principal, surface, random);
      changed += pair.changed;
      try {
        for (let at = 0; at < PER_PAIR && done < cases; at++, done++) {
          const asked = randomRequest(random, surface, mistake);
          const [own, other] = [await ask(original, asked, principal), await ask(pair.world, asked, principal)];
          if (isRefusal(own)) refused++;
          counts.note(own);
          if (comparable(own) !== comparable(other)) {
            const { fields } = pair;
            const interference = { principal, asked, answers: [own, other], fields } as const;
            return { cases: done + 1, changed, refused, provoked: counts.counts, interference };
          }
        }
      } finally {
        await pair.world.close();
      }
      onProgress(done);
    }
  } finally {
    await original.close();
  }
  return { cases: done, changed, refused, provoked: counts.counts, interference: undefined };
}

function isRefusal(answer: string): boolean {
  return answer.startsWith('4') || answer.includes('"errors":[');
}

async function openChanged(
  { model, openWorld = openScratch }: NoninterferenceOptions,
  tables: Tables,
  original: ScratchWorld,
  principal: Principal,
  { keys, words }: RequestSurface,
  random: Random,
): Promise<{ readonly world: ScratchWorld; readonly changed: number; readonly fields: readonly string[] }> {
  const visible = await readVisible(original.graph, principal);
  let changed = 0;
  // A field that he may read nowhere must not be there for him: what it is, or whether search has it, is hidden, too.
  const { fields, model: other } = random.once(2)
    ? changeWithheldFields(model, principal, random)
    : { fields: [], model };
  const world = await openWorld(other, tables, async (store) => {
    changed = await changeHidden(model, store, visible, keys, words, random);
  });
  if (isSameSight(visible, await readVisible(world.graph, principal)))
    return { world, changed: changed + fields.length, fields };
  // Something changed that a rule depends on after all: then there is nothing to compare with.
  await world.close();
  return { world: await openWorld(model, tables), changed: 0, fields: [] };
}

/** Words and short values of the data. */
function wordsOf(tables: Tables): readonly string[] {
  const found = new Set<string>();
  for (const { rows } of tables.values()) {
    for (const row of rows) {
      for (const cell of row) {
        if (typeof cell !== 'string' || cell.length > 500) continue;
        if (cell.length <= 40) found.add(cell);
        for (const word of cell.split(/\s+/).slice(0, 20)) if (word !== '') found.add(word);
        if (found.size > 3000) return [...found];
      }
    }
  }
  return [...found];
}

function keysOf(model: Model, tables: Tables): ReadonlyMap<string, readonly string[]> {
  const keys = new Map<string, readonly string[]>();
  for (const entity of model.entities.values()) {
    const { columns, rows } = tables.get(entity.table)!;
    const at = columns.indexOf(entity.key.column);
    keys.set(
      entity.name,
      rows.map((row) => String(row[at])),
    );
  }
  return keys;
}
