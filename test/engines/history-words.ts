// What the requests of a random history are made of: names of indices, aliases and templates, ids, documents, parameters, right and wrong.
import type { Random } from '@lockstitch/search/requests';
import type { Step } from './ask.ts';

/** Makes a request. */
export type MakeStep = (words: HistoryWords) => Step | readonly Step[];

export const INDICES = ['logs-1', 'logs-2', 'notes', 'people'] as const;
export const ALIASES = ['current', 'mine', 'logs'] as const;
const TAGS = ['x', 'y', 'zed'] as const;

/** The words of one history. */
export class HistoryWords {
  readonly random: Random;

  constructor(random: Random) {
    this.random = random;
  }

  index(): string {
    return this.random.once(25) ? 'absent' : this.random.pick(INDICES);
  }

  alias(): string {
    return this.random.once(25) ? 'no-alias' : this.random.pick(ALIASES);
  }

  /** One index by its name or an alias. */
  one(): string {
    return this.random.once(5) ? this.alias() : this.index();
  }

  /** An expression for several indices. */
  names(): string {
    const { random } = this;
    if (random.once(2)) return this.one();
    return random.pick([
      '_all',
      '*',
      'logs-*',
      'logs*',
      'n*,p*',
      '*,-logs-1',
      'logs-*,-logs-2',
      'nothing*',
      'absent,notes',
      'notes,notes',
      '-notes',
      'people,logs-1',
      '_local',
      'notes,nothing*',
      encodeURIComponent('<logs-{now/y{yyyy}}>'),
      encodeURIComponent('<people>'),
      `${this.index()},${this.alias()}`,
    ]);
  }

  id(): string {
    return this.random.pick(['1', '2', '3', '4', '5', 'a', 'b c', 'ä']);
  }

  encodedId(): string {
    return encodeURIComponent(this.id());
  }

  document(): Readonly<Record<string, unknown>> {
    const { random } = this;
    const words = (): string =>
      Array.from({ length: random.int(4) }, () => random.pick(['red', 'blue', 'fox', 'dog'])).join(' ');
    return {
      n: random.pick<unknown>([random.int(5), random.int(5), null, [1, 2], '3']),
      tag: random.pick<unknown>([random.pick(TAGS), ['x', 'y'], null]),
      text: words(),
      ...(random.once(3) ? { when: random.pick(['2026-01-01', '2025-12-31T10:00:00Z']) } : {}),
      ...(random.once(3) ? { parts: [{ k: 'x', v: 1 }, { k: 'y' }].slice(0, 1 + random.int(2)) } : {}),
      ...(random.once(5) ? { more: { deep: random.int(3), words: words() } } : {}),
      ...(random.once(25) ? random.pick<object>([{ n: 'no number' }, { when: 'never' }, { more: 7 }]) : {}),
    };
  }

  query(): object {
    const { random } = this;
    return random.pick<() => object>([
      () => ({ match_all: {} }),
      () => ({ term: { tag: random.pick(TAGS) } }),
      () => ({ range: { n: { gte: random.int(4) } } }),
      () => ({ ids: { values: [this.id(), this.id()] } }),
      () => ({ match: { text: 'red fox' } }),
      () => ({ exists: { field: random.pick(['n', 'tag', 'when', 'more.deep']) } }),
    ])();
  }

  /** Some of the parameters, as a query string with its question mark. */
  some(inSoMany: number, params: Readonly<Record<string, readonly (string | number)[]>>): string {
    const { random } = this;
    const chosen = Object.entries(params).filter(() => random.once(inSoMany));
    if (chosen.length === 0) return '';
    return `?${chosen.map(([name, values]) => `${name}=${encodeURIComponent(random.pick(values))}`).join('&')}`;
  }

  /** Parameters of every expression of names. */
  expanding(): string {
    return this.some(5, {
      ignore_unavailable: ['true', 'false'],
      allow_no_indices: ['true', 'false'],
      expand_wildcards: ['open', 'closed', 'all', 'none', 'open,closed', 'hidden', 'open,hidden', 'wrong'],
    });
  }
}

/** Two query strings as one. */
export function joined(...queries: readonly string[]): string {
  const parts = queries.filter((query) => query !== '').map((query) => query.slice(1));
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}
