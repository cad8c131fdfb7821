// Prints responses. Sources stored as JSON text go in as they are, without being parsed and printed again.
import { randomBytes } from 'node:crypto';
import { TimeSlices } from '../tasks/scheduler.ts';
import { concatenate } from '../tasks/copy-bytes.ts';
import { isKeptNumber, parseExactly } from './exact-json.ts';
import type { Json } from './json.ts';

/** JSON text that stands for a value. */
export class RawJson {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  get text(): string {
    return this.#text;
  }
}

/** JSON text as the bytes that are sent. */
export class PrintedJson extends RawJson {
  readonly bytes: Uint8Array;
  #decoded: string | undefined;

  constructor(bytes: Uint8Array) {
    super('');
    this.bytes = bytes;
  }

  override get text(): string {
    return (this.#decoded ??= decoder.decode(this.bytes));
  }
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** An object with further members before its own, whether it is printed already or not. */
export async function withMembers(members: Json, json: Json | PrintedJson): Promise<Json | PrintedJson> {
  if (!(json instanceof PrintedJson)) return { ...members, ...json };
  const head = encoder.encode(JSON.stringify(members).slice(0, -1));
  // No search answers an object without members, so a comma follows.
  return new PrintedJson(await concatenate([head, encoder.encode(','), json.bytes.subarray(1)], new TimeSlices()));
}

/** A character that JSON prints as it is, and that hardly ever is in a response: one character is looked for faster than several. */
const SIGN = '\x7f';
// No string of a document can be mistaken for a marker: it is random for each process.
const MARK = `${SIGN}raw-${randomBytes(12).toString('hex')}-`;
/** Markers by their numbers, as far as they were needed. Printing one that is put together each time takes twice as long. */
const markers: string[] = [];
const KEPT = 1000;

function markerOf(number: number): string {
  const known = markers[number];
  if (known !== undefined) return known;
  // Text out of bytes is in one piece.
  const made = Buffer.from(`${MARK}${number}`).toString('latin1');
  if (number < KEPT) markers[number] = made;
  return made;
}

/** Where a response holds JSON text. */
interface Place {
  readonly owner: Record<string | number, unknown>;
  readonly key: string | number;
  readonly raw: RawJson;
}

/** Prints a response on one line, or in Elasticsearch's pretty form. */
export function printJson(value: unknown, pretty: boolean): string {
  const whole = printPlain(value);
  return pretty ? `${prettyPrint(parseExactly(whole), '')}\n` : whole;
}

function printPlain(value: unknown): string {
  if (value instanceof RawJson) return textOf(value);
  const places: Place[] = [];
  try {
    // Markers stand for JSON text while the rest is printed: that takes half as long as printing with a function that is asked of each member.
    mark(value, places);
    return places.length === 0 ? JSON.stringify(value) : filled(JSON.stringify(value), places);
  } finally {
    for (const { owner, key, raw } of places) owner[key] = raw;
  }
}

function textOf({ text }: RawJson): string {
  return text === '' ? '{}' : text;
}

/** Prints a response as pieces that follow each other: what is printed already is not copied. */
export function printParts(value: unknown): Uint8Array[] {
  const places: Place[] = [];
  try {
    mark(value, places);
    const parts: Uint8Array[] = [];
    eachPart(
      JSON.stringify(value),
      places,
      (text) => parts.push(encoder.encode(text)),
      (raw) => parts.push(raw instanceof PrintedJson ? raw.bytes : encoder.encode(textOf(raw))),
    );
    return parts;
  } finally {
    for (const { owner, key, raw } of places) owner[key] = raw;
  }
}

/** Puts numbered markers in the place of JSON text, wherever it is. */
function mark(value: unknown, places: Place[]): void {
  if (typeof value !== 'object' || value === null) return;
  const owner = value as Place['owner'];
  if (Array.isArray(value)) for (let at = 0; at < value.length; at++) markMember(owner, at, places);
  else for (const key in owner) markMember(owner, key, places);
}

function markMember(owner: Place['owner'], key: string | number, places: Place[]): void {
  const member = owner[key];
  if (typeof member !== 'object' || member === null) return;
  if (member instanceof RawJson) {
    owner[key] = markerOf(places.length);
    places.push({ owner, key, raw: member });
  } else mark(member, places);
}

/** Printed JSON with what its markers stand for. */
function filled(text: string, places: readonly Place[]): string {
  let whole = '';
  eachPart(
    text,
    places,
    (part) => (whole += part),
    (raw) => (whole += textOf(raw)),
  );
  return whole;
}

/** Takes printed JSON apart at its markers. */
function eachPart(
  text: string,
  places: readonly Place[],
  takeText: (text: string) => void,
  takeRaw: (raw: RawJson) => void,
): void {
  let done = 0;
  for (let at = text.indexOf(SIGN); at >= 0; at = text.indexOf(SIGN, at + 1)) {
    if (!text.startsWith(MARK, at)) continue;
    const end = text.indexOf('"', at);
    // With the quotes around it.
    takeText(text.slice(done, at - 1));
    takeRaw(places[Number(text.slice(at + MARK.length, end))]!.raw);
    done = end + 1;
    at = end;
  }
  takeText(text.slice(done));
}

/** A response without raw parts, for filtering. */
export function plainJson(value: unknown): unknown {
  return parseExactly(printJson(value, false));
}

function prettyPrint(value: unknown, indent: string): string {
  const deeper = `${indent}  `;
  if (Array.isArray(value)) {
    if (value.length === 0) return '[ ]';
    return `[\n${value.map((each) => deeper + prettyPrint(each, deeper)).join(',\n')}\n${indent}]`;
  }
  if (typeof value === 'object' && value !== null && !isKeptNumber(value)) {
    const entries = Object.entries(value);
    if (entries.length === 0) return '{ }';
    return `{\n${entries.map(([key, each]) => `${deeper}${JSON.stringify(key)} : ${prettyPrint(each, deeper)}`).join(',\n')}\n${indent}}`;
  }
  return JSON.stringify(value);
}
