// The stored JSON of a document without the parts a view withholds: hidden members are not there, guarded ones are null. Numbers
// keep the digits they were written with. Not here: which parts those are.
import { isWithin } from './index-view.ts';

/** Makes the bytes that are shown of a document's source. */
export type SourceMask = (source: Uint8Array, doc: number) => Uint8Array;

/** What is withheld of every document, and of some. */
export interface SourceRules {
  readonly hidden: readonly string[];
  /** Whether the value at a path is withheld in a document. */
  readonly withheld: readonly { readonly path: string; has(doc: number): boolean }[];
}

// ECMAScript's JSON.parse source text access, which the library's types do not have yet.
const { isRawJSON, rawJSON } = JSON as unknown as {
  isRawJSON: (value: unknown) => boolean;
  rawJSON: (text: string) => unknown;
};
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Makes the mask of a segment. */
export function maskSource({ hidden, withheld }: SourceRules): SourceMask {
  return (source, doc) => {
    if (source.length === 0) return source;
    const nulls = withheld.filter((each) => each.has(doc)).map(({ path }) => path);
    const value: unknown = JSON.parse(decoder.decode(source), keepDigits);
    return encoder.encode(JSON.stringify(masked(value, '', hidden, nulls)));
  };
}

function masked(value: unknown, path: string, hidden: readonly string[], nulls: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((element) => masked(element, path, hidden, nulls));
  if (typeof value !== 'object' || value === null || isRawJSON(value)) return value;
  const shown: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const at = path === '' ? name : `${path}.${name}`;
    if (hidden.some((each) => isWithin(at, each))) continue;
    shown[name] = nulls.some((each) => isWithin(at, each)) ? null : masked(member, at, hidden, nulls);
  }
  return shown;
}

function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === 'number' && context?.source !== undefined ? rawJSON(context.source) : value;
}
