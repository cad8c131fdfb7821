// The JSON format of a column's values.
import type { ColumnField } from '../schema/model.ts';
import type { JsonFormat } from '../sql/sql.ts';

export function formatOf(field: Pick<ColumnField, 'storage' | 'typeName'>): JsonFormat {
  switch (field.storage) {
    case 'text':
      return 'string';
    case 'integer':
      if (field.typeName === 'ID') return 'id';
      return field.typeName === 'BigInt' ? 'wholeNumber' : 'integer';
    case 'real':
    case 'decimal':
    case 'boolean':
    case 'timestamp':
    case 'json':
      return field.storage;
  }
}
