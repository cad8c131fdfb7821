// A response head that no framework holds: for requests handled as plain values and for Fetch.
import type { ResponseHead } from './request.ts';

/** Collects response headers in order. Names are case-insensitive; the first spelling is kept. */
export class HeaderList implements ResponseHead {
  headersSent = false;
  readonly #lines: (readonly [name: string, value: string])[] = [];

  setHeader(name: string, value: string): void {
    this.removeHeader(name);
    this.#lines.push([name, value]);
  }

  appendHeader(name: string, value: string): void {
    this.#lines.push([name, value]);
  }

  getHeader(name: string): string | readonly string[] | undefined {
    const lower = name.toLowerCase();
    const values = this.#lines.filter(([each]) => each.toLowerCase() === lower).map(([, value]) => value);
    return values.length > 1 ? values : values[0];
  }

  removeHeader(name: string): void {
    const lower = name.toLowerCase();
    for (let index = this.#lines.length - 1; index >= 0; index--) {
      if (this.#lines[index]![0].toLowerCase() === lower) this.#lines.splice(index, 1);
    }
  }

  /** Name and value of every line, including repeats. */
  toEntries(): readonly (readonly [name: string, value: string])[] {
    return [...this.#lines];
  }
}
