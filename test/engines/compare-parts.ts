// The parts of the comparison with Elasticsearch, what share of each may differ, and all of them in turn.
import { askHttp } from './ask.ts';
import { compareAnalysis } from './compare-analysis.ts';
import { CLEAN, compareHistories } from './compare-histories.ts';
import { compareMappings } from './compare-mappings.ts';
import { compareMistakes } from './compare-mistakes.ts';
import { compareOptions } from './compare-options.ts';
import type { DifferOptions, Family, Outcome } from './comparison.ts';
import { compareEngines } from './differ.ts';

/** Share of the requests of all parts together that the rows of docs/compatibility.md may explain. */
export const MOST_KNOWN = 0.016;

/** Share of the requests of each part that may differ without such a row. It may only fall, and is to be 0. */
export const MOST_UNKNOWN: Readonly<Record<Part, number>> = {
  searches: 0.035,
  options: 0.02,
  histories: 0.02,
  mappings: 0.03,
  analysis: 0.01,
  mistakes: 0.02,
};

const COMPARE = {
  searches: compareEngines,
  options: compareOptions,
  histories: compareHistories,
  mappings: compareMappings,
  analysis: compareAnalysis,
  mistakes: compareMistakes,
};

/** Random searches of fixed documents, every option of aggregations and sorts, histories of writes and administration, mappings with their documents, analyzers, and mistakes in requests. */
export type Part = keyof typeof COMPARE;

export const PARTS = Object.keys(COMPARE) as readonly Part[];

/** Compares one part, or all in turn, each with its share of the requests. @param url of the other engine, which loses all it has */
export async function compareParts(url: string, parts: readonly Part[], options: DifferOptions): Promise<Outcome> {
  const outcomes: Outcome[] = [];
  const theirs = askHttp(url);
  for (const each of CLEAN) await theirs(each);
  let asked = 0;
  let differ = 0;
  for (const [at, part] of parts.entries()) {
    const cases = Math.round((options.cases * (at + 1)) / parts.length) - asked;
    const found = await COMPARE[part](url, {
      ...options,
      cases,
      onProgress: (done, differences) => options.onProgress?.(asked + done, differ + differences),
    });
    asked += found.asked;
    differ += found.differences.length;
    outcomes.push({
      ...found,
      families: new Map([...found.families].map(([name, each]) => [`${part} ${name}`, each])),
    });
  }
  return {
    asked,
    differences: outcomes.flatMap(({ differences }) => differences),
    known: outcomes.reduce((sum, { known }) => sum + known, 0),
    families: new Map(outcomes.flatMap(({ families }) => [...families] as (readonly [string, Family])[])),
  };
}
