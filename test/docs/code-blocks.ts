// The fenced blocks of code in the documents that users read, and the pages they stand on.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What a block is. `text` is what a command prints; everything else is run. */
export const LANGUAGES = ['sh', 'ts', 'js', 'graphql', 'json', 'text'] as const;

export interface CodeBlock {
  readonly page: string;
  /** Of the opening fence, from 1. */
  readonly line: number;
  readonly language: string;
  readonly code: string;
}

const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'docs/*.md',
  'docs/{guide,reference}/*.md',
  '{packages,examples}/*/README.md',
];

/** Every block, page by page. */
export const CODE_BLOCKS: readonly CodeBlock[] = PAGES.flatMap((pattern) => globSync(pattern, { cwd: ROOT }))
  .toSorted()
  .flatMap((page) => {
    const text = readFileSync(join(ROOT, page), 'utf8');
    return [...text.matchAll(/^```(\S*)\n([\s\S]*?)^```$/gm)].map(({ 1: language, 2: code, index }) => ({
      page,
      line: text.slice(0, index).split('\n').length,
      language: language!,
      code: code!,
    }));
  });

/** The blocks of a language. */
export function blocksOf(...languages: readonly string[]): readonly CodeBlock[] {
  return CODE_BLOCKS.filter(({ language }) => languages.includes(language));
}

/** The name of a block's test. */
export function titleOf({ page, line, language }: CodeBlock): string {
  return `${page}:${line} (${language})`;
}
