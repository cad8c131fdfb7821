// The data of bench/promise/view-timing.ts: documents of which a caller sees one in a hundred, among hidden ones of two kinds, and the words
// that requests are made of. What is visible is the same in all of them.

/** One document, as an index and a table have it. */
export interface TimingRow {
  readonly id: string;
  readonly owner: string;
  readonly text: string;
  readonly title: string;
  readonly tag: string;
  readonly code: string;
  readonly number: number;
  readonly price: number;
  readonly made: string;
  readonly secret: string;
  readonly shared: boolean;
  readonly lat: number;
  readonly lon: number;
}

/** Who sees something. */
export const CALLER = 'ann';
const WORDS = 20_000;

/** Numbers in [0, 1). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}

/** A word by its rank. Words near each other in rank are not alike; `z…` are words of the second kind of hidden documents. */
const wordOf = (rank: number): string => (Math.imul(rank, 0x9e3779b1) >>> 0).toString(36).padStart(7, 'q');

/** A word, common ones more often: rank r comes up 1/r as often. */
function anyWord(random: () => number): string {
  return wordOf(Math.floor(Math.exp(random() * Math.log(WORDS))));
}

function rowOf(at: number, random: () => number, owner: string, word: () => string): TimingRow {
  const words = (count: number): string => Array.from({ length: count }, word).join(' ');
  return {
    id: String(at + 1),
    owner,
    text: words(25),
    title: words(4),
    tag: `t${Math.floor(random() * 50)}`,
    code: word(),
    number: Math.floor(random() * 1e6),
    price: Math.round(random() * 1e5) / 100,
    made: new Date(1.7e12 + Math.floor(random() * 3e10)).toISOString(),
    secret: word(),
    shared: random() < 0.5,
    lat: Math.round(random() * 1e4) / 100 - 40,
    lon: Math.round(random() * 1e4) / 100,
  };
}

/** Which rows there are besides those that the caller sees: none, many, or others and fewer of them. */
export type Hidden = 'none' | 'many' | 'others';

/** Rows in the order of their ids, one visible in a hundred. */
export function* timingRows(total: number, hidden: Hidden): Generator<TimingRow> {
  const visible = generator(5);
  const other = generator(hidden === 'others' ? 71 : 9);
  const hiddenWord =
    hidden === 'others' ? (): string => `z${wordOf(Math.floor(other() ** 2 * 3000))}` : (): string => anyWord(other);
  for (let at = 0; at < total; at++) {
    if (at % 100 === 37) yield rowOf(at, visible, CALLER, () => anyWord(visible));
    else if (hidden === 'many' || (hidden === 'others' && at % 2 === 0))
      yield rowOf(at, other, `o${at % 7}`, hiddenWord);
  }
}

/** What a request is made of. */
export interface Words {
  /** A word that the caller sees, a rarer one, and one that nobody wrote. */
  readonly word: string;
  readonly second: string;
  readonly absent: string;
  readonly tag: string;
  readonly id: string;
  readonly hiddenId: string;
  readonly number: number;
  readonly date: string;
}

/** Draws words, never in the same combination. */
export function* drawWords(rows: readonly TimingRow[], seed: number): Generator<Words, never> {
  const random = generator(seed);
  const pick = (): TimingRow => rows[Math.floor(random() * rows.length)]!;
  const word = (): string => {
    const words = pick().text.split(' ');
    return words[Math.floor(random() * words.length)]!;
  };
  for (;;) {
    const row = pick();
    yield {
      word: word(),
      second: word(),
      absent: `x${Math.floor(random() * 1e9).toString(36)}`,
      tag: row.tag,
      id: row.id,
      hiddenId: String(Number(row.id) + 1),
      number: row.number,
      date: row.made,
    };
  }
}
