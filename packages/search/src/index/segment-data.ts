// A segment's content between writing and reading: named typed arrays and a description. The flush and the merge
// make it, files keep it, `SegmentCore` reads it.
import type { WrittenSections } from './sections.ts';
import type { SectionArray } from './shared.ts';

/** What is stored about one field besides its arrays. */
export interface FieldMeta {
  readonly name: string;
  readonly kind: 'text' | 'keyword' | 'number' | 'geo';
  /** Documents with at least one term or value. */
  readonly docs: number;
  readonly sumTotalTermFreq: number;
  readonly sumDocFreq: number;
  readonly frequencies: boolean;
  readonly positions: boolean;
  readonly norms: boolean;
  /** Whether a keyword field has ordinals. */
  readonly column: boolean;
}

/** One field as a flush or a merge writes it. */
export interface WrittenField {
  readonly meta: Omit<FieldMeta, 'name'>;
  readonly sections: WrittenSections;
}

/** The description of a segment. */
export interface SegmentMeta {
  readonly name: string;
  readonly docCount: number;
  readonly fields: readonly FieldMeta[];
  /** Paths of hidden documents; the section `nestedPaths` holds indexes into it plus one, 0 for roots. */
  readonly nestedPaths: readonly string[];
  /** Added to the section `seqNos`. */
  readonly seqNoBase: number;
  readonly primaryTerm: number;
}

/** Where a segment's sources lie in a file that any thread can open. */
export interface SourcesFile {
  readonly path: string;
  /** Of the first byte. */
  readonly position: number;
}

/** A segment's content; sections.ts names its sections. */
export interface SegmentData {
  readonly meta: SegmentMeta;
  readonly sections: Map<string, SectionArray>;
  /** Reads from the section `sources`, which may have stayed on disk. */
  readonly readSources: (position: number, length: number) => Uint8Array;
  /** Where they are, if they stayed on disk and their directory has paths. */
  readonly sourcesFile?: SourcesFile | undefined;
}
