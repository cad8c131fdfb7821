// Asks two engines the same requests and keeps what they answer differently.
import { KNOWN_DIFFERENCES } from '../../packages/search/test/compatibility/known-differences.ts';
import type { Answer, AskStep, Step } from './ask.ts';

/** Prints an answer so that equal ones are equal texts. */
type Normalize = (answer: Answer, target: string) => string;

/** An answer that differs. */
export interface Difference {
  readonly seed: number;
  /** What was asked of both since they were empty; the last of them is answered differently. */
  readonly steps: readonly Step[];
  readonly normalize: Normalize;
  readonly request: string;
  readonly theirs: Answer;
  readonly ours: Answer;
}

export interface Outcome {
  readonly asked: number;
  /** Those that no row explains. */
  readonly differences: readonly Difference[];
  /** How many others a row explains. */
  readonly known: number;
  /** What is asked by what it asks for. */
  readonly families: ReadonlyMap<string, Family>;
}

/** Requests of one sort. */
export interface Family {
  asked: number;
  known: number;
  unknown: number;
}

export interface DifferOptions {
  /** Requests in all. */
  readonly cases: number;
  readonly seed: number;
  /** Only requests whose text it matches are asked; all when absent. */
  readonly only?: RegExp | undefined;
  readonly onProgress?: (done: number, differences: number) => void;
}

/** What came of a request: equal answers, different ones, or the same refusal. */
type Told = 'equal' | 'differs' | 'refused';

/** One run of a comparison. */
export class Comparison {
  #seed = 0;
  #steps: Step[] = [];
  readonly #theirs: AskStep;
  readonly #ours: AskStep;
  readonly #options: DifferOptions;
  readonly #differences: Difference[] = [];
  readonly #families = new Map<string, Family>();
  #asked = 0;
  #known = 0;

  constructor(theirs: AskStep, ours: AskStep, options: DifferOptions) {
    this.#theirs = theirs;
    this.#ours = ours;
    this.#options = options;
  }

  /** Both are empty: what follows is made from this seed. */
  begin(seed: number): void {
    this.#seed = seed;
    this.#steps = [];
  }

  get isDone(): boolean {
    return this.#asked >= this.#options.cases;
  }

  get outcome(): Outcome {
    return { asked: this.#asked, differences: this.#differences, known: this.#known, families: this.#families };
  }

  /** Asks both, and compares nothing. */
  both(step: Step): Promise<readonly [theirs: Answer, ours: Answer]> {
    this.#steps.push(step);
    return Promise.all([this.#theirs(step), this.#ours(step)]);
  }

  /** Asks both and compares. */
  async ask(step: Step, normalize: Normalize): Promise<Told> {
    if (this.isDone) return 'equal';
    const [theirs, ours] = await this.both(step);
    const differs =
      normalize(theirs, step.target) !== normalize(ours, step.target) ||
      warningsOf(theirs, step.target) !== warningsOf(ours, step.target);
    const request = step.body === undefined ? step.target : `${step.target}\n${step.body}`;
    const { only, onProgress } = this.#options;
    if (only?.test(request) !== false) {
      this.#asked += 1;
      const name = familyOf(request);
      const family = this.#families.get(name) ?? { asked: 0, known: 0, unknown: 0 };
      this.#families.set(name, family);
      family.asked += 1;
      if (differs) {
        const difference = { seed: this.#seed, request, theirs, ours, normalize, steps: [...this.#steps] };
        if (KNOWN_DIFFERENCES.some(({ covers }) => covers(difference))) {
          this.#known += 1;
          family.known += 1;
        } else {
          this.#differences.push(difference);
          family.unknown += 1;
        }
      }
      onProgress?.(this.#asked, this.#differences.length);
    }
    return differs ? 'differs' : theirs.status >= 400 ? 'refused' : 'equal';
  }
}

/** What an answer warns of: a set, with the names in each in whatever order, and without those that are made up. */
function warningsOf({ status, warning = '' }: Answer, target: string): string {
  const isOfMapping = !OF_DOCUMENTS.test(target);
  // Of several searches at once those of the last one are sent, whichever that is.
  const isUncertain = status >= 400 || /\/_(?:rank_eval|msearch)/.test(target);
  return Array.from(warning.matchAll(/"((?:[^"\\]|\\.)*)"/g), ([, text]) => text!)
    .filter((text) => !NOT_SENT.test(text) && (isOfMapping || !OF_MAPPINGS.test(text)))
    .filter((text) => !isUncertain || !OF_SEARCHES.test(text))
    .map((text) =>
      text
        .replace(/(?<=^\[\w+\])\[\d+:\d+\]/, '')
        .replaceAll(/\b(simulate_\w*template)_[\w-]{22}/g, '$1')
        .split(/[\s,()]+/)
        .toSorted()
        .join(' '),
    )
    .toSorted()
    .join('\n');
}

/** Of a mapping only who changes it is warned, and not who writes a document that brings a field. */
const OF_DOCUMENTS = /\/_(?:doc|create|update|bulk|reindex)\b/;
const OF_MAPPINGS = /^dynamic template|^Parameter \[|^Error parsing \[|_field_names|multi-field|Camel case format/;

/** Warnings of names in analyzers, which are not sent. */
const NOT_SENT = /name is deprecated|setting was deprecated/;

/** Warnings of what stands inside of searches: one that is refused sends those of what was read before its mistake. */
const OF_SEARCHES =
  /fielddata on the _id field|\[interval\] on|Deprecated (?:field|aggregation order)|\[types removal\] (?:Type queries|Types are|Using the _type)|^\[(?:nested_|use_field_mapping)|Object format in indices_boost|moving_avg|As of version 7\.0|Camel case/;

const MEMBERS = [
  'suggest',
  'highlight',
  'aggs',
  'aggregations',
  'rescore',
  'collapse',
  'fields',
  'docvalue_fields',
  'sort',
];

/** What a request asks for: the last word of its path, and for a search its most telling member. */
function familyOf(request: string): string {
  const [, path = ''] = /^\w+ ([^?\s]*)/.exec(request) ?? [];
  const [method] = request.split(' ', 1);
  const endpoint = path.split('/').findLast((each) => each.startsWith('_'));
  if (endpoint === undefined) return `${method} index`;
  if (endpoint !== '_search')
    return endpoint === '_doc' || endpoint === '_mapping' ? `${method} ${endpoint}` : endpoint;
  const member = MEMBERS.find((each) => request.includes(`"${each}":`)) ?? 'query';
  return `_search ${member === 'aggregations' ? 'aggs' : member}`;
}
