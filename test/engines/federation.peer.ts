// Apollo's own gateway composes two of our subgraphs and answers over both. The gateway needs another graphql-js and has
// a licence of its own, so it is installed apart and never part of the product.
import { deepEqual } from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { createGraph, openSqliteStore, readSchema, type Graph } from '@lockstitch/graph';
import { createPrincipal } from '@lockstitch/kernel';

const GATEWAY = { '@apollo/gateway': '2.14.4', graphql: '16.11.0' };
const FOLDER = join(import.meta.dirname, '../../node_modules/.cache/federation-gateway');

/** The folder with the gateway, or why there is none. */
function installGateway(): { readonly folder: string } | string {
  mkdirSync(FOLDER, { recursive: true });
  if (!existsSync(join(FOLDER, 'node_modules/@apollo/gateway/package.json'))) {
    writeFileSync(join(FOLDER, 'package.json'), JSON.stringify({ private: true, dependencies: GATEWAY }));
    const { status } = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: FOLDER });
    if (status !== 0) return 'Apollo’s gateway cannot be installed here';
  }
  copyFileSync(join(import.meta.dirname, 'federation-gateway.mjs'), join(FOLDER, 'gateway.mjs'));
  return { folder: FOLDER };
}

const SHOP = `
  type Product @entity @key(fields: "sku") @auth(read: "open or isAuthenticated()") {
    id: ID!
    sku: ID! @unique
    name: String
    open: Boolean!
    maker: Maker
  }
  type Maker @key(fields: "id", resolvable: false) { id: ID! }
  input MakerInput { id: ID! }
  input ProductInput { sku: ID! name: String! open: Boolean! maker: MakerInput }
  type Query { products(first: Int = 20, after: String, where: ProductFilter, orderBy: [ProductOrder!]): ProductConnection! }
  type Mutation { createProduct(input: ProductInput!): Product! }`;

const OPINIONS = `
  type Product @entity { sku: ID! @id  opinions: [Opinion!]! }
  type Maker @entity { id: ID! @id  country: String @auth(read: "isAuthenticated()") }
  type Opinion @entity { id: ID!  text: String!  product: Product!  maker: Maker }
  input OpinionInput { text: String! product: ID! maker: ID }
  type Query { rated(first: Int = 20, after: String): ProductConnection!  opinions(first: Int = 20, after: String, orderBy: [OpinionOrder!]): OpinionConnection! }
  type Mutation { registerProduct(sku: ID!): Product! createMaker(id: ID!, country: String): Maker! createOpinion(input: OpinionInput!): Opinion! }`;

async function openGraph(schema: string, rows: string): Promise<Graph> {
  const model = readSchema([{ file: 'schema.graphql', text: schema }], { federation: true });
  const graph = await createGraph({ model, store: await openSqliteStore({ file: ':memory:' }) });
  const { body } = await graph.execute({ query: rows }, { principal: createPrincipal('root', []) });
  if (body.includes('"errors"')) throw new Error(body);
  return graph;
}

/** Serves a graph. The caller is who a header names, which in an application the chain decides. */
async function serve(graph: Graph): Promise<{ readonly server: Server; readonly url: string }> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const user = request.headers['x-user'];
      const principal = typeof user === 'string' ? createPrincipal(user, []) : undefined;
      void (async () => {
        const given = JSON.parse(Buffer.concat(chunks).toString()) as { readonly query: string };
        const { body } = await graph.execute(given, principal === undefined ? {} : { principal });
        response.writeHead(200, { 'content-type': 'application/json' }).end(body);
      })();
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

test('Apollo’s gateway composes two subgraphs and answers over both with the rights of the caller', async (context) => {
  const gateway = installGateway();
  if (typeof gateway === 'string') return context.skip(gateway);
  const shop = await openGraph(
    SHOP,
    `mutation {
      a: createProduct(input: { sku: "a", name: "Anvil", open: true, maker: { id: "acme" } }) { id }
      b: createProduct(input: { sku: "b", name: "Bomb", open: false, maker: { id: "gone" } }) { id }
    }`,
  );
  const opinions = await openGraph(
    OPINIONS,
    `mutation {
      p: registerProduct(sku: "a") { sku } q: registerProduct(sku: "b") { sku } r: registerProduct(sku: "c") { sku }
      m: createMaker(id: "acme", country: "NO") { id }
      x: createOpinion(input: { text: "heavy", product: "a", maker: "acme" }) { id }
      y: createOpinion(input: { text: "loud", product: "b" }) { id }
      z: createOpinion(input: { text: "none", product: "c" }) { id }
    }`,
  );
  const [one, other] = [await serve(shop), await serve(opinions)];
  context.after(() => {
    for (const { server } of [one, other]) server.close();
    for (const graph of [shop, opinions]) graph.feed.close();
  });
  const down = '{ products { nodes { name maker { id country } opinions { text } } } }';
  const up = '{ opinions { nodes { text product { sku name } } } }';
  const rated = '{ rated { nodes { sku name } } products { nodes { sku } } }';
  const subgraphs = [
    { name: 'shop', url: one.url },
    { name: 'opinions', url: other.url },
  ];
  const operations = [
    { query: down },
    { query: up },
    { query: down, as: 'ann' },
    { query: up, as: 'ann' },
    { query: rated },
  ];
  const asked = JSON.stringify({ subgraphs, operations });
  const { stdout } = await promisify(execFile)(process.execPath, ['gateway.mjs', asked], { cwd: gateway.folder });
  const answers: unknown = JSON.parse(/^ANSWERS (.*)$/m.exec(stdout)?.[1] ?? 'null');
  const anvil = { name: 'Anvil', maker: { id: 'acme', country: null }, opinions: [{ text: 'heavy' }] };
  const seen = { name: 'Anvil', maker: { id: 'acme', country: 'NO' }, opinions: [{ text: 'heavy' }] };
  const named = (text: string, sku: string, name: string | null): unknown => ({ text, product: { sku, name } });
  const rates = (sku: string, name: string | null): unknown => ({ sku, name });
  deepEqual(answers, [
    { data: { products: { nodes: [anvil] } }, codes: ['GRAPH_FIELD_FORBIDDEN'] },
    // What is hidden in the shop is like what is missing there.
    {
      data: { opinions: { nodes: [named('heavy', 'a', 'Anvil'), named('loud', 'b', null), named('none', 'c', null)] } },
    },
    {
      data: {
        products: {
          nodes: [seen, { name: 'Bomb', maker: { id: 'gone', country: null }, opinions: [{ text: 'loud' }] }],
        },
      },
    },
    {
      data: {
        opinions: { nodes: [named('heavy', 'a', 'Anvil'), named('loud', 'b', 'Bomb'), named('none', 'c', null)] },
      },
    },
    {
      data: {
        rated: { nodes: [rates('a', 'Anvil'), rates('b', null), rates('c', null)] },
        products: { nodes: [{ sku: 'a' }] },
      },
    },
  ]);
});
