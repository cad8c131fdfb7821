// Data folders that a server cannot use: what the operator is told.
import { equal, match } from 'node:assert/strict';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { temporaryFolder } from '../temporary-folder.ts';
import { startCli } from './run-cli.ts';

const SCHEMA = 'type Note @entity { id: ID! title: String! @search }\ntype Query { note(id: ID!): Note }\n';
const NOBODY = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];
const isRoot = process.getuid?.() === 0;
/** Compiled code that nobody may read, too: that of the tests belongs to root alone. */
const COMPILED = { NODE_COMPILE_CACHE: mkdtempSync(join(tmpdir(), 'compiled-')) };
chmodSync(COMPILED.NODE_COMPILE_CACHE, 0o777);
after(() => rmSync(COMPILED.NODE_COMPILE_CACHE, { recursive: true }));

interface Case {
  readonly name: string;
  readonly inside?: readonly string[];
  prepare(this: void, folder: string): string;
  readonly reason: RegExp;
  /** Every verb finds it in the same place; one is enough. */
  readonly isAlike?: boolean;
}

const cases: readonly Case[] = [
  {
    name: 'a file in its place',
    prepare(folder) {
      writeFileSync(join(folder, 'data'), '');
      return join(folder, 'data');
    },
    reason: /there is a file of that name/,
    isAlike: true,
  },
  {
    name: 'a parent that is a file',
    prepare(folder) {
      writeFileSync(join(folder, 'file'), '');
      return join(folder, 'file', 'data');
    },
    reason: /a part of the path is a file/,
    isAlike: true,
  },
  {
    name: 'a folder that others own',
    inside: NOBODY,
    prepare(folder) {
      mkdirSync(join(folder, 'data'), { mode: 0o755 });
      return join(folder, 'data');
    },
    reason: /no right to read and write there/,
  },
  {
    name: 'a folder whose files others own',
    inside: NOBODY,
    prepare(folder) {
      for (const part of ['data', 'data/search', 'data/search/notes', 'data/notes']) {
        mkdirSync(join(folder, part));
        chownSync(join(folder, part), 65_534, 65_534);
      }
      for (const file of ['data/_lock', 'data/search/_lock']) writeFileSync(join(folder, file), '', { mode: 0o600 });
      return join(folder, 'data');
    },
    reason: /no right to read and write there/,
  },
  {
    name: 'a read-only file system',
    inside: [
      'unshare',
      '--mount',
      'sh',
      '-c',
      'mount --bind "$FOLDER" "$FOLDER" && mount -o remount,bind,ro "$FOLDER" && exec "$@"',
      'sh',
    ],
    prepare: (folder) => join(folder, 'data'),
    reason: /read-only file system/,
    isAlike: true,
  },
  {
    name: 'a full disk',
    inside: [
      'unshare',
      '--mount',
      'sh',
      '-c',
      'mount -t tmpfs -o size=16k,nr_inodes=4 tmpfs "$FOLDER/data" && dd if=/dev/zero of="$FOLDER/data/x" bs=1k count=16 2>/dev/null; touch "$FOLDER/data/a" "$FOLDER/data/b"; exec "$@"',
      'sh',
    ],
    prepare(folder) {
      mkdirSync(join(folder, 'data'));
      return join(folder, 'data');
    },
    reason: /the disk is full/,
  },
];

for (const { name, inside = [], prepare, reason, isAlike = false } of cases) {
  for (const verb of isAlike ? ['search'] : ['search', 'start']) {
    test(
      `4.10 ${verb} says what is wrong with ${name}`,
      { skip: inside.length > 0 && !isRoot && 'needs root to set up' },
      async (context) => {
        const folder = temporaryFolder(context, { 'app/schema.graphql': SCHEMA });
        chmodSync(folder, 0o755);
        const data = prepare(folder);
        const words = verb === 'search' ? ['search', '--open'] : ['start', join(folder, 'app')];
        const error = await startCli(
          [...words, '--port', '0', '--data', data],
          /Index/,
          { FOLDER: folder, ...(inside === NOBODY ? COMPILED : {}) },
          inside,
        ).then(
          () => new Error('It started'),
          (failure: Error) => failure,
        );
        match(error.message, reason);
        match(error.message, /\((?:SERVER_DATA|SEARCH)_NOT_WRITABLE\)/);
        equal(/fault of Lockstitch|\n {4}at /.test(error.message), false, error.message);
      },
    );
  }
}

test(
  '4.10 init, plan and index status say that a folder may not be used',
  { skip: !isRoot && 'needs root' },
  async (context) => {
    const folder = temporaryFolder(context, { 'app/schema.graphql': SCHEMA });
    chmodSync(folder, 0o755);
    mkdirSync(join(folder, 'data'), { mode: 0o700 });
    const said = (words: readonly string[]): Promise<string> =>
      startCli(words, /Wrote|Create|Index/, COMPILED, NOBODY).then(
        () => 'nothing',
        (failure: Error) => failure.message,
      );
    match(
      await said(['init', join(folder, 'new')]),
      /no right to read and write there[^]*\(SERVER_FOLDER_NOT_WRITABLE\)/,
    );
    for (const words of [['plan'], ['index', 'status']])
      match(
        await said([...words, join(folder, 'app'), '--data', join(folder, 'data')]),
        /no right to read and write there[^]*\(SERVER_DATA_NOT_WRITABLE\)/,
      );
  },
);
