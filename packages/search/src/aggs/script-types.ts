// The types that Painless knows of an expression before it is computed, and the mistakes that it finds by them.
import { RequestError } from '../errors/request-error.ts';

/** `def`: known only once it is computed. */
export type Type = 'int' | 'double' | 'boolean' | 'null' | 'def';

const NAMES: Readonly<Record<Type, string>> = {
  int: 'int',
  double: 'double',
  boolean: 'boolean',
  null: 'java.lang.Object',
  def: 'def',
};

function castError(script: string, from: Type, to: string): Error {
  return new RequestError('SEARCH_SHARD_FAILURE', 'script_exception', 'compile error', {
    phase: 'reduce',
    fields: { script: script.slice(0, 200), lang: 'painless' },
    causedBy: { type: 'class_cast_exception', reason: `Cannot cast from [${NAMES[from]}] to [${to}].` },
  });
}

const isNumber = (type: Type): boolean => type === 'int' || type === 'double';

/** @throws RequestError where a value of a type can never be of another */
export function checkCast(script: string, from: Type, to: 'Number' | 'double' | 'boolean'): void {
  if (from === 'def' || (to === 'boolean' ? from === 'boolean' : isNumber(from))) return;
  throw castError(script, from, to === 'Number' ? 'java.lang.Number' : to);
}

/** The type of both branches of a condition. */
export function common(script: string, then: Type, otherwise: Type): Type {
  if (then === otherwise) return then;
  if (then === 'def' || otherwise === 'def') return 'def';
  if (isNumber(then) && isNumber(otherwise)) return 'double';
  throw castError(script, then === 'null' ? otherwise : then, 'java.lang.Object');
}

/** The type of what a sign makes of two values. */
export function checkNumbers(script: string, sign: string, left: Type, right: Type): Type {
  const isComparison = ['==', '!=', '<', '<=', '>', '>='].includes(sign);
  const isEquality = sign === '==' || sign === '!=';
  if (left !== 'def' && right !== 'def') {
    const isSame = left === right || left === 'null' || right === 'null';
    if (!(isNumber(left) && isNumber(right)) && !(isEquality && isSame))
      throw castError(script, isNumber(left) ? right : left, 'int');
  }
  if (isComparison) return 'boolean';
  if (left === 'def' || right === 'def') return 'def';
  return left === 'int' && right === 'int' ? 'int' : 'double';
}
