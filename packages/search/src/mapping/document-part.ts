// The values that a document, or one nested element of it, has in each field, by kind, before they become what the index writer takes.
// Which values a field has is the business of those who add them.
import type { MappedField } from './field-type.ts';
import type { Point } from './geo.ts';

/** What one document, or one nested element of it, has gathered so far. */
export class DocumentPart {
  readonly path: string | undefined;
  readonly offset: number;
  readonly texts = new Map<string, { field: MappedField; values: string[] }>();
  readonly keywords = new Map<string, { docValues: boolean; values: string[] }>();
  readonly completions = new Map<string, string[]>();
  readonly numbers = new Map<string, number[]>();
  readonly points = new Map<string, Point[]>();
  readonly children: DocumentPart[] = [];

  constructor(path: string | undefined, offset: number) {
    this.path = path;
    this.offset = offset;
  }

  text(field: MappedField): string[] {
    let entry = this.texts.get(field.path);
    if (entry === undefined) this.texts.set(field.path, (entry = { field, values: [] }));
    return entry.values;
  }

  keyword(field: MappedField): string[] {
    let entry = this.keywords.get(field.path);
    if (entry === undefined) this.keywords.set(field.path, (entry = { docValues: field.docValues, values: [] }));
    return entry.values;
  }

  /** The inputs of a completion field as queries look for them. */
  inputs(path: string): string[] {
    let values = this.completions.get(path);
    if (values === undefined) this.completions.set(path, (values = []));
    return values;
  }

  plainKeyword(path: string): string[] {
    let entry = this.keywords.get(path);
    if (entry === undefined) this.keywords.set(path, (entry = { docValues: true, values: [] }));
    return entry.values;
  }

  number(path: string): number[] {
    let values = this.numbers.get(path);
    if (values === undefined) this.numbers.set(path, (values = []));
    return values;
  }

  geo(path: string): Point[] {
    let values = this.points.get(path);
    if (values === undefined) this.points.set(path, (values = []));
    return values;
  }
}
