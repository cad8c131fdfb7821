// How scripts of pipelines are cut into words, and how one that is not understood is refused.
import { RequestError } from '../errors/request-error.ts';

const TOKEN =
  /\s+|\/\/[^\n]*|\/\*[^]*?\*\/|(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?[dDfFlL]?|\.\d+(?:[eE][+-]?\d+)?[dDfF]?)|([A-Za-z_]\w*)|('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|(===|!==|==|!=|<=|>=|&&|\|\||[-+*/%<>!?:(),.[\]{};=])/gy;

/** A word of a script. */
export interface Token {
  readonly kind: 'number' | 'name' | 'text' | 'sign' | 'end';
  readonly text: string;
  readonly at: number;
}

/** The refusal of a script. @param at where in it */
export function scriptError(script: string, at: number, reason: string): Error {
  return new RequestError(
    'SEARCH_UNSUPPORTED',
    'script_exception',
    `compile error: ${reason}, at [${script.slice(at, at + 20)}]. Scripts of pipelines are expressions of numbers here: [params], arithmetic, comparisons, [? :], [if], [return], [Math] and [MovingFunctions].`,
    { phase: 'reduce', fields: { script: script.slice(0, 200), lang: 'painless' } },
  );
}

/** The words of a script; the last is its end. @throws RequestError for a character that begins none */
export function tokens(script: string): readonly Token[] {
  const found: Token[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < script.length) {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(script);
    if (match === null) throw scriptError(script, at, `unexpected character [${script[at]}]`);
    const [text, digits, name, quoted, sign] = match;
    const kinds: readonly (readonly [string | undefined, Token['kind']])[] = [
      [digits, 'number'],
      [name, 'name'],
      [quoted, 'text'],
      [sign, 'sign'],
    ];
    const kind = kinds.find(([found]) => found !== undefined)?.[1];
    if (kind !== undefined) found.push({ kind, text, at });
  }
  found.push({ kind: 'end', text: '', at: script.length });
  return found;
}
