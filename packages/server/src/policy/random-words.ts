// The names and values that random requests to one index are made of. Not here: the requests.
import { type Model, searchDocumentShape } from '@lockstitch/graph';

import { fieldType } from '../sync/mapping.ts';
import type { Random } from './random.ts';
import type { OperationSurface } from './random-operations.ts';

/** What requests are made of. */
export interface Surface extends OperationSurface {
  readonly indexes: readonly IndexSurface[];
}

/** One index. */
export interface IndexSurface {
  readonly name: string;
  /** The second segment of its typed path. */
  readonly path: string;
  readonly type: string;
  readonly texts: readonly string[];
  /** Columns of strings. */
  readonly keywords: readonly string[];
  readonly numbers: readonly string[];
  readonly dates: readonly string[];
  /** Objects and everything else that could be named. */
  readonly others: readonly string[];
}

/** Describes the indexes of a model. */
export function readSurface(model: Model): readonly IndexSurface[] {
  const found: IndexSurface[] = [];
  for (const entity of model.entities.values()) {
    if (entity.searchIndex === undefined) continue;
    const shape = searchDocumentShape(model, entity);
    const of = (test: (type: string) => boolean): string[] =>
      shape.filter((field) => test(fieldType(field))).map(({ path }) => path);
    const texts = of((type) => type === 'text');
    found.push({
      name: entity.searchIndex.index,
      path: entity.searchIndex.type,
      type: entity.name,
      texts,
      keywords: [...of((type) => type === 'keyword'), ...texts.map((path) => `${path}.keyword`)],
      numbers: of((type) => NUMBERS.has(type)),
      dates: of((type) => type === 'date'),
      others: [
        ...new Set(shape.map(({ path }) => path.split('.')[0]!)),
        '_policy',
        '_policy.r0',
        '_ignored',
        '_id',
        'absent',
      ],
    });
  }
  return found;
}

const NUMBERS: ReadonlySet<string> = new Set(['long', 'integer', 'short', 'byte', 'double', 'float']);

/** Chooses among them, hidden ones too. */
export class Words {
  readonly random: Random;
  readonly surface: Surface;
  readonly index: IndexSurface;

  constructor(random: Random, surface: Surface, index: IndexSurface) {
    this.random = random;
    this.surface = surface;
    this.index = index;
  }

  text(): string {
    const { texts } = this.index;
    return texts.length === 0 ? 'absent' : this.random.pick(texts);
  }

  keyword(): string {
    const { keywords } = this.index;
    return keywords.length === 0 || this.random.once(12)
      ? this.random.pick(this.index.others)
      : this.random.pick(keywords);
  }

  field(): string {
    const { keywords, numbers, others, texts } = this.index;
    return this.random.pick([...texts, ...keywords, ...numbers, ...others]);
  }

  word(): string {
    return this.surface.words.length === 0 ? 'word' : this.random.pick(this.surface.words);
  }

  key(): string {
    const keys = this.surface.keys.get(this.index.type) ?? [];
    return keys.length === 0 || this.random.once(10) ? 'absent' : this.random.pick(keys);
  }

  /** A word that means itself in any syntax. */
  plainWord(): string {
    return this.word().replaceAll(/[^\p{L}\p{N}]/gu, '') || 'a';
  }
}
