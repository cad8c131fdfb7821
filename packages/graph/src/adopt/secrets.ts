// Tells by its name and type whether a column looks like a secret. Such columns are left out of an adopted schema: what
// the schema does not name is never read, and what SQL says about them is not described.
import type { ColumnDescription, DatabaseDescription, TableDescription } from './database-description.ts';
import { sqlWords } from './inflect.ts';

const SECRET_WORDS = new Set(
  'password passwd pwd passphrase passcode secret secrets token tokens salt salts hash hashes hashed digest digests otp totp hotp mfa credential credentials cvv cvc pin ssn nonce crypt encrypted cipher ciphertext iv csrf jwt signature'.split(
    ' ',
  ),
);
/** `api_key`, `recovery_codes`: words that are secret before a key or a code only. */
const BEFORE_KEY =
  /^(?:api|access|private|secret|encryption|signing|auth|session|master|ssh|licen[cs]e|aes|rsa|hmac|webhook|client|server|stripe|vapid)$/;
const BEFORE_CODE =
  /^(?:recovery|backup|reset|verification|activation|confirmation|invitation|invite|auth|security|login|access)$/;
/** Words whose numbers are secret too; `token_count` is none. */
const SECRET_NUMBERS = new Set(['pin', 'otp', 'cvv', 'cvc', 'ssn', 'password', 'passcode']);
const HARMLESS =
  /^(?:bool|date|time|timestamp|timestamptz|timetz|interval|int2|int4|int8|float4|float8|numeric|integer|real)$/i;

/** Whether the values of a column look like secrets. */
export function looksSecret({ name, base, type, holds }: ColumnDescription): boolean {
  const words = sqlWords(name);
  const isNumber = HARMLESS.test(base) || /^(?:bool|date|time)/i.test(type) || holds === 'boolean';
  if (isNumber) return words.some((word) => SECRET_NUMBERS.has(word)) && !/^(?:bool|date|time)/i.test(type);
  return words.some((word, at) => {
    const before = words[at - 1] ?? '';
    if (/^keys?$/.test(word)) return BEFORE_KEY.test(before);
    if (/^codes?$/.test(word)) return BEFORE_CODE.test(before);
    // Run together, as in `apikey` and `passwordhash`.
    return SECRET_WORDS.has(word) || /^(?:api|secret|private)keys?$|password|passwort|secret$|token$/.test(word);
  });
}

/** Stands for the SQL of a default. */
const UNSAID = '(not said: it is about a column that looks like a secret)';

/**
 * The description without what may hold a secret: the defaults and comments of such columns, and the conditions,
 * expressions and comments that name them.
 */
export function withoutSecrets(database: DatabaseDescription): DatabaseDescription {
  return {
    ...database,
    tables: database.tables.map((table) => {
      const secrets = table.columns.filter(looksSecret);
      if (secrets.length === 0) return table;
      const words = secrets.map(({ name }) =>
        name.replaceAll('"', '""').replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`),
      );
      const aboutSecrets = new RegExp(String.raw`(?<!\w)(?:${words.join('|')})(?!\w)`, 'i');
      const isUnsaid = (column: ColumnDescription): boolean =>
        column.default !== undefined && (secrets.includes(column) || aboutSecrets.test(column.default));
      const commentOf = ({ comment }: Pick<TableDescription, 'comment'>): string | undefined =>
        comment !== undefined && aboutSecrets.test(comment) ? undefined : comment;
      return {
        ...table,
        comment: commentOf(table),
        columns: table.columns.map((column) => ({
          ...column,
          default: isUnsaid(column) ? UNSAID : column.default,
          comment: secrets.includes(column) ? undefined : commentOf(column),
        })),
        checks: table.checks.filter(({ sql }) => !aboutSecrets.test(sql)),
      };
    }),
  };
}
