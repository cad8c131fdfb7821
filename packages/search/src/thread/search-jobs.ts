// What a search thread can do with documents, one definition per kind of job: its input, how it runs, and how its result is sent.
// The main thread runs the same definition where a turn of the event loop suffices (answer.ts).
import { runExplain } from '../search/explain.ts';
import { type Matches, runMatches } from '../search/matches.ts';
import { runParseSearch } from '../search/parse-search.ts';
import type { SearchBody } from '../search/search-body.ts';
import { type Counted, runCount, runSearch, type SearchOptions, type SearchOutcome } from '../search/search.ts';
import type { SearchTarget } from '../fetch/target.ts';
import { type AskedVectors, runManyVectors, runVectors } from '../search/term-vectors.ts';
import { runValidate } from '../search/validate.ts';
import type { Json } from '../json/json.ts';
import { hasLarge, isLarge, whole, wholeMembers } from '../json/large-json.ts';
import { PrintedJson, printJson } from '../json/print-json.ts';
import type { RequestLimits } from '../tasks/request-budget.ts';

/** What a job runs on, and what it may spend. */
export interface Surroundings {
  readonly targets: readonly SearchTarget[];
  readonly now: number;
  readonly limits: RequestLimits;
  /** Milliseconds that an attempt took before this one. */
  readonly spent?: number;
}

/** One kind of job. */
export interface SearchJob<Input, Result, Sent> {
  /** Whether part of the input is still text, or so long that it takes the turn by itself. */
  readonly isLarge: (input: Input) => boolean;
  readonly run: (input: Input, surroundings: Surroundings) => Result;
  /** The result as values that structured clone keeps. */
  readonly send: (result: Result) => Sent;
  readonly receive: (sent: Sent) => Result;
}

type SearchInput = { readonly body: SearchBody } & Omit<SearchOptions, 'now' | 'limits' | 'spent'>;
interface SentSearch extends Omit<SearchOutcome, 'response'> {
  readonly response: Uint8Array;
}
interface QueryInput {
  readonly query: unknown;
}

const encoder = new TextEncoder();
/** Bytes of a source whose words take a few milliseconds. */
const LONG = 16 * 1024;

/** The kinds of jobs. */
export const searchJobs = {
  search: define<SearchInput, SearchOutcome, SentSearch>({
    isLarge: ({ body }) => hasLarge(body),
    run: ({ body, ...options }, { targets, ...rest }) =>
      runSearch(wholeMembers(body), targets, { ...options, ...rest }),
    send: (outcome) => ({ ...outcome, response: encoder.encode(printJson(outcome.response, false)) }),
    receive: (sent) => ({ ...sent, response: new PrintedJson(sent.response) }),
  }),
  count: plain<QueryInput, Counted>(
    ({ query }) => isLarge(query),
    ({ query }, { targets, limits }) => runCount(whole(query), targets, limits),
  ),
  /** All documents of a query, as bits by target and segment. */
  matches: plain<QueryInput, Matches>(
    ({ query }) => isLarge(query),
    ({ query }, { targets, limits }) => runMatches(whole(query) as Json | undefined, targets, limits),
  ),
  validate: plain<QueryInput & { readonly rewrite: boolean }, readonly string[]>(
    ({ query }) => isLarge(query),
    ({ query, rewrite }, { targets, limits }) => runValidate(whole(query), targets, { limits, rewrite }),
  ),
  /** Reads the body of a search for its mistakes. */
  parse: plain<{ readonly body: Json; readonly maxAggregations: number }, void>(
    ({ body }) => hasLarge(body),
    ({ body, maxAggregations }, { now, limits }) => runParseSearch(body, { now, maxAggregations, limits }),
  ),
  /** Explains a document of the only target; undefined if there is no such document. */
  explain: printed<{ readonly id: string; readonly json: Json }, undefined>(
    ({ json }) => hasLarge(json),
    ({ id, json }, { targets: [target], limits }) => runExplain(id, wholeMembers(json), target!, limits),
  ),
  /** The words of a document, or of several. */
  vectors: printed<{ readonly asked: AskedVectors | readonly AskedVectors[] }>(
    // A long text is analyzed without a pause.
    ({ asked }) => [asked].flat().some((each) => each.kind === 'words' && isLong(each.source)),
    ({ asked }, { targets, limits }) =>
      'kind' in asked ? runVectors(asked, targets, limits) : runManyVectors(asked, targets, limits),
  ),
};

const isLong = (source: unknown): boolean => (source instanceof Uint8Array ? source.length >= LONG : isLarge(source));

export type SearchJobKind = keyof typeof searchJobs;
export type InputOf<Kind extends SearchJobKind> = Parameters<(typeof searchJobs)[Kind]['run']>[0];
export type ResultOf<Kind extends SearchJobKind> = ReturnType<(typeof searchJobs)[Kind]['run']>;

/** The definition of a kind. */
export function searchJob<Kind extends SearchJobKind>(kind: Kind): SearchJob<InputOf<Kind>, ResultOf<Kind>, unknown> {
  return searchJobs[kind] as SearchJob<unknown, unknown, unknown> as SearchJob<InputOf<Kind>, ResultOf<Kind>, unknown>;
}

function define<Input, Result, Sent>(job: SearchJob<Input, Result, Sent>): SearchJob<Input, Result, Sent> {
  return job;
}

/** A job whose result is sent as it is. */
function plain<Input, Result>(
  isLarge: (input: Input) => boolean,
  run: (input: Input, surroundings: Surroundings) => Result,
): SearchJob<Input, Result, Result> {
  return { isLarge, run, send: (result) => result, receive: (sent) => sent };
}

/** A job whose result is JSON, which is printed in the thread. */
function printed<Input, Missing = never>(
  isLarge: (input: Input) => boolean,
  run: (input: Input, surroundings: Surroundings) => Json | PrintedJson | Missing,
): SearchJob<Input, Json | PrintedJson | Missing, Uint8Array | Missing> {
  return {
    isLarge,
    run,
    send: (result) => (result === undefined ? result : encoder.encode(printJson(result, false))),
    receive: (sent) => (sent instanceof Uint8Array ? new PrintedJson(sent) : sent),
  };
}
