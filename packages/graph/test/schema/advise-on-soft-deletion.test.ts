// What `lockstitch check` asks about soft deletion.
import { match, deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { adviseOnSoftDeletion, readSchema } from '@lockstitch/graph';

function adviceOn(time: string, order: string, readDeleted?: string): readonly string[] {
  const auth = readDeleted === undefined ? '' : `@auth(readDeleted: "${readDeleted}")`;
  const text = `scalar DateTime scalar LocalDateTime
    type Order @entity(softDelete: "gone") ${auth} { id: ID! gone: DateTime items: [Item!]! }
    type Item @entity(softDelete: "gone") @auth(readDeleted: "hasRole('ADMIN')") {
      id: ID! gone: ${time} order: ${order} @relation(onDelete: CASCADE)
    }
    type Query { items: [Item!]! orders: [Order!]! }`;
  return adviseOnSoftDeletion(readSchema([{ file: 'schema.graphql', text }])).map(({ message }) => message);
}

test('check warns of holders that a restored object does not bring back', () => {
  for (const time of ['DateTime', 'LocalDateTime']) deepEqual(adviceOn(time, 'Order'), []);
  match(
    adviceOn('Boolean', 'Order').join(),
    /^Deleting an object of Order .* a DateTime, and Item\.gone is a Boolean\.$/,
  );
});

test('check warns of deleted objects whose non-null relation leads to one that their readers may not see', () => {
  match(adviceOn('DateTime', 'Order!').join(), /^Item\.order is non-null/);
  deepEqual(adviceOn('DateTime', 'Order!', "hasRole('ADMIN')"), []);
});
