// How the inputs of a `completion` field become terms: what is compared (analysed text), then what is shown, then the
// weight and the contexts, separated by a control character, so that a prefix of typed text is a prefix of terms.
import { asInteger, asString, isObject, type Json, toList, tokenOf, textOf } from '../json/json.ts';
import { type Context, contextMappings, contextsOfValue } from './completion-contexts.ts';
import { illegalArgument, parsingError } from '../errors/request-error.ts';
import type { MappedField } from './field-type.ts';

const SEPARATOR = '\u001f';

/** The hidden field whose terms are the inputs of a completion field, for queries. No field has such a name. */
export function inputsPath(path: string): string {
  return `${path}..inputs`;
}

/** The field whose name queries and explanations show. */
export function shownPath(path: string): string {
  return path.endsWith('..inputs') ? path.slice(0, -'..inputs'.length) : path;
}

/** The words of an input as the one term that queries look for; undefined without words. */
export function inputTerm(words: readonly string[]): string | undefined {
  return words.length === 0 ? undefined : words.join(SEPARATOR);
}

/** One suggestion a document offers. */
export interface CompletionInput {
  readonly analysed: string;
  readonly input: string;
  readonly weight: number;
  /** What it belongs to, of a field with contexts. */
  readonly contexts: readonly Context[];
}

/** The text that typed prefixes are compared with. */
export function analyseCompletion(analyzer: MappedField['analyzer'], text: string): string {
  return analyzer.analyze(text).terms.join(' ');
}

/** What one input becomes. */
interface CompletionTerms {
  /** For suggestions: what is compared, shown and weighed. */
  readonly suggested: string;
  /** For queries. */
  readonly queried: string | undefined;
}

/** Terms for one value: a text, a list of texts, or `{input, weight}`. */
export function completionTerms(
  field: MappedField,
  value: unknown,
  { member, source }: { readonly member: string | null; readonly source: Json },
): readonly CompletionTerms[] {
  const mappings = contextMappings(field.definition);
  const limit =
    field.definition['max_input_length'] === undefined
      ? 50
      : asInteger(field.definition['max_input_length'], 'max_input_length');
  return toList(value).flatMap((entry) => {
    let weight = 1;
    let inputs: unknown = entry;
    if (typeof entry !== 'string' && !isObject(entry))
      throw parsingError(
        `failed to parse [${Array.isArray(value) ? null : member}]: expected text or object, but got ${tokenOf(entry)}`,
      );
    if (isObject(entry)) {
      for (const key of Object.keys(entry)) {
        if (key !== 'input' && key !== 'weight' && key !== 'contexts')
          throw illegalArgument(`unknown field name [${key}], must be one of [input, weight, contexts]`);
      }
      inputs = entry['input'] ?? [];
      if (entry['weight'] !== undefined) {
        const given = entry['weight'];
        if (
          typeof given === 'string' ? !/^[+-]?\d+$/.test(given) : typeof given === 'number' && !Number.isInteger(given)
        )
          throw illegalArgument(`weight must be an integer, but was [${textOf(given)}]`);
        weight = asInteger(given, 'weight');
      }
      if (weight < 0 || weight > 2147483647)
        throw illegalArgument(`weight must be in the interval [0..2147483647], but was [${weight}]`);
    }
    const contexts = contextsOfValue(mappings, field.path, isObject(entry) ? entry['contexts'] : undefined, source);
    return toList(inputs).flatMap((each) => {
      const input = asString(each, field.path);
      if (input === '') return [];
      const words = field.analyzer.analyze(input.slice(0, limit)).terms;
      const parts = [words.join(' '), input, String(weight)];
      if (mappings.length > 0) parts.push(JSON.stringify(contexts));
      return [{ suggested: parts.join(SEPARATOR), queried: inputTerm(words) }];
    });
  });
}

/** The parts of a term. */
export function readCompletionTerm(term: string): CompletionInput {
  const [analysed = '', input = '', weight = '1', contexts] = term.split(SEPARATOR);
  return {
    analysed,
    input,
    weight: Number(weight),
    contexts: contexts === undefined ? [] : (JSON.parse(contexts) as readonly Context[]),
  };
}
