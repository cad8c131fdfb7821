// Refusals by constraints that somebody gave the tables: each is a 4xx that names the constraint and the field, and no value.
import { equal, match, ok, rejects } from 'node:assert/strict';
import { isProductError } from '@lockstitch/kernel';
import { systemClock } from '@lockstitch/kernel';
import type { Store } from '../../src/store/store.ts';
import { createImporter } from '../../src/write/import-rows.ts';
import { testOnStores } from '../stores.ts';
import { openWriting } from '../writing.ts';

const SCHEMA = `
  type Product @entity(table: "products") {
    id: ID! @id
    price: Int
    unitPrice: Int
    mail: String
    note: String
  }
  type Query { product(id: ID!): Product }
  input ProductInput { id: ID! price: Int unitPrice: Int mail: String note: String }
  type Mutation { createProduct(input: ProductInput!): Product updateProduct(id: ID!, input: ProductChange!): Product }
  input ProductChange { price: Int unitPrice: Int mail: String note: String }
`;
const TABLE = `CREATE TABLE products (id text NOT NULL PRIMARY KEY, price integer CHECK (price >= 0), unit_price integer,
  mail text, note text, CONSTRAINT unit_price_positive CHECK (unit_price > 0), CONSTRAINT tidy CHECK (price IS NULL OR unit_price IS NULL OR price < unit_price))`;

function refused(code: string, message: RegExp, path?: string) {
  return (error: unknown): true => {
    ok(isProductError(error), String(error));
    equal(error.code, code, error.message);
    match(error.message, message);
    equal(error.path, path);
    ok(error.status >= 400 && error.status < 500);
    equal(/secret|4711|9999/.test(error.message + error.hint), false, error.message);
    return true;
  };
}

async function open(store: Store, ...further: readonly string[]) {
  await store.script([TABLE, ...further].join(';\n'));
  const writing = await openWriting(store, SCHEMA);
  const run = (field: string) => writing.run(field);
  await run('createProduct(input: { id: "a", mail: "secret@x.y" })');
  return { run, model: writing.model };
}

testOnStores('4 a violated CHECK is named with its field', async (store) => {
  const { run, model } = await open(store);
  const check = (name: RegExp) =>
    new RegExp(String.raw`createProduct failed: Product\.price does not satisfy the check "${name.source}"`);
  await rejects(
    run('createProduct(input: { id: "b", price: -4711 })'),
    refused('GRAPH_CHECK_FAILED', check(/(?:price >= 0|products_price_check)/), 'price'),
  );
  await rejects(
    run('updateProduct(id: "a", input: { unitPrice: -4711 })'),
    refused('GRAPH_CHECK_FAILED', /Product\.unitPrice does not satisfy the check "unit_price_positive"/, 'unitPrice'),
  );
  await rejects(
    run('updateProduct(id: "a", input: { price: 4711, unitPrice: 1 })'),
    refused('GRAPH_CHECK_FAILED', /Product does not satisfy the check "tidy"/),
  );
  const importRows = createImporter({ model, store, clock: systemClock });
  await rejects(
    importRows('Product', [[{ id: 'c', unitPrice: -4711 }]]),
    refused('GRAPH_CHECK_FAILED', /The import failed: Product\.unitPrice .*"unit_price_positive"/, 'unitPrice'),
  );
});

testOnStores(
  '4 unique indexes over expressions, triggers and values that do not fit are refusals, too',
  async (store) => {
    const trigger =
      store.dialect === 'sqlite'
        ? ["CREATE TRIGGER no_notes BEFORE UPDATE OF note ON products BEGIN SELECT RAISE(ABORT, 'secret 4711'); END"]
        : [
            "CREATE FUNCTION no_notes() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'secret 4711'; END $$",
            'CREATE TRIGGER no_notes BEFORE UPDATE OF note ON products FOR EACH ROW EXECUTE FUNCTION no_notes()',
          ];
    const { run } = await open(store, 'CREATE UNIQUE INDEX by_mail ON products (lower(mail))', ...trigger);
    await rejects(
      run('createProduct(input: { id: "b", mail: "SECRET@x.y" })'),
      store.dialect === 'sqlite'
        ? refused('GRAPH_CONSTRAINT', /another object has the same value \(unique index "by_mail"\)/)
        : refused('GRAPH_NOT_UNIQUE', /another Product has the same lower\(mail\)/, 'lower(mail)'),
    );
    await rejects(
      run('updateProduct(id: "a", input: { note: "n" })'),
      refused('GRAPH_CHECK_FAILED', /a value does not satisfy a trigger of the database/),
    );
  },
);

testOnStores(
  '4 a column that must have a value, a number out of its range and an exclusion are refusals that say so',
  async (store) => {
    const { run } = await open(store);
    // Somebody changes the table while the server runs.
    if (store.dialect === 'postgres') {
      await store.script('ALTER TABLE products ADD CONSTRAINT apart EXCLUDE USING btree (unit_price WITH =)');
      await run('createProduct(input: { id: "e", unitPrice: 4711 })');
      await rejects(
        run('createProduct(input: { id: "f", unitPrice: 4711 })'),
        refused('GRAPH_CONSTRAINT', /\(exclusion constraint "apart", unitPrice\)/, 'unitPrice'),
      );
      await store.script(
        "UPDATE products SET note = 'x'; ALTER TABLE products ALTER note SET NOT NULL, ALTER price TYPE smallint",
      );
      await rejects(
        run('createProduct(input: { id: "b" })'),
        refused('GRAPH_VALUE_REQUIRED', /the database needs a value of Product\.note/, 'note'),
      );
      await rejects(
        run('createProduct(input: { id: "b", note: "n", price: 99990 })'),
        refused('GRAPH_VALUE_UNFIT', /a value does not fit its column/),
      );
    } else {
      await store.script("ALTER TABLE products ADD COLUMN extra text NOT NULL DEFAULT 'x'");
      await store.script(
        'CREATE TRIGGER filled AFTER INSERT ON products BEGIN UPDATE products SET extra = NULL WHERE id = NEW.id; END',
      );
      await rejects(
        run('createProduct(input: { id: "b" })'),
        refused('GRAPH_VALUE_REQUIRED', /the database needs a value of Product\.extra/, 'extra'),
      );
    }
  },
);
