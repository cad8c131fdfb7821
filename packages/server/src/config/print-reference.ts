// Prints docs/reference/configuration.md from the table of keys.
import { expectation } from './check-config.ts';
import { CONFIG_SETTINGS } from './config.ts';
import { ENVIRONMENT } from './environment.ts';
import type { Setting, Shape } from './setting.ts';

type Settings = Readonly<Record<string, Setting>>;

export function printConfigurationReference(): string {
  const lines = [
    '# Configuration',
    '',
    'Generated from `packages/server/src/config/config.ts` by `npm run docs`.',
    '',
    '`lockstitch.config.ts` (or `.mts`, `.js`, `.mjs`) in the folder of the application exports an object; `defineConfig` types it, and a plain object does as well.',
    'An unknown key and a value of the wrong kind are refused at start; `lockstitch check` lists every mistake at once.',
    'What is set later wins: default, file, environment variable, option of the command line.',
    '',
    '```ts',
    "import { defineConfig } from 'lockstitch';",
    '',
    'export default defineConfig({',
    '  port: 8080,',
    "  rules: [{ ant: '/public/**', access: 'permitAll' }, { any: true, access: 'authenticated' }],",
    '});',
    '```',
    '',
    '## Keys',
    '',
    '| Key | Holds | Default | Meaning |',
    '|---|---|---|---|',
    ...rows(CONFIG_SETTINGS, ''),
    '',
    '## Environment variables',
    '',
    '| Variable | Meaning |',
    '|---|---|',
    ...ENVIRONMENT.map(({ name, doc }) => `| \`${name}\` | ${cell(doc)} |`),
  ];
  return `${lines.join('\n')}\n`;
}

function rows(settings: Settings, prefix: string): string[] {
  return Object.entries(settings).flatMap(([key, setting]) => {
    const path = `${prefix}${key}`;
    const inner = innerSettings(setting);
    const row = `| \`${path}\` | ${cell(holds(setting))} | ${cell(defaultText(setting))} | ${cell(meaning(setting))} |`;
    return inner === undefined ? [row] : [row, ...rows(inner.settings, `${path}${inner.suffix}.`)];
  });
}

function innerSettings({ shape, sameAs }: Setting): { settings: Settings; suffix: string } | undefined {
  return sameAs === undefined ? innerOf(shape) : undefined;
}

function innerOf(shape: Shape): { settings: Settings; suffix: string } | undefined {
  if (shape.kind === 'group') return { settings: shape.settings, suffix: '' };
  if (shape.kind === 'list' && shape.item.kind === 'group') return { settings: shape.item.settings, suffix: '[]' };
  if (shape.kind === 'oneOf') return shape.shapes.map(innerOf).find((inner) => inner !== undefined);
  return undefined;
}

function holds({ shape, unit }: Setting): string {
  const kind = shape.kind === 'list' ? `a list of ${plural(expectation(shape.item))}` : expectation(shape);
  return unit === undefined ? kind : `${kind}, ${unit}`;
}

function plural(words: string): string {
  const many: Readonly<Record<string, string>> = { 'a string': 'strings', 'an object': 'objects' };
  return many[words] ?? words;
}

function defaultText(setting: Setting): string {
  if (setting.required === true) return 'must be given';
  if (setting.defaultText !== undefined) return setting.defaultText;
  if (setting.sameAs !== undefined) return `that of \`${setting.sameAs}\``;
  if (setting.shape.kind === 'group') return 'see below';
  return setting.default === undefined ? 'none' : `\`${JSON.stringify(setting.default)}\``;
}

function meaning({ doc, environment, secret }: Setting): string {
  const notes = [doc];
  if (environment !== undefined) notes.push(`Also \`${environment}\`.`);
  if (secret === true) notes.push('Never shown.');
  return notes.join(' ');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
