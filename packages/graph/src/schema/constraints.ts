// @constraint on stored fields, input fields and arguments: what it says, and whether it fits the type.
import {
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isObjectType,
  type ASTNode,
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql';
import { didYouMean } from '@lockstitch/kernel';
import { toDecimal } from './decimal.ts';
import { directiveValues } from './directive-values.ts';
import type { DirectiveArguments } from './directives.ts';
import type { Problems } from './problems.ts';

/** Named forms of texts. The first is that of HTML's input of type email. */
export const FORMATS = {
  email:
    /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/,
  uri: /^[a-zA-Z][a-zA-Z0-9+.-]*:[^\s<>"{}|\\^`]+$/,
  uuid: /^[\da-fA-F]{8}-(?:[\da-fA-F]{4}-){3}[\da-fA-F]{12}$/,
  date: /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/,
  ipv4: /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/,
} as const;

export type Format = keyof typeof FORMATS;

/** What a value must satisfy. */
export interface Constraint {
  readonly minLength: number | undefined;
  readonly maxLength: number | undefined;
  readonly pattern: RegExp | undefined;
  readonly format: Format | undefined;
  /** Decimals in canonical form. */
  readonly min: string | undefined;
  readonly max: string | undefined;
  readonly minItems: number | undefined;
  readonly maxItems: number | undefined;
  /** The application's own code and message of a violation. */
  readonly code: string | undefined;
  readonly message: string | undefined;
}

interface Owner {
  readonly astNode?: ASTNode | null | undefined;
}

const known = new WeakMap<object, Constraint | undefined>();

/** The constraint of a field, input field or argument. A mistake in it has been reported by checkConstraintOf. */
export function readConstraint(schema: GraphQLSchema, owner: Owner): Constraint | undefined {
  const node = owner.astNode;
  if (node === undefined || node === null) return undefined;
  if (known.has(node)) return known.get(node);
  const values = directiveValues(schema, 'constraint', owner);
  const constraint = values === undefined ? undefined : toConstraint(values);
  known.set(node, constraint);
  return constraint;
}

function toConstraint(values: DirectiveArguments['constraint']): Constraint {
  const { format } = values;
  return {
    minLength: values.minLength ?? undefined,
    maxLength: values.maxLength ?? undefined,
    pattern: toPattern(values.pattern),
    format: isFormat(format) ? format : undefined,
    min: values.min == null ? undefined : toDecimal(String(values.min)),
    max: values.max == null ? undefined : toDecimal(String(values.max)),
    minItems: values.minItems ?? undefined,
    maxItems: values.maxItems ?? undefined,
    code: values.code ?? undefined,
    message: values.message ?? undefined,
  };
}

function isFormat(format: string | null | undefined): format is Format {
  return format != null && Object.hasOwn(FORMATS, format);
}

function toPattern(pattern: string | null | undefined): RegExp | undefined {
  try {
    return pattern == null ? undefined : new RegExp(pattern, 'u');
  } catch {
    return undefined;
  }
}

const NUMBERS: ReadonlySet<string> = new Set(['Int', 'Float', 'BigInt', 'Decimal']);
const TEXTS: ReadonlySet<string> = new Set(['String', 'ID', 'URL', 'EmailAddress']);

/** Bounds of the same. */
const BOUNDS = [
  ['minLength', 'maxLength'],
  ['min', 'max'],
  ['minItems', 'maxItems'],
] as const;

const INT_MAX = 2 ** 31 - 1;

/** Characters of the shortest and the longest text of each form. */
const LENGTHS: Readonly<Record<Format, readonly [shortest: number, longest: number]>> = {
  email: [3, Infinity],
  uri: [3, Infinity],
  uuid: [36, 36],
  date: [10, 10],
  ipv4: [7, 15],
};

function lengths(shortest: number, longest: number): string {
  if (longest === Infinity) return `at least ${shortest} characters`;
  return shortest === longest ? `${shortest} characters` : `${shortest} to ${longest} characters`;
}

/** Reports what in a @constraint cannot be checked, and what no value satisfies. */
function checkConstraintOf(
  schema: GraphQLSchema,
  coordinate: string,
  owner: Owner & { readonly type: GraphQLInputType | GraphQLOutputType },
  problems: Problems,
): void {
  const values = directiveValues(schema, 'constraint', owner);
  if (values === undefined) return;
  const { code: _code, message: _message, ...tests } = values;
  const { name } = getNamedType(owner.type);
  const report = (problem: string, remedy: string): void =>
    problems.add(owner.astNode, `@constraint on ${coordinate} ${problem}`, remedy);
  const has = (...names: (keyof typeof tests)[]): boolean => names.some((each) => tests[each] != null);
  if (Object.values(tests).every((test) => test == null))
    report('says nothing.', 'Write what values must satisfy, such as maxLength: 80.');
  if (has('minLength', 'maxLength', 'pattern', 'format') && !TEXTS.has(name))
    report(`is about texts, and ${coordinate} is ${String(owner.type)}.`, 'Use min and max for numbers.');
  if (has('min', 'max') && !NUMBERS.has(name))
    report(`is about numbers, and ${coordinate} is ${String(owner.type)}.`, 'Use minLength and maxLength for texts.');
  if (has('minItems', 'maxItems') && !isListType(getNullableType(owner.type)))
    report(`counts elements, and ${coordinate} is no list.`, 'Leave out minItems and maxItems.');
  for (const [least, most] of BOUNDS) {
    const [from, to] = [tests[least], tests[most]];
    if (from != null && to != null && from > to)
      report(
        `has ${least}: ${from} and ${most}: ${to}, which no value satisfies.`,
        `Write a ${most} of ${from} or more.`,
      );
  }
  if (name === 'Int' && ((tests.min ?? 0) > INT_MAX || (tests.max ?? 0) < -INT_MAX - 1))
    report(`allows no Int: those are from ${-INT_MAX - 1} to ${INT_MAX}.`, 'Use BigInt, or another bound.');
  if (tests.format != null && isFormat(tests.format)) {
    const [shortest, longest] = LENGTHS[tests.format];
    if ((tests.maxLength ?? longest) < shortest || (tests.minLength ?? shortest) > longest)
      report(
        `has the format "${tests.format}", whose texts have ${lengths(shortest, longest)}.`,
        'Leave out the length.',
      );
  }
  if (tests.pattern != null && toPattern(tests.pattern) === undefined)
    report(`has the pattern "${tests.pattern}", which is no regular expression.`, 'Write one of JavaScript.');
  if (tests.format != null && !isFormat(tests.format))
    report(
      `has the unknown format "${tests.format}".${didYouMean(tests.format, Object.keys(FORMATS))}`,
      `Take one of ${Object.keys(FORMATS).join(', ')}, or a pattern.`,
    );
}

/** Reports mistakes in the constraints of a schema, and constraints that nothing checks. */
export function checkConstraints(
  schema: GraphQLSchema,
  stored: (type: string, field: string) => boolean,
  checksArguments: (type: string, field: string) => boolean,
  problems: Problems,
): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (isInputObjectType(type))
      for (const field of Object.values(type.getFields()))
        checkConstraintOf(schema, `${type.name}.${field.name}`, field, problems);
    if (!isObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const coordinate = `${type.name}.${field.name}`;
      checkConstraintOf(schema, coordinate, field, problems);
      if (directiveValues(schema, 'constraint', field) !== undefined && !stored(type.name, field.name))
        problems.add(
          field.astNode,
          `@constraint on ${coordinate}, which is no stored value.`,
          'Put it on the field of the type that is stored, on an input field or an argument.',
        );
      for (const argument of field.args) {
        checkConstraintOf(schema, `${coordinate}(${argument.name}:)`, argument, problems);
        if (directiveValues(schema, 'constraint', argument) === undefined || checksArguments(type.name, field.name))
          continue;
        problems.add(
          argument.astNode,
          `@constraint on ${coordinate}(${argument.name}:) is not checked: the field only reads.`,
          'Constraints are for mutations, and for root fields with resolvers.',
        );
      }
    }
  }
}
