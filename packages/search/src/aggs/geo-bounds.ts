// The `bounds` of a geo grid, as Elasticsearch reads them (GeoBoundingBox.parseBoundingBox): whatever numbers they are, only points between
// them are counted. A box that lacks a side bounds nothing.
import { parseException } from '../errors/request-error.ts';
import { asNumber, isObject, tokenOf, textOf } from '../json/json.ts';
import { type Box, cellOf, readPoint } from '../mapping/geo.ts';

type Side = keyof Box;

const CORNERS: Readonly<Record<string, readonly [Side, Side]>> = {
  top_left: ['top', 'left'],
  bottom_right: ['bottom', 'right'],
  top_right: ['top', 'right'],
  bottom_left: ['bottom', 'left'],
};
const SIDES: readonly string[] = ['top', 'left', 'bottom', 'right'];

/** Reads a box; undefined for one that lacks a side. @throws RequestError */
export function readBounds(value: unknown): Box | undefined {
  if (!isObject(value))
    throw parseException(`failed to parse bounding box. Expected start object but found [${tokenOf(value)}]`);
  const sides: Partial<Record<Side, number>> = {};
  let envelope: Box | undefined;
  for (const [key, given] of Object.entries(value)) {
    const corner = Object.hasOwn(CORNERS, key) ? CORNERS[key] : undefined;
    if (key === 'wkt') envelope = readEnvelope(textOf(given));
    else if (corner !== undefined) setCorner(sides, corner, given);
    else if (SIDES.includes(key)) sides[key as Side] = asNumber(given, key);
    else throw parseException(`failed to parse bounding box. unexpected field [${key}]`);
  }
  if (envelope === undefined) {
    const { bottom, left, right, top } = sides;
    const isWhole = bottom !== undefined && left !== undefined && right !== undefined && top !== undefined;
    return isWhole ? { bottom, left, right, top } : undefined;
  }
  if (Object.keys(sides).length > 0)
    throw parseException(
      'failed to parse bounding box. Conflicting definition found using well-known text and explicit corners.',
    );
  return envelope;
}

/** A cell of a geohash has four corners: the one that is named counts. */
function setCorner(sides: Partial<Record<Side, number>>, [row, column]: readonly [Side, Side], given: unknown): void {
  if (typeof given === 'string' && !/[,(]/.test(given)) {
    const { south, north, west, east } = cellOf(given);
    sides[row] = row === 'top' ? north : south;
    sides[column] = column === 'left' ? west : east;
  } else {
    const { lat, lon } = readPoint(given);
    sides[row] = lat;
    sides[column] = lon;
  }
}

function readEnvelope(text: string): Box {
  const [, kind = '', inner = ''] = /^\s*([A-Za-z]+)\s*\((.*)\)\s*$/.exec(text) ?? [];
  const numbers = inner.split(',').map(Number);
  const [left, right, top, bottom] = numbers;
  if (!/^(?:BBOX|ENVELOPE)$/i.test(kind))
    throw parseException(`failed to parse WKT bounding box. [${kind.toUpperCase()}] found. expected [ENVELOPE]`);
  if (
    left === undefined ||
    right === undefined ||
    top === undefined ||
    bottom === undefined ||
    numbers.some(Number.isNaN)
  )
    throw parseException('failed to parse WKT bounding box');
  return { left, right, top, bottom };
}
