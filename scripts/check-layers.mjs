// Checks the arrows between the folders of a package: a file imports its own folder and the folders above it in the list, so that
// no two folders need each other. oxlint checks the arrows between packages (.oxlintrc.json) and cycles between files.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folders and loose files of each package's `src`, the most basic first. */
const LAYERS = {
  search: [
    ['errors'],
    ['tasks', 'text'],
    ['automaton', 'json'],
    ['directory', 'analysis'],
    ['index'],
    ['settings'],
    ['mapping'],
    ['ingest'],
    ['query'],
    ['explain'],
    ['collect'],
    ['dsl'],
    ['columns', 'engine'],
    ['view'],
    ['sort'],
    ['fetch'],
    ['highlight'],
    ['aggs'],
    ['suggest'],
    ['search'],
    ['cluster'],
    ['thread'],
    ['rest'],
    ['requests', 'errors.ts', 'create-engine.ts', 'folder.ts'],
    ['cluster-api'],
    ['cluster.ts'],
    ['index.ts'],
  ],
  security: [
    ['maybe-promise.ts', 'node-crypto.ts', 'node-http.ts', 'this-node.ts'],
    ['errors'],
    ['chain'],
    ['options'],
    ['audit', 'match', 'html', 'stores'],
    ['password', 'firewall', 'headers', 'cors', 'authorization'],
    ['users', 'context'],
    ['limits'],
    ['authentication'],
    ['session'],
    ['csrf'],
    ['token'],
    ['login'],
    ['config'],
    ['adapters'],
    ['errors.ts'],
    ['index.ts'],
  ],
  server: [
    ['errors.ts', 'node-http.ts', 'reason-of.ts', 'within.ts', 'this-node.ts', 'own-package.ts'],
    ['mapping', 'policy', 'metrics'],
    ['config', 'github'],
    ['services.ts'],
    ['security', 'http', 'sync', 'fleet'],
    ['cluster'],
    ['app', 'routes', 'noninterference'],
    ['data'],
    ['backup'],
    ['app.ts', 'search-server.ts'],
    ['index.ts', 'cli'],
  ],
};

/** Folders that may import types from below: the tables of options follow the option types of the parts. */
const TYPES_FROM_BELOW = new Set(['security/options']);

/** A file may import one below its folder: large sources are masked in a search thread, whose jobs know views. */
const FROM_BELOW = new Set(['search/view/masked-segment.ts -> thread']);

const IMPORT = /^(import|export)(\s+type)?\b[^'"]*?from '(\.[^']+)';|\bimport\('(\.[^']+)'\)/gms;

const root = fileURLToPath(new URL('..', import.meta.url));
const mistakes = Object.entries(LAYERS).flatMap(([name, layers]) => checkPackage(name, layers));
for (const mistake of mistakes) process.stderr.write(`${mistake}\n`);
process.exitCode = mistakes.length === 0 ? 0 : 1;

function checkPackage(name, layers) {
  const source = join(root, 'packages', name, 'src');
  const levels = new Map(layers.flatMap((folders, level) => folders.map((folder) => [folder, level])));
  const folderOf = (file) => relative(source, file).split(sep, 1)[0];
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  return files.flatMap((file) => {
    const path = join(source, file);
    const from = folderOf(path);
    if (!levels.has(from)) return [`packages/${name}/src/${from} has no layer in scripts/check-layers.mjs.`];
    return importsOf(path).flatMap(({ isType, target }) => {
      const to = folderOf(target);
      if (to === from || levels.get(to) < levels.get(from)) return [];
      if (FROM_BELOW.has(`${name}/${file} -> ${to}`)) return [];
      if (isType && TYPES_FROM_BELOW.has(`${name}/${from}`)) return [];
      return [`packages/${name}/src/${file}: ${from} may not import ${to} (order: scripts/check-layers.mjs).`];
    });
  });
}

function importsOf(path) {
  return [...readFileSync(path, 'utf8').matchAll(IMPORT)].map(([, , type, from, dynamic]) => ({
    isType: type !== undefined,
    target: resolve(dirname(path), from ?? dynamic),
  }));
}
