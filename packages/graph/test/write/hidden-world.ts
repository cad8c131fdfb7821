// Random schemas with rules, two databases for each that differ only in what one caller may not see, and random mutations of that caller.
// The rules of the schemas read only columns that no update changes, so that what is hidden stays hidden.
import { createPrincipal, type Clock, type Principal } from '@lockstitch/kernel';
import { createGraph } from '../../src/execute/create-graph.ts';
import type { Graph } from '../../src/execute/graph.ts';
import type { Store } from '../../src/store/store.ts';
import { Random } from '../differential/random.ts';
import { modelOf } from '../photo-schema.ts';

export const GOD: Principal = createPrincipal('god', ['ROLE_GOD']);

type RowOf = Record<string, unknown> & { readonly id: string };
export type Rows = Record<TypeName, RowOf[]>;

export const TYPES = ['Album', 'Photo', 'Note', 'Tag', 'Item'] as const;
export type TypeName = (typeof TYPES)[number];

/** A relation from the end that stores it. */
interface Link {
  readonly type: TypeName;
  readonly field: string;
  readonly targets: readonly TypeName[];
  readonly inverse?: string;
  readonly many: boolean;
  readonly required?: true;
}

const LINKS: readonly Link[] = [
  { type: 'Photo', field: 'album', targets: ['Album'], inverse: 'photos', many: false },
  { type: 'Item', field: 'album', targets: ['Album'], inverse: 'items', many: false, required: true },
  { type: 'Note', field: 'photo', targets: ['Photo'], inverse: 'notes', many: false },
  { type: 'Album', field: 'cover', targets: ['Photo'], many: false },
  { type: 'Album', field: 'tags', targets: ['Tag'], inverse: 'albums', many: true },
  { type: 'Album', field: 'best', targets: ['Photo', 'Tag'], many: false },
  { type: 'Album', field: 'things', targets: ['Photo', 'Tag'], many: true },
];

const ROW_RULES = ['owner == authentication.name', 'open', 'not open', 'level < principal.level'] as const;
const CALLER_RULES = ["hasRole('CLERK')", 'denyAll'] as const;

export interface HiddenSchema {
  readonly text: string;
  /** Whether GOD may delete hidden photos without touching anything visible. */
  readonly photosAreFree: boolean;
}

export function randomHiddenSchema(random: Random): HiddenSchema {
  const open = "hasRole('GOD') or owner == 'all'";
  const rule = (rules: readonly string[]): string => `"${open} or ${random.pick(rules)}"`;
  const any = [...ROW_RULES, ...CALLER_RULES];
  const auth = (): string => {
    const parts = [
      ...(random.chance(0.75) ? [`read: ${rule(any)}`] : []),
      ...(random.chance(0.3) ? [`update: ${rule([...any, 'isAuthenticated()'])}`] : []),
      ...(random.chance(0.3) ? [`delete: ${rule([...any, 'isAuthenticated()'])}`] : []),
      ...(random.chance(0.2) ? [`create: ${rule([...any, 'isAuthenticated()'])}`] : []),
    ];
    return parts.length === 0 ? '' : `@auth(${parts.join(', ')})`;
  };
  const fieldRule = (often: number): string => {
    const parts = [
      ...(random.chance(often) ? [`read: ${rule(any)}`] : []),
      ...(random.chance(0.1) ? [`update: ${rule([...any, 'isAuthenticated()'])}`] : []),
    ];
    return parts.length === 0 ? '' : ` @auth(${parts.join(', ')})`;
  };
  const destroys = (manner: string): boolean => manner.startsWith('onDelete: CASCADE, onDeleteRules: OVERRIDE');
  /** The rules of both ends of a relation. That deletions go along relations that nobody sees is a documented exception. */
  const ends = (manner = ''): readonly [string, string] => {
    if (destroys(manner)) return ['', ''];
    const often = random.chance(0.4) ? 0.9 : 0.1;
    return [fieldRule(often), fieldRule(often)];
  };
  const manner = (required = false): string => {
    const kind = random.pick(['CASCADE', 'CASCADE', required ? 'RESTRICT' : 'SET_NULL', 'SET_NULL', 'RESTRICT']);
    const effect = required && kind === 'SET_NULL' ? 'CASCADE' : kind;
    return `onDelete: ${effect}, onDeleteRules: ${effect === 'RESTRICT' ? 'CALLER' : random.pick(['CALLER', 'OVERRIDE', 'OVERRIDE'])}`;
  };
  const photoAlbum = manner();
  // Notes of hidden photos that go with an album are a documented exception.
  const notePhoto = destroys(photoAlbum) ? 'onDelete: SET_NULL, onDeleteRules: OVERRIDE' : manner();
  const pair = (): string => `onDeleteRules: ${random.pick(['CALLER', 'OVERRIDE', 'OVERRIDE'])}`;
  const itemManner = manner(true);
  const [album, photos] = ends(photoAlbum);
  const [itemAlbum, items] = ends(itemManner);
  const [photo, notes] = ends(notePhoto);
  const [tags, albums] = ends();
  const tagPair = pair();
  const facts = (): string => `
    id: ID! @id  title: String  secret: String${fieldRule(0.7)}  owner: String  open: Boolean  level: Int
    version: Int! @default(value: "version")  at: DateTime! @default(value: "updatedAt")`;
  const values = 'title: String  secret: String';
  const own = 'id: ID!  owner: String  open: Boolean  level: Int';
  const text = `
  scalar DateTime
  union Thing = Photo | Tag
  type Album @entity ${auth()} {${facts()}
    photos(where: PhotoFilter): [Photo!] @relation(inverse: "album")${photos}
    items: [Item!] @relation(inverse: "album")${items}
    tags(where: TagFilter): [Tag!] @relation(inverse: "albums", ${tagPair})${tags}
    cover: Photo @relation(onDelete: SET_NULL, ${pair()})${fieldRule(0.4)}
    best: Thing @relation(onDelete: SET_NULL, ${pair()})${fieldRule(0.3)}
    things: [Thing!] @relation(${pair()})${fieldRule(0.3)}
  }
  type Photo @entity ${auth()} {${facts()}
    album: Album @relation(inverse: "photos", ${photoAlbum})${album}
    notes: [Note!] @relation(inverse: "photo")${notes}
  }
  type Note @entity ${auth()} {${facts()}
    photo: Photo @relation(inverse: "notes", ${notePhoto})${photo}
  }
  type Tag @entity ${auth()} {${facts()}
    albums: [Album!] @relation(inverse: "tags", ${tagPair})${albums}
  }
  type Item @entity ${auth()} {${facts()}
    album: Album! @relation(inverse: "items", ${itemManner})${itemAlbum}
  }
  input ThingKey @oneOf { Photo: ID  Tag: ID }
  input ThingWords { connect: [ThingKey!]  disconnect: [ThingKey!]  set: [ThingKey!] }
  input NewAlbum { ${own} ${values} photos: PhotoWords items: ItemWords tags: TagWords cover: PhotoWord best: ThingKey things: [ThingKey!] }
  input ChangeAlbum { ${values} photos: PhotoWords items: ItemWords tags: TagWords cover: PhotoWord best: ThingKey things: ThingWords }
  input SaveAlbum { id: ID! ${values} photos: [ID!] tags: [ID!] cover: ID }
  input NewPhoto { ${own} ${values} album: AlbumWord notes: NoteWords }
  input PlainPhoto { ${own} ${values} }
  input ChangePhoto { ${values} album: AlbumWord notes: NoteWords }
  input SavePhoto { id: ID! ${values} album: ID notes: [ID!] }
  input NewNote { ${own} ${values} photo: PhotoWord }
  input PlainNote { ${own} ${values} }
  input ChangeNote { ${values} photo: PhotoWord }
  input SaveNote { id: ID! ${values} photo: ID }
  input NewTag { ${own} ${values} albums: AlbumWords }
  input PlainTag { ${own} ${values} }
  input ChangeTag { ${values} albums: AlbumWords }
  input SaveTag { id: ID! ${values} albums: [ID!] }
  input NewItem { ${own} ${values} album: AlbumWord! }
  input PlainItem { ${own} ${values} }
  input PlainAlbum { ${own} ${values} }
  input ChangeItem { ${values} album: AlbumWord }
  input SaveItem { id: ID! ${values} album: ID! }
  input AlbumWord { create: PlainAlbum connect: ID disconnect: Boolean delete: Boolean }
  input PhotoWord { create: PlainPhoto connect: ID disconnect: Boolean delete: Boolean }
  input PhotoWords { create: [PlainPhoto!] connect: [ID!] disconnect: [ID!] set: [ID!] delete: [ID!] }
  input NoteWords { create: [PlainNote!] connect: [ID!] disconnect: [ID!] set: [ID!] delete: [ID!] }
  input TagWords { create: [PlainTag!] connect: [ID!] disconnect: [ID!] set: [ID!] delete: [ID!] }
  input ItemWords { create: [PlainItem!] connect: [ID!] disconnect: [ID!] set: [ID!] delete: [ID!] }
  input AlbumWords { create: [PlainAlbum!] connect: [ID!] disconnect: [ID!] set: [ID!] delete: [ID!] }
  type Query {
    ${TYPES.map((type) => `all${type}s(where: ${type}Filter, orderBy: [${type}Order!]): [${type}]!  count${type}s(where: ${type}Filter): Int!`).join('\n')}
  }
  type Mutation {
    ${TYPES.map(
      (type) => `create${type}(input: New${type}!): ${type}!
    update${type}(id: ID!, version: Int, input: Change${type}!): ${type}
    update${type}s(where: ${type}Filter!, input: Change${type}!): [${type}!]!
    change${type}s(where: ${type}Filter!, input: Change${type}!): Int!
    save${type}(input: Save${type}!): ${type}
    delete${type}(id: ID!, version: Int): ${type}
    remove${type}s(where: ${type}Filter!): Int!`,
    ).join('\n')}
    connectAlbumTags(id: ID!, tags: [ID!]!): Album
    disconnectAlbumTags(id: ID!, tags: [ID!]!): Album
    connectAlbumPhotos(id: ID!, photos: [ID!]!): Album
    disconnectAlbumPhotos(id: ID!, photos: [ID!]!): Album
    connectNotePhoto(id: ID!, photo: ID!): Note
    disconnectNotePhoto(id: ID!, photo: ID!): Note
    connectPhotoNotes(id: ID!, notes: [ID!]!): Photo
    disconnectPhotoNotes(id: ID!, notes: [ID!]!): Photo
  }
  type Subscription {
    ${TYPES.map((type) => `${lower(type)}Changed: ${type}!`).join('\n')}
  }`;
  return {
    text,
    photosAreFree: !notePhoto.startsWith('onDelete: CASCADE') && !notePhoto.startsWith('onDelete: RESTRICT'),
  };
}

export const lower = (name: string): string => name.slice(0, 1).toLowerCase() + name.slice(1);

export function randomHiddenRows(random: Random): Rows {
  const rows = (type: TypeName): RowOf[] =>
    Array.from({ length: 3 + random.below(4) }, (_, at) => ({
      id: `${type.slice(0, 1).toLowerCase()}${at}`,
      title: random.pick(['red', 'blue', 'green']),
      secret: random.pick(['x', 'y', null]),
      owner: random.pick(['ann', 'bob', null]),
      open: random.pick([true, false, null]),
      level: random.pick([0, 1, 2, null]),
    }));
  const all = Object.fromEntries(TYPES.map((type) => [type, rows(type)])) as Rows;
  const key = (type: TypeName): string => random.pick(all[type]).id;
  for (const { type, field, targets, many, required } of LINKS) {
    for (const row of all[type]) {
      const one = (): unknown => {
        const target = random.pick(targets);
        return targets.length === 1 ? key(target) : { type: target, key: key(target) };
      };
      if (!many) row[field] = required === true || random.chance(0.7) ? one() : null;
      else {
        const found = Array.from({ length: random.below(4) }, one);
        row[field] = [...new Map(found.map((each) => [JSON.stringify(each), each])).values()];
      }
    }
  }
  return all;
}

/** What a caller may see. */
export interface Sight {
  sees(type: TypeName, key: string): boolean;
  reads(type: TypeName, field: string, key: string): boolean;
  readonly text: string;
}

export async function sightOf(graph: Graph, principal: Principal): Promise<Sight> {
  const rows = new Map<string, ReadonlySet<string>>();
  const fields = new Map<string, ReadonlySet<string>>();
  for (const entity of graph.model.entities.values()) {
    rows.set(entity.name, new Set(await graph.readableKeys(entity.name, principal)));
    for (const { name, auth } of entity.fields.values())
      if (auth?.read !== undefined)
        fields.set(
          `${entity.name}.${name}`,
          new Set(await graph.readableKeys(entity.name, principal, { field: name })),
        );
  }
  const print = (of: ReadonlyMap<string, ReadonlySet<string>>): string =>
    [...of].map(([name, keys]) => `${name}: ${[...keys].toSorted().join(' ')}`).join('\n');
  return {
    sees: (type, key) => rows.get(type)!.has(key),
    reads: (type, field, key) => rows.get(type)!.has(key) && fields.get(`${type}.${field}`)?.has(key) !== false,
    text: `${print(rows)}\n${print(fields)}`,
  };
}

const targetOf = ({ targets }: Link, value: unknown): readonly [TypeName, string] =>
  typeof value === 'object' && value !== null
    ? [(value as { type: TypeName }).type, (value as { key: string }).key]
    : [targets[0]!, value as string];

/** Whether a caller may see that one object leads to the other. */
function isShown(sight: Sight, link: Link, from: string, value: unknown): boolean {
  const [type, key] = targetOf(link, value);
  if (!sight.sees(link.type, from) || !sight.sees(type, key)) return false;
  return (
    sight.reads(link.type, link.field, from) || (link.inverse !== undefined && sight.reads(type, link.inverse, key))
  );
}

/** The same rows with other hidden ones. */
export function changeHiddenRows(rows: Rows, sight: Sight, random: Random): Rows {
  const changed = structuredClone(rows);
  for (const type of TYPES) {
    for (const row of changed[type]) {
      if (!sight.sees(type, row.id)) row['title'] = random.pick(['red', 'blue', 'green', 'other']);
      if (!sight.reads(type, 'secret', row.id)) row['secret'] = random.pick(['x', 'y', 'z', null]);
    }
  }
  for (const link of LINKS) {
    const { type, field, targets, many, required } = link;
    for (const row of changed[type]) {
      const other = (): unknown => {
        const target = random.pick(targets);
        const { id } = random.pick(changed[target]);
        const value = targets.length === 1 ? id : { type: target, key: id };
        return isShown(sight, link, row.id, value) ? undefined : value;
      };
      if (!many) {
        const value = row[field];
        if (value !== null && isShown(sight, link, row.id, value)) continue;
        // Whether there is a hidden object where there must be one is shown.
        const made = random.chance(0.3) && required !== true ? null : (other() ?? value);
        row[field] = made;
        continue;
      }
      const kept = (row[field] as unknown[]).filter(
        (value) => isShown(sight, link, row.id, value) || random.chance(0.5),
      );
      const added = [other(), other()].filter((value) => value !== undefined && random.chance(0.5));
      row[field] = [...new Map([...kept, ...added].map((each) => [JSON.stringify(each), each])).values()];
    }
  }
  // Rows that nothing is in the way of are gone.
  for (const type of TYPES) {
    for (const { id } of changed[type].filter((row) => !sight.sees(type, row.id) && random.chance(0.4))) {
      const holders = LINKS.filter(({ targets }) => targets.includes(type));
      const isNeeded = holders.some(
        ({ type: holder, field, required }) =>
          required === true && changed[holder].some((row) => row[field] === id && sight.sees(holder, row.id)),
      );
      if (isNeeded) continue;
      const names = (value: unknown, link: Link): boolean =>
        value !== null && targetOf(link, value)[0] === type && targetOf(link, value)[1] === id;
      for (const link of holders) {
        for (const row of changed[link.type]) {
          const value = row[link.field];
          if (link.many) row[link.field] = (value as unknown[]).filter((each) => !names(each, link));
          else if (names(value, link)) row[link.field] = link.required === true ? undefined : null;
        }
        if (link.required === true)
          changed[link.type] = changed[link.type].filter((row) => row[link.field] !== undefined);
      }
      changed[type] = changed[type].filter((row) => row.id !== id);
    }
  }
  return changed;
}

export async function openRows(store: Store, schema: string, rows: Rows, clock: Clock): Promise<Graph> {
  const graph = await createGraph({ model: modelOf(schema), store, clock, limits: { writeSize: 4, cost: 1e9 } });
  const given = (type: TypeName, of: readonly RowOf[]): Promise<void> => importAll(graph, type, of);
  const without = (type: TypeName, ...fields: string[]): RowOf[] =>
    rows[type].map(
      (row) => Object.fromEntries(Object.entries(row).filter(([name]) => !fields.includes(name))) as RowOf,
    );
  await given('Tag', without('Tag'));
  // Albums and photos refer to each other: lists of albums wait for photos.
  await given('Album', without('Album', 'cover', 'best', 'things'));
  await given('Photo', rows.Photo);
  await given('Note', rows.Note);
  await given('Item', rows.Item);
  for (const { id, cover, best, things } of rows.Album) {
    const print = (value: unknown): string => {
      const { type, key } = value as { type: string; key: string };
      return `{ ${type}: "${key}" }`;
    };
    const input = [
      ...(cover === null ? [] : [`cover: { connect: "${String(cover)}" }`]),
      ...(best === null ? [] : [`best: ${print(best)}`]),
      `things: { set: [${(things as unknown[]).map(print).join(', ')}] }`,
    ].join(' ');
    const { body } = await graph.execute(
      { query: `mutation { updateAlbum(id: "${id}", input: { ${input} }) { id } }` },
      { principal: GOD },
    );
    if (body.includes('"errors"')) throw new Error(body);
  }
  return graph;
}

async function importAll(graph: Graph, type: TypeName, rows: readonly RowOf[]): Promise<void> {
  if (rows.length === 0) return;
  const { committed } = await graph.importRows(type, [rows], {
    onReject: ({ reasons }) => {
      throw new Error(`${type}: ${reasons.join('; ')}`);
    },
  });
  if (!committed) throw new Error(`Rows of ${type} were not written.`);
}

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
