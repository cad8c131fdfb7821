// Bundles the console into dist/: one page, one style sheet, scripts split by page. Everything comes from this package
// and its dependencies; the page loads nothing from elsewhere.
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';

import { build } from 'esbuild';

const here = import.meta.dirname;
const dist = join(here, 'dist');

await rm(dist, { recursive: true, force: true });
await mkdir(dist, { recursive: true });
const result = await build({
  // The names of the files must not depend on where the build is called.
  absWorkingDir: here,
  entryPoints: [join(here, 'src/main.ts'), join(here, 'src/console.css')],
  outdir: dist,
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  target: 'es2024',
  minify: true,
  metafile: true,
  legalComments: 'none',
  define: { 'process.env.NODE_ENV': '"production"', 'globalThis.process': 'undefined' },
  logLevel: 'warning',
});

await writeFile(join(dist, 'licenses.txt'), await collectLicenses(Object.keys(result.metafile.inputs)));
const outputs = Object.keys(result.metafile.outputs).map((file) => basename(file));
const main = outputs.find((file) => /^main-\w+\.js$/.test(file))!;
const style = outputs.find((file) => /^console-\w+\.css$/.test(file))!;
const page = await readFile(join(here, 'index.html'), 'utf8');
await copyFile(join(here, 'icon.svg'), join(dist, 'icon.svg'));
// Last, so that a page exists only when all it names does.
await writeFile(join(dist, 'index.html'), page.replace('main.js', main).replace('console.css', style));

/** The licenses of the packages whose code is in the bundle: each asks for its text to go along. */
async function collectLicenses(inputs: readonly string[]): Promise<string> {
  const folders = new Set(
    inputs.flatMap(
      (input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(resolve(here, input).replaceAll('\\', '/')) ?? [],
    ),
  );
  const texts: string[] = [];
  for (const folder of [...folders].sort((left, right) => left.localeCompare(right))) {
    const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
      readonly name: string;
      readonly version: string;
      readonly license?: string;
    };
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file === undefined ? '' : await readFile(join(folder, file), 'utf8');
    texts.push(`${name} ${version} (${license ?? 'see below'})\n\n${text.trim()}\n`);
  }
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}
