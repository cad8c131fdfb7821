// Says which mutations an adopted type has: none of what nobody can write, and no create where a required column is left
// out. Keys and columns that the database computes are in no input; a column with a default may be left out.
import type { AdoptedField, AdoptedWrites } from './adoption.ts';
import type { TableDescription } from './database-description.ts';
import type { Names } from './inflect.ts';

/** Why nobody can write a table; undefined: it can be written. */
export function writeObstacle({ kind, rewrites }: TableDescription): string | undefined {
  if (kind !== 'table') return `it is a ${kind}`;
  const [rule] = rewrites ?? [];
  return rule === undefined ? undefined : `its rule ${rule} does something else instead of the write`;
}

/** Where a type's inputs come from. */
export interface WrittenType {
  readonly name: string;
  readonly table: TableDescription;
  readonly fields: readonly AdoptedField[];
  readonly keyField: string;
  /** Columns that no field holds. */
  readonly leftOut: ReadonlySet<string>;
  /** The names of the type's fields: an argument named like one would be its value. */
  readonly names: Names;
}

/** The mutations of a type, and a clause about the create that it lacks. @param typeNames names of types, to which those of inputs are added */
export function writesOf(
  { name, table, fields, keyField, leftOut, names }: WrittenType,
  typeNames: Names,
): { readonly writes: AdoptedWrites; readonly lacks: string | undefined } {
  const missing = table.columns.find(
    (column) =>
      leftOut.has(column.name) &&
      !column.nullable &&
      column.default === undefined &&
      column.counted === undefined &&
      !column.generated,
  );
  const written = fields.flatMap(({ name: field, input }) => (input === undefined ? [] : [{ name: field, ...input }]));
  const changed = written.filter(({ isKey }) => !isKey);
  const inputOf = (verb: string, inputs: typeof written): AdoptedWrites['update'] =>
    inputs.length === 0 ? undefined : { input: typeNames.take(`${verb}${name}Input`), fields: inputs };
  return {
    writes: {
      argument: names.take('input', 'values', 'inputValues'),
      key: keyField,
      create: missing === undefined ? (inputOf('Create', written) ?? { input: undefined, fields: [] }) : undefined,
      update: inputOf(
        'Update',
        changed.map((each) => ({ ...each, required: false })),
      ),
    },
    lacks:
      missing === undefined
        ? undefined
        : `its column ${missing.name} is never null, has no default, and is left out: no mutation creates a ${name}`,
  };
}
