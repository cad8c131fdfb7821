// Columns become fields: their types, keys, defaults and inputs, or the reason why they are left out.
import type { AdoptedField, LeftOut } from './adoption.ts';
import { postgresScalar, sqliteScalar } from './column-types.ts';
import { nameKey, type ColumnDescription } from './database-description.ts';
import { camel, sqlWords } from './inflect.ts';
import { looksSecret } from './secrets.ts';
import {
  type AdoptionContext,
  type Draft,
  inputOf,
  isFilled,
  isShared,
  keyColumnOf,
  nameList,
  relationsOf,
} from './type-draft.ts';
import { fitName, snakeCase } from '../schema/names.ts';

/** Arguments that order, filter or page a list. */
const LIST_ARGUMENTS = new Set('first last start after before sort sortBy where orderBy'.split(' '));

/** Names of columns that often mark deleted rows. */
const MARKS_DELETED = /^(?:is_?)?(?:deleted|removed|archived)(?:_?(?:at|on|date|time))?$/i;
const FLAGS: ReadonlySet<string> = new Set(['DateTime', 'LocalDateTime', 'Boolean']);

/** Adds the columns of a type that are no relations. */
export function addColumns(context: AdoptionContext, draft: Draft): void {
  const { table } = draft;
  const written = relationsOf(context, draft).filter((key) => !isShared(draft, key));
  const referring = new Set(written.flatMap(({ columns }) => columns));
  const inKey = new Set(draft.keyColumns);
  if (draft.keyColumns.length === 1) addKey(context, draft);
  for (const column of table.columns) {
    if ((inKey.has(column.name) && draft.keyColumns.length === 1) || referring.has(column.name)) continue;
    const refers = table.foreignKeys.some(({ columns }) => columns.includes(column.name));
    const leave = (kind: LeftOut['kind'], reason: string, remedy?: string): void =>
      void context.leftOut.push({ table, column: column.name, kind, reason, remedy });
    if (!column.readable) {
      leave('no right', 'this role may not read it');
    } else if (!refers && !inKey.has(column.name) && looksSecret(column)) {
      leave('secret', 'it looks like a secret', 'If it is none, add the field to the schema.');
    } else {
      const type = typeOf(context, draft, column);
      if ('reason' in type) leave('not expressible', type.reason);
      else addColumn(context, draft, column, type.type);
    }
  }
}

function addKey(context: AdoptionContext, draft: Draft): void {
  const column = keyColumnOf(draft);
  const plain = camel(sqlWords(column.name), column.name);
  // The key is an argument too, where some names have a meaning.
  const name = draft.names.take(LIST_ARGUMENTS.has(plain) ? `${plain}Key` : plain);
  const directives: string[] = [];
  const { type: named } = keyType(context, draft);
  if (column.counted !== undefined) {
    if (name !== 'id') directives.push('@id', '@default(value: "identity")');
  } else {
    directives.push('@id');
    if (column.default !== undefined && context.sayable.databaseDefaults)
      directives.push('@default(value: "database")');
  }
  draft.key = { field: name, type: named };
  draft.fieldOf.set(column.name, name);
  const field: AdoptedField = {
    name,
    type: `${named}!`,
    description: column.comment,
    directives: [...directives, ...columnDirective(name, [column.name])],
    input: column.counted === undefined ? inputOf(named, column, true) : undefined,
  };
  draft.fields.push({ at: -1, field });
}

/** The type of a key of one column, and whether it is stored as an integer: a key that refers to another is alike. */
function keyType(
  context: AdoptionContext,
  draft: Draft,
  from: readonly Draft[] = [],
): { readonly type: string; readonly isInteger: boolean } {
  const column = keyColumnOf(draft);
  if (column.counted !== undefined) return { type: 'ID', isInteger: true };
  const found = typeOf(context, draft, column);
  const scalar = 'reason' in found || found.type === 'String' ? 'ID' : found.type;
  if (scalar !== 'Int' && scalar !== 'BigInt') return { type: scalar, isInteger: false };
  const key = relationsOf(context, draft).find(({ columns }) => columns[0] === column.name && columns.length === 1);
  const target = key === undefined ? undefined : context.drafts.get(nameKey(key.target));
  const isInteger =
    target === undefined || from.includes(target)
      ? column.default === undefined
      : keyType(context, target, [...from, draft]).isInteger;
  return { type: isInteger ? scalar : 'ID', isInteger };
}

/** The named type of a column, or why it has none. */
function typeOf(
  context: AdoptionContext,
  draft: Draft,
  column: ColumnDescription,
): { readonly type: string } | { readonly reason: string } {
  if (column.refused !== undefined) return { reason: column.refused };
  if (column.list && (column.dimensions ?? 1) > 1) return { reason: `it has ${column.dimensions} dimensions` };
  if (column.enum !== undefined && column.list && !context.enums.isPlain(column))
    return { reason: `no list reads values of ${column.type}, as GraphQL cannot write some` };
  const enumName = context.enums.of(draft.table, column, draft.name);
  if (enumName !== undefined) return { type: enumName };
  if (column.enum !== undefined) return { type: 'String' };
  const found = context.database.dialect === 'postgres' ? postgresScalar(column) : sqliteScalar(column);
  if ('reason' in found) return found;
  const plain = ['String', 'Int', 'Float', 'Boolean', 'ID'].includes(found.scalar);
  return plain || context.sayable.scalars.has(found.scalar)
    ? { type: found.scalar }
    : { reason: `no scalar reads values of ${column.type} unchanged yet` };
}

function addColumn(context: AdoptionContext, draft: Draft, column: ColumnDescription, type: string): void {
  if (column.generated && !context.sayable.generatedColumns) {
    const reason = 'the database computes it';
    return void context.leftOut.push({
      table: draft.table,
      column: column.name,
      kind: 'not expressible',
      reason,
      remedy: undefined,
    });
  }
  const name = draft.names.take(camel(sqlWords(column.name), column.name));
  const directives = columnDirective(name, [column.name]);
  const { table } = draft;
  if (table.uniques.some((columns) => columns.length === 1 && columns[0] === column.name) && !column.list)
    directives.unshift('@unique');
  const isReadOnly = column.generated || column.counted === 'always';
  if (isReadOnly) directives.push('@readOnly');
  else if (isFilled(column) && context.sayable.databaseDefaults) directives.push('@default(value: "database")');
  draft.fieldOf.set(column.name, name);
  const inner = column.list ? `[${type}]` : type;
  const input = isReadOnly ? undefined : inputOf(inner, column, draft.keyColumns.includes(column.name));
  const field = { name, type: column.nullable ? inner : `${inner}!`, description: column.comment, directives, input };
  draft.fields.push({ at: table.columns.indexOf(column), field });
  if (type === 'Decimal' && table.kind === 'table' && ['INTEGER', 'REAL', 'NUMERIC'].includes(column.base)) {
    const text = `its column ${column.name} keeps 15 digits of a number, as SQLite stores doubles there: a value with more is refused`;
    context.notes.push({ table, kind: 'data', text });
  }
  if (MARKS_DELETED.test(column.name) && FLAGS.has(type) && !isReadOnly) {
    const text = `its column ${column.name} may mark deleted rows, which are read as all others; @entity(softDelete: "${name}") hides them and lets deletions set it; then take it out of the inputs`;
    context.notes.push({ table, kind: 'data', text });
  }
}

/** `@column(name:)` where the engine would take another column. */
function columnDirective(field: string, columns: readonly string[]): string[] {
  return fitName(snakeCase(field)) === columns[0] ? [] : [`@column(name: ${nameList(columns)})`];
}
