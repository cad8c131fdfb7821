// Fills the example once: a thousand people, twenty thousand photos, what they said about them. Everything follows from
// one number, so that each start on each machine has the same data.
import type { SeedTarget } from 'lockstitch';

import { createPeople, type Person, PLACES, placesOf } from './seed/people.ts';
import { createRandom, type Random } from './seed/random.ts';
import { COLLECTIONS, COMMENTS, createCaption } from './seed/scenes.ts';

const USERS = 1_000;
const PHOTOS = 20_000;
const LIKES = 6_000;
const REMARKS = 3_000;
const FIRST_DAY = Date.UTC(2016, 2, 1);
const LAST_DAY = Date.UTC(2026, 10, 15);
const BATCH = 5_000;

/** One row as the server's import takes it: fields by name, related objects by key. */
type SeedRow = Readonly<Record<string, unknown>>;

/** All rows of the example by type; a type comes after those it refers to. */
export interface SeedData {
  readonly User: readonly SeedRow[];
  readonly Photo: readonly SeedRow[];
  readonly Comment: readonly SeedRow[];
  readonly Like: readonly SeedRow[];
  readonly Collection: readonly SeedRow[];
}

/** Writes the example's data, in transactions of a few thousand rows. */
export default async function seed(target: SeedTarget): Promise<void> {
  for (const [type, rows] of Object.entries(createSeedData())) {
    for (let from = 0; from < rows.length; from += BATCH) await target.write(type, rows.slice(from, from + BATCH));
  }
}

/** Makes the data: the same at every call. */
export function createSeedData(): SeedData {
  const random = createRandom(20_160_301);
  const people = createPeople(random, USERS);
  const photos = createPhotos(random, people);
  return {
    User: people.map(({ githubLogin, name, avatar }) => ({ githubLogin, name, avatar })),
    Photo: photos,
    Comment: createComments(random, people, photos),
    Like: createLikes(random, people, photos),
    Collection: createCollections(random, people, photos),
  };
}

interface PhotoRow extends SeedRow {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly postedBy: string;
  readonly created: string;
}

function createPhotos(random: Random, people: readonly Person[]): readonly PhotoRow[] {
  const friends = createFriends(random, people);
  const times = Array.from({ length: PHOTOS }, () => {
    // More photos in later years, as on a site that grows.
    const share = Math.sqrt(random.next());
    return FIRST_DAY + Math.floor((share * (LAST_DAY - FIRST_DAY)) / 1000) * 1000;
  }).sort((left, right) => left - right);
  return times.map((time, index) => {
    // The square makes some people post a lot and most a little.
    const poster = Math.floor(random.next() ** 2 * people.length);
    const home = placesOf(people[poster]!.region);
    const place = random.chance(0.7) ? random.pick(home) : random.pick(PLACES);
    const caption = createCaption(random, place);
    const id = String(index + 1);
    return {
      id,
      name: caption.name,
      url: `/pictures/${caption.category.toLowerCase()}-${caption.scene}-${caption.light}-${id}.svg`,
      description: caption.description,
      category: caption.category,
      created: new Date(time).toISOString(),
      postedBy: people[poster]!.githubLogin,
      taggedUsers: createTags(random, people, friends[poster]!),
    };
  });
}

/** A dozen friends each, mostly from the same region. */
function createFriends(random: Random, people: readonly Person[]): readonly (readonly number[])[] {
  const neighbours = new Map<number, number[]>();
  people.forEach(({ region }, index) => {
    const list = neighbours.get(region) ?? [];
    neighbours.set(region, list);
    list.push(index);
  });
  return people.map(({ region }) =>
    Array.from({ length: 12 }, () => (random.chance(0.8) ? random.pick(neighbours.get(region)!) : random.below(USERS))),
  );
}

/** From no tag to seven, three on average. */
function createTags(random: Random, people: readonly Person[], friends: readonly number[]): readonly string[] {
  const logins = new Set<string>();
  for (let count = random.below(8); count > 0; count--) {
    const tagged = random.chance(0.85) ? random.pick(friends) : random.below(USERS);
    logins.add(people[tagged]!.githubLogin);
  }
  return [...logins];
}

/** A moment between the posting of the photo and two weeks later, not after the last day. */
function soonAfter(random: Random, photo: PhotoRow): string {
  const seconds = Math.floor(random.next() ** 3 * 14 * 24 * 3600);
  return new Date(Math.min(Date.parse(photo.created) + seconds * 1000, LAST_DAY)).toISOString();
}

function createComments(random: Random, people: readonly Person[], photos: readonly PhotoRow[]): readonly SeedRow[] {
  return Array.from({ length: REMARKS }, (_, index) => {
    const photo = random.pick(photos);
    return {
      id: String(index + 1),
      at: soonAfter(random, photo),
      by: random.pick(people).githubLogin,
      photo: photo.id,
      text: random.pick(COMMENTS),
    };
  });
}

function createLikes(random: Random, people: readonly Person[], photos: readonly PhotoRow[]): readonly SeedRow[] {
  const rows = new Map<string, SeedRow>();
  while (rows.size < LIKES) {
    const photo = random.pick(photos);
    const by = random.pick(people).githubLogin;
    const pair = `${by} ${photo.id}`;
    if (rows.has(pair)) continue;
    rows.set(pair, { id: String(rows.size + 1), at: soonAfter(random, photo), by, photo: photo.id });
  }
  return [...rows.values()];
}

function createCollections(random: Random, people: readonly Person[], photos: readonly PhotoRow[]): readonly SeedRow[] {
  return COLLECTIONS.map(([title, words], index) => {
    const fitting = photos.filter(({ name, description }) => words.test(`${name} ${description ?? ''}`));
    const chosen = new Set(Array.from({ length: 9 }, () => random.pick(fitting)));
    return {
      id: String(index + 1),
      title,
      curator: random.pick(people).githubLogin,
      // The photos, and two of those who took them.
      items: [
        ...Array.from(chosen, ({ id }) => ({ type: 'Photo', key: id })),
        ...Array.from(new Set(Array.from(chosen, ({ postedBy }) => postedBy)).values().take(2), (login) => ({
          type: 'User',
          key: login,
        })),
      ],
    };
  });
}
