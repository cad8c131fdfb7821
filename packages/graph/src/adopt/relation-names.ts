// Names of relations from foreign keys, after the habits of PostGraphile's simplified names and Prisma: `author_id`
// becomes `author`, and its other direction `books`.
import type { ForeignKeyDescription } from './database-description.ts';
import { camel, pascal, singularWords, sqlWords } from './inflect.ts';
import { last } from '../present.ts';

const KEY_WORDS = new Set(['id', 'uuid', 'guid', 'fk', 'key', 'pk', 'ref', 'no', 'nr']);

/**
 * The words that a foreign key is named by: of `author_id` and `fk_author` author, of `country_code` country. Several
 * columns are named by the one that the target calls otherwise, else by their target.
 *
 * @param targetKey the key columns of the target
 * @param target the words of the target's table
 */
export function stemOf(
  { columns, targetColumns }: ForeignKeyDescription,
  targetKey: readonly string[],
  target: readonly string[],
): readonly string[] {
  const whole = singularWords(target);
  // Of several columns the one that the target calls otherwise: `author_id`, beside `tenant_id` on both sides.
  const own = columns.length === 1 ? [0] : columns.flatMap((name, at) => (name === targetColumns[at] ? [] : [at]));
  const [at] = own;
  if (at === undefined || own.length > 1) return whole;
  const words = sqlWords(columns[at] ?? '');
  const keyWords = sqlWords(columns.length === 1 ? (targetKey[0] ?? '') : (targetColumns[at] ?? ''));
  const isNamedAlike = words.join(' ') === keyWords.join(' ');
  // `country_code` for `code`; but `original_language_id` for `language_id` keeps its language.
  const endsAlike = keyWords.length < words.length && words.slice(-keyWords.length).join(' ') === keyWords.join(' ');
  const [keyStart] = keyWords;
  if (endsAlike && keyStart !== undefined && !whole.includes(keyStart)) return words.slice(0, -keyWords.length);
  if (words.length > 1 && KEY_WORDS.has(last(words))) return words.slice(0, -1);
  if (words.length > 1 && (words[0] === 'fk' || words[0] === 'id')) return words.slice(1);
  return isNamedAlike || words.length === 0 ? whole : words;
}

/** Roles whose objects have a participle of their own: the author's books are `authoredBooks`. */
const PARTICIPLES: Readonly<Record<string, string>> = {
  author: 'authored',
  editor: 'edited',
  reviewer: 'reviewed',
  creator: 'created',
  updater: 'updated',
  owner: 'owned',
  sender: 'sent',
  recipient: 'received',
  receiver: 'received',
  assignee: 'assigned',
  approver: 'approved',
  manager: 'managed',
};

/** A foreign key, seen from its target. */
export interface BackRelation {
  /** Words of the table with the key; in the plural unless `single`. */
  readonly holder: readonly string[];
  readonly holderName: string;
  readonly stem: readonly string[];
  readonly target: readonly string[];
  /** No other foreign key of that table has the same target. */
  readonly alone: boolean;
  readonly toItself: boolean;
  readonly single: boolean;
}

/** Names for the other direction of a foreign key, the best first. */
export function backName({
  holder,
  holderName,
  stem,
  target,
  alone,
  toItself,
  single,
}: BackRelation): readonly string[] {
  const plain = camel(holder, holderName);
  const role = stem.join(' ');
  const as = `${plain}As${pascal(stem, holderName)}`;
  if (toItself) {
    const children = role === 'parent' ? [single ? 'child' : 'children'] : [];
    const participle = PARTICIPLES[role];
    return [...children, ...(participle === undefined ? [] : [`${participle}${pascal(holder, holderName)}`]), as];
  }
  const isPlain = alone || role === target.join(' ');
  const participle = PARTICIPLES[stem.at(-1) ?? ''];
  const told = participle === undefined || stem.length > 1 ? [] : [`${participle}${pascal(holder, holderName)}`];
  return isPlain ? [plain, ...told, as] : [...told, as];
}
