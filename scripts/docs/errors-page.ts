// Prints docs/errors.md from the error catalogues of the packages, so that no code exists that a reader cannot look up.
import { readdirSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { ErrorTemplate } from '@lockstitch/kernel';

const packagesFolder = new URL('../../packages/', import.meta.url);

/** Every catalogue, found in `packages/<name>/src/errors.ts`: package name → code → template. */
async function readCatalogues(): Promise<Map<string, Readonly<Record<string, ErrorTemplate>>>> {
  const catalogues = new Map<string, Readonly<Record<string, ErrorTemplate>>>();
  for (const name of readdirSync(packagesFolder).toSorted()) {
    const file = new URL(`${name}/src/errors.ts`, packagesFolder);
    const module: Record<string, unknown> = await import(pathToFileURL(file.pathname).href).catch((error: unknown) => {
      if ((error as { code?: string }).code === 'ERR_MODULE_NOT_FOUND') return {};
      throw error;
    });
    for (const value of Object.values(module)) {
      if (isCatalogue(value)) catalogues.set(name, { ...catalogues.get(name), ...value.templates });
    }
  }
  return catalogues;
}

function isCatalogue(value: unknown): value is { templates: Readonly<Record<string, ErrorTemplate>> } {
  return typeof value === 'object' && value !== null && 'templates' in value && 'create' in value;
}

/** The page. */
export async function printErrorsPage(): Promise<string> {
  const lines = [
    '# Error codes',
    '',
    'Generated from the catalogues in `packages/*/src/errors.ts` by `npm run docs`. A code is never renamed and never reused. `{name}` stands for a word of the request or the schema.',
    "Search answers in Elasticsearch's error shape, whose `type` is Elasticsearch's own; the codes below are those of faults that Elasticsearch has no name for, and of the library.",
  ];
  for (const [name, templates] of await readCatalogues()) {
    lines.push('', `## ${name}`, '', '| Code | Status | Message | What to do |', '|---|---|---|---|');
    for (const code of Object.keys(templates).toSorted()) {
      const { status, message, hint } = templates[code]!;
      lines.push(`| \`${code}\` | ${status} | ${cell(message)} | ${cell(hint ?? '')} |`);
    }
  }
  return `${lines.join('\n')}\n`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ').replaceAll('<', '&lt;');
}
