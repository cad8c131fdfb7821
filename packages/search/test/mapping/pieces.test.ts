// A mapping that is merged in steps is the one that is merged at once, and is refused for the same mistake.
import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createMapper } from '@lockstitch/search';

const field = fc.constantFrom<object>(
  { type: 'keyword' },
  { type: 'long' },
  { type: 'text', fields: { raw: { type: 'keyword' } } },
  { type: 'nested', properties: { x: { type: 'long' } } },
  { properties: { y: { type: 'date' } } },
  { type: 'wrong' },
  {},
);

const properties = fc
  .tuple(fc.integer({ min: 0, max: 450 }), fc.array(fc.tuple(fc.nat(450), field)))
  .map(([count, others]) => {
    const made: Record<string, object> = {};
    for (let at = 0; at < count; at++) made[`f${at}`] = { type: 'keyword' };
    for (const [at, other] of others) made[`f${at}`] = other;
    return made;
  });

const definition = fc.oneof(
  properties.map((own) => ({ dynamic: 'strict', properties: own })),
  fc.tuple(properties, properties).map(([own, inner]) => ({
    properties: { ...own, deep: { type: 'nested', dynamic: false, properties: inner }, 'a.b': { properties: inner } },
  })),
  fc.constantFrom<object>({}, { properties: 3 }, { unknown: 1, properties: {} }, { properties: { a: 1 } }),
);

test('merging in steps does what merging at once does', () => {
  fc.assert(
    fc.property(definition, definition, (first, second) => {
      const outcomes = [false, true].map((inSteps) => {
        let mapping = createMapper({});
        const told = [first, second].map((each) => {
          try {
            if (inSteps) for (const _ of mapping.mergeInSteps(each)) continue;
            else mapping.merge(each);
            return 'merged';
          } catch (error) {
            // What is refused at once leaves its beginning in an empty mapping, which nobody keeps.
            if (!inSteps && mapping.version === 1) mapping = createMapper({});
            return String(error);
          }
        });
        return { told, json: mapping.toJSON(), fields: [...mapping.fields.keys()] };
      });
      deepEqual(outcomes[1], outcomes[0]);
    }),
    { numRuns: 60 },
  );
});

test('a document that brings fields while a mapping is merged loses none of them', () => {
  const mapping = createMapper({});
  let turns = 0;
  for (const _ of mapping.mergeInSteps({ properties: { a: { type: 'keyword' } } })) {
    if (turns++ === 0) mapping.parse('1', new TextEncoder().encode('{"b":1}'));
  }
  deepEqual([...mapping.fields.keys()], ['a', 'b']);
});
