// A model → TypeScript: its objects as answers show them, its inputs and arguments as resolvers get them, and the type that
// an application's resolvers satisfy. The text depends on the schema alone, so it can be committed and compared.
import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  isUnionType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
} from 'graphql';
import type { Model } from './model.ts';

/** TypeScript of known scalars: in answers, and as a resolver gets them in its arguments. */
const SCALARS: Readonly<Record<string, { readonly shown: string; readonly given: string }>> = {
  String: { shown: 'string', given: 'string' },
  ID: { shown: 'string', given: 'string' },
  Int: { shown: 'number', given: 'number' },
  Float: { shown: 'number', given: 'number' },
  Boolean: { shown: 'boolean', given: 'boolean' },
  DateTime: { shown: 'string', given: 'Date' },
  Date: { shown: 'string', given: 'Date' },
  Time: { shown: 'string', given: 'Date' },
  BigInt: { shown: 'number | string', given: 'number | bigint' },
  UUID: { shown: 'string', given: 'string' },
  URL: { shown: 'string', given: 'URL' },
  EmailAddress: { shown: 'string', given: 'string' },
};

const HEADER = `// Made from the schema by "lockstitch types"; make it again instead of changing it.
import type { ResolverContext } from 'lockstitch';

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
  const parts = types.flatMap((type) => printType(model, type));
  return [HEADER, ...parts, printResolvers(model, types)].join('\n');
}

function printType(model: Model, type: GraphQLNamedType): readonly string[] {
  if (isEnumType(type)) {
    const values = type.getValues().map((value) => `'${value.name}'`);
    return [`${doc(type.description)}export type ${type.name} = ${values.join(' | ')};\n`];
  }
  if (isInputObjectType(type)) return [printInput(type)];
  if (isInterfaceType(type) || isUnionType(type)) {
    const members = model.schema.getPossibleTypes(type).map((each) => each.name);
    const result = members.map((name) => `(${name}Result & { readonly __typename: '${name}' })`);
    return [
      `${doc(type.description)}export type ${type.name} = ${members.length === 0 ? 'never' : members.join(' | ')};\n`,
      `/** What a resolver may return for a ${type.name}. */\nexport type ${type.name}Result = ${result.length === 0 ? 'never' : result.join(' | ')};\n`,
    ];
  }
  if (!isObjectType(type)) return [];
  return isRoot(model, type) ? printArguments(type) : [...printObject(model, type), ...printArguments(type)];
}

function isRoot({ schema }: Model, type: GraphQLObjectType): boolean {
  return type === schema.getQueryType() || type === schema.getMutationType() || type === schema.getSubscriptionType();
}

function printObject(model: Model, type: GraphQLObjectType): readonly string[] {
  const fields = Object.values(type.getFields());
  const shown = fields.map(
    (field) => `${doc(field.description, '  ')}  readonly ${field.name}: ${outputText(field.type, shownName)};\n`,
  );
  const parts = [`${doc(type.description)}export interface ${type.name} {\n${shown.join('')}}\n`];
  const entity = model.entities.get(type.name);
  if (entity === undefined) {
    const result = fields.map((field) => {
      const optional = isNonNullType(field.type) ? '' : '?';
      return `  readonly ${field.name}${optional}: ${outputText(field.type, resultName)}${optional === '' ? '' : ' | undefined'};\n`;
    });
    parts.push(
      `/** What a resolver may return for a ${type.name}. */\nexport interface ${type.name}Result {\n${result.join('')}}\n`,
    );
    return parts;
  }
  const columns = [...entity.fields.values()].filter((field) => field.kind === 'column').map(({ name }) => `'${name}'`);
  const key = entity.key.name;
  return [
    ...parts,
    `/** The stored columns of a ${type.name}. */\nexport type ${type.name}Columns = Pick<${type.name}, ${columns.join(' | ')}>;\n`,
    `/** What a resolver may return for a ${type.name}: an object with its key; the rest is read from the database. */\n` +
      `export type ${type.name}Result = Pick<${type.name}, '${key}'>;\n`,
  ];
}

function printInput(type: GraphQLInputObjectType): string {
  const fields = Object.values(type.getFields()).map((field) => printInputField(field));
  return `${doc(type.description)}export interface ${type.name} {\n${fields.join('')}}\n`;
}

function printInputField(field: GraphQLInputField | GraphQLArgument): string {
  const hasDefault = field.default !== undefined || field.defaultValue !== undefined;
  const optional = !isNonNullType(field.type) && !hasDefault;
  const text = inputText(field.type);
  return `${doc(field.description, '  ')}  readonly ${field.name}${optional ? '?' : ''}: ${text}${optional ? ' | undefined' : ''};\n`;
}

function printArguments(type: GraphQLObjectType): readonly string[] {
  return Object.values(type.getFields())
    .filter((field) => field.args.length > 0)
    .map((field) => `export interface ${argumentsName(type, field)} {\n${field.args.map(printInputField).join('')}}\n`);
}

function argumentsName(type: GraphQLObjectType, field: GraphQLField<unknown, unknown>): string {
  return `${type.name}${field.name.slice(0, 1).toUpperCase()}${field.name.slice(1)}Args`;
}

function printResolvers(model: Model, types: readonly GraphQLNamedType[]): string {
  const objects = types.filter((type) => isObjectType(type));
  const members = objects.map((type) => {
    const entity = model.entities.get(type.name);
    const parent = isRoot(model, type)
      ? 'unknown'
      : entity === undefined
        ? `${type.name}Result`
        : `${type.name}Columns`;
    const fields = Object.values(type.getFields()).map((field) => {
      const args = field.args.length === 0 ? 'Readonly<Record<string, never>>' : argumentsName(type, field);
      return `    readonly ${field.name}?: Resolver<${parent}, ${args}, ${outputText(field.type, resultName)}>;\n`;
    });
    return `  readonly ${type.name}?: {\n${fields.join('')}  };\n`;
  });
  return `/** What the default export of resolvers.ts satisfies. */\nexport type ResolversOfSchema = {\n${members.join('')}};\n`;
}

function outputText(type: GraphQLOutputType, nameOf: (type: GraphQLNamedType) => string): string {
  if (isNonNullType(type)) return bareText(type.ofType, nameOf);
  return `${bareText(type, nameOf)} | null`;
}

function bareText(type: GraphQLOutputType, nameOf: (type: GraphQLNamedType) => string): string {
  if (isListType(type)) return listText(outputText(type.ofType, nameOf));
  return nameOf(getNamedType(type));
}

function inputText(type: GraphQLInputType): string {
  if (isNonNullType(type))
    return isListType(type.ofType) ? listText(inputText(type.ofType.ofType)) : givenName(getNamedType(type));
  return `${isListType(type) ? listText(inputText(type.ofType)) : givenName(getNamedType(type))} | null`;
}

function listText(element: string): string {
  return `readonly ${/^[\w'. ]+$/.test(element) && !element.includes(' ') ? element : `(${element})`}[]`;
}

function shownName(type: GraphQLNamedType): string {
  return isScalarType(type) ? (SCALARS[type.name]?.shown ?? 'unknown') : type.name;
}

function givenName(type: GraphQLNamedType): string {
  return isScalarType(type) ? (SCALARS[type.name]?.given ?? 'unknown') : type.name;
}

function resultName(type: GraphQLNamedType): string {
  if (isEnumType(type)) return type.name;
  if (!isScalarType(type)) return `${type.name}Result`;
  const { shown, given } = SCALARS[type.name] ?? { shown: 'unknown', given: 'unknown' };
  return [...new Set([...shown.split(' | '), ...given.split(' | ')])].join(' | ');
}

function doc(description: string | null | undefined, indent = ''): string {
  if (description === undefined || description === null || description === '') return '';
  return `${indent}/** ${description.replaceAll('*/', '*\\/').replaceAll(/\s*\n\s*/g, ' ')} */\n`;
}
