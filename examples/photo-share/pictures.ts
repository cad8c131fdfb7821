// Draws the example's pictures: small SVG scenes worked out from the file name alone, so that 20,000 photos and 1,000
// avatars need no files. `/pictures/landscape-sea-dusk-17.svg` names category, scene, light and a number that varies it.
import { createRandom, type Random, seedOf } from './seed/random.ts';

const WIDTH = 640;
const HEIGHT = 480;

/** Sky from top to horizon, sun or moon, land from far to near. */
interface Palette {
  readonly sky: readonly [string, string];
  readonly disc: string;
  readonly land: readonly [string, string, string];
  readonly water: string;
}

const PALETTES: Readonly<Record<string, Palette>> = {
  dawn: { sky: ['#7a8fc4', '#fbd3b4'], disc: '#fff1d6', land: ['#8d86a8', '#655f83', '#3d3a59'], water: '#c2a9b8' },
  morning: { sky: ['#8ec7ea', '#eaf6fb'], disc: '#fffbe6', land: ['#9dbdb4', '#6b9c86', '#3f6f5c'], water: '#9cc9dc' },
  noon: { sky: ['#3f9be0', '#bfe3f7'], disc: '#fffdf2', land: ['#86b37a', '#5a9357', '#376b3c'], water: '#4fa3cf' },
  golden: { sky: ['#e8a85a', '#fde6b0'], disc: '#fff6d8', land: ['#c08a55', '#8f5f3c', '#5a3b29'], water: '#d9a66a' },
  dusk: { sky: ['#2e3569', '#e8896f'], disc: '#ffd9a8', land: ['#5d4a74', '#41345a', '#251f3a'], water: '#6f5680' },
  night: { sky: ['#0b1030', '#27356b'], disc: '#eef1ff', land: ['#1e2850', '#151c3c', '#0b1026'], water: '#1a2550' },
  fog: { sky: ['#b8c2c9', '#e3e7e8'], disc: '#f6f7f5', land: ['#bac3c6', '#98a4a8', '#707d83'], water: '#c3ccd0' },
  storm: { sky: ['#3d4a57', '#93a2ab'], disc: '#c9d2d6', land: ['#5f6d70', '#445255', '#2a3538'], water: '#5b6c77' },
};

/** Land of scenes where nothing green grows, for the lights whose land is green. */
const BARE: Palette['land'] = ['#d9bd93', '#bd8f62', '#8c6344'];
const BARE_SCENES: ReadonlySet<string> = new Set(['desert', 'town']);
const GREEN_LIGHTS: ReadonlySet<string> = new Set(['morning', 'noon']);

const HORIZON = 290;

/**
 * Draws the picture with this name.
 *
 * @param name file name without `.svg`: `<category>-<scene>-<light>-<number>`, or `user-<login>` for an avatar
 * @returns the SVG document; undefined when no picture has such a name
 */
export function drawPicture(name: string): string | undefined {
  if (/^user-[a-z0-9-]{1,60}$/.test(name)) return drawAvatar(createRandom(seedOf(name)));
  const [, scene, light] = /^(?:portrait|landscape)-([a-z]+)-([a-z]+)-\d{1,9}$/.exec(name) ?? [];
  const draw = Object.hasOwn(SCENES, scene ?? '') ? SCENES[scene!] : undefined;
  const palette = Object.hasOwn(PALETTES, light ?? '') ? PALETTES[light!] : undefined;
  if (draw === undefined || palette === undefined) return undefined;
  const random = createRandom(seedOf(name));
  const bare = BARE_SCENES.has(scene!) && GREEN_LIGHTS.has(light!);
  const land = draw(random, bare ? { ...palette, land: BARE } : palette);
  return document(WIDTH, HEIGHT, drawSky(random, palette, light === 'night') + land);
}

type Draw = (random: Random, palette: Palette) => string;

const SCENES: Readonly<Record<string, Draw>> = {
  sea: (random, palette) =>
    ridge(random, palette.land[0], HORIZON, 18, 6) +
    rect(0, HORIZON, WIDTH, HEIGHT - HORIZON, palette.water) +
    ripples(random, palette.disc) +
    boat(random, palette.land[2]) +
    (random.chance(0.5) ? lighthouse(random, palette) : boat(random, palette.land[1])),
  peaks: (random, palette) =>
    peaks(random, palette.land[0], 150, '#ffffff') +
    peaks(random, palette.land[1], 220, undefined) +
    ridge(random, palette.land[2], 380, 40, 5),
  town: (random, palette) =>
    houses(random, palette.land[0], palette.disc, 230, 14) + houses(random, palette.land[2], palette.disc, 310, 9),
  forest: (random, palette) =>
    trees(random, palette.land[0], 250, 26) +
    trees(random, palette.land[1], 310, 18) +
    trees(random, palette.land[2], 390, 11),
  fields: (random, palette) =>
    ridge(random, palette.land[0], 270, 30, 4) +
    ridge(random, palette.land[1], 320, 35, 3) +
    furrows(palette.land[2], palette.land[1]) +
    (random.chance(0.6) ? windmill(random, palette) : trees(random, palette.land[2], 330, 3)),
  river: (random, palette) =>
    ridge(random, palette.land[0], 260, 40, 5) +
    rect(0, 330, WIDTH, 150, palette.water) +
    bridge(palette.land[2]) +
    ripples(random, palette.disc),
  desert: (random, palette) =>
    ridge(random, palette.land[0], 280, 60, 2) +
    ridge(random, palette.land[1], 340, 50, 2) +
    ridge(random, palette.land[2], 410, 40, 2),
  snow: (random, palette) =>
    trees(random, palette.land[1], 300, 16) +
    ridge(random, '#e9eff5', 330, 30, 3) +
    ridge(random, '#ffffff', 400, 25, 2) +
    flakes(random),
  person: (random, palette) => person(random, palette),
};

const SKIN = ['#f3d1b3', '#e0b08c', '#c68d63', '#9a6541', '#6f452c'];
const HAIR = ['#2b211d', '#4a3226', '#7a5434', '#b98a4d', '#8b8f94', '#1a1a1f'];
const CLOTHES = ['#b5423c', '#2f5d8a', '#3f7a5a', '#c98a2b', '#6a4c93', '#37474f', '#d9d4c7'];

function document(width: number, height: number, content: string): string {
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">` +
    `${content}</svg>`
  );
}

function rect(x: number, y: number, width: number, height: number, fill: string): string {
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="${fill}"/>`;
}

function circle(x: number, y: number, radius: number, fill: string, opacity = 1): string {
  return `<circle cx="${x}" cy="${y}" r="${radius}" fill="${fill}" opacity="${opacity}"/>`;
}

function path(commands: string, fill: string): string {
  return `<path d="${commands}" fill="${fill}"/>`;
}

function drawSky(random: Random, { sky, disc }: Palette, stars: boolean): string {
  const x = 80 + random.below(480);
  const y = 70 + random.below(110);
  let drawn =
    `<defs><linearGradient id="s" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${sky[0]}"/>` +
    `<stop offset="0.65" stop-color="${sky[1]}"/></linearGradient></defs>${rect(0, 0, WIDTH, HEIGHT, 'url(#s)')}`;
  for (let count = stars ? 40 : 0; count > 0; count--) {
    drawn += circle(random.below(WIDTH), random.below(220), 0.6 + random.next(), disc, 0.8);
  }
  drawn += circle(x, y, 58, disc, 0.18) + circle(x, y, 30, disc, 0.95);
  for (let count = random.below(4); count > 0; count--) {
    const [left, top, width] = [random.below(WIDTH), 50 + random.below(140), 60 + random.below(110)];
    drawn += `<ellipse cx="${left}" cy="${top}" rx="${width}" ry="${8 + random.below(10)}" fill="#fff" opacity="0.22"/>`;
  }
  return drawn;
}

/** A soft line of hills down to the lower edge. */
function ridge(random: Random, fill: string, top: number, rise: number, waves: number): string {
  const step = WIDTH / waves;
  let commands = `M0 ${HEIGHT}V${top}`;
  for (let wave = 0; wave < waves; wave++) {
    const middle = wave * step + step / 2;
    commands += `Q${round(middle)} ${round(top - rise + random.next() * rise * 2)} ${round((wave + 1) * step)} ${round(top + (random.next() - 0.5) * rise)}`;
  }
  return path(`${commands}V${HEIGHT}Z`, fill);
}

function peaks(random: Random, fill: string, top: number, snow: string | undefined): string {
  let drawn = '';
  for (let x = -60 - random.below(60); x < WIDTH; x += 120 + random.below(90)) {
    const [half, summit] = [110 + random.below(60), top + random.below(80)];
    const middle = x + half;
    drawn += path(`M${x - 40} ${HEIGHT}L${middle} ${summit}L${middle + half + 40} ${HEIGHT}Z`, fill);
    const cap = (HEIGHT - summit) * 0.16;
    const slope = (half + 40) / (HEIGHT - summit);
    if (snow === undefined) continue;
    const side = cap * slope;
    drawn += `<path d="M${middle} ${summit}L${round(middle + side)} ${round(summit + cap)}L${round(middle + side / 3)} ${round(summit + cap * 0.7)}L${round(middle - side / 3)} ${round(summit + cap)}L${round(middle - side)} ${round(summit + cap)}Z" fill="${snow}" opacity="0.8"/>`;
  }
  return drawn;
}

function houses(random: Random, fill: string, light: string, top: number, count: number): string {
  let drawn = '';
  const width = WIDTH / count;
  for (let house = 0; house < count; house++) {
    const [x, y] = [round(house * width), top + random.below(90)];
    drawn += rect(x, y, Math.ceil(width) + 1, HEIGHT - y, fill);
    const roof = random.below(3);
    if (roof > 0) drawn += path(`M${x} ${y}l${round(width / 2)} ${-18 * roof}l${round(width / 2)} ${18 * roof}Z`, fill);
    for (let row = y + 14; row < HEIGHT - 30; row += 30) {
      for (let column = x + 9; column < x + width - 14; column += 20) {
        if (random.chance(0.4))
          drawn += `<rect x="${round(column)}" y="${row}" width="8" height="12" fill="${light}" opacity="0.75"/>`;
      }
    }
  }
  return drawn;
}

function trees(random: Random, fill: string, base: number, count: number): string {
  let commands = '';
  for (let tree = 0; tree < count; tree++) {
    const [x, height] = [round((tree + random.next()) * (WIDTH / count)), 90 + random.below(90)];
    const half = height * 0.22;
    for (const level of [0, 0.28, 0.56]) {
      const reach = round(half * (0.55 + level));
      commands += `M${x} ${round(base - height + height * level)}l${reach} ${round(height * 0.44)}h${-2 * reach}Z`;
    }
  }
  return path(commands, fill) + rect(0, base - 2, WIDTH, HEIGHT - base + 2, fill);
}

function ripples(random: Random, fill: string): string {
  let drawn = '';
  for (let count = 26; count > 0; count--) {
    const y = 345 + random.below(125);
    drawn += `<rect x="${random.below(WIDTH)}" y="${y}" width="${20 + random.below(60)}" height="2" rx="1" fill="${fill}" opacity="0.35"/>`;
  }
  return drawn;
}

function boat(random: Random, fill: string): string {
  const [x, y] = [60 + random.below(460), HORIZON + 14 + random.below(90)];
  return path(`M${x} ${y}h70l-12 16h-46ZM${x + 33} ${y - 4}v-62l34 58ZM${x + 29} ${y - 4}v-50l-22 46Z`, fill);
}

function lighthouse(random: Random, { land, disc }: Palette): string {
  const x = random.chance(0.5) ? 60 : 540;
  return (
    `<ellipse cx="${x + 14}" cy="${HORIZON + 6}" rx="90" ry="26" fill="${land[2]}"/>` +
    path(`M${x} ${HORIZON - 10}l6 -110h16l6 110Z`, '#f4efe6') +
    path(`M${x + 2} ${HORIZON - 50}l1.5 -26h21l1.5 26Z`, '#b5423c') +
    rect(x + 3, HORIZON - 138, 22, 18, land[2]) +
    circle(x + 14, HORIZON - 129, 6, disc)
  );
}

function furrows(dark: string, pale: string): string {
  let drawn = rect(0, 350, WIDTH, HEIGHT - 350, dark);
  for (let line = -6; line <= 6; line++) {
    drawn += path(`M${320 + line * 30} 350L${320 + line * 130} ${HEIGHT}h26L${324 + line * 30} 350Z`, pale);
  }
  return drawn;
}

function windmill(random: Random, { land }: Palette): string {
  const x = 120 + random.below(380);
  return (
    path(`M${x - 18} 350l6 -90h24l6 90Z`, land[2]) +
    `<g stroke="${land[2]}" stroke-width="5">` +
    `<path d="M${x - 48} 216l96 88M${x + 48} 216l-96 88" fill="none"/></g>`
  );
}

function bridge(fill: string): string {
  let commands = `M0 270h${WIDTH}v60H0Z`;
  for (const x of [40, 240, 440]) commands += `M${x} 335v-6a80 46 0 0 1 160 0v6Z`;
  return `<path d="${commands}" fill="${fill}" fill-rule="evenodd"/>`;
}

function flakes(random: Random): string {
  let drawn = '';
  for (let count = 60; count > 0; count--)
    drawn += circle(random.below(WIDTH), random.below(HEIGHT), 1 + random.next() * 2, '#fff', 0.8);
  return drawn;
}

function person(random: Random, { land }: Palette): string {
  const x = 230 + random.below(180);
  return rect(0, 400, WIDTH, 80, land[1]) + bust(random, x, 250, 1);
}

/** Head and shoulders; `y` is the middle of the face. */
function bust(random: Random, x: number, y: number, size: number): string {
  const [skin, hair, cloth] = [random.pick(SKIN), random.pick(HAIR), random.pick(CLOTHES)];
  const at = (dx: number, dy: number): string => `${round(x + dx * size)} ${round(y + dy * size)}`;
  const scaled = (value: number): number => round(value * size);
  const long = random.chance(0.45);
  const hat = random.chance(0.25);
  const back = long
    ? path(
        `M${at(-82, -20)}Q${at(-100, 130)} ${at(-56, 140)}H${round(x + 56 * size)}Q${at(100, 130)} ${at(82, -20)}Z`,
        hair,
      )
    : '';
  const fringe = path(
    `M${at(-78, -8)}Q${at(-86, -104)} ${at(0, -104)}Q${at(86, -104)} ${at(78, -8)}Q${at(50, -58)} ${at(-10, -56)}Q${at(-60, -52)} ${at(-78, -8)}Z`,
    hair,
  );
  const brim = path(
    `M${at(-112, -52)}Q${at(0, -84)} ${at(112, -52)}Q${at(0, -34)} ${at(-112, -52)}ZM${at(-66, -60)}Q${at(-56, -132)} ${at(0, -132)}Q${at(56, -132)} ${at(66, -60)}Z`,
    random.pick(CLOTHES),
  );
  return (
    back +
    path(
      `M${at(-160, 250)}Q${at(-150, 120)} ${at(-40, 112)}H${round(x + 40 * size)}Q${at(150, 120)} ${at(160, 250)}Z`,
      cloth,
    ) +
    path(`M${at(-28, 60)}h${scaled(56)}v${scaled(54)}q${scaled(-28)} ${scaled(30)} ${scaled(-56)} 0Z`, skin) +
    `<ellipse cx="${x}" cy="${y}" rx="${scaled(74)}" ry="${scaled(88)}" fill="${skin}"/>` +
    fringe +
    (hat ? brim : '') +
    circle(round(x - 27 * size), round(y + 2 * size), scaled(6), '#221b18') +
    circle(round(x + 27 * size), round(y + 2 * size), scaled(6), '#221b18') +
    `<path d="M${at(-24, 40)}Q${at(0, random.chance(0.7) ? 62 : 46)} ${at(24, 40)}" fill="none" stroke="#221b18" stroke-width="${scaled(4)}" stroke-linecap="round"/>`
  );
}

function drawAvatar(random: Random): string {
  const { sky } = random.pick(Object.values(PALETTES));
  return document(96, 96, rect(0, 0, 96, 96, sky[1]) + circle(48, 48, 46, sky[0], 0.35) + bust(random, 48, 46, 0.34));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
