// Finds the rows of a relation. Selections, filters, counts and rules all follow relations through this file.
import { type ColumnField, type Entity, hasForeignKey, type RelationField, type Storage } from '../schema/model.ts';
import {
  and,
  equals,
  type Expr,
  type From,
  type OrderTerm,
  type Reference,
  type Join,
  type Select,
} from '../sql/sql.ts';

/** A row that expressions refer to: a table or subquery, by alias. */
export class RowScope {
  readonly entity: Entity;
  readonly alias: string;
  /** Whether the request asks for deleted rows, too. */
  includesDeleted = false;
  readonly #replaced: ReadonlyMap<string, Expr>;
  readonly #isQuery: boolean;

  /** `replaced`: columns found elsewhere; the key of a to-one target equals the foreign key. */
  constructor(entity: Entity, alias: string, replaced: ReadonlyMap<string, Expr> = new Map(), isQuery = false) {
    this.#isQuery = isQuery;
    this.entity = entity;
    this.alias = alias;
    this.#replaced = replaced;
  }

  /** A row of a subquery, whose columns are in the engine's form. @param inner the row in it */
  static ofQuery(entity: Entity, alias: string, inner?: Pick<RowScope, 'includesDeleted'>): RowScope {
    const scope = new RowScope(entity, alias, new Map(), true);
    scope.includesDeleted = inner?.includesDeleted === true;
    return scope;
  }

  column(name: string): Expr {
    const replaced = this.#replaced.get(name);
    if (replaced !== undefined) return replaced;
    const native = this.entity.natives?.get(name);
    if (!this.#isQuery) return { kind: 'column', from: this.alias, column: name, native };
    return { kind: 'column', from: this.alias, column: name, native: native?.parts && native };
  }

  get key(): Expr {
    return this.column(this.entity.key.column);
  }
}

/** Rows of one entity that belong to a parent. */
export interface RelatedRows {
  readonly from: From;
  /** The alias of `from`. */
  readonly alias: string;
  readonly joins: readonly Join[];
  /** The link to the parent row. */
  readonly link: Expr | undefined;
  /** The link, and that the row is not deleted. */
  readonly where: Expr | undefined;
  /** The target's row inside the query. */
  readonly scope: RowScope;
  /** Order by key. */
  readonly keyOrder: OrderTerm;
}

/** Creates aliases that are unique in one statement. */
export class Aliases {
  readonly #prefix: string;
  #next = 0;

  constructor(prefix = 't') {
    this.#prefix = prefix;
  }

  take(): string {
    return `${this.#prefix}${this.#next++}`;
  }
}

/** A select of rows for EXISTS and COUNT. `before` is the first condition. */
export function countable(rows: RelatedRows, conditions: readonly (Expr | undefined)[], before?: Expr): Select {
  return {
    columns: [{ expr: { kind: 'literal', value: 1 }, as: 'found' }],
    from: rows.from,
    joins: rows.joins,
    where: and(before, rows.where, ...conditions),
  };
}

/** Checks the deadline at some of the rows of a scope. */
export function beforeDeadline(scope: RowScope, isNeeded: boolean): Expr {
  const isInteger = scope.entity.key.storage === 'integer';
  return { kind: 'beforeDeadline', isNeeded, sample: { by: scope.key, isInteger } };
}

/** The order term of a scope's key. */
export function keyOrderOf(scope: RowScope, descending = false): OrderTerm {
  return { expr: scope.key, descending, nullable: false, storage: scope.entity.key.storage, indexed: true };
}

/** Whether an index begins with a column. */
export function isIndexed({ indexes, unmanaged }: Entity, { column, isKey, unique }: ColumnField): boolean {
  return isKey || (!unmanaged && (unique || indexes.some(({ columns }) => columns[0] === column)));
}

/** Whether a row is not deleted; undefined if deletions remove the rows of its type. */
export function notDeleted(scope: RowScope): Expr | undefined {
  const { softDelete } = scope.entity;
  if (softDelete === undefined) return undefined;
  if (softDelete.storage === 'boolean') {
    const mark = scope.column(softDelete.column);
    return { kind: 'isNotTrue', operand: softDelete.isLoose === true ? differsFromFalse(mark) : mark };
  }
  // The column itself: what an unmanaged column holds may be no value of the engine's, and is not null.
  return { kind: 'isNull', operand: { kind: 'column', from: scope.alias, column: softDelete.column }, negated: false };
}

/** Whether a row that the request asks for is deleted. */
export function isDeleted(scope: RowScope): Expr | undefined {
  const { softDelete } = scope.entity;
  if (softDelete === undefined || !scope.includesDeleted) return undefined;
  const mark = scope.column(softDelete.column);
  if (softDelete.storage !== 'boolean') return { kind: 'isNull', operand: mark, negated: true };
  return softDelete.isLoose === true ? differsFromFalse(mark) : mark;
}

function differsFromFalse(left: Expr): Expr {
  return { kind: 'compare', operator: '<>', left, right: { kind: 'literal', value: false }, storage: 'boolean' };
}

/** All rows of an entity that are not deleted. */
export function allRows(entity: Entity, aliases: Aliases): RelatedRows {
  const scope = new RowScope(entity, aliases.take());
  return {
    from: table(entity, scope),
    alias: scope.alias,
    joins: [],
    link: undefined,
    where: notDeleted(scope),
    scope,
    keyOrder: keyOrderOf(scope),
  };
}

/**
 * The rows of `target` that `field` of the parent row refers to.
 *
 * @param target the relation's target, or one member of an interface or union
 * @param keyOnly only the target's key will be used, so the join table alone suffices
 */
export function relatedRows(
  parent: RowScope,
  field: RelationField,
  target: Entity,
  aliases: Aliases,
  keyOnly: boolean,
): RelatedRows {
  const rows = linkedRows(parent, field, target, aliases, keyOnly && target.softDelete === undefined);
  return { ...rows, where: and(rows.link, notDeleted(rows.scope)) };
}

/** The same with deleted rows. */
export function linkedRows(
  parent: RowScope,
  field: RelationField,
  target: Entity,
  aliases: Aliases,
  keyOnly: boolean,
): Omit<RelatedRows, 'where'> {
  const { storage } = field;
  const keyStorage = target.key.storage;
  if (storage.kind === 'joinTable') {
    const joinRows = aliases.take();
    const column = (name: string): Expr => ({
      kind: 'column',
      from: joinRows,
      column: name,
      native: storage.natives?.get(name),
    });
    const to = column(storage.to);
    const isManaged = hasForeignKey(field, parent.entity);
    const link = refersTo(column(storage.from), parent, isManaged ? 'required' : 'unchecked');
    const unique = isManaged ? [storage.from, storage.to] : undefined;
    const indexed = unique && new Set(unique);
    const joinTable: From = { kind: 'table', table: storage.table, alias: joinRows, unique, indexed };
    const order: OrderTerm = { expr: to, descending: false, nullable: false, storage: keyStorage };
    if (keyOnly) {
      const scope = new RowScope(target, joinRows, new Map([[target.key.column, to]]));
      return { from: joinTable, alias: joinRows, joins: [], link, scope, keyOrder: order };
    }
    const scope = new RowScope(target, aliases.take());
    const join = {
      from: table(target, scope),
      on: references(scope.key, to, keyStorage, referenceOf(field, target, true)),
    };
    return { from: joinTable, alias: joinRows, joins: [join], link, scope, keyOrder: order };
  }
  if (storage.kind === 'polymorphicJoinTable') {
    const joinRows = aliases.take();
    const key: Expr = { kind: 'column', from: joinRows, column: storage.keyColumn };
    const type: Expr = { kind: 'column', from: joinRows, column: storage.typeColumn };
    const scope = new RowScope(target, aliases.take());
    const link = and(
      equals({ kind: 'column', from: joinRows, column: storage.from }, parent.key, parent.entity.key.storage),
      isType(type, target),
    );
    const join = { from: table(target, scope), on: equals(scope.key, keyOfType(key, type, target), keyStorage) };
    return {
      from: { kind: 'table', table: storage.table, alias: joinRows },
      alias: joinRows,
      joins: [join],
      link,
      scope,
      keyOrder: keyOrderOf(scope),
    };
  }
  const scope = new RowScope(target, aliases.take());
  return {
    from: table(target, scope),
    alias: scope.alias,
    joins: [],
    link: linkOf(parent, field, scope),
    scope,
    keyOrder: keyOrderOf(scope),
  };
}

function linkOf(parent: RowScope, field: RelationField, scope: RowScope): Expr | undefined {
  const { storage } = field;
  const { entity } = scope;
  switch (storage.kind) {
    case 'foreignKey':
      return references(
        scope.key,
        parent.column(storage.column),
        entity.key.storage,
        referenceOf(field, entity, !field.nullable),
      );
    case 'polymorphic':
      return and(
        isType(parent.column(storage.typeColumn), entity),
        equals(
          scope.key,
          keyOfType(parent.column(storage.keyColumn), parent.column(storage.typeColumn), entity),
          entity.key.storage,
        ),
      );
    case 'inverse': {
      const other = entity.fields.get(storage.field);
      if (other?.kind !== 'relation') return undefined;
      if (other.storage.kind === 'foreignKey')
        return refersTo(scope.column(other.storage.column), parent, referenceOf(other, parent.entity, !other.nullable));
      if (other.storage.kind === 'polymorphic')
        return and(
          isType(scope.column(other.storage.typeColumn), parent.entity),
          equals(scope.column(other.storage.keyColumn), toStoredKey(parent.key, parent.entity), 'text'),
        );
      return undefined;
    }
    case 'joinTable':
    case 'polymorphicJoinTable':
      return undefined;
  }
}

function referenceOf(field: RelationField, target: Entity, required: boolean): Reference {
  return !hasForeignKey(field, target) ? 'unchecked' : required ? 'required' : 'optional';
}

/** The limit of a select of the row that a key refers to: a view may have several rows of one key. */
export function limitOfOne({ readOnly }: Entity): Expr | undefined {
  return readOnly ? ONE : undefined;
}

const ONE: Expr = { kind: 'literal', value: 1 };

/** A row that a foreign key refers to. */
function references(key: Expr, foreignKey: Expr, storage: Storage, reference: Reference): Expr {
  return { kind: 'compare', operator: '=', left: key, right: foreignKey, storage, reference };
}

/** Rows whose foreign key refers to the parent row. */
function refersTo(foreignKey: Expr, parent: RowScope, referrer: Reference): Expr {
  const { storage } = parent.entity.key;
  return { kind: 'compare', operator: '=', left: foreignKey, right: parent.key, storage, referrer };
}

function table(entity: Entity, scope: RowScope): From {
  const unique = hasUniqueKey(entity) ? [entity.key.column] : undefined;
  return { kind: 'table', table: entity.table, alias: scope.alias, unique, indexed: indexedColumns(entity) };
}

/** Whether the database keeps an index of the key, in which no two rows are the same. */
export function hasUniqueKey({ key, natives, unmanaged }: Entity): boolean {
  return !unmanaged || natives?.get(key.column)?.isUnique === true;
}

const indexed = new WeakMap<Entity, ReadonlySet<string>>();

function indexedColumns(entity: Entity): ReadonlySet<string> {
  let columns = indexed.get(entity);
  if (columns === undefined) {
    const fields = [...entity.fields.values()];
    const found = fields.flatMap((field) => {
      if (field.kind === 'column') return isIndexed(entity, field) ? [field.column] : [];
      // The engine gives each foreign key of its own an index.
      return field.kind === 'relation' && field.storage.kind === 'foreignKey' && !field.unmanaged && !entity.unmanaged
        ? [field.storage.column]
        : [];
    });
    indexed.set(entity, (columns = new Set(found)));
  }
  return columns;
}

/** Compares a stored type name. */
export function isType(typeColumn: Expr, entity: Entity): Expr {
  return equals(typeColumn, { kind: 'literal', value: entity.name }, 'text');
}

/** Converts a key from a text column shared by several types. */
export function fromStoredKey(key: Expr, entity: Entity): Expr {
  return entity.key.storage === 'integer' ? { kind: 'cast', to: 'integer', operand: key } : key;
}

/**
 * The key if the row is of that type. PostgreSQL may evaluate it before the type is tested, and not every text is an
 * integer.
 */
function keyOfType(key: Expr, type: Expr, entity: Entity): Expr {
  if (entity.key.storage !== 'integer') return key;
  return {
    kind: 'choose',
    branches: [{ when: isType(type, entity), use: fromStoredKey(key, entity) }],
    otherwise: { kind: 'literal', value: null },
  };
}

/** Converts a key to a text column shared by several types. */
export function toStoredKey(key: Expr, entity: Entity): Expr {
  return entity.key.storage === 'integer' ? { kind: 'cast', to: 'text', operand: key } : key;
}
