// Installs the peers when they are first measured: three hundred packages that nothing else in the project needs, in a folder
// of their own beside this file.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Makes sure that the peers are there, in the versions that package.json names; returns these by package name.
 *
 * @param place the folder of that package.json, this one by default
 */
export function installPeers(place = new URL('.', import.meta.url)): Readonly<Record<string, string>> {
  const folder = fileURLToPath(place);
  const { dependencies } = JSON.parse(readFileSync(`${folder}package.json`, 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  if (!Object.entries(dependencies).every(([name, version]) => versionOf(folder, name) === version)) {
    process.stdout.write('Installing the peers …\n');
    const command = process.platform === 'win32' ? 'npm.cmd' : 'npm';
    execFileSync(command, ['install', '--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts'], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
  return dependencies;
}

function versionOf(folder: string, name: string): string | undefined {
  const file = `${folder}node_modules/${name}/package.json`;
  return existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version
    : undefined;
}
