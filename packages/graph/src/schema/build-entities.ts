// Builds the entities of the model from the executable schema and its directives: columns, relations, keys, indexes,
// rules. Problems are collected and building continues. Not here: single fields (build-field.ts), root fields
// (bind-roots.ts), pairing of relation fields (infer-relations.ts).
import {
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  type ASTNode,
  type GraphQLField,
  type GraphQLObjectType,
} from 'graphql';
import { didYouMean } from '@lockstitch/kernel';
import { nameColumns } from './column-names.ts';
import { directiveValues } from './directive-values.ts';
import { type BuildContext, buildField, readAuth } from './build-field.ts';
import { compositeName, inferRelations, type RelationSketch } from './infer-relations.ts';
import {
  storedColumnsOf,
  type ColumnField,
  type Entity,
  type Field,
  type RelationField,
  isStoredField,
} from './model.ts';
import { bareTableName, isKeptName, parseTableName } from './table-name.ts';
import { fitName, plural, snakeCase } from './names.ts';
import { locationOf } from './problems.ts';
import { readSoftDelete } from './read-soft-delete.ts';
import { bindArguments, type ArgumentContext } from './bind-arguments.ts';
import { completeNodeIds } from './node-id-fields.ts';
import { resolveForm, type FormSketch } from './relation-forms.ts';
import { lookUp } from '../present.ts';
import { declaredField, objectType } from './declared-field.ts';

type Draft = { -readonly [Key in keyof Entity]: Entity[Key] } & { fields: Map<string, Field> };

/** Builds the entities, in schema order. */
export function buildEntities(context: BuildContext): ReadonlyMap<string, Entity> {
  const drafts = new Map<string, Draft>();
  const sketches: RelationSketch[] = [];
  const forms: OwnedForm[] = [];
  for (const name of context.keys.keys()) {
    const type = context.schema.getType(name);
    if (isObjectType(type)) drafts.set(name, buildEntity(context, type, sketches, forms));
  }
  checkTables(context, drafts);
  const argumentContext: ArgumentContext = { ...context, entities: drafts };
  for (const [name, relations] of inferRelations(sketches, drafts, context)) {
    const draft = lookUp(drafts, name);
    for (const relation of relations) {
      const field = declaredField(context.schema, name, relation.name);
      draft.fields.set(relation.name, {
        ...relation,
        arguments: bindArguments(argumentContext, `${name}.${field.name}`, field, relation.target),
      });
    }
  }
  for (const { owner, sketch } of forms) {
    const draft = lookUp(drafts, owner);
    const field = resolveForm(argumentContext, draft, sketch);
    if (field !== undefined) draft.fields.set(field.name, field);
  }
  for (const draft of drafts.values()) completeNodeIds(context, draft);
  checkJoinTables(context, drafts);
  for (const draft of drafts.values()) joinKey(context, draft);
  for (const draft of drafts.values()) checkTargets(context, draft, drafts);
  for (const draft of drafts.values()) {
    restoreOrder(context, draft);
    addUniqueKeys(draft);
    readTypeIndexes(context, draft);
    checkSharedColumns(context, draft, drafts);
    checkNeeds(context, draft);
  }
  for (const [name, draft] of drafts) drafts.set(name, Object.freeze(draft));
  return drafts;
}

function fieldsOf(context: BuildContext, type: string): Readonly<Record<string, GraphQLField<unknown, unknown>>> {
  return objectType(context.schema, type).getFields();
}

/** Another form of a relation, with its type. */
interface OwnedForm {
  readonly owner: string;
  readonly sketch: FormSketch;
}

function buildEntity(
  context: BuildContext,
  type: GraphQLObjectType,
  sketches: RelationSketch[],
  forms: OwnedForm[],
): Draft {
  const { schema } = context;
  const keyName = lookUp(context.keys, type.name);
  const fields = new Map<string, Field>();
  const readOnly = directiveValues(schema, 'readOnly', type) !== undefined;
  const unmanaged = readOnly || directiveValues(schema, 'unmanaged', type) !== undefined;
  const named = Object.values(type.getFields()).map((field) => ({
    name: field.name,
    isPolymorphic: context.abstracts.has(getNamedType(field.type).name) && !isListType(getNullableType(field.type)),
    given: directiveValues(schema, 'column', field)?.name ?? undefined,
  }));
  const columns = nameColumns(named);
  for (const [index, field] of Object.values(type.getFields()).entries()) {
    const drafted = buildField(context, type, field, keyName, {
      column: lookUp(columns, field.name),
      given: named[index]!.given,
      unmanaged: unmanaged || directiveValues(schema, 'unmanaged', field) !== undefined,
      readOnly: readOnly || directiveValues(schema, 'readOnly', field) !== undefined,
    });
    if (drafted === undefined) continue;
    if (drafted.kind === 'sketch') sketches.push(drafted);
    else if (drafted.kind === 'formSketch') forms.push({ owner: type.name, sketch: drafted });
    else fields.set(field.name, drafted);
  }
  const key = fields.get(keyName);
  const table = directiveValues(schema, 'entity', type)?.table ?? fitName(snakeCase(plural(type.name)));
  checkTableName(context, type, table, unmanaged);
  const search = directiveValues(schema, 'search', type);
  const searched =
    search !== undefined ||
    [...fields.values()].some((field) => field.search !== undefined) ||
    sketches.some(
      (sketch) => sketch.owner === type.name && sketch.search !== undefined && sketch.search.embed !== false,
    );
  const former = directiveValues(schema, 'renamedFrom', type)?.name;
  if (former !== undefined && former !== type.name && context.keys.has(former))
    context.problems.add(
      type.astNode,
      `Type ${type.name} is renamed from ${former}, which the schema still has.`,
      `Remove type ${former}, or @renamedFrom.`,
    );
  const auth = readAuth(schema, type);
  const softDelete = readSoftDelete(context, type, { readOnly, auth }, fields);
  return {
    name: type.name,
    ...(softDelete && { softDelete }),
    ...(former !== undefined && { formerNames: [former] }),
    description: type.description ?? undefined,
    table,
    unmanaged,
    readOnly,
    captured: directiveValues(schema, 'captureChanges', type) !== undefined,
    key: key?.kind === 'column' ? key : missingKey(keyName),
    fields,
    interfaces: type.getInterfaces().map((each) => each.name),
    indexes: [],
    auth,
    location: locationOf(type.astNode),
    searchIndex: searched
      ? {
          index: search?.index ?? indexNameOf(table),
          type: search?.type ?? type.name.toLowerCase(),
        }
      : undefined,
  };
}

/** Any existing table has a name that works; a new one has a plain name, from which its indexes are named. */
function checkTableName({ problems }: BuildContext, type: GraphQLObjectType, table: string, unmanaged: boolean): void {
  const name = parseTableName(table);
  const cannot = `Type ${type.name} cannot be stored in a table called "${table}".`;
  if (name === undefined || isKeptName(name))
    problems.add(
      type.astNode,
      cannot,
      'Write @entity(table: "...") with a name, or a schema, a dot and a name; a part that contains a dot or quote is in double quotes, and no name starts with sqlite_, pg_ or lockstitch_.',
    );
  else if (!unmanaged && !/^[A-Za-z_][A-Za-z0-9_]{0,62}$/.test(table))
    problems.add(
      type.astNode,
      cannot,
      'Write @entity(table: "...") with letters, digits and "_", at most 63; or put @unmanaged on the type, if the table exists and is to stay as it is.',
    );
}

/** The name of a search index: for `shop."Order Details"`, `order_details`. */
function indexNameOf(table: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(table)
    ? table
    : bareTableName(table)
        .toLowerCase()
        .replaceAll(/[^a-z0-9_]/g, '_')
        .replace(/^_/, 'x_');
}

/** Placeholder for a key that could not be read; the problem has been reported. */
function missingKey(name: string): ColumnField {
  return {
    kind: 'column',
    name,
    description: undefined,
    location: undefined,
    auth: undefined,
    search: undefined,
    column: snakeCase(name),
    storage: 'text',
    typeName: 'ID',
    list: false,
    nullable: false,
    unique: true,
    isKey: true,
    unordered: false,
    default: undefined,
    unmanaged: false,
    readOnly: false,
    timeZone: undefined,
  };
}

/** Restores the field order of the schema: columns were added before relations. */
function restoreOrder(context: BuildContext, draft: Draft): void {
  const fields = new Map<string, Field>();
  for (const name of Object.keys(fieldsOf(context, draft.name))) {
    const field = draft.fields.get(name);
    if (field !== undefined) fields.set(name, field);
  }
  draft.fields = fields;
}

/** A one-to-one relation needs a unique foreign key. */
function addUniqueKeys(draft: Draft): void {
  for (const field of draft.fields.values()) {
    if (field.kind === 'relation' && field.storage.kind === 'foreignKey' && field.storage.unique)
      draft.indexes = [...draft.indexes, { columns: storedColumnsOf(field), unique: true }];
  }
}

function readTypeIndexes(context: BuildContext, draft: Draft): void {
  const type = objectType(context.schema, draft.name);
  const nodes = [type.astNode, ...type.extensionASTNodes];
  const owners = [
    ...nodes.map((node) => ({ node, own: undefined })),
    ...Object.values(type.getFields()).map((field) => ({ node: field.astNode, own: field.name })),
  ];
  for (const { node, own } of owners) {
    for (const directive of node?.directives ?? []) {
      const unique = directive.name.value === 'unique';
      if (!unique && directive.name.value !== 'index') continue;
      const list = directive.arguments?.find((each) => each.name.value === 'fields')?.value;
      const names =
        list?.kind === 'ListValue' ? list.values.map((each) => (each.kind === 'StringValue' ? each.value : '')) : [];
      if (own !== undefined && names[0] !== own) names.unshift(own);
      if (unique && names.length === 1 && names[0] === own && draft.fields.get(own ?? '')?.kind === 'column') continue;
      if (names.length === 0) {
        context.problems.add(
          directive,
          `@${directive.name.value} on ${draft.name} names no field.`,
          'Write @index(fields: ["a", "b"]).',
        );
        continue;
      }
      const columns = names.map((name) => columnsFor(context, draft, name, directive));
      if (columns.every((each) => each !== undefined))
        draft.indexes = [...draft.indexes, { columns: columns.flat(), unique }];
    }
  }
}

function columnsFor(
  context: BuildContext,
  draft: Draft,
  name: string,
  node: ASTNode | undefined,
): readonly string[] | undefined {
  const field = draft.fields.get(name);
  const isStored =
    (field?.kind === 'column' && field.parts === undefined) ||
    (field?.kind === 'relation' && field.storage.kind === 'foreignKey');
  if (isStored) return storedColumnsOf(field);
  const what = field === undefined ? `has no field "${name}"` : `has no column for "${name}"`;
  context.problems.add(
    node,
    `${draft.name} ${what}.${field === undefined ? didYouMean(name, draft.fields.keys()) : ''}`,
    'Name fields that are stored in the table of the type.',
  );
  return undefined;
}

/** Finds the columns of a key of several fields. */
function joinKey(context: BuildContext, draft: Draft): void {
  if (draft.key.parts === undefined) return;
  const field = declaredField(context.schema, draft.name, draft.key.name);
  const names = directiveValues(context.schema, 'id', field)?.fields ?? [];
  const parts = names.flatMap((name) => {
    const part = draft.fields.get(name);
    if (isStoredField(part) && part.nullable)
      context.problems.add(
        field.astNode,
        `${draft.name}.${name} can be null, and it is part of the key.`,
        `Write "!" behind its type.`,
      );
    return columnsFor(context, draft, name, field.astNode ?? undefined) ?? [];
  });
  if (names.length < 2)
    context.problems.add(
      field.astNode,
      `@id(fields:) on ${draft.name} names ${names.length} fields.`,
      'Name at least two.',
    );
  const key = { ...draft.key, parts, column: compositeName(parts) };
  draft.key = key;
  draft.fields.set(key.name, key);
}

/** Reports relations whose columns are not as many as those of the key that they hold. */
function checkTargets(context: BuildContext, draft: Draft, drafts: ReadonlyMap<string, Draft>): void {
  for (const field of draft.fields.values()) {
    if (field.kind !== 'relation') continue;
    const { storage } = field;
    const target = drafts.get(field.target);
    if (target === undefined) continue;
    if (storage.kind === 'foreignKey')
      checkReference(context, draft, field, { target, parts: storage.parts, how: '@column(name: […])' });
    if (storage.kind !== 'joinTable') continue;
    checkReference(context, draft, field, { target: draft, parts: storage.fromParts, how: '@relation(from: […])' });
    // An inverse reports its own end.
    if (field.inverse === undefined)
      checkReference(context, draft, field, { target, parts: storage.toParts, how: '@relation(to: […])' });
  }
}

/** A reference to an object. */
interface Reference {
  readonly target: Draft;
  /** Its columns, if there are several. */
  readonly parts: readonly string[] | undefined;
  /** How the schema names them. */
  readonly how: string;
}

function checkReference(
  { problems }: BuildContext,
  draft: Draft,
  field: RelationField,
  { target, parts = [], how }: Reference,
): void {
  const key = target.key.parts ?? [];
  const add = (message: string, remedy: string): void =>
    problems.addAt(field.location, `${draft.name}.${field.name} ${message}`, remedy);
  if (key.length === 0 && parts.length > 0)
    add(`names ${parts.length} columns, and the key of ${target.name} is one.`, 'Name one.');
  else if (key.length !== parts.length)
    add(
      `refers to ${target.name}, whose key has ${key.length} columns (${key.join(', ')}), and names ${Math.max(parts.length, 1)}.`,
      `Write ${how} with ${key.length} columns, in that order.`,
    );
  else if (key.length > 0 && !field.unmanaged)
    add(
      `refers to ${target.name} by several columns, and would have to create them.`,
      `Put @unmanaged on ${draft.name} or the field, if the columns exist; a new type is referred to by one column.`,
    );
}

/** Reports columns that two fields would write, or read as different types. */
function checkSharedColumns({ problems }: BuildContext, draft: Draft, drafts: ReadonlyMap<string, Draft>): void {
  const owners = new Map<string, Field>();
  for (const field of draft.fields.values()) {
    for (const column of storedColumnsOf(field)) {
      const other = owners.get(column);
      owners.set(column, field);
      if (other === undefined) continue;
      const what = `${draft.name}.${other.name} and ${draft.name}.${field.name} are both stored in column "${column}"`;
      const isWritten = (each: Field): boolean => isStoredField(each) && !each.readOnly;
      if (isWritten(other) && isWritten(field))
        problems.addAt(
          field.location,
          `${what}, and can both be written.`,
          'Put @readOnly on one of them, or give it another column with @column(name: "...").',
        );
      else if (![other, field].some(isComposite) && storedAs(other, drafts) !== storedAs(field, drafts))
        problems.addAt(
          field.location,
          `${what}, as values of different types.`,
          'Give both one type: where the key of the other type is counted by the database, that is Int or BigInt.',
        );
    }
  }
}

/** A reference by several columns reads them as text, whatever they hold. */
function isComposite(field: Field): boolean {
  return field.kind === 'relation' && field.storage.kind === 'foreignKey' && field.storage.parts !== undefined;
}

/** The storage of a field in its column. */
function storedAs(field: Field, drafts: ReadonlyMap<string, Draft>): string {
  return field.kind === 'column'
    ? field.storage
    : field.kind === 'relation' && field.storage.kind === 'foreignKey'
      ? (drafts.get(field.target)?.key.storage ?? '')
      : 'text';
}

/** Reports resolver needs that are not columns. */
function checkNeeds(context: BuildContext, draft: Draft): void {
  for (const field of draft.fields.values()) {
    if (field.kind !== 'resolver') continue;
    for (const name of field.needs) {
      if (draft.fields.get(name)?.kind === 'column') continue;
      context.problems.addAt(
        field.location,
        `The resolver of ${draft.name}.${field.name} needs "${name}", which is no column of ${draft.name}.${didYouMean(name, draft.fields.keys())}`,
        'Name scalar fields of the same type in "needs".',
      );
    }
  }
}

/** Reports entities whose table is already the join table of a relation. */
function checkJoinTables(context: BuildContext, drafts: ReadonlyMap<string, Draft>): void {
  const owners = new Map([...drafts.values()].map(({ table, name }) => [table.toLowerCase(), name]));
  for (const draft of drafts.values()) {
    for (const field of draft.fields.values()) {
      if (field.kind !== 'relation' || !('table' in field.storage)) continue;
      const owner = owners.get(field.storage.table.toLowerCase());
      if (owner === undefined) continue;
      context.problems.addAt(
        lookUp(drafts, owner).location,
        `Type ${owner} is stored in table "${field.storage.table}", which is the join table of ${draft.name}.${field.name}.`,
        'Give the type another with @entity(table: "...").',
      );
    }
  }
}

function checkTables(context: BuildContext, drafts: ReadonlyMap<string, Draft>): void {
  const owners = new Map<string, Draft>();
  for (const draft of drafts.values()) {
    const other = owners.get(draft.table.toLowerCase());
    // PostgreSQL may have two tables whose names differ in case only; we create no such tables.
    const areTwo = other?.unmanaged === true && draft.unmanaged && other.table !== draft.table;
    if (other !== undefined && !areTwo)
      context.problems.addAt(
        draft.location,
        `Types ${other.name} and ${draft.name} are both stored in table "${draft.table}".`,
        'Give one of them another with @entity(table: "...").',
      );
    owners.set(draft.table.toLowerCase(), draft);
  }
}
