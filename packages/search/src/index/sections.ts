// The sections of a segment: which there are, the element types of each, and how a file encodes it. A section of a field is named
// `i/part`, where i is the field's index; those of the documents have their plain names.
import { type ElementArrays, type ElementType, elementTypes, type SectionArray } from './shared.ts';

/**
 * How a section is stored. `raw` as in memory; `zstd` compressed; `varint` as variable-length bytes and compressed;
 * `gaps` the same for ascending numbers, as differences.
 */
export type Encoding = 'raw' | 'zstd' | 'varint' | 'gaps';

interface Section<Type extends ElementType> {
  readonly encoding: Encoding;
  readonly types: readonly Type[];
}

const section = <Type extends ElementType>(encoding: Encoding, ...types: readonly Type[]): Section<Type> => ({
  encoding,
  types,
});
/** As narrow as the values allow. */
const unsigned = (encoding: Encoding): Section<'u8' | 'u16' | 'u32'> => section(encoding, 'u8', 'u16', 'u32');

const SECTIONS = {
  // Terms and postings of a field.
  terms: section('zstd', 'u8'),
  termEnds: section('gaps', 'u32'),
  docFreqs: section('varint', 'i32'),
  blockStarts: section('gaps', 'u32'),
  lastDocs: section('varint', 'i32'),
  blockOffsets: section('gaps', 'u32'),
  blockBits: section('zstd', 'u16'),
  words: section('raw', 'i32'),
  impactOffsets: section('gaps', 'u32'),
  impacts: section('zstd', 'u8'),
  blockPositions: section('gaps', 'u32'),
  positions: section('zstd', 'u16', 'u32'),
  backwards: section('zstd', 'u32'),
  // What a field has by document.
  norms: section('zstd', 'u8'),
  lengths: unsigned('zstd'),
  exists: section('zstd', 'i32'),
  ordinals: unsigned('zstd'),
  ordinalsExist: section('zstd', 'i32'),
  starts: section('gaps', 'u32'),
  values: section('zstd', 'f64'),
  lat: section('zstd', 'f64'),
  lon: section('zstd', 'f64'),
  // The documents.
  ids: section('zstd', 'u8'),
  idEnds: section('gaps', 'u32'),
  idSlots: section('varint', 'u32'),
  idPrints: section('raw', 'u8'),
  versions: section('zstd', 'u8', 'u16', 'u32', 'f64'),
  seqNos: unsigned('zstd'),
  sources: section('raw', 'u8'),
  sourceFirstDocs: section('varint', 'i32'),
  sourceOffsets: section('raw', 'f64'),
  routings: section('zstd', 'u8'),
  roots: section('zstd', 'i32'),
  nestedPaths: section('zstd', 'u8'),
  nestedOffsets: section('zstd', 'u32'),
};

type Sections = typeof SECTIONS;
type SectionName = keyof Sections;
export type SectionTypes = { [Name in SectionName]: ElementArrays[Sections[Name]['types'][number]] };

/** Sections of one field, or of the documents. */
export type WrittenSections = { [Name in SectionName]?: SectionTypes[Name] };

/** Returns a section of one field, or of the documents; undefined if the segment has none of that name. */
export type SectionSource = <Name extends SectionName>(name: Name) => SectionTypes[Name] | undefined;

/** How the section of a full name is stored. */
export function encodingOf(name: string): Encoding {
  const part = name.slice(name.indexOf('/') + 1);
  return isSection(part) ? SECTIONS[part].encoding : 'raw';
}

const isSection = (name: string): name is SectionName => Object.hasOwn(SECTIONS, name);

/** Reads the sections whose names begin with `prefix`: none for those of the documents, `i/` for a field. */
export function sectionsOf(sections: ReadonlyMap<string, SectionArray>, prefix = ''): SectionSource {
  return (name) => {
    const array = sections.get(prefix + name);
    if (array === undefined || isOf(name, array)) return array;
    throw new TypeError(`The section "${prefix}${name}" has elements of the wrong type.`);
  };
}

function isOf<Name extends SectionName>(name: Name, array: SectionArray): array is SectionTypes[Name] {
  return SECTIONS[name].types.some((type) => array instanceof elementTypes[type]);
}

/** Reads a section that every segment has. */
export function sectionIn<Name extends SectionName>(sections: SectionSource, name: Name): SectionTypes[Name] {
  const array = sections(name);
  if (array === undefined) throw new TypeError(`A segment lacks its section "${name}".`);
  return array;
}

/** Reads sources that lie in memory; undefined if they stayed on disk. */
export function sourcesInMemory(
  sections: ReadonlyMap<string, SectionArray>,
): ((position: number, length: number) => Uint8Array) | undefined {
  const sources = sectionsOf(sections)('sources');
  return sources && ((position, length) => sources.subarray(position, position + length));
}

/** Placeholder for sources until their file is open. */
export const nothingToRead = (): Uint8Array => new Uint8Array(0);
