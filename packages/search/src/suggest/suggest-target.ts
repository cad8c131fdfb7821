// Where suggestions come from, and which field and analyzer of it they mean.
import type { Analyzer } from '../analysis/analyzer.ts';
import type { Target } from '../fetch/target.ts';
import type { Query } from '../query/query.ts';
import type { Searcher } from '../collect/search-request.ts';
import type { MappedField } from '../mapping/field-type.ts';
import { shardArgument } from '../errors/request-error.ts';

/** A target with the state it is searched in. */
export interface SuggestTarget {
  readonly target: Target;
  readonly searcher: Searcher;
  /** Of the search that asks, by which documents of completions are explained. */
  readonly query?: Query;
}

/** What all suggestions say. */
interface Common {
  readonly field: string;
  readonly analyzer: string | undefined;
  readonly shardSize: number;
}

/** The field that a suggestion names, of the first index that has it, and what takes the text apart. @throws RequestError where there is none */
export function fieldOf(
  { analyzer: name, field: path, shardSize }: Common,
  targets: readonly SuggestTarget[],
): { readonly field: MappedField; readonly analyzer: Analyzer } {
  for (const { target } of targets) {
    const field = target.mapping.field(path);
    if (field === undefined) continue;
    // Other fields than texts have one word.
    const usual = field.family === 'text' || field.family === 'completion' ? field.searchAnalyzer : undefined;
    const analyzer = (name === undefined ? usual : undefined) ?? target.mapping.analysis.analyzer(name ?? 'keyword');
    if (analyzer === undefined) throw shardArgument(`analyzer [${name}] doesn't exists`);
    if (shardSize <= 0) throw shardArgument(`ShardSize must be positive but was: ${shardSize}`);
    return { field, analyzer };
  }
  throw shardArgument(`no mapping found for field [${path}]`);
}
