// Foreign keys and join tables become relations, with a field at both ends.
import { writeObstacle } from './adopt-mutations.ts';
import type { AdoptedField } from './adoption.ts';
import { isLoose } from './choose-tables.ts';
import { nameKey, shownName, sqlName, type ForeignKeyDescription } from './database-description.ts';
import { camel, pascal, pluralWords, singularWords, sqlWords } from './inflect.ts';
import { backName, stemOf } from './relation-names.ts';
import {
  type AdoptionContext,
  columnsInOrder,
  type Draft,
  isShared,
  keyTypeOf,
  nameList,
  relationsOf,
} from './type-draft.ts';
import { first, lookUp } from '../present.ts';

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

export function nameRelations(context: AdoptionContext, draft: Draft): readonly NamedRelation[] {
  const { table, names } = draft;
  const relations = relationsOf(context, draft);
  for (const key of table.foreignKeys) if (!relations.includes(key)) noteUnusedKey(context, draft, key);
  return relations.map((key) => {
    const target = lookUp(context.drafts, nameKey(key.target));
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

export function addRelation(context: AdoptionContext, relation: NamedRelation): void {
  const { draft, target, key, name } = relation;
  const { table, fieldOf } = draft;
  const isNullable = (column: string): boolean => table.columns.some((each) => each.name === column && each.nullable);
  const nullable = !key.holds || key.columns.some(isNullable);
  const back = addBack(relation);
  const shared = isShared(draft, key);
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
    context.notes.push({ table, kind: 'data', text });
  }
  const begins = (columns: readonly string[]): boolean =>
    key.columns.every((each) => columns.slice(0, key.columns.length).includes(each));
  if (table.kind === 'table' && ![table.primaryKey, ...table.indexes, ...table.uniques].some(begins)) {
    const text = `no index begins with ${key.columns.join(', ')}: ${target.name}.${back} reads the whole table`;
    context.notes.push({ table, kind: 'slow', text });
  }
}

/** Adds the other direction of a foreign key to its target; returns its name. */
function addBack({ draft, target, key, stem, alone }: NamedRelation): string {
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

export function addJoins(context: AdoptionContext): void {
  const targetOf = ({ target }: ForeignKeyDescription): Draft => lookUp(context.drafts, nameKey(target));
  for (const {
    table,
    ends: [one, other],
  } of context.chosen.joins) {
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

function noteUnusedKey(context: AdoptionContext, { table }: Draft, key: ForeignKeyDescription): void {
  const where = `${key.columns.join(', ')} → ${shownName(key.target)} (${key.targetColumns.join(', ')})`;
  const target = context.chosen.types.get(nameKey(key.target));
  const why =
    target !== undefined && isLoose(target)
      ? 'the database takes texts that differ in case or accents for the same key, and the API does not'
      : target !== undefined
        ? 'it does not refer to the key of that type, a column of it cannot be read, or another key has the same columns'
        : 'that table is left out';
  context.notes.push({ table, kind: 'relation', text: `the foreign key ${where} is no relation: ${why}` });
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
