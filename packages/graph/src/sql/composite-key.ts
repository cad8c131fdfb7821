// Compares keys of several columns column by column, which an index can answer; the text of such a key is in no index.
import type { NativeType } from '../schema/model.ts';
import { quoteName } from '../schema/table-name.ts';
import type { SqlValue } from '../store/store.ts';
import type { CompositeColumns, Dialect } from './dialect.ts';
import type { Expr, Parameter, Select } from './sql.ts';

interface CompositeKey extends CompositeColumns {
  /** `parts` are all columns. Then the key equals another one if each part does, and the text of each. */
  readonly isComplete: boolean;
}

/** The columns of a composite key, or of a reference to one, as far as texts compare with them. */
export function compositeColumns(expr: Expr): CompositeKey | undefined {
  if (expr.kind !== 'column' || expr.native?.parts === undefined || expr.native.parts.length === 0) return undefined;
  const { from, column } = expr;
  const { columns, parts } = expr.native;
  return {
    isComplete: columns?.length === parts.length,
    whole: `${from}.${quoteName(column)}`,
    parts: parts.map((part) => ({ column: `${from}.${quoteName(part.raw)}`, part })),
  };
}

/** Equality of two expressions; undefined if neither is a composite key. @param print prints any other expression */
export function compareKeys(
  left: Expr,
  right: Expr,
  dialect: Dialect,
  print: (expr: Expr) => string,
): string | undefined {
  const [one, other] = [compositeColumns(left), compositeColumns(right)];
  if (one === undefined) return other === undefined ? undefined : equalsText(other, left, dialect, print);
  if (other === undefined) return equalsText(one, right, dialect, print);
  const conditions = comparedParts(one, other);
  const equal = conditions.map(({ columns }) => columns.join(' = '));
  const texts = isWhole(one, other, conditions)
    ? conditions
        .filter(({ isExact }) => !isExact)
        .map(({ columns }) => columns.map((column) => dialect.castText(column)).join(' = '))
    : [`${one.whole} = ${other.whole}`];
  return `(${[...equal, ...texts].join(' AND ')})`;
}

function comparedParts(one: CompositeKey, other: CompositeKey) {
  return one.parts.flatMap(({ column, part: { place, texts, exact } }) => {
    const same = other.parts.find(({ part }) => part.place === place && part.texts?.cast === texts?.cast);
    if (same === undefined) return [];
    return [{ columns: [column, same.column], isExact: exact !== undefined && exact === same.part.exact }];
  });
}

function isWhole(one: CompositeKey, other: CompositeKey, compared: readonly unknown[]): boolean {
  return one.isComplete && other.isComplete && compared.length === one.parts.length;
}

/** Whether the equality of two composite keys mentions their columns only, not their texts. */
export function isComparedByParts(left: Expr, right: Expr): boolean {
  const [one, other] = [compositeColumns(left), compositeColumns(right)];
  return one !== undefined && other !== undefined && isWhole(one, other, comparedParts(one, other));
}

/** Equality of a composite key with a text. */
function equalsText(key: CompositeKey, text: Expr, dialect: Dialect, print: (expr: Expr) => string): string {
  if (!dialect.bindsParts || !key.isComplete || text.kind !== 'parameter')
    return dialect.equalsComposite(key, print(text));
  const conditions = key.parts.flatMap(({ column, part }) => {
    const parameter = partOfParameter(text.parameter, part.place, key.parts.length);
    const bound = (): string => print({ kind: 'parameter', parameter, storage: 'text' });
    const equal = `${column} = ${bound()}`;
    // A column of numbers takes 07 for 7.
    return part.exact === 'TEXT' ? [equal] : [equal, `${dialect.castText(column)} = ${bound()}`];
  });
  return `(${conditions.join(' AND ')})`;
}

/** Both sides of an IN by columns; undefined if one of them has no such columns. */
export function keyAmong(
  operand: Expr,
  select: Select,
  dialect: Dialect,
): { readonly given: string; readonly among: Select } | undefined {
  const inner = select.columns[0]?.expr;
  if (inner?.kind !== 'column') return undefined;
  const [one, other] = [compositeColumns(operand), compositeColumns(inner)];
  if (one?.isComplete !== true || other?.isComplete !== true) return undefined;
  const columns = other.parts.map(({ part }): Expr => ({ kind: 'column', from: inner.from, column: part.raw }));
  const isExact = (index: number): boolean => {
    const exact = one.parts[index]?.part.exact;
    return exact !== undefined && exact === other.parts[index]?.part.exact;
  };
  const texts = columns.filter((_, index) => !isExact(index));
  const all = [...columns, ...texts.map((each): Expr => ({ kind: 'cast', to: 'text', operand: each }))];
  const keys = one.parts.map(({ column }) => column);
  const given = [...keys, ...keys.filter((_, index) => !isExact(index)).map((key) => dialect.castText(key))];
  return {
    given: `(${given.join(', ')})`,
    among: { ...select, columns: all.map((expr, index) => ({ expr, as: `k${index}` })) },
  };
}

/** The columns that hold a composite key in a common table, and the type of the key there; undefined if it is compared as a text. */
export function keyParts(
  key: Expr,
  other: Expr,
): { readonly columns: Select['columns']; readonly native: NativeType } | undefined {
  if (key.kind !== 'column' || key.native === undefined) return undefined;
  if (compositeColumns(key)?.isComplete !== true || compositeColumns(other)?.isComplete !== true) return undefined;
  const { from, native } = key;
  const parts = (native.parts ?? []).map((part, index) => ({ ...part, raw: `k${index}` }));
  const columns = (native.parts ?? []).map(({ raw }, index) => ({
    expr: { kind: 'column', from, column: raw } as const,
    as: `k${index}`,
  }));
  return { columns, native: { ...native, parts } };
}

/** A part of a bound key. */
function partOfParameter(parameter: Parameter, place: number, count: number): Parameter {
  if (parameter.kind === 'constant') return { kind: 'constant', value: partOfKey(parameter.value, place, count) };
  const take = (key: SqlValue): SqlValue => partOfKey(key, place, count);
  const { label } = parameter;
  return { kind: 'input', label, read: (inputs) => take(parameter.read(inputs)), part: { of: parameter, take } };
}

/** The key that was split last: each of its parts is bound by itself. */
let split: { readonly text: SqlValue; readonly parts: readonly string[] } = { text: null, parts: [] };

/** A part of the text of a key, from 1; null if no key has the text. */
function partOfKey(text: SqlValue, place: number, count: number): SqlValue {
  if (split.text !== text) split = { text, parts: String(text).split(',') };
  const { parts } = split;
  const part = parts[place - 1];
  if (part === undefined || parts.length !== count) return null;
  if (!part.includes('%')) return part;
  const value = part.replaceAll('%2C', ',').replaceAll('%25', '%');
  return value.replaceAll('%', '%25').replaceAll(',', '%2C') === part ? value : null;
}
