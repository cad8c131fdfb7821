// What does this package's package.json say?
import { readFileSync } from 'node:fs';

export function readVersion(): string {
  return readPackage().version;
}

export function readPackage(): { readonly version: string; readonly engines: object } {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return JSON.parse(text);
}
