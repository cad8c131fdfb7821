// Describes the rows of an entity to the rule language: its fields, and through relations those of other entities.
import type { FieldShape, RowShape, ValueType } from '@lockstitch/kernel';
import { type ColumnField, type Entity, type Field, type Model, isStoredField } from '../schema/model.ts';

/** The shape of an entity's rows, for the kernel's compileExpression. */
export function rowShapeOf(entity: Entity, model: Pick<Model, 'entities'>): RowShape {
  const shapes = new Map<string, RowShape>();
  const shapeOf = (each: Entity): RowShape => {
    const known = shapes.get(each.name);
    if (known !== undefined) return known;
    const shape = new Map<string, FieldShape>();
    shapes.set(each.name, shape);
    for (const field of each.fields.values()) {
      const described = describe(field, (name) => model.entities.get(name), shapeOf);
      if (described !== undefined) shape.set(field.name, described);
    }
    return shape;
  };
  return shapeOf(entity);
}

function describe(
  field: Field,
  find: (name: string) => Entity | undefined,
  shapeOf: (entity: Entity) => RowShape,
): FieldShape | undefined {
  if (!isStoredField(field)) return undefined;
  if (field.kind === 'column') {
    const { unordered } = field;
    const scalar: FieldShape = { kind: 'scalar', type: valueType(field), ...(unordered && { unordered }) };
    return field.list ? { kind: 'list', of: scalar } : scalar;
  }
  const target = find(field.target);
  // Rows of several types have no common shape.
  if (target === undefined) return undefined;
  const row: FieldShape = { kind: 'object', row: () => shapeOf(target), key: target.key.name };
  return field.many ? { kind: 'list', of: row } : row;
}

function valueType(field: ColumnField): ValueType {
  if (field.typeName === 'ID') return 'string';
  if (field.list)
    return field.typeName === 'Int' || field.typeName === 'Float'
      ? 'number'
      : field.typeName === 'Boolean'
        ? 'boolean'
        : 'string';
  switch (field.storage) {
    case 'integer':
    case 'real':
      return 'number';
    case 'decimal':
      return 'decimal';
    case 'boolean':
      return 'boolean';
    case 'json':
      return 'object';
    case 'text':
    case 'timestamp':
      return 'string';
  }
}
