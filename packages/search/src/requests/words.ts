// Chooses the fields, values and names of a request, hidden ones too, and whether the request has a mistake.
import type { Random } from './random.ts';
import type { Family, IndexSurface, Surface } from './surface.ts';

/** Makes a part of a request. @param inner makes one of the same sort to stand inside */
export type Make = (words: Words, inner: () => unknown) => unknown;

/** One kind of query, aggregation and so on. */
export interface Kind {
  /** Fields without which it is refused: it is then asked for less often. */
  readonly needs?: Family;
  readonly right: readonly Make[];
  /** What people get wrong: refused whatever the documents hold. */
  readonly wrong: readonly Make[];
  /** What fails only once it meets the values of some document, and must not where the caller does not see it. */
  readonly risky?: readonly Make[];
}

/** The mistake in a request: none, in how it is written, or one that fails on some documents. */
export type Mistake = 'none' | 'wrong' | 'risky';

/** Kinds by name. */
export type Kinds = Readonly<Record<string, Kind>>;

/** Values that are none where a number is expected. */
const NO_NUMBERS: readonly unknown[] = ['many', null, {}, [], true, '1e999', -1, 0, 1e308, 2 ** 53, 0.5];

/** Fields that no mapping lists. */
const METADATA: readonly string[] = ['_id', '_ignored', '_index', '_routing', '_seq_no', '_type', '_version'];

const RISKY = new WeakMap<Kinds, readonly string[]>();

function riskyOf(kinds: Kinds): readonly string[] {
  let found = RISKY.get(kinds);
  if (found === undefined) {
    found = Object.entries(kinds).flatMap(([name, { risky = [] }]) => risky.map(() => name));
    RISKY.set(kinds, found);
  }
  return found;
}

/** Makes choices for one request to an index. */
export class Words {
  readonly random: Random;
  readonly surface: Surface;
  readonly index: IndexSurface;
  readonly mistake: Mistake;

  constructor(random: Random, surface: Surface, index: IndexSurface, mistake: Mistake = 'none') {
    this.random = random;
    this.surface = surface;
    this.index = index;
    this.mistake = mistake;
  }

  /** The same for somebody who makes no mistake. */
  careful(): Words {
    return this.mistake === 'none' ? this : new Words(this.random, this.surface, this.index);
  }

  /** Whether to say something wrong here. */
  isWrong(): boolean {
    return this.mistake === 'wrong' && this.random.once(2);
  }

  /** A field of a family; a name that means nothing there when the index has none. */
  of(family: Family): string {
    const fields = this.index.fields[family];
    return fields.length === 0 ? this.random.pick(this.index.others) : this.random.pick(fields);
  }

  text(): string {
    return this.of('text');
  }

  keyword(): string {
    if (this.surface.asksMetadata === true && this.random.once(24)) return this.random.pick(METADATA);
    return this.random.once(12) ? this.random.pick(this.index.others) : this.of('keyword');
  }

  /** A field of numbers; seldom one of nested elements, which documents have none of. */
  number(): string {
    if (this.surface.asksMetadata === true && this.random.once(24)) return '_seq_no';
    const { nested, number } = this.index.fields;
    const own = number.filter((path) => !nested.some((object) => path.startsWith(`${object}.`)));
    return own.length === 0 || this.random.once(6) ? this.of('number') : this.random.pick(own);
  }

  date(): string {
    return this.of('date');
  }

  /** A field with values by document. */
  column(): string {
    const { boolean, date, ip, keyword, number, range } = this.index.fields;
    return this.random.once(2)
      ? this.keyword()
      : this.#pick([...keyword, ...number, ...date, ...boolean, ...ip, ...range]);
  }

  /** Any name. */
  field(): string {
    const { fields, others } = this.index;
    return this.random.pick([...Object.values(fields).flat(), ...others]);
  }

  /** A name with stars, or none. */
  pattern(): string {
    const field = this.field();
    return this.random.pick([
      '*',
      `${field.slice(0, 1)}*`,
      `${field.split('.')[0]}.*`,
      '*.keyword',
      '_policy.*',
      field,
    ]);
  }

  /** Names with stars, or one without. */
  patterns(): readonly string[] {
    return Array.from({ length: 1 + this.random.int(2) }, () => this.pattern());
  }

  word(): string {
    return this.#pick(this.surface.words, 'word');
  }

  /** A word that means itself in any syntax. */
  plainWord(): string {
    return this.word().replaceAll(/[^\p{L}\p{N}]/gu, '') || 'a';
  }

  words(): string {
    return `${this.word()} ${this.word()}`;
  }

  id(): string {
    return this.random.once(10) ? 'absent' : this.#pick(this.index.ids, 'absent');
  }

  /** The name of an index, of those that there are. */
  otherIndex(): string {
    return this.random.pick(this.surface.indexes).name;
  }

  /** The index by any of the names and patterns that fit it. */
  names(): string {
    const { aliases, name } = this.index;
    if (!this.random.once(6)) return name;
    return this.random.pick([...aliases, `${name.slice(0, 2)}*`, '*', '_all', `*,-${name}`, `absent,${name}`]);
  }

  /** A value such as documents have there. */
  valueOf(field: string): unknown {
    const { boolean, date, ip, number } = this.index.fields;
    if (number.includes(field)) return this.random.int(6);
    if (date.includes(field)) return this.random.pick(['2026-01-01', '2026-01-03', '2026-06-01||/M']);
    if (boolean.includes(field)) return this.random.once(2);
    if (ip.includes(field)) return this.random.pick(['10.0.0.1', '10.0.0.0/24']);
    return this.word();
  }

  /** What is no number, or none that makes sense. */
  noNumber(): unknown {
    return this.random.pick(NO_NUMBERS);
  }

  /** Makes one of a kind, by mistake a wrong one. */
  make({ right, risky = [], wrong }: Kind, inner: () => unknown): unknown {
    if (this.mistake === 'risky' && risky.length > 0 && !this.random.once(4))
      return this.random.pick(risky)(this, inner);
    return this.random.pick(wrong.length > 0 && this.isWrong() ? wrong : right)(this, inner);
  }

  /** Chooses a kind, seldom one that the index has no fields for. */
  kind(kinds: Kinds): string {
    const risky = this.mistake === 'risky' && this.random.once(2) ? riskyOf(kinds) : [];
    // As often as it has ways to fail.
    if (risky.length > 0) return this.random.pick(risky);
    const names = Object.keys(kinds);
    for (let attempt = 0; attempt < 4; attempt++) {
      const name = this.random.pick(names);
      const { needs } = kinds[name]!;
      if (needs === undefined || this.index.fields[needs].length > 0) return name;
    }
    return this.random.pick(names);
  }

  #pick(from: readonly string[], otherwise = 'absent'): string {
    return from.length === 0 ? otherwise : this.random.pick(from);
  }
}
