// Payloads with clientMutationId, as Relay's older clients send and expect them.
import { deepEqual, match } from 'node:assert/strict';
import { applyMigration, createGraph, readSchema, type Graph, type Store } from '../../src/index.ts';
import { testOnStores } from '../stores.ts';

const SCHEMA = `
  type Photo @entity { id: ID! name: String owner: User @relation(inverse: "photos") }
  type User @entity { login: ID! @id photos: [Photo!]! }
  input CreatePhotoInput { clientMutationId: String name: String owner: ID }
  input UpdatePhotoInput { clientMutationId: String id: ID! name: String }
  input DeletePhotoInput { clientMutationId: String id: ID! }
  type ChangedPhoto { changed: Photo! clientMutationId: String }
  type Query { photos: [Photo!]! }
  type Mutation {
    createUser(login: ID!): User!
    createPhoto(input: CreatePhotoInput!): CreatePhotoPayload
    createPhotos(input: [CreatePhotoInput!]!): CreatePhotosPayload
    updatePhoto(input: UpdatePhotoInput!): ChangedPhoto
    deletePhoto(input: DeletePhotoInput!): DeletePhotoPayload
  }`;

async function open(store: Store): Promise<Graph> {
  const model = readSchema([{ file: 'schema.graphql', text: SCHEMA }]);
  await applyMigration(model, store);
  return createGraph({ model, store });
}

testOnStores('19.2 payloads return what was written and the clientMutationId of the input', async (store) => {
  const graph = await open(store);
  const ask = async (query: string, variables?: Record<string, unknown>): Promise<unknown> => {
    const { data, errors } = JSON.parse((await graph.execute({ query, variables })).body) as {
      data: unknown;
      errors?: readonly unknown[];
    };
    return errors === undefined ? data : JSON.stringify(errors);
  };
  await ask('mutation { createUser(login: "ann") { login } }');
  deepEqual(
    await ask(
      `mutation Create($input: CreatePhotoInput!) {
        createPhoto(input: $input) { __typename clientMutationId photo { id ...Owner } again: photo { name } }
      }
      fragment Owner on Photo { owner { login photos { name } } }`,
      { input: { clientMutationId: 'c-1', name: 'a', owner: 'ann' } },
    ),
    {
      createPhoto: {
        __typename: 'CreatePhotoPayload',
        clientMutationId: 'c-1',
        photo: { id: '1', owner: { login: 'ann', photos: [{ name: 'a' }] } },
        again: { name: 'a' },
      },
    },
  );
  deepEqual(
    await ask('mutation { createPhotos(input: [{ name: "b" }, { name: "c" }]) { clientMutationId photos { name } } }'),
    { createPhotos: { clientMutationId: null, photos: [{ name: 'b' }, { name: 'c' }] } },
  );
  deepEqual(
    await ask(`mutation {
      a: updatePhoto(input: { clientMutationId: "u", id: 1, name: "x" }) { clientMutationId changed { name } }
      b: deletePhoto(input: { clientMutationId: "d", id: 2 }) { clientMutationId photo { name } }
      c: deletePhoto(input: { id: 3 }) { clientMutationId }
    }`),
    {
      a: { clientMutationId: 'u', changed: { name: 'x' } },
      b: { clientMutationId: 'd', photo: { name: 'b' } },
      c: { clientMutationId: null },
    },
  );
  deepEqual(await ask('{ photos { name } }'), { photos: [{ name: 'x' }] });
  match(String(await ask('mutation { deletePhoto(input: { id: 9 }) { clientMutationId } }')), /GRAPH_NOT_FOUND/);
});
