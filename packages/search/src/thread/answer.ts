// Chooses where a search runs. Nearly all fit into a turn of the event loop and run on the main thread; the others are restarted
// in a search thread. Both run the same code over the same state. The request's allowance limits the turn.
import { reportDamageOf } from '../index/damage.ts';
import { nextTurn } from '../turns.ts';
import type { SearchBody } from '../search/search-body.ts';
import { runCount, runSearch, type SearchOptions, type SearchOutcome } from '../search/search.ts';
import { type ParseOptions, runParseSearch } from '../search/parse-search.ts';
import { type Matches, runMatches } from '../search/matches.ts';
import type { SearchTarget } from '../search/target.ts';
import { type AskedVectors, runManyVectors, runVectors } from '../search/term-vectors.ts';
import { runExplain } from '../search/explain.ts';
import { runValidate } from '../search/validate.ts';
import { sharedCopy } from '../drive.ts';
import type { Json } from '../json.ts';
import { type Allowance, TurnOver } from '../request-budget.ts';
import { PrintedJson } from '../print-json.ts';
import { canTravel } from './replica-registry.ts';
import { lookupKey, type Outcome, type Work } from './messages.ts';
import { fromPlainError } from './plain-error.ts';
import { hasLarge, isLarge, whole, wholeMembers } from '../large-json.ts';
import { LARGE } from './read-json.ts';
import { Deadline, haveThreads, runInThread, runJsonInThread } from './search-threads.ts';

/** Runs a search. @param signal ends it when nobody waits for the answer any more */
export async function answerSearch(
  body: SearchBody,
  targets: readonly SearchTarget[],
  options: SearchOptions,
  signal?: () => AbortSignal,
): Promise<SearchOutcome> {
  const large = hasLarge(body);
  const here = (allowance: Allowance): SearchOutcome =>
    runSearch(large ? wholeMembers(body) : body, targets, { ...options, allowance });
  return await inTurn(
    here,
    { targets, now: options.now, allowance: options.allowance, signal, large },
    (started, allowance) => {
      const { now: _, ...rest } = options;
      const spent = performance.now() - started;
      const work: Work = {
        kind: 'search',
        body,
        options: { ...rest, spent, allowance },
      };
      return {
        work,
        read: (outcome) =>
          outcome.kind === 'search'
            ? { response: new PrintedJson(outcome.response), hits: outcome.hits, positions: outcome.positions }
            : undefined,
      };
    },
  );
}

/** Counts. @param signal ends it when nobody waits for the answer any more */
export async function answerCount(
  query: unknown,
  targets: readonly SearchTarget[],
  options: Pick<SearchOptions, 'allowance' | 'now'>,
  signal?: () => AbortSignal,
): Promise<number> {
  const here = (allowance: Allowance): number => runCount(whole(query), targets, allowance);
  return await inTurn(here, { ...options, targets, signal, large: isLarge(query) }, (_, allowance) => ({
    work: { kind: 'count', query, options: { allowance } },
    read: (outcome) => (outcome.kind === 'count' ? outcome.count : undefined),
  }));
}

/** Finds all documents of a query, as bits by target and segment. @param signal ends it when nobody waits for the answer any more */
export async function answerMatches(
  query: Json | undefined,
  targets: readonly SearchTarget[],
  options: Pick<SearchOptions, 'allowance' | 'now'>,
  signal?: () => AbortSignal,
): Promise<Matches> {
  const here = (allowance: Allowance): Matches => runMatches(whole(query) as Json | undefined, targets, allowance);
  return await inTurn(here, { ...options, targets, signal, large: isLarge(query) }, (_, allowance) => ({
    work: { kind: 'matches', query, options: { allowance } },
    read: (outcome) => (outcome.kind === 'matches' ? outcome.matches : undefined),
  }));
}

/** Reads a query, as `runValidate`. @param signal ends it when nobody waits for the answer any more */
export async function answerValidate(
  query: unknown,
  targets: readonly SearchTarget[],
  { rewrite, ...options }: Pick<SearchOptions, 'allowance' | 'now'> & { readonly rewrite: boolean },
  signal?: () => AbortSignal,
): Promise<readonly string[]> {
  const here = (allowance: Allowance): readonly string[] => runValidate(whole(query), targets, { allowance, rewrite });
  return await inTurn(here, { ...options, targets, signal, large: isLarge(query) }, (_, allowance) => ({
    work: { kind: 'validate', query, options: { allowance, rewrite } },
    read: (outcome) => (outcome.kind === 'validate' ? outcome.explanations : undefined),
  }));
}

/** Reads the body of a search for its mistakes, as `runParseSearch`. @param signal ends it when nobody waits for the answer any more */
export async function answerParse(body: Json, options: ParseOptions, signal?: () => AbortSignal): Promise<void> {
  const { now, maxAggregations } = options;
  const here = (allowance: Allowance): true => {
    runParseSearch(body, { now, maxAggregations, allowance });
    return true;
  };
  await inTurn(here, { ...options, targets: [], signal, large: hasLarge(body) }, (_, allowance) => ({
    work: { kind: 'parse', json: body, options: { maxAggregations, allowance } },
    read: (outcome) => (outcome.kind === 'parse' ? true : undefined),
  }));
}

/** Explains; undefined when there is no such document. @param signal ends it when nobody waits for the answer any more */
export async function answerExplain(
  id: string,
  json: Json,
  target: SearchTarget,
  options: Pick<SearchOptions, 'allowance' | 'now'>,
  signal?: () => AbortSignal,
): Promise<Json | PrintedJson | undefined> {
  // In a list, as `undefined` is an answer.
  const here = (allowance: Allowance): [Json | PrintedJson | undefined] => [
    runExplain(id, wholeMembers(json), target, allowance),
  ];
  const [explained] = await inTurn(
    here,
    { ...options, targets: [target], signal, large: hasLarge(json) },
    (_, allowance) => ({
      work: { kind: 'explain', id, json, options: { allowance } },
      read(outcome) {
        if (outcome.kind !== 'explain') return undefined;
        return [outcome.response === undefined ? undefined : new PrintedJson(outcome.response)];
      },
    }),
  );
  return explained;
}

/** Tells the words of a document. @param signal ends it when nobody waits for the answer any more */
export async function answerVectors(
  asked: AskedVectors,
  targets: readonly SearchTarget[],
  options: Pick<SearchOptions, 'allowance' | 'now'>,
  signal?: () => AbortSignal,
): Promise<Json | PrintedJson> {
  return await vectorsInTurn(asked, (allowance) => runVectors(asked, targets, allowance), targets, options, signal);
}

/** Tells the words of several documents. @param signal ends it when nobody waits for the answer any more */
export async function answerManyVectors(
  asked: readonly AskedVectors[],
  targets: readonly SearchTarget[],
  options: Pick<SearchOptions, 'allowance' | 'now'>,
  signal?: () => AbortSignal,
): Promise<Json | PrintedJson> {
  return await vectorsInTurn(asked, (allowance) => runManyVectors(asked, targets, allowance), targets, options, signal);
}

async function vectorsInTurn(
  asked: AskedVectors | readonly AskedVectors[],
  here: (allowance: Allowance) => Json | PrintedJson,
  targets: readonly SearchTarget[],
  { now, allowance }: Pick<SearchOptions, 'allowance' | 'now'>,
  signal: (() => AbortSignal) | undefined,
): Promise<Json | PrintedJson> {
  // A long text is analyzed without a pause.
  const large = [asked].flat().some((each) => each.kind === 'words' && isLong(each.source));
  return await inTurn(here, { now, allowance, targets, signal, large }, (_, allowance) => ({
    work: { kind: 'vectors', asked, options: { allowance } },
    read: (outcome) => (outcome.kind === 'vectors' ? new PrintedJson(outcome.response) : undefined),
  }));
}

/** Bytes of a source whose words take a few milliseconds. */
const LONG = 16 * 1024;
const isLong = (source: unknown): boolean => (source instanceof Uint8Array ? source.length >= LONG : isLarge(source));

/** Analyses texts in a thread, as `runAnalyze`; undefined where there is none. */
export async function answerAnalyze(
  body: Uint8Array,
  targets: readonly SearchTarget[],
  most: number,
  now: number,
): Promise<PrintedJson | undefined> {
  if (!haveThreads()) return undefined;
  const work: Work = { kind: 'analyze', text: await sharedCopy(body), most };
  const outcome = await runJsonInThread(work, targets, now);
  if (outcome.kind === 'refused') throw fromPlainError(outcome.error);
  return outcome.kind === 'analyze' ? new PrintedJson(outcome.response) : undefined;
}

/** Prints JSON that was printed before in another form: pretty, or filtered. undefined: it is small, or there is no thread. */
export async function printInThread(
  json: PrintedJson,
  form: { readonly pretty: boolean; readonly filter: string | undefined },
): Promise<PrintedJson | undefined> {
  if (json.bytes.length < LARGE || !haveThreads()) return undefined;
  const outcome = await runJsonInThread({ kind: 'print', text: await sharedCopy(json.bytes), ...form });
  if (outcome.kind === 'refused') throw fromPlainError(outcome.error);
  return outcome.kind === 'print' ? new PrintedJson(outcome.text) : undefined;
}

interface Surroundings {
  readonly targets: readonly SearchTarget[];
  readonly now: number;
  readonly allowance: Allowance;
  readonly signal: (() => AbortSignal) | undefined;
  /** Whether part of the request is still text: parsing it would take the turn. */
  readonly large?: boolean;
}

async function inTurn<T>(
  here: (allowance: Allowance) => T,
  { targets, now, allowance, signal, large = false }: Surroundings,
  elsewhere: (
    started: number,
    allowance: Allowance,
  ) => { readonly work: Work; readonly read: (outcome: Outcome) => T | undefined },
): Promise<T> {
  const unlimited: Allowance = { ...allowance, turn: undefined };
  const leaves = allowance.turn !== undefined && (targets.length > 0 || large) && haveThreads() && canTravel(targets);
  if (!leaves) return here(unlimited);
  const started = performance.now();
  if (!large) {
    try {
      return here(allowance);
    } catch (error) {
      if (!(error instanceof TurnOver)) throw error;
    }
    // What was tried, and handing it over, are two turns.
    await nextTurn();
  }
  const cancelled = new Int32Array(new SharedArrayBuffer(4));
  const { work, read } = elsewhere(started, { ...unlimited, cancelled });
  const found = new Map<string, unknown>();
  const deadline = new Deadline(started + allowance.time);
  for (;;) {
    const { caller } = allowance;
    const outcome = await runInThread({ work, now, targets, found, deadline, caller, signal: signal?.(), cancelled });
    switch (outcome.kind) {
      case 'lookup':
        try {
          const { lookup } = targets[0]!.target.context;
          found.set(lookupKey(outcome.index, outcome.id), lookup?.(outcome.index, outcome.id));
        } catch {
          // Reading the query fails there, too, which comes first: its errors do not depend on how far the search got.
          return here(unlimited);
        }
        break;
      case 'refused': {
        const error = fromPlainError(outcome.error);
        reportDamageOf(error);
        throw error;
      }
      case 'failed':
        throw new Error(`A search thread failed: ${outcome.reason}`);
      case 'gone':
        return here(unlimited);
      default:
        return read(outcome)!;
    }
  }
}
