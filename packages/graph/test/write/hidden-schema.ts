// Random schemas whose rules hide objects, fields and relations. Rules read only columns that no update changes, so that what is hidden
// stays hidden.
import type { Random } from '../differential/random.ts';

export const TYPES = ['Album', 'Photo', 'Note', 'Tag', 'Item'] as const;
export type TypeName = (typeof TYPES)[number];

export const lower = (name: string): string => name.slice(0, 1).toLowerCase() + name.slice(1);

const ROW_RULES = ['owner == authentication.name', 'open', 'not open', 'level < principal.level'] as const;
const CALLER_RULES = ["hasRole('CLERK')", 'denyAll'] as const;

export interface HiddenSchema {
  readonly text: string;
  /** Whether GOD may delete hidden photos without touching anything visible. */
  readonly photosAreFree: boolean;
  /** Types whose deletions keep rows. */
  readonly soft: ReadonlySet<TypeName>;
}

/** @param choices of types with soft deletion; undefined: none */
export function randomHiddenSchema(random: Random, choices?: Random): HiddenSchema {
  const soft = new Set(choices?.some(TYPES, 0.6));
  const open = "hasRole('GOD') or owner == 'all'";
  const rule = (rules: readonly string[]): string => `"${open} or ${random.pick(rules)}"`;
  const any = [...ROW_RULES, ...CALLER_RULES];
  const softRules = (): readonly string[] =>
    choices === undefined
      ? []
      : ['readDeleted', 'purge', 'delete'].map(
          (action) => `${action}: "${open} or ${choices.pick([...any, 'isAuthenticated()'])}"`,
        );
  const auth = (type: TypeName): string => {
    const parts = [
      ...(soft.has(type) ? softRules() : []),
      ...(random.chance(0.75) ? [`read: ${rule(any)}`] : []),
      ...(random.chance(0.3) ? [`update: ${rule([...any, 'isAuthenticated()'])}`] : []),
      ...(random.chance(0.3) ? [`delete: ${rule([...any, 'isAuthenticated()'])}`] : []).filter(() => !soft.has(type)),
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
  const entity = (type: TypeName): string =>
    `type ${type} @entity${soft.has(type) ? '(softDelete: "gone")' : ''} ${auth(type)} {${soft.has(type) ? 'gone: DateTime' : ''}`;
  const values = 'title: String  secret: String';
  const own = 'id: ID!  owner: String  open: Boolean  level: Int';
  const text = `
  scalar DateTime
  union Thing = Photo | Tag
  ${entity('Album')}${facts()}
    photos(where: PhotoFilter): [Photo!] @relation(inverse: "album")${photos}
    items: [Item!] @relation(inverse: "album")${items}
    tags(where: TagFilter): [Tag!] @relation(inverse: "albums", ${tagPair})${tags}
    cover: Photo @relation(onDelete: SET_NULL, ${pair()})${fieldRule(0.4)}
    best: Thing @relation(onDelete: SET_NULL, ${pair()})${fieldRule(0.3)}
    things: [Thing!] @relation(${pair()})${fieldRule(0.3)}
  }
  ${entity('Photo')}${facts()}
    album: Album @relation(inverse: "photos", ${photoAlbum})${album}
    notes: [Note!] @relation(inverse: "photo")${notes}
  }
  ${entity('Note')}${facts()}
    photo: Photo @relation(inverse: "notes", ${notePhoto})${photo}
  }
  ${entity('Tag')}${facts()}
    albums: [Album!] @relation(inverse: "tags", ${tagPair})${albums}
  }
  ${entity('Item')}${facts()}
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
  ${soft.size === 0 ? '' : 'enum Deleted { EXCLUDE INCLUDE ONLY }'}
  type Query {
    ${[...soft].map((type) => `gone${type}s(deleted: Deleted): [${type}]!`).join('\n')}
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
    ${[...soft]
      .map(
        (type) => `restore${type}(id: ID!): ${type}!
    restore${type}s(where: ${type}Filter!): Int!
    purge${type}(id: ID!): Boolean!
    purge${type}s(where: ${type}Filter!): Int!`,
      )
      .join('\n')}
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
    soft,
    photosAreFree: !notePhoto.startsWith('onDelete: CASCADE') && !notePhoto.startsWith('onDelete: RESTRICT'),
  };
}
