// The data of bench/promise/by-hand.ts: photos that some may see and others may not, and what is asked of them. Words come as
// often as in a language, so that a search finds few or many.
import { createRandom, type Random } from '@lockstitch/search/requests';

/** Somebody who posts and asks. */
export interface GalleryUser {
  readonly login: string;
  readonly name: string;
  readonly password: string;
}

/** Everybody sees it when it is open; else its poster and its viewers. */
export interface GalleryPhoto {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly category: string;
  readonly open: boolean;
  readonly postedBy: string;
  readonly viewers: readonly string[];
}

/** What both servers are filled with. */
export interface Gallery {
  readonly users: readonly GalleryUser[];
  readonly photos: readonly GalleryPhoto[];
}

const SYLLABLES = 'ba ke lo mi nu ra se to vi wo da fe go hi ju ka le mo ni pu'.split(' ');
const CATEGORIES = ['landscape', 'portrait', 'action', 'selfie', 'graphic', 'street', 'night'];
const WORDS = 4000;

/** A word that no other number has. */
const wordOf = (number: number): string =>
  [number % 20, Math.floor(number / 20) % 20, Math.floor(number / 400)].map((at) => SYLLABLES[at % 20]).join('');

/** The commonest words by far the most often: the n-th about 1/n times. */
function commonWord(random: Random): string {
  return wordOf(Math.floor(WORDS ** (random.int(1_000_000) / 1_000_000)));
}

const text = (random: Random, words: number): string =>
  Array.from({ length: words }, () => commonWord(random)).join(' ');

/** Makes a gallery; equal arguments make equal ones. */
export function makeGallery(userCount: number, photoCount: number): Gallery {
  const random = createRandom(photoCount);
  const users = Array.from({ length: userCount }, (_, at) => ({
    login: `u${at}`,
    name: text(random, 2),
    password: `p${at}`,
  }));
  const login = (): string => users[random.int(userCount)]!.login;
  const photos = Array.from({ length: photoCount }, (_, at) => ({
    id: at + 1,
    name: text(random, 4),
    description: text(random, 25),
    category: random.pick(CATEGORIES),
    open: random.once(3),
    postedBy: login(),
    viewers: [...new Set(Array.from({ length: random.int(4) }, login))],
  }));
  return { users, photos };
}

/** The gallery as one user may see it. */
export function cutDown({ photos, users }: Gallery, me: string): Gallery {
  return {
    users,
    photos: photos.filter(({ open, postedBy, viewers }) => open || postedBy === me || viewers.includes(me)),
  };
}

/** Words to search for, rare and common. */
export function makeQueries(count: number, seed: number): readonly string[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, () => text(random, 1 + random.int(3)));
}
