// Prints the TypeScript types of a model: objects as responses contain them, inputs and arguments as resolvers receive
// them, and the type of the resolvers object. The output depends on the schema only, so it can be committed and
// compared.
import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  isUnionType,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
} from 'graphql';
import type { Model } from './model.ts';
import { createTypeNames, type TypeNames } from './type-names.ts';

/** TypeScript types of a scalar: in responses, in resolver arguments, and further types that a resolver may return. */
interface ScalarTypes {
  readonly shown: string;
  readonly given: string;
  readonly returned?: string;
}

const typesOf = (names: string, types: ScalarTypes): Readonly<Record<string, ScalarTypes>> =>
  Object.fromEntries(names.split(' ').map((name) => [name, types]));

const SCALARS: Readonly<Record<string, ScalarTypes>> = {
  ...typesOf('String ID UUID EmailAddress LocalDateTime LocalTime Duration Bytes', {
    shown: 'string',
    given: 'string',
  }),
  ...typesOf('Int Float', { shown: 'number', given: 'number' }),
  ...typesOf('DateTime Date Time', { shown: 'string', given: 'Date' }),
  Boolean: { shown: 'boolean', given: 'boolean' },
  BigInt: { shown: 'number | string', given: 'number | bigint' },
  Decimal: { shown: 'string', given: 'string', returned: 'number | bigint' },
  URL: { shown: 'string', given: 'URL' },
};

const HEADER = `// Made from the schema by "lockstitch types"; make it again instead of changing it.
`;
const RESOLVER_TYPES = `
/** Answers one field: a function, or one with the columns of its parent that it needs. */
export type Resolver<Parent, Args, Result> =
  | ResolverFunction<Parent, Args, Result>
  | { readonly needs?: readonly (keyof Parent & string)[]; readonly resolve: ResolverFunction<Parent, Args, Result> };

type ResolverFunction<Parent, Args, Result> = (
  parent: Parent,
  args: Args,
  context: ResolverContext,
) => Result | Promise<Result>;
`;

/** Prints the types of a schema as one TypeScript module. */
export function printTypes(model: Model): string {
  const types = Object.values(model.schema.getTypeMap())
    .filter((type) => !type.name.startsWith('__'))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const printed = types.filter((type) => !isScalarType(type));
  const print: Printing = { model, names: createTypeNames(printed.map(({ name }) => name)) };
  const parts = printed.flatMap((type) => printType(print, type));
  // Scalars that resolvers.ts may register; without any, the import would be unused.
  const scalars = types.filter((type) => isScalarType(type) && !isSpecifiedScalarType(type));
  const imported = `${scalars.length === 0 ? '' : 'GraphQLScalarType, '}ResolverContext`;
  const header = `${HEADER}import type { ${imported} } from 'lockstitch';\n${RESOLVER_TYPES}`;
  return [header, ...parts, printResolvers(print, printed, scalars)].join('\n');
}

interface Printing {
  readonly model: Model;
  readonly names: TypeNames;
}

function printType(print: Printing, type: GraphQLNamedType): readonly string[] {
  const { model, names } = print;
  const name = names.of(type.name);
  if (isEnumType(type)) {
    const values = type.getValues().map((value) => `'${value.name}'`);
    return [`${doc(type.description)}export type ${name} = ${values.join(' | ')};\n`];
  }
  if (isInputObjectType(type)) return [printInput(print, type)];
  if (isInterfaceType(type) || isUnionType(type)) {
    const members = model.schema.getPossibleTypes(type).map((each) => each.name);
    const shown = members.map((member) => names.of(member));
    const result = members.map((member) => `(${names.resultOf(member)} & { readonly __typename: '${member}' })`);
    return [
      `${doc(type.description)}export type ${name} = ${shown.length === 0 ? 'never' : shown.join(' | ')};\n`,
      `/** What a resolver may return for a ${type.name}. */\nexport type ${names.resultOf(type.name)} = ${result.length === 0 ? 'never' : result.join(' | ')};\n`,
    ];
  }
  if (!isObjectType(type)) return [];
  return isRoot(model, type)
    ? printArguments(print, type)
    : [...printObject(print, type), ...printArguments(print, type)];
}

function isRoot({ schema }: Model, type: GraphQLObjectType): boolean {
  return type === schema.getQueryType() || type === schema.getMutationType() || type === schema.getSubscriptionType();
}

function printObject(print: Printing, type: GraphQLObjectType): readonly string[] {
  const { model, names } = print;
  const fields = Object.values(type.getFields());
  const [name, result] = [names.of(type.name), names.resultOf(type.name)];
  const shown = fields.map(
    (field) =>
      `${doc(field.description, '  ')}  readonly ${field.name}: ${outputText(field.type, shownName(print))};\n`,
  );
  const parts = [`${doc(type.description)}export interface ${name} {\n${shown.join('')}}\n`];
  const entity = model.entities.get(type.name);
  if (entity === undefined) {
    const returned = fields.map((field) => {
      const optional = isNonNullType(field.type) ? '' : '?';
      return `  readonly ${field.name}${optional}: ${outputText(field.type, resultName(print))}${optional === '' ? '' : ' | undefined'};\n`;
    });
    parts.push(
      `/** What a resolver may return for a ${type.name}. */\nexport interface ${result} {\n${returned.join('')}}\n`,
    );
    return parts;
  }
  const columns = [...entity.fields.values()]
    .filter((field) => field.kind === 'column')
    .map((field) => `'${field.name}'`);
  const key = entity.key.name;
  return [
    ...parts,
    `/** The stored columns of a ${type.name}. */\nexport type ${names.columnsOf(type.name)} = Pick<${name}, ${columns.join(' | ')}>;\n`,
    `/** What a resolver may return for a ${type.name}: an object with its key; the rest is read from the database. */\n` +
      `export type ${result} = Pick<${name}, '${key}'>;\n`,
  ];
}

function printInput(print: Printing, type: GraphQLInputObjectType): string {
  const fields = Object.values(type.getFields()).map((field) => printInputField(print, field));
  return `${doc(type.description)}export interface ${print.names.of(type.name)} {\n${fields.join('')}}\n`;
}

function printInputField(print: Printing, field: GraphQLInputField | GraphQLArgument): string {
  const hasDefault = field.default !== undefined || field.defaultValue !== undefined;
  const optional = !isNonNullType(field.type) && !hasDefault;
  const text = inputText(field.type, givenName(print));
  return `${doc(field.description, '  ')}  readonly ${field.name}${optional ? '?' : ''}: ${text}${optional ? ' | undefined' : ''};\n`;
}

function printArguments(print: Printing, type: GraphQLObjectType): readonly string[] {
  return Object.values(type.getFields())
    .filter((field) => field.args.length > 0)
    .map((field) => {
      const given = field.args.map((argument) => printInputField(print, argument));
      return `export interface ${print.names.argumentsOf(type.name, field.name)} {\n${given.join('')}}\n`;
    });
}

function printResolvers(
  print: Printing,
  types: readonly GraphQLNamedType[],
  scalars: readonly GraphQLNamedType[],
): string {
  const { model, names } = print;
  const objects = types.filter((type) => isObjectType(type));
  const members = objects.map((type) => {
    const entity = model.entities.get(type.name);
    const parent = isRoot(model, type)
      ? 'unknown'
      : entity === undefined
        ? names.resultOf(type.name)
        : names.columnsOf(type.name);
    const fields = Object.values(type.getFields()).map((field) => {
      const args =
        field.args.length === 0 ? 'Readonly<Record<string, never>>' : names.argumentsOf(type.name, field.name);
      return `    readonly ${field.name}?: Resolver<${parent}, ${args}, ${outputText(field.type, resultName(print))}>;\n`;
    });
    return `  readonly ${type.name}?: {\n${fields.join('')}  };\n`;
  });
  members.push(...scalars.map(({ name }) => `  readonly ${name}?: GraphQLScalarType;\n`));
  return `/** What the default export of resolvers.ts satisfies. */\nexport type ResolversOfSchema = {\n${members.join('')}};\n`;
}

function outputText(type: GraphQLOutputType, nameOf: NameOf): string {
  if (isNonNullType(type)) return bareText(type.ofType, nameOf);
  return `${bareText(type, nameOf)} | null`;
}

function bareText(type: GraphQLOutputType, nameOf: NameOf): string {
  if (isListType(type)) return listText(outputText(type.ofType, nameOf));
  return nameOf(getNamedType(type));
}

function inputText(type: GraphQLInputType, nameOf: NameOf): string {
  if (isNonNullType(type))
    return isListType(type.ofType) ? listText(inputText(type.ofType.ofType, nameOf)) : nameOf(getNamedType(type));
  return `${isListType(type) ? listText(inputText(type.ofType, nameOf)) : nameOf(getNamedType(type))} | null`;
}

function listText(element: string): string {
  return `readonly ${/^[\w'. ]+$/.test(element) && !element.includes(' ') ? element : `(${element})`}[]`;
}

type NameOf = (type: GraphQLNamedType) => string;

function shownName({ names }: Printing): NameOf {
  return (type) => (isScalarType(type) ? (SCALARS[type.name]?.shown ?? 'unknown') : names.of(type.name));
}

function givenName({ names }: Printing): NameOf {
  return (type) => (isScalarType(type) ? (SCALARS[type.name]?.given ?? 'unknown') : names.of(type.name));
}

function resultName({ names }: Printing): NameOf {
  return (type) => {
    if (isEnumType(type)) return names.of(type.name);
    if (!isScalarType(type)) return names.resultOf(type.name);
    const { shown, given, returned = given } = SCALARS[type.name] ?? { shown: 'unknown', given: 'unknown' };
    return [...new Set([shown, given, returned].flatMap((each) => each.split(' | ')))].join(' | ');
  };
}

function doc(description: string | null | undefined, indent = ''): string {
  if (description === undefined || description === null || description === '') return '';
  return `${indent}/** ${description.replaceAll('*/', '*\\/').replaceAll(/\s*\n\s*/g, ' ')} */\n`;
}
