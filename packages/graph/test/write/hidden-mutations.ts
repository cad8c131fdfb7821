// Random mutations of such a schema, and all that there is to read of it.
import type { Random } from '../differential/random.ts';
import { type TypeName, TYPES } from './hidden-schema.ts';
import type { Rows } from './hidden-world.ts';

const FACTS = '__typename id title secret owner open level version at';
const THING = '... on Photo { __typename id version } ... on Tag { __typename id version }';
/** All of an object that there is to see. */
export const SELECTIONS: Readonly<Record<TypeName, string>> = {
  Album: `{ ${FACTS} photos { id version album { id } } items { id version } tags { id version albums { id } } cover { id version } best { ${THING} } things { ${THING} } }`,
  Photo: `{ ${FACTS} album { id version photos { id } cover { id } } notes { id version } }`,
  Note: `{ ${FACTS} photo { id version notes { id } } }`,
  Tag: `{ ${FACTS} albums { id version tags { id } } }`,
  Item: `{ ${FACTS} album { id version items { id } } }`,
};

/** Reads everything; what may not be read makes no more than a part of an answer null. */
export const EVERYTHING: readonly string[] = [
  ...TYPES.map((type) => `{ all${type}s { ${FACTS} } count${type}s }`),
  ...TYPES.map((type) => `{ all${type}s ${SELECTIONS[type]} }`),
];

/** The same of deleted objects, of types with soft deletion. */
export function deletedOf(soft: ReadonlySet<TypeName>): readonly string[] {
  return [...soft].map((type) => `{ gone${type}s(deleted: INCLUDE) { gone ${SELECTIONS[type].slice(1)} }`);
}

/** Makes mutations. */
export class Mutations {
  readonly #random: Random;
  readonly #rows: Rows;
  #made = 0;
  /** Keys that the caller sees. */
  visible: ReadonlyMap<TypeName, readonly string[]> = new Map();

  constructor(random: Random, rows: Rows) {
    this.#random = random;
    this.#rows = rows;
  }

  fresh(): string {
    return `new${++this.#made}`;
  }

  key(type: TypeName): string {
    if (this.#random.chance(0.1))
      return this.#random.chance(0.5) ? 'absent' : `new${1 + this.#random.below(this.#made + 1)}`;
    const visible = this.visible.get(type) ?? [];
    if (visible.length > 0 && this.#random.chance(0.7)) return this.#random.pick(visible);
    return this.#random.pick(this.#rows[type]).id;
  }

  #keys(type: TypeName): string {
    return `[${Array.from({ length: this.#random.below(3) }, () => `"${this.key(type)}"`).join(', ')}]`;
  }

  #plain(): string {
    const random = this.#random;
    const parts = [
      ...(random.chance(0.5) ? [`title: "${random.pick(['red', 'blue', 'green'])}"`] : []),
      ...(random.chance(0.4) ? [`secret: ${random.pick(['"x"', '"y"', 'null'])}`] : []),
    ];
    return parts.join(' ');
  }

  #facts(): string {
    const random = this.#random;
    return `id: "${this.fresh()}" owner: ${random.pick(['"ann"', '"ann"', '"bob"', 'null'])} open: ${random.pick(['true', 'false', 'null'])} level: ${random.pick(['0', '1', '2'])} ${this.#plain()}`;
  }

  #word(type: TypeName): string {
    switch (this.#random.pick(['create', 'connect', 'connect', 'disconnect', 'delete', 'null'])) {
      case 'create':
        return `{ create: { ${this.#facts()} } }`;
      case 'connect':
        return `{ connect: "${this.key(type)}" }`;
      case 'disconnect':
        return '{ disconnect: true }';
      case 'delete':
        return '{ delete: true }';
      default:
        return 'null';
    }
  }

  #words(type: TypeName): string {
    const random = this.#random;
    const words = random.some(['create', 'connect', 'disconnect', 'set', 'delete'] as const, 0.3);
    return `{ ${words.map((word) => (word === 'create' ? `create: [{ ${this.#facts()} }]` : `${word}: ${this.#keys(type)}`)).join(' ')} }`;
  }

  #thing(): string {
    const type = this.#random.pick(['Photo', 'Tag'] as const);
    return `{ ${type}: "${this.key(type)}" }`;
  }

  #things(): string {
    return `[${Array.from({ length: this.#random.below(3) }, () => this.#thing()).join(', ')}]`;
  }

  #relations(type: TypeName, isNew: boolean): string {
    const random = this.#random;
    const of: Readonly<Record<TypeName, readonly (readonly [string, () => string])[]>> = {
      Album: [
        ['photos', () => this.#words('Photo')],
        ['items', () => this.#words('Item')],
        ['tags', () => this.#words('Tag')],
        ['cover', () => this.#word('Photo')],
        ['best', () => random.pick([this.#thing(), 'null'])],
        [
          'things',
          () =>
            isNew
              ? this.#things()
              : `{ ${random
                  .some(['connect', 'disconnect', 'set'], 0.5)
                  .map((word) => `${word}: ${this.#things()}`)
                  .join(' ')} }`,
        ],
      ],
      Photo: [
        ['album', () => this.#word('Album')],
        ['notes', () => this.#words('Note')],
      ],
      Note: [['photo', () => this.#word('Photo')]],
      Tag: [['albums', () => this.#words('Album')]],
      Item: [['album', () => this.#word('Album')]],
    };
    return random
      .some(of[type], 0.4)
      .map(([name, make]) => `${name}: ${make()}`)
      .join(' ');
  }

  #where(type: TypeName): string {
    const random = this.#random;
    const value = (): string => `"${random.pick(['red', 'blue', 'x', 'y', 'z'])}"`;
    const condition = (): string =>
      random.pick([
        () => `title: { eq: ${value()} }`,
        () => `secret: { ${random.pick(['eq', 'ne', 'startsWith'])}: ${value()} }`,
        () => `secret: { isNull: ${random.pick(['true', 'false'])} }`,
        () => `id: { in: ["${this.key(type)}", "${this.key(type)}"] }`,
        () => `id: { eq: "${this.key(type)}" }`,
        () => 'and: []',
        () =>
          ({
            Album: `photos: { ${random.pick(['any', 'none', 'all'])}: { title: { eq: ${value()} } } }`,
            Photo: `album: { ${random.pick(['title', 'secret'])}: { eq: ${value()} } }`,
            Note: `photo: { album: { title: { eq: ${value()} } } }`,
            Tag: `albums: { ${random.pick(['any', 'none', 'all'])}: { secret: { eq: ${value()} } } }`,
            Item: `album: { title: { eq: ${value()} } }`,
          })[type],
      ])();
    return random.chance(0.3) ? `{ not: { ${condition()} } }` : `{ ${condition()} }`;
  }

  /** Restores or purges objects of one of the types. */
  makeOfDeleted(soft: readonly TypeName[]): string {
    const random = this.#random;
    const type = random.pick(soft);
    switch (random.pick(['restore', 'restore', 'restores', 'purge', 'purges', 'delete'])) {
      case 'restore':
        return `restore${type}(id: "${random.pick(this.#rows[type]).id}") ${SELECTIONS[type]}`;
      case 'restores':
        return `restore${type}s(where: ${this.#where(type)})`;
      case 'purge':
        return `purge${type}(id: "${this.key(type)}")`;
      case 'purges':
        return `purge${type}s(where: ${this.#where(type)})`;
      default:
        return `remove${type}s(where: ${this.#where(type)})`;
    }
  }

  make(): string {
    const random = this.#random;
    const type = random.pick(['Album', 'Album', 'Album', ...TYPES] as const);
    const shown = SELECTIONS[type];
    const version = random.chance(0.2) ? `, version: ${1 + random.below(3)}` : '';
    switch (
      random.pick(['create', 'update', 'update', 'update', 'updates', 'changes', 'save', 'delete', 'removes', 'pair'])
    ) {
      case 'create': {
        const required = type === 'Item' ? `album: { connect: "${this.key('Album')}" }` : this.#relations(type, true);
        return `create${type}(input: { ${this.#facts()} ${required} }) ${shown}`;
      }
      case 'update':
        return `update${type}(id: "${this.key(type)}"${version}, input: { ${this.#plain()} ${this.#relations(type, false)} }) ${shown}`;
      case 'updates':
        return `update${type}s(where: ${this.#where(type)}, input: { ${this.#plain()} ${this.#relations(type, false)} }) ${shown}`;
      case 'changes':
        return `change${type}s(where: ${this.#where(type)}, input: { ${this.#plain()} })`;
      case 'save': {
        // A key that a hidden object has is taken, as documented.
        const keys = this.visible.get(type)!;
        const id = random.chance(0.3) || keys.length === 0 ? this.fresh() : random.pick(keys);
        const more = {
          Album: `photos: ${this.#keys('Photo')} tags: ${this.#keys('Tag')} cover: "${this.key('Photo')}"`,
          Photo: `album: "${this.key('Album')}" notes: ${this.#keys('Note')}`,
          Note: `photo: "${this.key('Photo')}"`,
          Tag: `albums: ${this.#keys('Album')}`,
          Item: '',
        }[type];
        const item = type === 'Item' ? `album: "${this.key('Album')}"` : '';
        return `save${type}(input: { id: "${id}" ${this.#plain()} ${item} ${random.chance(0.6) ? more : ''} }) ${shown}`;
      }
      case 'delete':
        return `delete${type}(id: "${this.key(type)}"${version}) ${shown}`;
      case 'removes':
        return `remove${type}s(where: ${this.#where(type)})`;
      default: {
        const word = random.pick(['connect', 'disconnect']);
        const [of, field, target] = random.pick([
          ['Album', 'tags', 'Tag'],
          ['Album', 'photos', 'Photo'],
          ['Photo', 'notes', 'Note'],
          ['Note', 'photo', 'Photo'],
        ] as const);
        const keys = field === 'photo' ? `"${this.key(target)}"` : this.#keys(target);
        const name = `${field.slice(0, 1).toUpperCase()}${field.slice(1)}`;
        return `${word}${of}${name}(id: "${this.key(of)}", ${field}: ${keys}) ${SELECTIONS[of]}`;
      }
    }
  }

  /** A change of something that the caller does not see, for one who sees all. */
  behind(hidden: (type: TypeName) => readonly string[], photosAreFree: boolean): string | undefined {
    const random = this.#random;
    const type = random.pick(TYPES);
    const keys = hidden(type);
    if (keys.length === 0) return undefined;
    const key = random.pick(keys);
    const update = (input: string): string => `update${type}(id: "${key}", input: { ${input} }) { id }`;
    switch (random.pick(['values', 'links', 'delete'])) {
      case 'values':
        return update('title: "behind" secret: "z"');
      case 'links':
        switch (type) {
          case 'Photo':
          case 'Item':
            return update(`album: { connect: "${this.key('Album')}" }`);
          case 'Note':
            return update(`photo: { connect: "${this.key('Photo')}" }`);
          case 'Tag':
            return update(`albums: { set: ${this.#keys('Album')} }`);
          default:
            return update(`tags: { connect: ${this.#keys('Tag')} } cover: { connect: "${this.key('Photo')}" }`);
        }
      default:
        return type === 'Album' || (type === 'Photo' && !photosAreFree)
          ? undefined
          : `delete${type}(id: "${key}") { id }`;
    }
  }
}
