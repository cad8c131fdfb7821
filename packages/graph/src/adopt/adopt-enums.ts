// Enums of an adopted schema: the native enums of PostgreSQL, and CHECK constraints that list the texts of a column.
import type { AdoptedEnum } from './adoption.ts';
import {
  nameKey,
  type ColumnDescription,
  type DatabaseDescription,
  type TableDescription,
} from './database-description.ts';
import { type Names, pascal, sqlWords } from './inflect.ts';
import { listedValues } from './listed-values.ts';
import type { Sayable } from './sayable.ts';

/** The enums in use, made on demand. */
export class Enums {
  readonly #database: DatabaseDescription;
  readonly #names: Names;
  readonly #sayable: Sayable;
  readonly #made = new Map<string, AdoptedEnum>();

  /** @param names the names of types */
  constructor(database: DatabaseDescription, names: Names, sayable: Sayable) {
    this.#database = database;
    this.#names = names;
    this.#sayable = sayable;
  }

  get all(): readonly AdoptedEnum[] {
    return [...this.#made.values()];
  }

  /** Whether GraphQL can name each value of a native enum as it is. */
  isPlain({ enum: name }: ColumnDescription): boolean {
    const key = name === undefined ? '' : nameKey(name);
    const native = this.#database.enums.find((each) => nameKey(each) === key);
    return native !== undefined && native.values.length > 0 && native.values.every(isValueName);
  }

  /** Name of the column's enum; undefined if its values are not listed, or GraphQL cannot name them. */
  of(table: TableDescription, column: ColumnDescription, typeName: string): string | undefined {
    if (column.enum !== undefined) {
      // Values of a domain are read as texts.
      if (column.domain) return undefined;
      const key = nameKey(column.enum);
      const native = this.#database.enums.find((each) => nameKey(each) === key);
      if (native === undefined || native.values.length === 0) return undefined;
      return this.#make(
        key,
        [pascal(sqlWords(native.name), native.name), `${pascal(sqlWords(native.name), native.name)}Enum`],
        native.values,
        native.comment,
      );
    }
    if (column.list || !['text', 'varchar', 'bpchar', 'TEXT'].includes(column.base)) return undefined;
    // PostgreSQL prints a name as it is; SQLite finds it without regard to case.
    const sameName = (name: string): string => (this.#database.dialect === 'postgres' ? name : name.toLowerCase());
    const listed = table.checks
      .map(({ sql }) => listedValues(sql))
      .find((each) => each !== undefined && sameName(each.column) === sameName(column.name));
    // One value is a constant of the table, and char(n) pads what it holds.
    if (listed === undefined || listed.values.length < 2 || column.base === 'bpchar') return undefined;
    const name = `${typeName}${pascal(sqlWords(column.name), column.name)}`;
    return this.#make(`${nameKey(table)} ${column.name}`, [name, `${name}Enum`], listed.values, undefined);
  }

  #make(
    key: string,
    names: readonly string[],
    stored: readonly string[],
    description: string | undefined,
  ): string | undefined {
    const known = this.#made.get(key);
    if (known !== undefined) return known.name;
    const values = nameValues(stored);
    if (!this.#sayable.enumValues && values.some((value) => value.name !== value.stored)) return undefined;
    const made = { name: this.#names.take(...names), description, values };
    this.#made.set(key, made);
    return made.name;
  }
}

/** Names that GraphQL allows, each once: `PG-13` → `PG_13`. */
function nameValues(stored: readonly string[]): AdoptedEnum['values'] {
  const taken = new Set(stored.filter(isValueName));
  return stored.map((text) => {
    if (isValueName(text)) return { name: text, stored: text };
    const plain = text
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .replaceAll(/[^A-Za-z0-9]+/g, '_')
      .replaceAll(/^_+|_+$/g, '');
    const base = plain === '' ? 'EMPTY' : /^\d/.test(plain) ? `_${plain}` : isValueName(plain) ? plain : `${plain}_`;
    let name = base;
    for (let count = 2; taken.has(name); count++) name = `${base}_${count}`;
    taken.add(name);
    return { name, stored: text };
  });
}

function isValueName(text: string): boolean {
  return /^(?!__)[A-Za-z_]\w*$/.test(text) && !['true', 'false', 'null'].includes(text);
}
