// Lets programs in a clone import its packages by name before anything is compiled: where `dist` lacks a module that package.json
// names, it becomes one line that leads to the source, and sources that are generated are there. `npm install` runs it (`prepare`); a
// build replaces what it wrote.
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { dirname, join, relative } from 'node:path';
import { generateUnpack } from '../packages/search/scripts/generate-unpack.mjs';

const root = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url));

generateUnpack(root);

/** Writes a module unless there is one. */
function write(folder, file, text) {
  const path = join(folder, file);
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

for (const name of readdirSync(join(root, 'packages'))) {
  const folder = join(root, 'packages', name);
  if (!existsSync(join(folder, 'package.json'))) continue;
  const { exports = {}, bin = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const lead = (from, to) => `./${relative(dirname(from), to)}`.replace('./..', '..').replaceAll('\\', '/');
  for (const { source, types, default: module } of Object.values(exports)) {
    if (source === undefined) continue;
    const text = `export * from '${lead(module, source)}';\n`;
    write(folder, module, text);
    write(folder, types, text);
  }
  for (const [command, file] of Object.entries(bin)) {
    const source = file.replace('dist/', 'src/').replace(/\.js$/, '.ts');
    write(folder, file, `#!/usr/bin/env node\nimport '${lead(file, source)}';\n`);
    chmodSync(join(folder, file), 0o755);
    // npm links commands before it runs this script, and leaves out those whose file is not there yet.
    const bins = join(root, 'node_modules', '.bin');
    if (process.platform !== 'win32' && existsSync(bins) && !existsSync(join(bins, command)))
      symlinkSync(relative(bins, join(folder, file)), join(bins, command));
  }
}
