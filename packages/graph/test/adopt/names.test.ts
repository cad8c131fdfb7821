// Names of types and relations from names of SQL, secrets by their names, and the values that a CHECK lists.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import type { ColumnDescription } from '../../src/adopt/database-description.ts';
import { camel, pascal, pluralOf, singular, sqlWords } from '../../src/adopt/inflect.ts';
import { listedValues } from '../../src/adopt/listed-values.ts';
import { looksSecret } from '../../src/adopt/secrets.ts';
import { findChecks } from '../../src/adopt/sqlite-checks.ts';

test('a plural of a table becomes the singular of its type, and back', () => {
  const words =
    'book/books category/categories person/people child/children status/statuses address/addresses box/boxes analysis/analyses ' +
    'movie/movies wolf/wolves life/lives hero/heroes case/cases database/databases invoice/invoices index/indices key/keys ' +
    'employee/employees cache/caches news/news staff/staff purchase/purchases lens/lenses quiz/quizzes house/houses';
  for (const pair of words.split(' ')) {
    const [one, many] = pair.split('/') as [string, string];
    equal(singular(many), one);
    equal(singular(one), one);
    equal(singular(pluralOf(one)), one);
  }
});

test('a name of SQL becomes one that GraphQL can write', () => {
  const typeName = (name: string): string => pascal(sqlWords(name), name);
  equal(typeName('order_details'), 'OrderDetails');
  equal(typeName('Order Details'), 'OrderDetails');
  equal(typeName('OrderDetails'), 'OrderDetails');
  equal(typeName('HTTPServer'), 'HttpServer');
  equal(typeName('Größe'), 'Groesse'.replace('oe', 'o'));
  equal(typeName('"quoted" $ name'), 'QuotedName');
  equal(typeName('2fa_codes'), 'N2faCodes');
  equal(typeName('客户'), typeName('客户'));
  equal(typeName('客户') === typeName('订单'), false);
  equal(camel(sqlWords('CustomerID'), 'CustomerID'), 'customerId');
});

test('columns that hold secrets are known by their names, and numbers and times about them are not', () => {
  const column = (name: string, base: string): ColumnDescription =>
    ({ name, base, type: base, holds: undefined }) as unknown as ColumnDescription;
  const secret =
    'password passwordHash PASSWORD_DIGEST pass_salt pass_crypt api_key apiKey apikey secret client_secret refresh_token token otp_secret recovery_codes private_key encrypted_otp_secret salt hash session_key webhook_secret';
  for (const name of secret.split(' ')) equal(looksSecret(column(name, 'text')), true, name);
  const open =
    'name author passport_country key primary_key keyboard tokenizer description code zip_code country_code language_key hashtag pinned salty secretary_id';
  for (const name of open.split(' ')) equal(looksSecret(column(name, 'text')), false, name);
  equal(looksSecret(column('password_changed_at', 'timestamptz')), false);
  equal(looksSecret(column('tokens_used', 'int4')), false);
  equal(looksSecret(column('otp_required', 'bool')), false);
  equal(looksSecret(column('pin', 'int4')), true);
});

test('a CHECK that lists texts is read in the forms of people and of PostgreSQL', () => {
  const status = { column: 'status', values: ['open', "it's done"] };
  for (const text of [
    "status IN ('open', 'it''s done')",
    "\"status\" in ('open','it''s done')",
    "status IS NULL OR status IN ('open', 'it''s done')",
    "CHECK ((status = ANY (ARRAY['open'::text, 'it''s done'::text])))",
    "CHECK (((status IS NULL) OR (status = ANY (ARRAY['open'::text, 'it''s done'::text]))))",
    "\"status\" is null or \"status\" IN ('open', 'it''s done')",
    "CHECK (((status)::text = ANY ((ARRAY['open'::character varying, 'it''s done'::character varying])::text[])))",
    "CHECK (((status)::text = ANY (ARRAY[('open'::character varying)::text, ('it''s done'::character varying)::text])))",
  ])
    deepEqual(listedValues(text), status, text);
  for (const text of [
    'price > 0',
    "status <> 'open'",
    "status IN ('a') AND price > 0",
    "lower(status) IN ('a', 'b')",
    "status IN ('a', 'b') OR x",
    "archived_at IS NULL OR status IN ('a', 'b')",
    "CHECK (((archived_at IS NULL) OR (status = ANY (ARRAY['a'::text, 'b'::text]))))",
    "\"Status\" IS NULL OR status IN ('a', 'b')",
    "CHECK ((status = ANY (ARRAY['a'::text, 'b'::text]))) NOT VALID",
    "CHECK ((status = ANY (ARRAY['a'::text, 'b'::text]))) NO INHERIT",
  ])
    equal(listedValues(text), undefined, text);
});

test('the CHECKs of an SQLite table are found behind texts, comments and brackets', () => {
  deepEqual(
    findChecks(`CREATE TABLE t (a TEXT DEFAULT 'CHECK (no)' CHECK (a IN ('x)', 'y')), -- CHECK (no)
      "check" INT, [b(] INT CHECK(b > (1 + 2)), CONSTRAINT c CHECK (length(a) > 0))`),
    ["a IN ('x)', 'y')", 'b > (1 + 2)', 'length(a) > 0'],
  );
});
