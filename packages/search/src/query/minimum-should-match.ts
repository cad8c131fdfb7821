// Reads `minimum_should_match`: `2`, `-1`, `75%`, `-25%`, `3<90%`, `2<-25% 9<-3`.
import { textOf } from '../json/json.ts';
import { failedQuery } from '../errors/request-error.ts';

/** Resolves a specification for a number of optional clauses. @returns 0 to `clauses` */
export function minimumShouldMatch(specification: unknown, clauses: number): number {
  const text = textOf(specification).trim();
  if (text.includes('<')) {
    let result = clauses;
    for (const part of text.replaceAll(/\s*<\s*/g, '<').split(/\s+/)) {
      const [bound, rest] = part.split('<');
      const limit = integer(bound!);
      if (clauses <= limit) return result;
      result = minimumShouldMatch(rest, clauses);
    }
    return result;
  }
  const percent = text.endsWith('%');
  const number = integer(percent ? text.slice(0, -1) : text);
  const count = percent ? Math.trunc((number * clauses) / 100) : number;
  const needed = count < 0 || (percent && number < 0) ? clauses + count : count;
  return Math.max(0, Math.min(needed, percent ? clauses : needed));
}

function integer(text: string): number {
  if (!/^[+-]?\d+$/.test(text)) throw failedQuery(`For input string: "${text}"`, undefined, 'number_format_exception');
  return Number(text);
}
