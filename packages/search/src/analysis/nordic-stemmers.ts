// Light stemmers of Finnish and Swedish (Jacques Savoy, "Report on CLEF-2003 Monolingual Tracks") and, made after them, of Norwegian in its
// two languages, with a minimal one for nouns alone. They give what Lucene 8's give.
import { applyRules, letters, rules } from './suffix-rules.ts';

const plainFinnish = letters(['äå', 'a'], ['ö', 'o']);
const FINNISH_DERIVATIONS = rules('11 dellinen|dellisuus');
const FINNISH_CASES = rules('5 lla|tse|sti|ni, 5 aa a');
const FINNISH_PLURALS = rules(`
  8 nnen|ntena s, 8 tten|eiden, 6 neen|niin|seen|teen|inen|han|hen|hin|hon|hun|hyn, 6 den|ksen s,
  6 ssa|sta|lla|lta|tta|ksi|lle, 5 na|ne|nei, 4 ja|ta|a|an|en|in|on|un|yn|n`);
const FINNISH_ENDS = rules('5 hde ksi on, 4 ei|at, 3 t|s|j|e|a|i');

/** `light_finnish`. */
export function lightFinnish(word: string): string {
  if (word.length < 4) return word;
  let left = plainFinnish(word);
  while (left.length > 8 && /k(?:in|o)$/.test(left)) left = left.replace(/k(?:in|o)$/, '');
  for (const rules of [FINNISH_DERIVATIONS, FINNISH_CASES, FINNISH_PLURALS, FINNISH_ENDS])
    left = applyRules(rules, left);
  if (left.length > 8) left = left.replace(/[eou]$/, '');
  if (left.length > 4) left = left.replace(/i$/, '');
  return left.length > 4 ? left.replace(/([kpt])\1+/g, '$1') : left;
}

const SWEDISH = rules(`
  7 elser|heten, 6 arne|erna|ande|else|aste|orna|aren, 5 are|ast|het, 4 ar|er|or|en|at|te|et, 3 t|a|e|n`);

const withoutGenitive = (word: string): string => (word.length > 4 && word.endsWith('s') ? word.slice(0, -1) : word);

/** `light_swedish`. */
export function lightSwedish(word: string): string {
  return applyRules(SWEDISH, withoutGenitive(word));
}

const BOKMAL = rules(`
  7 heter|heten, 5 dom|het, 7 elser|elsen, 6 ende|else|este|eren, 5 ere|est|ene, 4 er|en|et|st|te, 3 a|e|n`);
const NYNORSK = rules(`
  7 heita, 8 heiter|leiken|leikar, 5 dom, 6 heit|semd|leik, 7 elser|elsen, 6 ande|else|aste|aren, 5 are|ast|ene|ane,
  4 er|en|et|ar|te, 3 a|e|n`);

/** `light_norwegian`: bokmål. */
export function lightNorwegian(word: string): string {
  return applyRules(BOKMAL, withoutGenitive(word));
}

/** `light_nynorsk`. */
export function lightNynorsk(word: string): string {
  return applyRules(NYNORSK, withoutGenitive(word));
}

const BOKMAL_NOUNS = rules('5 ene, 4 er|en|et, 3 a|e');
const NYNORSK_NOUNS = rules('5 ene|ane, 4 er|en|et|ar, 3 a|e');

/** `minimal_norwegian`: nouns of bokmål. */
export function minimalNorwegian(word: string): string {
  return applyRules(BOKMAL_NOUNS, withoutGenitive(word));
}

/** `minimal_nynorsk`: nouns. */
export function minimalNynorsk(word: string): string {
  return applyRules(NYNORSK_NOUNS, withoutGenitive(word));
}
