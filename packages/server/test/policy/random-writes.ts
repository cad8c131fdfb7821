// Mutations for the random schemas of random-world.ts: every kind, with rules of their own.
import { createRandom, type Random } from '@lockstitch/search/requests';

import { openScratch, type OpenScratchApp } from '../../src/noninterference/scratch-app.ts';
import {
  adoptedRows,
  deleteSome,
  randomPrintRule,
  randomRows,
  randomRule,
  randomSchema,
  unmanagedTables,
  withAdopted,
  withNodeIds,
  withSoftDelete,
} from './random-world.ts';
import { openWorld, readModel, type World } from './world.ts';

/** One world in so many has tables of others. */
const ADOPTED = 5;

/** A random world of a seed; every second one has node ids, every third one soft deletion, every fifth one tables of others. */
export async function openRandomWorld(
  seed: number,
  random: Random,
): Promise<{ readonly sdl: string; readonly world: World }> {
  const deletesSoftly = seed % 3 === 0;
  const plain = randomSchema(random);
  const soft = deletesSoftly ? withSoftDelete(plain) : plain;
  const managed = seed % 2 === 1 ? withNodeIds(soft) : soft;
  const more = createRandom(seed);
  const isAdopted = seed % ADOPTED === 0;
  const sdl = withMutations(isAdopted ? withAdopted(managed, more) : managed, random);
  const model = readModel(sdl);
  const tables = unmanagedTables(model);
  const world = await openWorld(
    model,
    randomRows(random),
    [],
    undefined,
    tables === undefined ? undefined : { tables, rows: adoptedRows(more) },
  );
  if (deletesSoftly) await deleteSome(world.graph.store, createRandom(seed));
  return { sdl, world };
}

/** Opens copies in memory, with the tables of others. */
export const openCopy: OpenScratchApp = (model, tables, change) =>
  openScratch(model, tables, change, { unmanaged: unmanagedTables(model) });

/** The schema with mutations. */
function withMutations(sdl: string, random: Random, always = "hasRole('GOD')"): string {
  const ruleOf = (make: (random: Random) => string): string => JSON.stringify(`${always} or (${make(random)})`);
  const isSoft = sdl.includes('softDelete');
  const withRules = sdl.replaceAll(
    /type (Photo|User|Shot|Print) ([^{]*?@entity(?:\([^)]*\))?)( @auth\()?/g,
    (all, type: string, before: string, auth: string | undefined) => {
      const rule = (): string => ruleOf(type === 'Print' ? randomPrintRule : randomRule);
      const rules = [
        ...(random.once(4) ? [`create: ${rule()}`] : []),
        ...(random.once(3) ? [`update: ${rule()}`] : []),
        ...(random.once(3) ? [`delete: ${rule()}`] : []),
        ...(isSoft && (type === 'Photo' || type === 'User') ? [`purge: ${rule()}`] : []),
        ...(isSoft && type === 'User' ? [`readDeleted: ${rule()}`] : []),
      ].join(', ');
      if (rules === '') return all;
      return auth === undefined ? `type ${type} ${before} @auth(${rules})` : `type ${type} ${before} @auth(${rules}, `;
    },
  );
  const softly = `
    restorePhoto(id: ID!): Photo!
    restorePhotos(where: PhotoFilter!): Int!
    purgePhoto(id: ID!): Boolean!
    restoreUser(login: ID!): User!
    purgeUsers(where: UserFilter!): Int!`;
  const adopted = `
    createShot(input: NewShot!): Shot
    updateShot(id: ID!, input: ShotChange!): Shot
    changeShots(where: ShotFilter!, caption: String, user: ID): Int!
    deleteShot(id: ID!): Shot
    createPrints(input: [NewPrint!]!): [Print!]!
    savePrint(input: NewPrint!): Print
    updatePrint(id: ID!, note: String, copies: Int, shot: ID): Print
    removePrints(where: PrintFilter!): Int!`;
  const adoptedInputs = `
  input NewShot { roll: String!  number: Int!  caption: String  secret: String  owner: String  open: Boolean  user: ID  prints: PrintWords }
  input ShotChange { caption: String  secret: String  owner: String  level: Int  user: ID  prints: PrintWords }
  input NewPrint { id: ID!  note: String  copies: Int  shot: ID }
  input PlainPrint { id: ID!  note: String  copies: Int }
  input PrintWords { create: [PlainPrint!]  connect: [ID!]  disconnect: [ID!]  set: [ID!]  delete: [ID!] }`;
  const isAdopted = sdl.includes('type Shot ');
  return `${withRules}${isAdopted ? adoptedInputs : ''}
  input SpotInput { x: Int  w: Float  label: String }
  input PhotoFacts { title: String  text: String  likes: Int  marks: [Int!]  spot: SpotInput  taken: DateTime  mood: Mood  price: Decimal  notes: [String!]  extra: JSON }
  input NewPhoto { clientMutationId: String  owner: String  open: Boolean  level: Int  title: String  text: String  likes: Int
    spot: SpotInput  taken: DateTime  mood: Mood  poster: UserWord  cover: ID  camera: ID  tags: TagWords }
  input PhotoChange { title: String  text: String  likes: Int  marks: [Int!]  price: Decimal  level: Int  poster: UserWord  cover: ID  camera: ID  tags: TagWords  extra: JSON }
  input PlainPhoto { owner: String  title: String  text: String  likes: Int }
  input UserWord { create: PlainUser  connect: ID  disconnect: Boolean }
  input TagWord { connect: ID }
  input TagWords { create: [PlainTag!]  connect: [ID!]  disconnect: [ID!]  set: [ID!]  delete: [ID!] }
  input PhotoWords { create: [PlainPhoto!]  connect: [ID!]  disconnect: [ID!]  set: [ID!]  delete: [ID!] }
  input PlainTag { word: String  home: ID! }
  input PlainUser { login: ID!  owner: String  name: String  email: String  handle: String }
  input SaveUser { login: ID!  name: String  email: String  handle: String  team: ID }
  input UserChange { name: String  email: String  handle: String  team: ID  photos: PhotoWords }
  type Mutation {
    createPhoto(input: NewPhoto!): CreatePhotoPayload
    createPhotos(input: [PlainPhoto!]!): [Photo!]!
    updatePhoto(id: ID!, input: PhotoChange!): Photo
    updatePhotos(where: PhotoFilter!, input: PhotoFacts!): [Photo!]!
    changePhotos(where: PhotoFilter!, title: String, likes: Int): Int!
    deletePhoto(id: ID!): Photo
    removePhotos(where: PhotoFilter!): Int!
    tagPhoto(id: ID!, tags: [ID!]!): Photo
    untagPhoto(id: ID!, tags: [ID!]!): Photo
    createUser(login: ID!, owner: String, name: String, handle: String): User!
    saveUser(input: SaveUser!): User!
    updateUser(login: ID!, input: UserChange!): User!
    deleteUser(login: ID!): Boolean!
    createTag(input: PlainTag!): Tag!
    deleteTag(id: ID!): Boolean!
    updateCamera(serial: ID!, open: Boolean): Camera
    updateTeam(id: ID!, motto: String, open: Boolean): Team!
    deleteTeam(id: ID!): Boolean!${isSoft ? softly : ''}${isAdopted ? adopted : ''}
  }
  `;
}
