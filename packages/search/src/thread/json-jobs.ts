// Jobs of a search thread on JSON alone: large texts are parsed, divided, filtered, merged, masked and printed. Bytes of an input are in
// shared memory.
import { runAnalyze } from '../search/analyze.ts';
import { filterSource, type SourceFilter } from '../fetch/source-filter.ts';
import type { SearchTarget } from '../fetch/target.ts';
import { parseExactly, printExactly } from '../json/exact-json.ts';
import { filterPath } from '../json/filter-path.ts';
import { type Json, parseBody } from '../json/json.ts';
import { whole } from '../json/large-json.ts';
import { mergeDocument } from '../json/merge-document.ts';
import { printJson } from '../json/print-json.ts';
import { type ValuePath, valuesOfPaths } from '../json/values-at.ts';
import { type DocumentRules, maskedText } from '../view/mask-source.ts';
import { type DividedJson, divideJson, toShared } from './divide-json.ts';

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** The kinds of jobs. */
export const jsonJobs = {
  /** Divides a body into its large members and the rest. */
  read: ({
    text,
    apart,
    ignoresRest,
  }: {
    readonly text: Uint8Array;
    readonly apart: readonly string[];
    readonly ignoresRest: boolean;
  }): DividedJson => divideJson(text, apart, ignoresRest),
  /** Merges a partial document into a whole one. Returns its text, unless nothing changed. */
  merge({ source, change }: { readonly source: Uint8Array; readonly change: unknown }) {
    const { merged, changed } = mergeDocument(parsed(source), whole(change) as Json);
    return { text: changed ? toShared(printExactly(merged)) : undefined };
  },
  /** Filters a source, one filter after the other, and takes its values at paths. */
  show({
    source,
    filters,
    paths,
  }: {
    readonly source: Uint8Array;
    readonly filters: readonly SourceFilter[];
    readonly paths: readonly (readonly ValuePath[])[];
  }) {
    const json = parsed(source);
    const text = encoder.encode(JSON.stringify(filters.reduce(filterSource, json)));
    return { text, values: paths.map((each) => valuesOfPaths(json, each)) };
  },
  /** Masks the text of a source for a view. */
  mask: ({ source, rules }: { readonly source: Uint8Array; readonly rules: DocumentRules }) =>
    toShared(maskedText(decoder.decode(source), rules)),
  /** Answers `_analyze`, with the mapping of the index if there is one. Text after the body is ignored. */
  analyze: (
    { text, most }: { readonly text: Uint8Array; readonly most: number },
    [target]: readonly SearchTarget[],
  ): Uint8Array => encoder.encode(JSON.stringify(runAnalyze(parseBody(text, true), target?.target.mapping, most))),
  /** Prints JSON in another form. */
  print({
    text,
    pretty,
    filter,
  }: {
    readonly text: Uint8Array;
    readonly pretty: boolean;
    readonly filter: string | undefined;
  }) {
    const json = parseExactly(decoder.decode(text));
    return encoder.encode(printJson(filter === undefined ? json : (filterPath(json, filter) ?? {}), pretty));
  },
};

export type JsonJobKind = keyof typeof jsonJobs;
export type JsonInput<Kind extends JsonJobKind> = Parameters<(typeof jsonJobs)[Kind]>[0];
export type JsonResult<Kind extends JsonJobKind> = ReturnType<(typeof jsonJobs)[Kind]>;

/** Returns the job of a kind. */
export function jsonJob(kind: JsonJobKind): (input: unknown, targets: readonly SearchTarget[]) => unknown {
  return jsonJobs[kind] as (input: never, targets: readonly SearchTarget[]) => unknown as ReturnType<typeof jsonJob>;
}

function parsed(source: Uint8Array): Json {
  return JSON.parse(decoder.decode(source)) as Json;
}
