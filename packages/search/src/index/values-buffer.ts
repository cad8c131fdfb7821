// The numbers or points of one field while documents are added.
import { FloatList, IntList } from './shared.ts';

/** The numbers or points of a field as a flush takes them. */
export interface ValuesContent {
  readonly kind: 'number' | 'geo';
  readonly field: string;
  readonly docs: Int32Array;
  readonly starts: Int32Array;
  readonly entries: number;
  /** Numbers; for points latitude and longitude by turns. */
  readonly values: Float64Array;
  readonly valuesEnd: number;
}

/** The numbers or points of one field so far. */
export class ValuesBuffer {
  // As many as lie in the heap: a document may bring a thousand fields.
  private readonly docs = new IntList(16);
  private readonly starts = new IntList(16);
  private readonly list = new FloatList(8);
  readonly kind: 'number' | 'geo';
  private readonly field: string;

  constructor(field: string, kind: 'number' | 'geo') {
    this.field = field;
    this.kind = kind;
  }

  /** Bytes held. */
  get memory(): number {
    return this.list.values.length * 8 + this.docs.values.length * 8;
  }

  /** Bytes that the content takes. */
  get used(): number {
    return this.list.length * 8 + this.docs.length * 8;
  }

  begin(doc: number): void {
    if (this.docs.length > 0 && this.docs.values[this.docs.length - 1] === doc) return;
    this.docs.push(doc);
    this.starts.push(this.list.length);
  }

  push(value: number): void {
    this.list.push(value);
  }

  clear(): void {
    this.docs.length = 0;
    this.starts.length = 0;
    this.list.length = 0;
  }

  get empty(): boolean {
    return this.docs.length === 0;
  }

  content(): ValuesContent {
    const { kind, field, docs, starts, list } = this;
    return {
      kind,
      field,
      docs: docs.values,
      starts: starts.values,
      entries: docs.length,
      values: list.values,
      valuesEnd: list.length,
    };
  }
}
