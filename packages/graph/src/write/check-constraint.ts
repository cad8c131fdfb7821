// Checks values against @constraint: those of stored fields in every write, and those of arguments and input fields.
import { toText } from '@lockstitch/kernel';
import {
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLSchema,
} from 'graphql';
import { FORMATS, readConstraint, type Constraint } from '../schema/constraints.ts';
import { compareDecimals, toDecimal } from '../schema/decimal.ts';
import { hasMoreCharacters } from '../store/text-limit.ts';
import { isList, membersIn } from '../present.ts';
import type { Reading } from './read-values.ts';

type Report = Pick<Reading, 'violations'>;

/** Whether a value that is not null satisfies a constraint; adds what it violates. */
export function checkConstraint(constraint: Constraint, value: unknown, path: string, { violations }: Report): boolean {
  const known = violations.length;
  const wrong = (code: string, reason: string): void => {
    const message = constraint.message ?? `"${path}" ${reason}.`;
    violations.push({ path, code: constraint.code ?? code, message });
  };
  if (!isList(value)) {
    checkOne(constraint, value, wrong);
    return violations.length === known;
  }
  const { minItems, maxItems } = constraint;
  if (minItems !== undefined && value.length < minItems)
    wrong('TOO_FEW', `must have at least ${counted(minItems, 'element')}`);
  if (maxItems !== undefined && value.length > maxItems)
    wrong('TOO_MANY', `must have at most ${counted(maxItems, 'element')}`);
  for (const [index, each] of value.entries()) {
    if (each === null) continue;
    const place = `${path}[${index}]`;
    checkOne(constraint, each, (code, reason) => {
      const message = constraint.message ?? `"${place}" ${reason}.`;
      violations.push({ path: place, code: constraint.code ?? code, message });
    });
  }
  return violations.length === known;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function checkOne(constraint: Constraint, value: unknown, wrong: (code: string, reason: string) => void): void {
  const { min, max, minLength, maxLength, pattern, format } = constraint;
  if (min !== undefined || max !== undefined) {
    const number = toDecimal(toText(value));
    if (number === undefined) return;
    if (min !== undefined && compareDecimals(number, min) < 0) wrong('TOO_SMALL', `must be at least ${min}`);
    if (max !== undefined && compareDecimals(number, max) > 0) wrong('TOO_LARGE', `must be at most ${max}`);
    return;
  }
  const text = typeof value === 'string' ? value : value instanceof URL ? value.href : undefined;
  if (text === undefined) return;
  if (minLength !== undefined && !hasMoreCharacters(text, minLength - 1))
    wrong('TOO_SHORT', `must have at least ${counted(minLength, 'character')}`);
  // A long text is not matched: its pattern might take long.
  if (maxLength !== undefined && hasMoreCharacters(text, maxLength))
    return wrong('TOO_LONG', `must have at most ${counted(maxLength, 'character')}`);
  if (pattern !== undefined && !pattern.test(text)) wrong('PATTERN', `does not match the pattern ${pattern.source}`);
  if (format !== undefined && !FORMATS[format].test(text)) wrong('FORMAT', `is not in the format "${format}"`);
}

/** Checks the arguments of a field. */
export type CheckArguments = (args: Readonly<Record<string, unknown>>, report: Report) => void;

const checks = new WeakMap<object, CheckArguments | 'none'>();

/** The check of a field's arguments; undefined if none of them has constraints. */
export function argumentCheckOf(
  schema: GraphQLSchema,
  field: Pick<GraphQLField<unknown, unknown>, 'args'>,
): CheckArguments | undefined {
  let check = checks.get(field);
  if (check === undefined) checks.set(field, (check = createArgumentCheck(schema, field.args) ?? 'none'));
  return check === 'none' ? undefined : check;
}

function createArgumentCheck(schema: GraphQLSchema, args: readonly GraphQLArgument[]): CheckArguments | undefined {
  const checked = args.filter((argument) => reaches(schema, argument, new Set()));
  if (checked.length === 0) return undefined;
  return (values, report) => {
    for (const argument of checked) checkPlace(schema, argument, values[argument.name], argument.name, report);
  };
}

type Place = Pick<GraphQLArgument | GraphQLInputField, 'type' | 'astNode'>;

/** Whether there is a constraint on a place or inside of its type. */
function reaches(schema: GraphQLSchema, place: Place, seen: Set<GraphQLInputObjectType>): boolean {
  if (readConstraint(schema, place) !== undefined) return true;
  const named = getNamedType(place.type);
  if (!isInputObjectType(named) || seen.has(named)) return false;
  seen.add(named);
  return Object.values(named.getFields()).some((field) => reaches(schema, field, seen));
}

function checkPlace(schema: GraphQLSchema, place: Place, value: unknown, path: string, report: Report): void {
  if (value === null || value === undefined) return;
  const constraint = readConstraint(schema, place);
  if (constraint !== undefined) checkConstraint(constraint, value, path, report);
  const named = getNamedType(place.type);
  if (!isInputObjectType(named)) return;
  const fields = Object.values(named.getFields());
  const items = isListType(getNullableType(place.type)) && isList(value) ? value : [value];
  for (const [index, item] of items.entries()) {
    const at = items === value ? `${path}[${index}]` : path;
    for (const field of fields) checkPlace(schema, field, membersIn(item)[field.name], `${at}.${field.name}`, report);
  }
}
