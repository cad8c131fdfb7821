// Turns the description of a database into the types of a schema: columns become fields (column-fields.ts), foreign keys
// become relations with both directions (relation-fields.ts), and what cannot be said is left out with its reason. The
// names depend on the description only.
import { Enums } from './adopt-enums.ts';
import { writeObstacle, writesOf } from './adopt-mutations.ts';
import type { AdoptedField, AdoptedType, AdoptedView, Adoption, LeftOut, Note } from './adoption.ts';
import { chooseTables, type ChosenTable } from './choose-tables.ts';
import { addColumns } from './column-fields.ts';
import { nameKey, type DatabaseDescription, type TableDescription } from './database-description.ts';
import { camel, Names, pascal, pluralWords, singularWords, sqlWords } from './inflect.ts';
import { addJoins, addRelation, nameRelations } from './relation-fields.ts';
import { SAYABLE, type Sayable } from './sayable.ts';
import type { AdoptionContext, Draft } from './type-draft.ts';
import { lookUp } from '../present.ts';

/** Names of types that GraphQL or the engine gives. */
const RESERVED_TYPES = [
  ...'Query Mutation Subscription String Int Float Boolean ID PageInfo DateTime Date Time JSON BigInt Decimal UUID URL'.split(
    ' ',
  ),
  ...'EmailAddress LocalDateTime LocalTime Duration Bytes RelationOnDelete RelationOnDeleteRules OrderDirection SearchHighlight StringFilter IDFilter IntFilter FloatFilter BooleanFilter'.split(
    ' ',
  ),
];

/** Builds the adoption of a database. */
export function adoptDatabase(database: DatabaseDescription, sayable: Sayable = SAYABLE): Adoption {
  return new Builder(database, sayable).build();
}

class Builder {
  readonly #context: AdoptionContext;
  readonly #typeNames = new Names(RESERVED_TYPES);

  constructor(given: DatabaseDescription, sayable: Sayable) {
    const database = { ...given, tables: given.tables.map(withWrittenReferences) };
    const chosen = chooseTables(database, sayable);
    const enums = new Enums(database, this.#typeNames, sayable);
    this.#context = { database, sayable, chosen, enums, drafts: new Map(), leftOut: [...chosen.leftOut], notes: [] };
  }

  build(): Adoption {
    const { chosen, drafts, enums, leftOut, notes } = this.#context;
    for (const [key, table] of chosen.types) drafts.set(key, this.#startDraft(table));
    for (const draft of drafts.values()) addColumns(this.#context, draft);
    // Names of the columns' own side first: a list never takes the name of a foreign key.
    const named = [...drafts.values()].flatMap((draft) => nameRelations(this.#context, draft));
    for (const relation of named) addRelation(this.#context, relation);
    addJoins(this.#context);
    for (const draft of drafts.values()) this.#noteOn(draft);
    const roots = new Names();
    const types = [...drafts.values()].map((draft) => this.#finish(draft, roots));
    return {
      types,
      views: chosen.keyless.map((table) => this.#suggest(table, roots)),
      enums: enums.all,
      leftOut: this.#inOrder(leftOut),
      notes: this.#inOrder(notes),
    };
  }

  /** A view as the type that it would be; what cannot be read of it is no news. */
  #suggest(table: TableDescription, roots: Names): AdoptedView {
    const draft = this.#startDraft({ table, key: [] });
    addColumns({ ...this.#context, leftOut: [] }, draft);
    const untyped = table.columns.filter(({ name, type }) => type === '' && draft.fieldOf.has(name));
    if (untyped.length > 0) {
      const names = untyped.map(({ name }) => name).join(', ');
      const text = `SQLite does not say the type of an expression, so these columns are texts: ${names}. Write Int, Float or Decimal where they are numbers`;
      this.#context.notes.push({ table, kind: 'data', text });
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
    const order = new Map(this.#context.database.tables.map((table, at) => [nameKey(table), at]));
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

  #noteOn({ table, name, fieldOf }: Draft): void {
    const add = (kind: Note['kind'], text: string): void => void this.#context.notes.push({ table, kind, text });
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
    const note = (text: string): void => void this.#context.notes.push({ table, kind: 'writes', text });
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
