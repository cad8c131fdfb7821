import { equal, match } from 'node:assert/strict';
import { test } from 'node:test';

import { safeOutput } from '../../src/cli/terminal.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { runCli } from './run-cli.ts';

test('3.4 printed names and values cannot control the terminal; colours and progress lines stay', () => {
  let written = '';
  const stream = safeOutput({
    isTTY: true,
    write: (text: string) => (written += text),
  } as unknown as NodeJS.WriteStream);
  equal(stream.isTTY, true);
  stream.write('\r\u001B[K\u001B[1mbold\u001B[22m\ttab\n');
  equal(written, '\r\u001B[K\u001B[1mbold\u001B[22m\ttab\n');
  written = '';
  stream.write('a\u009b2J\u001b[2J\u001b]0;title\u0007\r\u001B[Kb\u202e\ud800');
  equal(written, String.raw`a\u009b2J\u001b[2J\u001b]0;title\u0007\u000d\u001b[Kb\u202e\ud800`);
});

test('3.4 a mistake in a foreign file is reported without its control characters', async (context) => {
  const folder = temporaryFolder(context, {
    'schema.graphql': 'type Query { a: Int @nope(why: "\u009b2J\u202e") b: \u009bInt }',
  });
  const { out, err } = await runCli(['check', folder]);
  match(out + err, /schema\.graphql:1/);
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  equal(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/.test(out + err), false, JSON.stringify(out + err));
});
