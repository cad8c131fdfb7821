// What the example's photos show: subjects, kinds of light and the sentences about them. The words are chosen so that a
// search has something to find ("harbour at dusk in Bergen"), and each subject names the scene that its picture draws.
import type { Random } from './random.ts';

/** How a picture is drawn; see pictures.ts. */
export type Scene = 'sea' | 'peaks' | 'town' | 'forest' | 'fields' | 'river' | 'desert' | 'snow' | 'person';

/** Somewhere photos are taken. */
export interface Place {
  readonly name: string;
  readonly scenes: readonly Scene[];
}

/** The time of day and weather, which is also the palette of the picture. */
type Light = 'dawn' | 'morning' | 'noon' | 'golden' | 'dusk' | 'night' | 'fog' | 'storm';

/** What one photo says about itself. */
export interface Caption {
  readonly name: string;
  readonly description: string | null;
  readonly category: 'PORTRAIT' | 'LANDSCAPE';
  readonly scene: Scene;
  readonly light: Light;
}

const list = (text: string): readonly string[] => text.split(', ');

const LIGHT_WORDS: Readonly<Record<Light, readonly string[]>> = {
  dawn: list('at dawn, at first light, at sunrise, before sunrise'),
  morning: list('in the morning, on a clear morning, after breakfast, in morning light'),
  noon: list('at noon, in the midday sun, under a wide blue sky'),
  golden: list('at golden hour, in late afternoon light, in the last sun'),
  dusk: list('at dusk, after sunset, at twilight, at blue hour'),
  night: list('at night, under the stars, in moonlight, by lamplight'),
  fog: list('in fog, in the mist, on a hazy morning'),
  storm: list('before the storm, after the rain, under heavy clouds'),
};
const LIGHTS = Object.keys(LIGHT_WORDS) as readonly Light[];

const SUBJECTS: Readonly<Record<Exclude<Scene, 'person'>, readonly string[]>> = {
  sea: list(
    'Harbour, Lighthouse, Fishing boats, Empty beach, Old pier, Tide pools, Ferry, Sea cliffs, Sailing boats, Seagulls',
  ),
  peaks: list('Mountain ridge, Glacier, Alpine hut, Rock face, Summit cross, Hanging valley, Mountain pass'),
  town: list(
    'Rooftops, Old town, Market square, Tram stop, Cathedral, Narrow street, City lights, Stone stairs, Railway station',
  ),
  forest: list('Birch forest, Forest path, Pine trees, Beech wood, Bamboo grove, Wooden cabin, Moss and ferns'),
  fields: list(
    'Wheat field, Vineyard, Poppy meadow, Lavender rows, Hay bales, Windmill, Terraced hills, Cherry orchard',
  ),
  river: list('Stone bridge, Waterfall, Canal, Lake shore, Rowing boats, Reflections, Reed bed, River bend'),
  desert: list('Sand dunes, Red rocks, Canyon, Caravan tracks, Salt flat, Dry riverbed'),
  snow: list('Frozen lake, Snowy street, Northern lights, Ski tracks, Winter forest, Ice on the window'),
};

const SITTERS = list(
  'The baker, The fisherman, The bookseller, The violinist, My grandmother, Two sisters, The beekeeper, The tram driver, ' +
    'The potter, The chess players, A street musician, The gardener, The tailor, Old friends, The dancer, The boat builder, ' +
    'The lighthouse keeper, A child with a kite, The carpenter, The tea seller, The bicycle mechanic, The climber, The cook, ' +
    'The night watchman, The newlyweds, The painter, My neighbour, The shepherd, The flower seller, The midwife',
);
const POSES = list(
  'laughing, by the window, in the doorway, at work, deep in thought, with flour on the hands, in a red coat, with the dog, ' +
    'waiting for the bus, after a long day, telling a story, in the workshop, between two showers, on the way home',
);

const LANDSCAPE_NOTES = list(
  'We had the place to ourselves, The wind hardly let me hold the tripod, Half an hour later it was gone, ' +
    'A long exposure smoothed the water, I came back three days in a row for this, The colours are straight from the camera, ' +
    'You can see the old town in the distance, A heron flew off just before, My fingers were too cold to change the lens, ' +
    'The smell of wood smoke was everywhere, Taken from the night train, Three frames stitched together',
);
const PORTRAIT_NOTES = list(
  'We talked for an hour before I took the camera out, One lamp and a white wall, Nobody wanted to be photographed at first, ' +
    'The same work for forty years, Shot on an old manual lens, The only frame where nobody blinked, ' +
    'We shared coffee afterwards, Natural light from the left, A print of this hangs in the shop now, The dog belongs in the picture',
);
const SEASONS = list(
  'early spring, late spring, midsummer, a warm September, October, a grey November, deep winter, the rainy season',
);
const GEAR = list(
  '35 mm, 50 mm, 85 mm, a wide angle, a borrowed telephoto, medium format, black-and-white film, expired slide film, my phone',
);

const upperFirst = (text: string): string => text[0]!.toUpperCase() + text.slice(1);
const lowerFirst = (text: string): string => text[0]!.toLowerCase() + text.slice(1);

/** Writes the caption of one photo taken at `place`, of what there is to see there. One in twelve has no description. */
export function createCaption(random: Random, place: Place): Caption {
  const scenes = place.scenes.filter((scene) => scene !== 'person');
  const scene = random.chance(0.38) ? 'person' : random.pick(scenes);
  const portrait = scene === 'person';
  const light = random.pick(LIGHTS);
  const subject = random.pick(portrait ? SITTERS : SUBJECTS[scene]);
  const where = place.name;
  const when = random.pick(LIGHT_WORDS[light]);
  const pose = random.pick(POSES);
  const name = portrait
    ? random.pick([
        `${subject} ${pose}, ${where}`,
        `${subject} of ${where}`,
        `${subject} ${when}`,
        `${subject} in ${where}`,
      ])
    : random.pick([
        `${subject} ${when} in ${where}`,
        `${subject}, ${where}`,
        `${upperFirst(where)}: ${lowerFirst(subject)} ${when}`,
      ]);
  const note = random.pick(portrait ? PORTRAIT_NOTES : LANDSCAPE_NOTES);
  const season = random.pick(SEASONS);
  const gear = random.pick(GEAR);
  const description = random.pick([
    `${subject} ${when}, ${where}, in ${season}. ${note}.`,
    `${note}. Taken in ${where} in ${season}, with ${gear}.`,
    `${upperFirst(where)} in ${season}, ${when}. ${note}. ${upperFirst(gear)}.`,
    `${note}.`,
  ]);
  return {
    name,
    description: random.chance(1 / 12) ? null : description,
    category: portrait ? 'PORTRAIT' : 'LANDSCAPE',
    scene,
    light,
  };
}

/** What people write under a photo. */
export const COMMENTS: readonly string[] = list(
  'What a light!, I know this place – lovely, The sky is unreal, How long was the exposure?, This one belongs on a wall, ' +
    'Great timing, You can almost hear the sea, The eyes say everything, Which lens was this?, I was there last year and saw nothing of this, ' +
    'So calm, Beautiful tones, The composition is perfect, Makes me want to travel, One of your best, Hello from the other side of the world',
);

/** Titles of the collections that the example's curators keep, and the words in a photo's title or description they look for. */
export const COLLECTIONS: readonly (readonly [title: string, words: RegExp])[] = [
  ['Blue hour', /dusk|twilight|blue hour/i],
  ['Harbours of the world', /harbour|ferry|fishing boats/i],
  ['Faces at work', /at work|in the workshop/i],
  ['Snow', /snow|frozen|ski tracks/i],
  ['Railways at night', /(railway|tram).*(night|lamplight|stars)/i],
  ['Above the valley', /summit|ridge|mountain pass/i],
  ['Red', /red rocks|red coat|poppy/i],
  ['Quiet streets', /narrow street|stone stairs/i],
  ['Water and stone', /stone bridge|sea cliffs|waterfall/i],
  ['Grandmothers', /grandmother/i],
  ['Long exposures', /long exposure/i],
  ['Markets', /market square|tea seller|flower seller/i],
  ['Forest light', /(forest|wood|trees).*(dawn|sunrise|morning|golden)/i],
  ['Lighthouses', /lighthouse/i],
  ['With the dog', /\bdog\b/i],
  ['Fog', /\bfog\b|mist/i],
];
