// Prints an adoption as `schema.graphql`.
import {
  type AdoptedField,
  type AdoptedType,
  type AdoptedView,
  type AdoptedWrites,
  type Adoption,
} from './adoption.ts';
import { derivedName } from '../schema/names.ts';
import { sqlName } from './database-description.ts';

const HEAD = `# Written by "lockstitch adopt" from the tables of a database, and yours from now on: nothing writes it again.
# Only the role ADMIN may do anything, and nothing is searched, until you say otherwise with @auth and @search.
`;
const RULE = `"hasRole('ADMIN')"`;
const AUTH = `@auth(read: ${RULE}, create: ${RULE}, update: ${RULE}, delete: ${RULE})`;

/** The schema: scalars, enums, types, then the root fields. */
export function printAdoptedSchema(adoption: Adoption): string {
  const inputs = adoption.types.flatMap(({ writes }) =>
    [writes?.create, writes?.update].flatMap((each) => each?.input ?? []),
  );
  const types = new Set([...[...adoption.types, ...adoption.enums].map(({ name }) => name), ...inputs]);
  const scalars = usedScalars(adoption);
  const parts = [HEAD, ...scalars.map((name) => `scalar ${name}`), ...(scalars.length > 0 ? [''] : [])];
  for (const { name, description, values } of adoption.enums) {
    const lines = values.map((value) =>
      value.name === value.stored ? `  ${value.name}` : `  ${value.name} @column(name: ${text(value.stored)})`,
    );
    parts.push(...describe(description, ''), `enum ${name} {`, ...lines, '}', '');
  }
  for (const type of adoption.types) parts.push(...printType(type, types), '');
  parts.push('type Query {');
  for (const type of adoption.types) {
    const { name, lookup, list, count, key } = type;
    parts.push(`  ${lookup}(${key.field}: ${key.type}!): ${name}`);
    parts.push(`  ${list}(${listArguments(name, types)}): [${name}!]!`);
    parts.push(`  ${count}(where: ${derivedName(name, 'Filter', types)}): Int!`);
  }
  parts.push('}', '', ...printMutations(adoption.types), ...adoption.views.flatMap((view) => printView(view, types)));
  return parts.join('\n');
}

/** A view as a comment, from which its author takes it once they have named its key. */
function printView({ name, table, description, fields, list }: AdoptedView, types: ReadonlySet<string>): string[] {
  const lines = [
    ...describe(description, ''),
    `type ${name}`,
    `  @entity(table: ${text(sqlName(table))})`,
    '  @unmanaged @readOnly',
    `  ${AUTH} {`,
    ...fields.flatMap((field) => printField(field, types)),
    '}',
    '',
    `extend type Query {`,
    `  ${list}(${listArguments(name, types)}): [${name}!]!`,
    '}',
  ];
  return [
    `# The view ${JSON.stringify(table.name)}: put @id on a field that is unique and never null, and "!" behind its type.`,
    ...lines.map((line) => (line === '' ? '#' : `# ${line}`)),
    '',
  ];
}

function printMutations(types: readonly AdoptedType[]): string[] {
  const written = types.filter(({ writes }) => writes !== undefined);
  if (written.length === 0) return [];
  const inputs = written.flatMap(({ writes }) => [writes?.create, writes?.update].flatMap(printInput));
  return [...inputs, 'type Mutation {', ...written.flatMap(printMutationsOf), '}', ''];
}

function printMutationsOf({ name, key, writes }: AdoptedType): string[] {
  if (writes === undefined) return [];
  const { argument, create, update } = writes;
  const input = create?.input === undefined ? '' : `(${argument}: ${create.input}!)`;
  const byKey = `${writes.key}: ${key.type}!`;
  return [
    ...(create === undefined ? [] : [`  create${name}${input}: ${name}!`]),
    ...(update === undefined ? [] : [`  update${name}(${byKey}, ${argument}: ${update.input}!): ${name}`]),
    `  delete${name}(${byKey}): ${name}`,
  ];
}

function printInput(given: AdoptedWrites['create']): string[] {
  if (given?.input === undefined) return [];
  const lines = given.fields.map(({ name, type, required }) => `  ${name}: ${type}${required ? '!' : ''}`);
  return [`input ${given.input} {`, ...lines, '}', ''];
}

function printType(type: AdoptedType, types: ReadonlySet<string>): string[] {
  const uniques = type.uniques.map((fields) => ` @unique(fields: [${fields.map(text).join(', ')}])`).join('');
  const readOnly = type.readOnly ? ' @readOnly' : '';
  return [
    ...describe(type.description, ''),
    `type ${type.name}`,
    `  @entity(table: ${text(sqlName(type.table))})`,
    `  @unmanaged${readOnly}${uniques}`,
    `  ${AUTH} {`,
    ...type.fields.flatMap((field) => printField(field, types)),
    '}',
  ];
}

function printField(
  { name, type, listOf, description, directives }: AdoptedField,
  types: ReadonlySet<string>,
): string[] {
  const args = listOf === undefined ? '' : `(${listArguments(listOf, types)})`;
  return [...describe(description, '  '), `  ${name}${args}: ${[type, ...directives].join(' ')}`];
}

function listArguments(type: string, types: ReadonlySet<string>): string {
  const [where, order] = ['Filter', 'Order'].map((ending) => derivedName(type, ending, types));
  return `first: Int = 25, start: Int = 0, where: ${where}, orderBy: [${order}!]`;
}

function describe(description: string | undefined, indent: string): string[] {
  // oxlint-disable-next-line no-control-regex -- GraphQL allows none below a blank, a terminal obeys the others
  const plain = description?.replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/g, ' ').trim() ?? '';
  if (plain === '') return [];
  if (!/[\r\n]/.test(plain)) return [`${indent}${text(plain)}`];
  const lines = plain.replaceAll('"""', '\\"""').split(/\r\n|\r|\n/);
  return [`${indent}"""`, ...lines.map((line) => `${indent}${line}`.trimEnd()), `${indent}"""`];
}

/** A string of GraphQL. */
function text(value: string): string {
  return JSON.stringify(value);
}

const SCALARS = 'DateTime Date LocalDateTime LocalTime Time Duration Bytes JSON BigInt Decimal UUID'.split(' ');

function usedScalars({ types, views }: Adoption): readonly string[] {
  const used = new Set(
    [...types, ...views].flatMap(({ fields }) => fields.map(({ type }) => type.replaceAll(/[[\]!]/g, ''))),
  );
  return SCALARS.filter((name) => used.has(name));
}
