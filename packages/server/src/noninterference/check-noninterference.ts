// Runs the noninterference property: for a caller, two states of the data that differ only in hidden data give equal
// answers to every request, in GraphQL and in search. A failure names the caller and the request.
import { type Model, type Store } from '@lockstitch/graph';
import { lookUp, type Principal } from '@lockstitch/kernel';
import { comparable, createRandom, type Random, SiteCounts, type ThrowSite } from '@lockstitch/search/requests';

import { changeHidden, isSameSight, readVisible, type Visible } from './change-hidden.ts';
import { changeWithheldFields } from './change-withheld-fields.ts';
import { compareHistories } from './compare-histories.ts';
import { rootsFor } from './random-operations.ts';
import { type Asked, askOffered, randomRequest, readSurface, type RequestSurface } from './random-requests.ts';
import { keyColumns } from './row-keys.ts';
import { keysIn, openScratch, type OpenScratchApp, readTables, type ScratchApp, type Tables } from './scratch-app.ts';

/** A request whose answers differ between the two states. */
export interface Interference {
  readonly principal: Principal;
  readonly asked: Asked;
  /** The answers on the original data and on the data with hidden changes. */
  readonly answers: readonly [string, string];
  /**
   * Fields that the caller may read in no object, and that search maps differently in the second state: `Photo.text`.
   */
  readonly fields: readonly string[];
  /** Mutations of the caller that both states had before, the last one included. */
  readonly steps: readonly Asked[];
}

export interface NoninterferenceResult {
  readonly cases: number;
  /** Number of hidden values and rows that were changed. */
  readonly changed: number;
  /** Requests that were answered with an error. Errors must reveal nothing either. */
  readonly refused: number;
  /** Number of answers with the error of each throw site. */
  readonly provoked: ReadonlyMap<string, number>;
  readonly interference: Interference | undefined;
}

export interface NoninterferenceOptions {
  readonly model: Model;
  /** The data; only read. */
  readonly store: Store;
  /** Where the rows of a table come from, if not from the table itself. */
  readonly sources?: ReadonlyMap<string, string>;
  readonly principals: readonly Principal[];
  /** Total number of requests. */
  readonly cases: number;
  readonly seed: number;
  /** Throw sites whose errors are counted. */
  readonly sites?: readonly ThrowSite[];
  /** Send search only requests that fail on a value of some document. */
  readonly onlyRisky?: boolean;
  /** Run no mutations, or change every pair of states by mutations. Default: some pairs. */
  readonly only?: 'reads' | 'histories';
  /** Rows read per table. Default: 200. */
  readonly rows?: number;
  /** Which requests are sent; others are drawn again, 200 times at most. Default: all. */
  readonly wants?: (asked: Asked) => boolean;
  readonly onProgress?: (done: number) => void;
  /** Opens the copies; in memory by default. */
  readonly openWorld?: OpenScratchApp;
  /** Ends the check with an error; the copies are closed. */
  readonly signal?: AbortSignal;
  /** Sits between a copy and its caller; tests plant leaks here. */
  readonly ask?: (world: ScratchApp, asked: Asked, principal: Principal) => Promise<string>;
}

/** Requests per pair of states. */
const PER_PAIR = 40;
/** One pair in so many is changed by mutations of the caller. */
const HISTORIES = 3;
/** Requests per pair that is changed, a third of them mutations. */
const PER_HISTORY = 40;

/** Runs the check. The same seed on the same data sends the same requests. */
export async function checkNoninterference(options: NoninterferenceOptions): Promise<NoninterferenceResult> {
  const { model, principals, cases, onProgress = () => undefined, signal, wants } = options;
  const openWorld: OpenScratchApp = (...parts) => {
    signal?.throwIfAborted();
    return (options.openWorld ?? openScratch)(...parts);
  };
  const ask = (world: ScratchApp, asked: Asked, principal: Principal): Promise<string> => {
    signal?.throwIfAborted();
    return options.ask === undefined ? world.ask(asked, principal) : options.ask(world, asked, principal);
  };
  const random = createRandom(options.seed);
  const tables = await readTables(model, options.store, options.rows ?? 200, options.sources);
  const surface = readSurface(model, wordsOf(tables), keysOf(model, tables), takenIn(model, tables));
  let done = 0;
  let changed = 0;
  let refused = 0;
  const counts = new SiteCounts(options.sites ?? []);
  const mistake = options.onlyRisky === true ? 'risky' : undefined;
  const note = (answer: string): void => {
    if (isRefusal(answer)) refused++;
    counts.note(answer);
  };
  const writes = options.only !== 'reads' && mistake === undefined && rootsFor(model, 'mutations').length > 0;
  const original = await openWorld(model, tables);
  try {
    // Nobody changes the original, so what each caller sees of it is read once.
    const sights = new Map<Principal, ReadonlyMap<string, Visible>>();
    for (let round = 0; done < cases; round++) {
      const principal = principals[round % principals.length]!;
      const seen = sights.get(principal) ?? (await readVisible(original.graph, principal));
      sights.set(principal, seen);
      const isHistory = writes && (random.once(HISTORIES) || options.only === 'histories');
      const pair = await openChanged({ model, openWorld }, tables, seen, principal, surface, random, isHistory);
      changed += pair.changed;
      const { fields } = pair;
      try {
        if (isHistory) {
          const own = await openWorld(model, tables);
          try {
            const worlds = [own, pair.world] as const;
            const most = Math.min(PER_HISTORY, cases - done);
            const result = await compareHistories({
              model,
              principal,
              seen,
              surface,
              random,
              worlds,
              ask,
              cases: most,
            });
            for (const answer of result.answers) note(answer);
            done += result.answers.length;
            if (result.difference !== undefined) {
              const interference = { principal, fields, ...result.difference };
              return { cases: done, changed, refused, provoked: counts.counts, interference };
            }
          } finally {
            await own.close();
          }
          continue;
        }
        for (let at = 0; at < PER_PAIR && done < cases; at++, done++) {
          const draw = (): Asked => drawWanted(() => randomRequest(random, surface, mistake), wants);
          const [asked, own] = await askOffered(random, draw, (drawn) => ask(original, drawn, principal));
          const other = await ask(pair.world, asked, principal);
          note(own);
          if (comparable(own) !== comparable(other)) {
            const interference = { principal, asked, answers: [own, other], fields, steps: [] } as const;
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

/** Draws of a request that is wanted. */
const DRAWS = 200;

function drawWanted(draw: () => Asked, wants: (asked: Asked) => boolean = () => true): Asked {
  let asked = draw();
  for (let drawn = 1; drawn < DRAWS && !wants(asked); drawn++) asked = draw();
  return asked;
}

function isRefusal(answer: string): boolean {
  return answer.startsWith('4') || answer.includes('"errors":[');
}

async function openChanged(
  { model, openWorld }: { readonly model: Model; readonly openWorld: OpenScratchApp },
  tables: Tables,
  visible: ReadonlyMap<string, Visible>,
  principal: Principal,
  { keys, words }: RequestSurface,
  random: Random,
  isHistory: boolean,
): Promise<{ readonly world: ScratchApp; readonly changed: number; readonly fields: readonly string[] }> {
  let changed = 0;
  // For a caller who may read a field nowhere, its type and whether it is searched are hidden too.
  const { fields, model: other } =
    !isHistory && random.once(2) ? changeWithheldFields(model, principal, random) : { fields: [], model };
  const world = await openWorld(other, tables, async (store) => {
    changed = await changeHidden(model, store, visible, keys, words, random);
  });
  if (isSameSight(visible, await readVisible(world.graph, principal)))
    return { world, changed: changed + fields.length, fields };
  // A change affected a rule after all, so the states are not comparable.
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

function takenIn(model: Model, tables: Tables): ReadonlyMap<string, readonly string[]> {
  const taken = new Map<string, readonly string[]>();
  for (const { fields, name, table } of model.entities.values()) {
    const { columns, rows } = lookUp(tables, table);
    for (const field of fields.values()) {
      if (field.kind !== 'column' || !field.unique) continue;
      const at = columns.indexOf(field.column);
      if (at === -1) continue;
      taken.set(
        `${name}.${field.name}`,
        rows.flatMap((row) => (row[at] === null ? [] : [String(row[at])])),
      );
    }
  }
  return taken;
}

function keysOf(model: Model, tables: Tables): ReadonlyMap<string, readonly string[]> {
  const keys = new Map<string, readonly string[]>();
  for (const entity of model.entities.values()) {
    const { columns, rows } = lookUp(tables, entity.table);
    keys.set(
      entity.name,
      keysIn(rows, columns, keyColumns(entity)).filter((key) => key !== undefined),
    );
  }
  return keys;
}
