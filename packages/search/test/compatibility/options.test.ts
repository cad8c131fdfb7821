import { deepEqual, equal, notEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../src/json/json.ts';
import type { Ask, Reply } from '../rest/harness.ts';
import type { OptionGroup } from './option-case.ts';
import { OPTION_GROUPS } from './option-cases.ts';
import { startOptionIndex } from './option-index.ts';

/** The answer without what changes from one time to the next. */
const steady = ({ text }: Reply): string => text.replace(/"took":\d+,?|"_scroll_id":"[^"]*",?/g, '');

/** The words that a refusal of an unknown option lists. */
async function knownOptions(ask: Ask, group: OptionGroup): Promise<readonly string[]> {
  if (group.known !== undefined) return [...group.known].sort();
  const reply = await ask('POST /o/_search', group.body({ ...group.base, zzqqzzqqzz: 1 }));
  equal(reply.status, 400, `${group.where}: ${reply.text}`);
  const list = /known here: ([^"\]]*)/.exec(reply.text)?.[1];
  ok(list !== undefined, `${group.where}: ${reply.text}`);
  return list.split(', ').filter((name) => name !== '');
}

test('every option of every part of a search body is in the table, and nothing else is', async () => {
  const ask = await startOptionIndex();
  for (const group of OPTION_GROUPS)
    deepEqual(Object.keys(group.options).sort(), await knownOptions(ask, group), group.where);
});

test('every option does what the table says: something, nothing for a reason, or it is refused by name', async () => {
  const ask = await startOptionIndex();
  const wrong: string[] = [];
  for (const group of OPTION_GROUPS)
    for (const [name, option] of Object.entries(group.options)) {
      const base: Json = option.base ?? group.base;
      const body = option.kind === 'effect' && option.body !== undefined ? option.body : group.body;
      const target = `POST ${group.path ?? '/o/_search'}`;
      const without = await ask(target, body(base));
      const given = await ask(target, body({ ...base, [name]: option.value }));
      const same = steady(without) === steady(given);
      const fits =
        option.kind === 'effect'
          ? !same && given.status < 500 && !given.text.includes('not supported')
          : option.kind === 'none'
            ? same && given.status === 200
            : given.status === 400 && given.text.includes(`[${name}]`) && given.text.includes('not supported');
      if (!fits) wrong.push(`${option.kind} ${group.where}.${name} ${given.status} ${given.text.slice(0, 200)}`);
    }
  deepEqual(wrong, []);
  notEqual(OPTION_GROUPS.length, 0);
});
