// Translates constraint violations of the database to errors that name the type, field and constraint. They never
// contain a value or the database's message about one: the row may be hidden from the caller.
import type { ProductError } from '@lockstitch/kernel';
import { graphErrors } from '../errors.ts';
import { storedColumnsOf, type Entity, type Model } from '../schema/model.ts';
import type { ConstraintViolation } from '../store/store.ts';

/**
 * The violation as an error for the client. `root` is the mutation's type: SQLite does not name the table of a check.
 */
export function constraintError(
  violation: ConstraintViolation,
  field: string,
  model: Pick<Model, 'entities'>,
  root: Entity | undefined,
): ProductError {
  const { kind, table, columns, constraint } = violation;
  const entity = [...model.entities.values()].find((each) => each.table === table);
  const names = entity === undefined ? [] : columns.map((column) => fieldOfColumn(entity, column));
  const init = { cause: violation, path: names[0] };
  switch (kind) {
    case 'unique':
      if (entity !== undefined && names.length > 0) {
        const values = { field, type: entity.name, names: names.join(' and ') };
        return graphErrors.create('GRAPH_NOT_UNIQUE', values, init);
      }
      return contradiction('another object has the same value', 'unique index', violation, field);
    case 'notNull': {
      const what = entity === undefined ? columns.join(', ') : `${entity.name}.${names.join(', ')}`;
      return graphErrors.create('GRAPH_VALUE_REQUIRED', { field, what }, init);
    }
    case 'check': {
      const at = entity ?? root;
      const checked = at === undefined ? undefined : fieldNamedIn(constraint ?? '', at);
      const what = at === undefined ? 'a value' : checked === undefined ? at.name : `${at.name}.${checked}`;
      const rule = constraint === undefined ? 'a check' : `the check "${constraint}"`;
      return graphErrors.create('GRAPH_CHECK_FAILED', { field, what, rule }, { cause: violation, path: checked });
    }
    case 'trigger':
      return graphErrors.create('GRAPH_CHECK_FAILED', { field, what: 'a value', rule: 'a trigger' }, init);
    case 'value': {
      const what = names.length === 0 ? 'a value' : `${entity?.name ?? ''}.${names.join(', ')}`;
      return graphErrors.create('GRAPH_VALUE_UNFIT', { field, what }, init);
    }
    case 'privilege':
      return graphErrors.create('GRAPH_WRITE_DENIED', { field }, { cause: violation });
    case 'exclusion':
      return contradiction('it conflicts with another object', 'exclusion constraint', violation, field, names);
    case 'foreignKey':
      return contradiction('the data would contradict itself', 'foreign key', violation, field, names);
  }
}

function contradiction(
  reason: string,
  what: string,
  violation: ConstraintViolation,
  field: string,
  names: readonly string[] = [],
): ProductError {
  const at = names.length === 0 ? '' : `, ${names.join(' and ')}`;
  const named = violation.constraint === undefined ? '' : ` (${what} "${violation.constraint}"${at})`;
  return graphErrors.create(
    'GRAPH_CONSTRAINT',
    { field, reason: `${reason}${named}` },
    { cause: violation, path: names[0] },
  );
}

/** The only field whose column occurs in a check's name or text, such as `products_price_check` or `price > 0`. */
function fieldNamedIn(constraint: string, entity: Entity): string | undefined {
  const words = constraint.replaceAll(/'[^']*'/g, ' ');
  const named = [...entity.fields.values()].flatMap((field) => {
    const column = field.kind === 'column' ? field.column : undefined;
    if (column === undefined) return [];
    const whole = new RegExp(
      String.raw`(?<![\p{L}\p{N}])${column.replaceAll(/[^\p{L}\p{N}_]/gu, String.raw`\$&`)}(?![\p{L}\p{N}])`,
      'iu',
    );
    return whole.test(words) ? [{ name: field.name, column }] : [];
  });
  // "price" is part of "unit_price".
  const [first, ...others] = named.filter(
    ({ column }) => !named.some((other) => other.column !== column && other.column.includes(column)),
  );
  return others.length === 0 ? first?.name : undefined;
}

function fieldOfColumn(entity: Entity, column: string): string {
  for (const field of entity.fields.values()) {
    const isStored = field.kind === 'column' || (field.kind === 'relation' && field.storage.kind === 'foreignKey');
    if (isStored && storedColumnsOf(field).includes(column)) return field.name;
  }
  return column;
}
