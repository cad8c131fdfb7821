// Compiles the package in the current folder to JavaScript and declarations in `dist`, after the packages of this
// workspace that it needs: npm runs it before it packs (`prepack`). It neither publishes nor runs anything.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generateUnpack } from '../packages/search/scripts/generate-unpack.mjs';

const packages = fileURLToPath(new URL('../packages', import.meta.url));
const compiler = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));
const needed = new Set();

/** Notes a package behind those it needs. The console makes its own files. */
function note(folder) {
  const { dependencies = {} } = JSON.parse(readFileSync(join(packages, folder, 'package.json'), 'utf8'));
  for (const name of Object.keys(dependencies)) {
    if (name.startsWith('@lockstitch/')) note(name.slice('@lockstitch/'.length));
  }
  if (existsSync(join(packages, folder, 'tsconfig.build.json'))) needed.add(folder);
}

generateUnpack();
note(basename(process.cwd()));
for (const folder of needed) {
  // What a removed source left behind would be packed.
  rmSync(join(packages, folder, 'dist'), { recursive: true, force: true });
  const { status } = spawnSync(process.execPath, [compiler, '-p', join(packages, folder, 'tsconfig.build.json')], {
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) process.exit(status ?? 1);
  // npm does so as it installs a package, and not where the workspace links it.
  const { bin = {} } = JSON.parse(readFileSync(join(packages, folder, 'package.json'), 'utf8'));
  for (const file of Object.values(bin)) chmodSync(join(packages, folder, file), 0o755);
}
