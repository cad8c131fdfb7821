// A folder with given files, gone when the test is over.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

interface TestContext {
  after(clean: () => void): void;
}

/** Writes the files (path → content) into a new temporary folder and returns its path. */
export function temporaryFolder(
  context: TestContext,
  files: Readonly<Record<string, string | Uint8Array>> = {},
): string {
  const folder = mkdtempSync(join(tmpdir(), 'lockstitch-test-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}
