import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { type Ask, startRest } from '../rest/harness.ts';
import { MAPPING_PARAMS, MAPPING_TYPES, type ParamCase } from './mapping-cases.ts';

/** What a type cannot be without. */
const NEEDED: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  scaled_float: { scaling_factor: 10 },
  token_count: { analyzer: 'standard' },
  alias: { path: 'real' },
};

const ALL = { docvalue_fields: ['other'] };

async function answers(ask: Ask, type: string, definition: object, one: ParamCase): Promise<string> {
  await ask('DELETE /_all');
  const made = await ask('PUT /m', {
    mappings: { properties: { x: { type, ...definition }, other: { type: 'keyword' }, real: { type: 'keyword' } } },
  });
  const shown = await ask('GET /m/_mapping/field/x');
  const document = one.document === undefined ? { other: 'a' } : { x: one.document };
  const put = await ask('PUT /m/_doc/1?refresh=true', document);
  const found = await ask(one.target ?? 'POST /m/_search', one.target === undefined ? (one.ask ?? ALL) : undefined);
  const mapping = one.isTold === true ? shown.text : '';
  return [made.status === 200 ? '' : made.text, mapping, put.status, put.status > 201 ? put.text : '', found.text]
    .join('\n')
    .replace(/"took":\d+,|"index_uuid":"[^"]*"/g, '');
}

test('every parameter of every type of field is in the table, and nothing else is', async () => {
  const ask = await startRest();
  for (const type of MAPPING_TYPES) {
    const reply = await ask('PUT /m', { mappings: { properties: { x: { type, zzqqzzqqzz: 1 } } } });
    equal(reply.status, 400, reply.text);
    const known = /known here: ([^"\]]*)/.exec(reply.text)?.[1]?.split(', ');
    ok(known !== undefined, reply.text);
    const listed = Object.entries(MAPPING_PARAMS).flatMap(([name, cases]) =>
      cases.some(({ types }) => types.includes(type)) ? [name] : [],
    );
    deepEqual([...listed, 'type'].sort(), known, type);
  }
});

test('every parameter of a field changes an answer, is kept for a reason, or is refused by name', async () => {
  const ask = await startRest();
  const wrong: string[] = [];
  for (const [name, cases] of Object.entries(MAPPING_PARAMS))
    for (const one of cases) {
      const type = one.types[0]!;
      const besides = one.besides ?? (name in (NEEDED[type] ?? {}) ? {} : (NEEDED[type] ?? {}));
      const without = await answers(ask, type, besides, one);
      const given = await answers(ask, type, { ...besides, [name]: one.value }, one);
      const fits =
        one.kind === 'effect'
          ? given !== without && !given.includes('not supported')
          : one.kind === 'none'
            ? given === without
            : given.includes(`[${name}]`) && given.includes('not supported');
      if (!fits) wrong.push(`${one.kind} ${type}.${name}: ${given.slice(0, 250)}`);
    }
  deepEqual(wrong, []);
});
