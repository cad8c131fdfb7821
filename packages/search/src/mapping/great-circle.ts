// Distances on the globe, to the last bit as Lucene computes them: the haversine formula with the tables and series of SloppyMath (derived
// from Jafama and fdlibm), which is faster than sines and good to 40 cm.

const RADIANS = Math.PI / 180;
/** Metres: the earth's mean radius. */
const RADIUS = 6_371_008.7714;

/** π/2 in two parts, so that multiples of it lose nothing. */
const HALF_PI = [1.570_796_326_734_125_6, 6.077_100_506_506_192e-11] as const;
const CIRCLE_STEPS = 1 << 11;
const STEP_HIGH = (4 * HALF_PI[0]) / CIRCLE_STEPS;
const STEP_LOW = (4 * HALF_PI[1]) / CIRCLE_STEPS;
const STEPS_PER_RADIAN = 1 / (STEP_HIGH + STEP_LOW);
const SINES = new Float64Array(CIRCLE_STEPS + 1);
const COSINES = new Float64Array(CIRCLE_STEPS + 1);
for (let at = 0; at <= CIRCLE_STEPS; at++) {
  const angle = at * STEP_HIGH + at * STEP_LOW;
  const quarter = at / (CIRCLE_STEPS / 4);
  SINES[at] = quarter === 2 || quarter === 4 ? 0 : Math.sin(angle);
  COSINES[at] = quarter === 1 || quarter === 3 ? 0 : Math.cos(angle);
}

const ARC_STEPS = 1 << 13;
/** Sines above it are computed without a table. */
const MOST_IN_TABLE = Math.sin(73 * RADIANS);
const ARC_STEP = MOST_IN_TABLE / ARC_STEPS;
/** By step: the arc sine and its first four derivatives, each divided by its factorial. */
const ARCS = [0, 1, 2, 3, 4].map(() => new Float64Array(ARC_STEPS + 1)) as [
  Float64Array,
  Float64Array,
  Float64Array,
  Float64Array,
  Float64Array,
];
for (let at = 0; at <= ARC_STEPS; at++) {
  const x = at * ARC_STEP;
  const inverse = 1 / (1 - x * x);
  const first = Math.sqrt(inverse);
  const third = first * inverse;
  const fifth = third * inverse;
  const seventh = fifth * inverse;
  ARCS[0][at] = Math.asin(x);
  ARCS[1][at] = first;
  ARCS[2][at] = x * third * (1 / 2);
  ARCS[3][at] = (1 + 2 * x * x) * fifth * (1 / 6);
  ARCS[4][at] = (5 + 2 * x * (2 + x * (5 - 2 * x))) * seventh * (1 / 24);
}

function cosine(radians: number): number {
  const angle = Math.abs(radians);
  const index = Math.trunc(angle * STEPS_PER_RADIAN + 0.5);
  const delta = angle - index * STEP_HIGH - index * STEP_LOW;
  const at = index & (CIRCLE_STEPS - 1);
  const cos = COSINES[at]!;
  const sin = SINES[at]!;
  return cos + delta * (-sin + delta * (-cos * (1 / 2) + delta * (sin * (1 / 6) + delta * cos * (1 / 24))));
}

/** @param sine from 0 to 1 */
function arcSine(sine: number): number {
  if (sine <= MOST_IN_TABLE) {
    const at = Math.trunc(sine * (1 / ARC_STEP) + 0.5);
    const delta = sine - at * ARC_STEP;
    return (
      ARCS[0][at]! + delta * (ARCS[1][at]! + delta * (ARCS[2][at]! + delta * (ARCS[3][at]! + delta * ARCS[4][at]!)))
    );
  }
  if (sine >= 1) return Math.PI / 2;
  const t = (1 - sine) * 0.5;
  const p =
    t *
    (1.666_666_666_666_666_574_15e-1 +
      t *
        (-3.255_658_186_224_009_154_05e-1 +
          t *
            (2.012_125_321_348_629_258_81e-1 +
              t *
                (-4.005_553_450_067_941_140_27e-2 +
                  t * (7.915_349_942_898_145_321_76e-4 + t * 3.479_331_075_960_211_675_7e-5)))));
  const q =
    1 +
    t *
      (-2.403_394_911_734_414_218_78 +
        t *
          (2.020_945_760_233_505_694_71 + t * (-6.882_839_716_054_532_930_3e-1 + t * 7.703_815_055_590_193_527_91e-2)));
  const s = Math.sqrt(t);
  const z = s + s * (p / q);
  return 1.570_796_326_794_896_558 - (z + z - 6.123_233_995_736_766_035_87e-17);
}

const number = new Float64Array(1);
const words = new Uint32Array(number.buffer);
/** Which half of a double holds its last bits. */
const LOW = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? 0 : 1;

/** Metres between two points, in degrees. */
export function haversine(lat1: number, lon1: number, lat2: number, lon2: number): number {
  const x1 = lat1 * RADIANS;
  const x2 = lat2 * RADIANS;
  const h1 = 1 - cosine(x1 - x2);
  const h2 = 1 - cosine((lon1 - lon2) * RADIANS);
  // Without its last bits, so that rounding makes no ties.
  number[0] = h1 + cosine(x1) * cosine(x2) * h2;
  words[LOW] = words[LOW]! & 0xfffffff8;
  return RADIUS * 2 * arcSine(Math.min(1, Math.sqrt(number[0] * 0.5)));
}
