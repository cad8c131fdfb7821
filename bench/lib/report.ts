// Puts what a bench measured into docs/benchmarks.md: each bench between its own two comments, everything else untouched.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';

const page = fileURLToPath(new URL('../../docs/benchmarks.md', import.meta.url));
const images = fileURLToPath(new URL('../../docs/images/', import.meta.url));

/** Replaces the lines between `<!-- NAME -->` and `<!-- end NAME -->`. */
export function writeSection(name: string, markdown: string): void {
  const text = readFileSync(page, 'utf8');
  const [open, close] = [`<!-- ${name} -->`, `<!-- end ${name} -->`];
  const [start, end] = [text.indexOf(open), text.indexOf(close)];
  if (start < 0 || end < start) throw new Error(`docs/benchmarks.md has no section ${open}.`);
  writeFileSync(page, `${text.slice(0, start + open.length)}\n\n${markdown.trim()}\n\n${text.slice(end)}`);
}

/** Writes a picture beside the documentation. */
export function writeImage(name: string, svg: string): void {
  writeFileSync(`${images}${name}`, svg);
}

/** A Markdown table. */
export function toMarkdown(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, index) => (index === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n');
}

/** Where and when: `2 × AMD EPYC …, Linux, Node 26.10.0, commit 1234567, 2026-11-21`. */
export function describeRun(): string {
  const processors = cpus();
  let commit = '';
  try {
    commit = `, commit ${execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()}`;
  } catch {
    // Not a checkout.
  }
  const day = new Date().toISOString().slice(0, 10);
  const model = processors[0]?.model.trim() ?? 'unknown processor';
  return `${processors.length} × ${model}, ${process.platform}, Node ${process.versions.node}${commit}, ${day}`;
}
