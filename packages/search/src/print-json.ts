// Prints responses. Sources stored as JSON text go in as they are, without being parsed and printed again.
import { randomBytes } from 'node:crypto';
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
export function withMembers(members: Json, json: Json | PrintedJson): Json | PrintedJson {
  if (!(json instanceof PrintedJson)) return { ...members, ...json };
  const head = encoder.encode(JSON.stringify(members).slice(0, -1));
  // No search answers an object without members, so a comma follows.
  return new PrintedJson(Buffer.concat([head, encoder.encode(','), json.bytes.subarray(1)]));
}

// No string of a document can be mistaken for a marker: it is random for each process.
const MARK = `raw-${randomBytes(12).toString('hex')}-`;
const MARKED = new RegExp(`"${MARK}(\\d+)"`, 'g');

/** Prints a response on one line, or in Elasticsearch's pretty form. */
export function printJson(value: unknown, pretty: boolean): string {
  const raws: string[] = [];
  const text = JSON.stringify(value, (_key, member: unknown) => {
    if (!(member instanceof RawJson)) return member;
    raws.push(member.text === '' ? '{}' : member.text);
    return `${MARK}${raws.length - 1}`;
  });
  const whole = raws.length === 0 ? text : text.replace(MARKED, (_, at: string) => raws[Number(at)]!);
  return pretty ? `${prettyPrint(JSON.parse(whole), '')}\n` : whole;
}

/** A response without raw parts, for filtering. */
export function plainJson(value: unknown): unknown {
  return JSON.parse(printJson(value, false));
}

function prettyPrint(value: unknown, indent: string): string {
  const deeper = `${indent}  `;
  if (Array.isArray(value)) {
    if (value.length === 0) return '[ ]';
    return `[\n${value.map((each) => deeper + prettyPrint(each, deeper)).join(',\n')}\n${indent}]`;
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value);
    if (entries.length === 0) return '{ }';
    return `{\n${entries.map(([key, each]) => `${deeper}${JSON.stringify(key)} : ${prettyPrint(each, deeper)}`).join(',\n')}\n${indent}}`;
  }
  return JSON.stringify(value);
}
