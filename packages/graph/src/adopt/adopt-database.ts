// Turns the description of a database into the types of a schema: columns become fields, foreign keys become relations
// with both directions, and what cannot be said is left out with its reason. The names depend on the description only.
import { Enums } from './adopt-enums.ts';
import { writeObstacle, writesOf } from './adopt-mutations.ts';
import type { AdoptedField, AdoptedType, AdoptedView, Adoption, FieldInput, LeftOut, Note } from './adoption.ts';
import { chooseTables, isLoose, refersToKey, type ChosenTable, type ChosenTables } from './choose-tables.ts';
import { postgresScalar, sqliteScalar } from './column-types.ts';
import {
  nameKey,
  shownName,
  sqlName,
  type ColumnDescription,
  type DatabaseDescription,
  type ForeignKeyDescription,
  type TableDescription,
} from './database-description.ts';
import { camel, Names, pascal, pluralWords, singularWords, sqlWords } from './inflect.ts';
import { backName, stemOf } from './relation-names.ts';
import { SAYABLE, type Sayable } from './sayable.ts';
import { looksSecret } from './secrets.ts';
import { first, lookUp, required } from '../present.ts';
import { fitName, snakeCase } from '../schema/names.ts';

/** Names of types that GraphQL or the engine gives. */
const RESERVED_TYPES = [
  ...'Query Mutation Subscription String Int Float Boolean ID PageInfo DateTime Date Time JSON BigInt Decimal UUID URL'.split(
    ' ',
  ),
  ...'EmailAddress LocalDateTime LocalTime Duration Bytes RelationOnDelete RelationOnDeleteRules OrderDirection SearchHighlight StringFilter IDFilter IntFilter FloatFilter BooleanFilter'.split(
    ' ',
  ),
];

/** Arguments that order, filter or page a list. */
const LIST_ARGUMENTS = new Set('first last start after before sort sortBy where orderBy'.split(' '));

/** Builds the adoption of a database. */
export function adoptDatabase(database: DatabaseDescription, sayable: Sayable = SAYABLE): Adoption {
  return new Builder(database, sayable).build();
}

/** A type while it is built. */
interface Draft {
  readonly table: TableDescription;
  readonly keyColumns: readonly string[];
  readonly name: string;
  readonly names: Names;
  /** Columns that are fields → the field. */
  readonly fieldOf: Map<string, string>;
  /** By the place of their column in the table. */
  readonly fields: { readonly at: number; readonly field: AdoptedField }[];
  readonly lists: AdoptedField[];
  key: { field: string; type: string };
}

/** A foreign key that becomes a relation. */
interface NamedRelation {
  readonly draft: Draft;
  readonly target: Draft;
  readonly key: ForeignKeyDescription;
  readonly name: string;
  readonly stem: readonly string[];
  /** No other relation of the draft has this target. */
  readonly alone: boolean;
}

/** Names of columns that often mark deleted rows. */
const MARKS_DELETED = /^(?:is_?)?(?:deleted|removed|archived)(?:_?(?:at|on|date|time))?$/i;
const FLAGS: ReadonlySet<string> = new Set(['DateTime', 'LocalDateTime', 'Boolean']);

class Builder {
  readonly #database: DatabaseDescription;
  readonly #sayable: Sayable;
  readonly #chosen: ChosenTables;
  readonly #typeNames = new Names(RESERVED_TYPES);
  readonly #enums: Enums;
  readonly #drafts = new Map<string, Draft>();
  readonly #leftOut: LeftOut[];
  readonly #notes: Note[] = [];

  constructor(database: DatabaseDescription, sayable: Sayable) {
    this.#database = { ...database, tables: database.tables.map(withWrittenReferences) };
    this.#sayable = sayable;
    this.#chosen = chooseTables(this.#database, sayable);
    this.#leftOut = [...this.#chosen.leftOut];
    this.#enums = new Enums(this.#database, this.#typeNames, sayable);
  }

  build(): Adoption {
    for (const [key, chosen] of this.#chosen.types) this.#drafts.set(key, this.#startDraft(chosen));
    for (const draft of this.#drafts.values()) this.#addColumns(draft);
    // Names of the columns' own side first: a list never takes the name of a foreign key.
    const named = [...this.#drafts.values()].flatMap((draft) => this.#nameRelations(draft));
    for (const relation of named) this.#addRelation(relation);
    this.#addJoins();
    for (const draft of this.#drafts.values()) this.#noteOn(draft);
    const roots = new Names();
    const types = [...this.#drafts.values()].map((draft) => this.#finish(draft, roots));
    return {
      types,
      views: this.#chosen.keyless.map((table) => this.#suggest(table, roots)),
      enums: this.#enums.all,
      leftOut: this.#inOrder(this.#leftOut),
      notes: this.#inOrder(this.#notes),
    };
  }

  /** A view as the type that it would be; what cannot be read of it is no news. */
  #suggest(table: TableDescription, roots: Names): AdoptedView {
    const known = this.#leftOut.length;
    const draft = this.#startDraft({ table, key: [] });
    this.#addColumns(draft);
    this.#leftOut.length = known;
    const untyped = table.columns.filter(({ name, type }) => type === '' && draft.fieldOf.has(name));
    if (untyped.length > 0) {
      const names = untyped.map(({ name }) => name).join(', ');
      const text = `SQLite does not say the type of an expression, so these columns are texts: ${names}. Write Int, Float or Decimal where they are numbers`;
      this.#notes.push({ table, kind: 'data', text });
    }
    const words = sqlWords(draft.name);
    const many = camel(pluralWords(words), draft.name);
    return {
      name: draft.name,
      table,
      description: table.comment,
      fields: draft.fields.map(({ field }) => field),
      list: roots.take(many, `all${many.charAt(0).toUpperCase()}${many.slice(1)}`),
    };
  }

  #inOrder<T extends LeftOut | Note>(list: readonly T[]): readonly T[] {
    const order = new Map(this.#database.tables.map((table, at) => [nameKey(table), at]));
    return list.toSorted((a, b) => lookUp(order, nameKey(a.table)) - lookUp(order, nameKey(b.table)));
  }

  #startDraft({ table, key }: ChosenTable): Draft {
    const words = sqlWords(table.name);
    const name = pascal(singularWords(words), table.name);
    const schema = table.schema === undefined ? '' : pascal(sqlWords(table.schema), table.schema);
    const taken = this.#typeNames.take(name, `${schema}${name}`, `${schema}${name}Row`);
    return {
      table,
      keyColumns: key,
      name: taken,
      names: new Names(['__typename']),
      fieldOf: new Map(),
      fields: [],
      lists: [],
      key: { field: '', type: '' },
    };
  }

  #addColumns(draft: Draft): void {
    const { table } = draft;
    const written = this.#relationsOf(draft).filter((key) => !this.#isShared(draft, key));
    const referring = new Set(written.flatMap(({ columns }) => columns));
    const inKey = new Set(draft.keyColumns);
    if (draft.keyColumns.length === 1) this.#addKey(draft);
    for (const column of table.columns) {
      if ((inKey.has(column.name) && draft.keyColumns.length === 1) || referring.has(column.name)) continue;
      const refers = table.foreignKeys.some(({ columns }) => columns.includes(column.name));
      const leave = (kind: LeftOut['kind'], reason: string, remedy?: string): void =>
        void this.#leftOut.push({ table, column: column.name, kind, reason, remedy });
      if (!column.readable) {
        leave('no right', 'this role may not read it');
      } else if (!refers && !inKey.has(column.name) && looksSecret(column)) {
        leave('secret', 'it looks like a secret', 'If it is none, add the field to the schema.');
      } else {
        const type = this.#typeOf(draft, column);
        if ('reason' in type) leave('not expressible', type.reason);
        else this.#addColumn(draft, column, type.type);
      }
    }
  }

  #addKey(draft: Draft): void {
    const column = keyColumnOf(draft);
    const plain = camel(sqlWords(column.name), column.name);
    // The key is an argument too, where some names have a meaning.
    const name = draft.names.take(LIST_ARGUMENTS.has(plain) ? `${plain}Key` : plain);
    const directives: string[] = [];
    const { type: named } = this.#keyType(draft);
    if (column.counted !== undefined) {
      if (name !== 'id') directives.push('@id', '@default(value: "identity")');
    } else {
      directives.push('@id');
      if (column.default !== undefined && this.#sayable.databaseDefaults)
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
  #keyType(draft: Draft, from: readonly Draft[] = []): { readonly type: string; readonly isInteger: boolean } {
    const column = keyColumnOf(draft);
    if (column.counted !== undefined) return { type: 'ID', isInteger: true };
    const found = this.#typeOf(draft, column);
    const scalar = 'reason' in found || found.type === 'String' ? 'ID' : found.type;
    if (scalar !== 'Int' && scalar !== 'BigInt') return { type: scalar, isInteger: false };
    const key = this.#relationsOf(draft).find(({ columns }) => columns[0] === column.name && columns.length === 1);
    const target = key === undefined ? undefined : this.#drafts.get(nameKey(key.target));
    const isInteger =
      target === undefined || from.includes(target)
        ? column.default === undefined
        : this.#keyType(target, [...from, draft]).isInteger;
    return { type: isInteger ? scalar : 'ID', isInteger };
  }

  /** The named type of a column, or why it has none. */
  #typeOf(draft: Draft, column: ColumnDescription): { readonly type: string } | { readonly reason: string } {
    if (column.refused !== undefined) return { reason: column.refused };
    if (column.list && (column.dimensions ?? 1) > 1) return { reason: `it has ${column.dimensions} dimensions` };
    if (column.enum !== undefined && column.list && !this.#enums.isPlain(column))
      return { reason: `no list reads values of ${column.type}, as GraphQL cannot write some` };
    const enumName = this.#enums.of(draft.table, column, draft.name);
    if (enumName !== undefined) return { type: enumName };
    if (column.enum !== undefined) return { type: 'String' };
    const found = this.#database.dialect === 'postgres' ? postgresScalar(column) : sqliteScalar(column);
    if ('reason' in found) return found;
    const plain = ['String', 'Int', 'Float', 'Boolean', 'ID'].includes(found.scalar);
    return plain || this.#sayable.scalars.has(found.scalar)
      ? { type: found.scalar }
      : { reason: `no scalar reads values of ${column.type} unchanged yet` };
  }

  #addColumn(draft: Draft, column: ColumnDescription, type: string): void {
    if (column.generated && !this.#sayable.generatedColumns) {
      const reason = 'the database computes it';
      return void this.#leftOut.push({
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
    else if (isFilled(column) && this.#sayable.databaseDefaults) directives.push('@default(value: "database")');
    draft.fieldOf.set(column.name, name);
    const inner = column.list ? `[${type}]` : type;
    const input = isReadOnly ? undefined : inputOf(inner, column, draft.keyColumns.includes(column.name));
    const field = { name, type: column.nullable ? inner : `${inner}!`, description: column.comment, directives, input };
    draft.fields.push({ at: table.columns.indexOf(column), field });
    if (type === 'Decimal' && table.kind === 'table' && ['INTEGER', 'REAL', 'NUMERIC'].includes(column.base)) {
      const text = `its column ${column.name} keeps 15 digits of a number, as SQLite stores doubles there: a value with more is refused`;
      this.#notes.push({ table, kind: 'data', text });
    }
    if (MARKS_DELETED.test(column.name) && FLAGS.has(type) && !isReadOnly) {
      const text = `its column ${column.name} may mark deleted rows, which are read as all others; @entity(softDelete: "${name}") hides them and lets deletions set it; then take it out of the inputs`;
      this.#notes.push({ table, kind: 'data', text });
    }
  }

  /** The foreign keys of a table that become relations. No two have the same columns. */
  #relationsOf({ table }: Draft): readonly ForeignKeyDescription[] {
    const used = new Set<string>();
    return table.foreignKeys.filter((key) => {
      const target = this.#chosen.types.get(nameKey(key.target));
      if (target === undefined || !refersToKey(key, target.key) || isLoose(target)) return false;
      const readable = table.columns.every(
        ({ name, readable: may, refused }) => (may && refused === undefined) || !key.columns.includes(name),
      );
      const columns = key.columns.toSorted().join('\n');
      if (!readable || used.has(columns)) return false;
      used.add(columns);
      return true;
    });
  }

  /** Whether fields of their own write the columns of a relation: it has several, or is the key too. */
  #isShared({ keyColumns }: Draft, { columns }: ForeignKeyDescription): boolean {
    return columns.length > 1 || (keyColumns.length === 1 && columns[0] === keyColumns[0]);
  }

  #nameRelations(draft: Draft): readonly NamedRelation[] {
    const { table, names } = draft;
    const relations = this.#relationsOf(draft);
    for (const key of table.foreignKeys) if (!relations.includes(key)) this.#noteUnusedKey(draft, key);
    return relations.map((key) => {
      const target = lookUp(this.#drafts, nameKey(key.target));
      const stem = stemOf(key, target.keyColumns, sqlWords(target.table.name));
      const ofTarget = pascal(singularWords(sqlWords(target.table.name)), target.name);
      const by = pascal(key.columns.flatMap(sqlWords), key.name);
      const plain = camel(stem, target.name);
      const other = camel(sqlWords(ofTarget), ofTarget);
      const name = names.take(plain, ...(plain === other ? [] : [`${plain}${ofTarget}`]), `${other}By${by}`);
      const alone = relations.filter((other) => nameKey(other.target) === nameKey(key.target)).length === 1;
      return { draft, target, key, name, stem, alone };
    });
  }

  #addRelation(relation: NamedRelation): void {
    const { draft, target, key, name } = relation;
    const { table, fieldOf } = draft;
    const isNullable = (column: string): boolean => table.columns.some((each) => each.name === column && each.nullable);
    const nullable = !key.holds || key.columns.some(isNullable);
    const back = this.#addBack(relation);
    const shared = this.#isShared(draft, key);
    if (!shared) fieldOf.set(first(key.columns), name);
    const column = table.columns.find((each) => each.name === key.columns[0]);
    const field: AdoptedField = {
      name,
      type: nullable ? target.name : `${target.name}!`,
      description: key.columns.length === 1 ? column?.comment : undefined,
      directives: [
        `@column(name: ${nameList(columnsInOrder(key, target))})`,
        `@relation(inverse: ${JSON.stringify(back)}${onDeleteOf(key, nullable)})`,
        ...(shared ? ['@readOnly'] : []),
      ],
      input: shared
        ? undefined
        : {
            type: keyTypeOf(target),
            required: !nullable,
            isKey: key.columns.some((each) => draft.keyColumns.includes(each)),
          },
    };
    draft.fields.push({ at: table.columns.findIndex((each) => each === column), field });
    if (!key.holds) {
      const text = `${key.columns.join(', ')} refers to rows of ${shownName(key.target)} that are not there, so ${name} may be null`;
      this.#notes.push({ table, kind: 'data', text });
    }
    const begins = (columns: readonly string[]): boolean =>
      key.columns.every((each) => columns.slice(0, key.columns.length).includes(each));
    if (table.kind === 'table' && ![table.primaryKey, ...table.indexes, ...table.uniques].some(begins)) {
      const text = `no index begins with ${key.columns.join(', ')}: ${target.name}.${back} reads the whole table`;
      this.#notes.push({ table, kind: 'slow', text });
    }
  }

  /** Adds the other direction of a foreign key to its target; returns its name. */
  #addBack({ draft, target, key, stem, alone }: NamedRelation): string {
    const single = [draft.keyColumns, ...draft.table.uniques].some(
      (columns) => columns.length === key.columns.length && columns.every((name) => key.columns.includes(name)),
    );
    const words = sqlWords(draft.table.name);
    const name = target.names.take(
      ...backName({
        holder: single ? singularWords(words) : pluralWords(words),
        holderName: draft.table.name,
        stem,
        target: singularWords(sqlWords(target.table.name)),
        alone,
        toItself: draft === target,
        single,
      }),
    );
    target.lists.push(
      single
        ? { name, type: draft.name, directives: [] }
        : { name, type: `[${draft.name}!]!`, listOf: draft.name, directives: [] },
    );
    return name;
  }

  #addJoins(): void {
    const targetOf = ({ target }: ForeignKeyDescription): Draft => lookUp(this.#drafts, nameKey(target));
    for (const {
      table,
      ends: [one, other],
    } of this.#chosen.joins) {
      const [near, far] = [targetOf(one), targetOf(other)];
      const wordsTo = (key: ForeignKeyDescription, draft: Draft): readonly string[] =>
        pluralWords(stemOf(key, draft.keyColumns, sqlWords(draft.table.name)));
      const via = pascal(sqlWords(table.name), table.name);
      const nameFor = (draft: Draft, words: readonly string[]): string =>
        draft.names.take(camel(words, table.name), `${camel(words, table.name)}Via${via}`);
      const forward = nameFor(near, wordsTo(other, far));
      const back = nameFor(far, wordsTo(one, near));
      const place = JSON.stringify(sqlName(table));
      const [from, to] = [nameList(columnsInOrder(one, near)), nameList(columnsInOrder(other, far))];
      const directive = `@relation(table: ${place}, from: ${from}, to: ${to}, inverse: ${JSON.stringify(back)}, onDeleteRules: CALLER)`;
      const addList = (draft: Draft, target: Draft, name: string, directives: readonly string[]): void => {
        const isWritten = writeObstacle(table) === undefined;
        const input = isWritten ? { type: `[${keyTypeOf(target)}!]`, required: false, isKey: false } : undefined;
        draft.lists.push({ name, type: `[${target.name}!]!`, listOf: target.name, directives, input });
      };
      addList(near, far, forward, [directive]);
      addList(far, near, back, []);
    }
  }

  #noteUnusedKey({ table }: Draft, key: ForeignKeyDescription): void {
    const where = `${key.columns.join(', ')} → ${shownName(key.target)} (${key.targetColumns.join(', ')})`;
    const target = this.#chosen.types.get(nameKey(key.target));
    const why =
      target !== undefined && isLoose(target)
        ? 'the database takes texts that differ in case or accents for the same key, and the API does not'
        : target !== undefined
          ? 'it does not refer to the key of that type, a column of it cannot be read, or another key has the same columns'
          : 'that table is left out';
    this.#notes.push({ table, kind: 'relation', text: `the foreign key ${where} is no relation: ${why}` });
  }

  #noteOn({ table, name, fieldOf }: Draft): void {
    const add = (kind: Note['kind'], text: string): void => void this.#notes.push({ table, kind, text });
    if (table.policies !== undefined) {
      const named = table.policies.length === 0 ? 'no policy' : `the policies ${table.policies.join(', ')}`;
      add(
        'row-level security',
        `it has row-level security (${named}), which the database applies to the role of the server and not to its callers: write their meaning as @auth rules of ${name}`,
      );
    }
    for (const [column, field] of fieldOf) {
      if (sqlWords(column).length === 0)
        add('names', `the column ${column} is ${name}.${field}, as GraphQL cannot write its name`);
    }
    if (sqlWords(table.name).length === 0) add('names', `it is the type ${name}, as GraphQL cannot write its name`);
  }

  #writesOf(draft: Draft, keyField: string, fields: readonly AdoptedField[]): AdoptedType['writes'] {
    const { table, name, names, fieldOf } = draft;
    const note = (text: string): void => void this.#notes.push({ table, kind: 'writes', text });
    const obstacle = writeObstacle(table);
    if (obstacle !== undefined) {
      note(`${obstacle}, so ${name} is read-only`);
      return undefined;
    }
    const leftOut = new Set(table.columns.map((column) => column.name).filter((column) => !fieldOf.has(column)));
    const { writes, lacks } = writesOf({ name, table, fields, keyField, leftOut, names }, this.#typeNames);
    if (lacks !== undefined) note(lacks);
    return writes;
  }

  #finish(draft: Draft, roots: Names): AdoptedType {
    const { table, name, fieldOf } = draft;
    let { key } = draft;
    const fields = draft.fields.toSorted((a, b) => a.at - b.at).map(({ field }) => field);
    if (draft.keyColumns.length > 1) {
      key = { field: draft.names.take('id', 'key', 'objectId'), type: 'ID' };
      const parts = [...new Set(draft.keyColumns.map((column) => lookUp(fieldOf, column)))];
      fields.unshift({
        name: key.field,
        type: 'ID!',
        directives: [`@id(fields: [${parts.map((part) => JSON.stringify(part)).join(', ')}])`],
      });
    }
    const uniques = table.uniques
      .filter((columns) => columns.length > 1 && columns.every((column) => fieldOf.has(column)))
      .map((columns) => [...new Set(columns.map((column) => lookUp(fieldOf, column)))])
      .filter((list) => list.length > 1);
    const words = sqlWords(name);
    const lookup = roots.take(camel(words, name), `${camel(words, name)}Row`);
    const many = camel(pluralWords(words), name);
    const list = roots.take(many, `all${many.charAt(0).toUpperCase()}${many.slice(1)}`);
    const all = [...fields, ...draft.lists];
    return {
      name,
      table,
      description: table.comment,
      readOnly: writeObstacle(table) !== undefined,
      fields: all,
      writes: this.#writesOf(draft, key.field, all),
      key,
      uniques,
      lookup,
      list,
      count: roots.take(`${lookup}Count`),
    };
  }
}

/** A column that refers to a table is written: the next number that the database would count is any row's, or none's. */
function withWrittenReferences(table: TableDescription): TableDescription {
  const refers = new Set(table.foreignKeys.flatMap(({ columns }) => columns));
  const columns = table.columns.map((column) =>
    column.counted === 'by default' && refers.has(column.name)
      ? { ...column, counted: undefined, default: undefined }
      : column,
  );
  return { ...table, columns };
}

/** The columns of a foreign key in the order of the target's key. */
function columnsInOrder({ columns, targetColumns }: ForeignKeyDescription, { keyColumns }: Draft): readonly string[] {
  return keyColumns.map((column) => required(columns[targetColumns.indexOf(column)], column));
}

/** The type that holds the key of a type. */
function keyTypeOf({ keyColumns, key }: Draft): string {
  return keyColumns.length > 1 ? 'ID' : key.type;
}

function inputOf(type: string, column: ColumnDescription, isKey: boolean): FieldInput {
  return { type, required: !column.nullable && !isFilled(column), isKey };
}

/** Whether the database has a value for a row without one. */
function isFilled(column: ColumnDescription): boolean {
  return column.default !== undefined || column.counted !== undefined;
}

/** `@column(name:)` where the engine would take another column. */
function columnDirective(field: string, columns: readonly string[]): string[] {
  return fitName(snakeCase(field)) === columns[0] ? [] : [`@column(name: ${nameList(columns)})`];
}

function nameList(names: readonly string[]): string {
  return names.length === 1 ? JSON.stringify(names[0]) : `[${names.map((name) => JSON.stringify(name)).join(', ')}]`;
}

function onDeleteOf({ onDelete }: ForeignKeyDescription, nullable: boolean): string {
  // The database refuses to empty a column that is never null.
  const action = {
    CASCADE: 'CASCADE',
    'SET NULL': nullable ? 'SET_NULL' : 'RESTRICT',
    'SET DEFAULT': 'RESTRICT',
    RESTRICT: 'RESTRICT',
    'NO ACTION': 'RESTRICT',
  }[onDelete];
  return `, onDelete: ${action}, onDeleteRules: CALLER`;
}

const keyColumnOf = ({ table, keyColumns }: Draft): ColumnDescription =>
  required(
    table.columns.find(({ name }) => name === keyColumns[0]),
    'the key column',
  );
