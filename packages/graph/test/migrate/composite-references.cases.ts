// References by several columns to keys of several columns, in tables that a team already has: read in both directions,
// filtered, ordered, guarded by rules and written, as those by one column are.
import { deepEqual, doesNotMatch, equal, match, throws } from 'node:assert/strict';
import { createGraph } from '../../src/execute/create-graph.ts';
import { readSchema } from '../../src/schema/read-schema.ts';
import type { Store } from '../../src/store/store.ts';
import { testOnStores } from '../stores.ts';

const modelOf = (text: string) => readSchema([{ file: 'test.graphql', text }]);

/** Two tenants whose rooms have the same numbers, and names with what a key's text must escape. */
const TABLES = `
  CREATE TABLE tenants (code varchar(20) PRIMARY KEY);
  CREATE TABLE rooms (tenant varchar(20) NOT NULL REFERENCES tenants, nr integer NOT NULL, name text, PRIMARY KEY (tenant, nr));
  CREATE TABLE bookings (id integer PRIMARY KEY, tenant varchar(20), room_nr integer, next_id integer, FOREIGN KEY (tenant, room_nr) REFERENCES rooms (tenant, nr));
  CREATE TABLE people (tenant varchar(20) NOT NULL REFERENCES tenants, id integer NOT NULL, home_nr integer, PRIMARY KEY (tenant, id), FOREIGN KEY (tenant, home_nr) REFERENCES rooms (tenant, nr));
  CREATE TABLE guests (tenant varchar(20) NOT NULL, person integer NOT NULL, room integer NOT NULL, PRIMARY KEY (tenant, person, room),
    FOREIGN KEY (tenant, person) REFERENCES people (tenant, id), FOREIGN KEY (tenant, room) REFERENCES rooms (tenant, nr));
  INSERT INTO tenants VALUES ('a,b'), ('100%'), ('"x"');
  INSERT INTO rooms VALUES ('a,b', 1, 'Ash'), ('a,b', 2, 'Birch'), ('100%', 1, 'Cedar'), ('100%', 3, NULL), ('"x"', 1, 'Dogwood');
  INSERT INTO bookings VALUES (1, 'a,b', 1, NULL), (2, 'a,b', 2, NULL), (3, '100%', 1, NULL), (4, NULL, NULL, NULL), (5, '"x"', 1, NULL), (6, 'a,b', 1, NULL);
  INSERT INTO people VALUES ('a,b', 7, 2), ('100%', 7, NULL), ('100%', 8, 3);
  INSERT INTO guests VALUES ('a,b', 7, 1), ('a,b', 7, 2), ('100%', 8, 1);`;

const ENTITY = (table: string): string => `@entity(table: "${table}") @unmanaged`;
const SCHEMA = (rule = ''): string => `
  type Tenant ${ENTITY('tenants')} { code: ID! @id rooms: [Room!]! }
  type Room ${ENTITY('rooms')} ${rule} {
    id: ID! @id(fields: ["tenant", "nr"]) tenant: Tenant! @column(name: "tenant") nr: Int! name: String
    bookings(orderBy: [BookingOrder!]): [Booking!]! residents: [Person!]! @relation(inverse: "home") guests: [Person!]!
  }
  type Booking ${ENTITY('bookings')} { id: ID! room: Room @column(name: ["tenant", "room_nr"]) }
  type Person ${ENTITY('people')} {
    id: ID! @id(fields: ["tenant", "number"]) tenant: Tenant! @column(name: "tenant") number: Int! @column(name: "id") homeNr: Int
    home: Room @column(name: ["tenant", "home_nr"]) @readOnly
    visited: [Room!]! @relation(table: "guests", from: ["tenant", "person"], to: ["tenant", "room"], inverse: "guests")
  }
  input BookingInput { id: ID room: ID }
  input PersonInput { tenant: ID number: Int homeNr: Int visited: [ID!] }
  type Query {
    room(id: ID!): Room rooms(where: RoomFilter, orderBy: [RoomOrder!]): [Room!]!
    booking(id: ID!): Booking bookings(first: Int, where: BookingFilter, orderBy: [BookingOrder!], room: ID): [Booking!]! bookingCount(where: BookingFilter): Int!
    person(id: ID!): Person people(where: PersonFilter): [Person!]! nodes(ids: [ID!]!): [Room]!
  }
  type Mutation {
    createBooking(input: BookingInput!): Booking! updateBooking(id: ID!, input: BookingInput!): Booking updateBookings(where: BookingFilter!, room: ID): Int!
    createPerson(input: PersonInput!): Person! updatePerson(id: ID!, input: PersonInput!): Person
    connectVisited(personId: ID!, roomId: ID!): Person! disconnectVisited(personId: ID!, roomId: ID!): Person!
    deleteRoom(id: ID!): Room deletePerson(id: ID!): Person
  }`;

async function open(store: Store, schema = SCHEMA()) {
  await store.script(TABLES);
  const graph = await createGraph({ model: modelOf(schema), store });
  const ask = async (
    query: string,
  ): Promise<{ data?: any; errors?: readonly { message: string; extensions: { code: string } }[] }> =>
    JSON.parse((await graph.execute({ query })).body); // eslint-disable-line typescript/no-explicit-any -- answers of every shape
  return {
    data: async (query: string) => {
      const { data, errors } = await ask(query);
      equal(errors, undefined, JSON.stringify(errors));
      return data;
    },
    code: async (query: string) => (await ask(query)).errors?.[0]?.extensions.code,
  };
}

testOnStores('a reference by several columns is read in both directions', async (store) => {
  const { data } = await open(store);
  deepEqual(
    (
      await data('{ bookings { id room { id name tenant { code } bookings(orderBy: [{ id: ASC }]) { id } } } }')
    ).bookings.map(
      ({
        id,
        room,
      }: {
        id: string;
        room: null | { id: string; name: string; tenant: { code: string }; bookings: { id: string }[] };
      }) =>
        room === null ? [id] : [id, room.id, room.name, room.tenant.code, room.bookings.map((each) => each.id).join()],
    ),
    [
      ['1', 'a%2Cb,1', 'Ash', 'a,b', '1,6'],
      ['2', 'a%2Cb,2', 'Birch', 'a,b', '2'],
      ['3', '100%25,1', 'Cedar', '100%', '3'],
      ['4'],
      ['5', '"x",1', 'Dogwood', '"x"', '5'],
      ['6', 'a%2Cb,1', 'Ash', 'a,b', '1,6'],
    ],
  );
  deepEqual(await data('{ room(id: "a%2Cb,2") { name residents { number } guests { number home { name } } } }'), {
    room: { name: 'Birch', residents: [{ number: 7 }], guests: [{ number: 7, home: { name: 'Birch' } }] },
  });
  deepEqual(
    await data(
      '{ person(id: "a%2Cb,7") { visited { name } home { id } } other: person(id: "100%25,7") { visited { name } home { id } } }',
    ),
    {
      person: { visited: [{ name: 'Ash' }, { name: 'Birch' }], home: { id: 'a%2Cb,2' } },
      other: { visited: [], home: null },
    },
  );
  deepEqual(await data('{ nodes(ids: ["100%25,1", "a%2Cb,9", "x", "\\"x\\",1"]) { name } }'), {
    nodes: [{ name: 'Cedar' }, null, null, { name: 'Dogwood' }],
  });
});

testOnStores('filters and orders go through a reference by several columns', async (store) => {
  const { data } = await open(store);
  const ids = async (args: string): Promise<string> =>
    (await data(`{ bookings(${args}) { id } }`)).bookings.map(({ id }: { id: string }) => id).join();
  equal(await ids('where: { room: { name: { eq: "Ash" } } }, orderBy: [{ id: DESC }]'), '6,1');
  equal(await ids('room: "100%25,1"'), '3');
  equal(await ids('first: 2, where: { room: { name: { contains: "s" } } }'), '1,6');
  equal(await ids('first: 2, where: { room: { name: { eq: "Ash" } } }'), '1,6');
  equal(await ids('orderBy: [{ room: { name: DESC } }, { id: ASC }]'), '5,3,2,1,6,4');
  deepEqual(await data('{ rooms(where: { bookings: { any: { id: { in: ["3", "5"] } } } }) { name } }'), {
    rooms: [{ name: 'Dogwood' }, { name: 'Cedar' }],
  });
  deepEqual(await data('{ rooms(where: { bookings: { none: {} } }) { id } }'), { rooms: [{ id: '100%25,3' }] });
  deepEqual(
    await data(
      '{ rooms(where: { guests: { any: { number: { eq: 8 } } } }) { name } people(where: { visited: { any: { name: { eq: "Birch" } } } }) { id } }',
    ),
    {
      rooms: [{ name: 'Cedar' }],
      people: [{ id: 'a%2Cb,7' }],
    },
  );
  deepEqual(await data('{ bookingCount(where: { room: { id: { in: ["a%2Cb,1", "a%2Cb,2"] } } }) }'), {
    bookingCount: 3,
  });
});

testOnStores(
  'keys of several columns are equal where their texts are, whatever the columns take for equal',
  async (store) => {
    if (store.dialect !== 'sqlite') return;
    const keys = { integer: 'integer', text: 'text', 'text ': 'integer' };
    for (const [own, other] of Object.entries(keys)) {
      await store.script(`
      DROP TABLE IF EXISTS bookings; DROP TABLE IF EXISTS rooms;
      CREATE TABLE rooms (tenant ${own} NOT NULL, nr integer NOT NULL, name text, PRIMARY KEY (tenant, nr));
      CREATE TABLE bookings (id integer PRIMARY KEY, tenant ${other}, room_nr integer);
      INSERT INTO rooms VALUES ('07', 1, 'seven'), ('A', 1, 'A'), ('9', 1, 'nine');
      INSERT INTO bookings VALUES (1, '07', 1), (2, 'a', 1), (3, 'A', 1), (4, '9', 1)`);
      const model = modelOf(`
      type Room ${ENTITY('rooms')} { id: ID! @id(fields: ["tenant", "nr"]) tenant: String! nr: Int! name: String bookings: [Booking!]! @relation(inverse: "room") }
      type Booking ${ENTITY('bookings')} { id: ID! room: Room @column(name: ["tenant", "room_nr"]) @relation(inverse: "bookings") }
      type Query { bookings(first: Int, where: BookingFilter): [Booking!]! room(id: ID!): Room }`);
      const graph = await createGraph({ model, store });
      const query = `{ bookings { id room { name } } named: bookings(first: 4, where: { room: { name: { in: ["seven", "nine", "A"] } } }) { id } room(id: "07,1") { name } }`;
      const { data } = JSON.parse((await graph.execute({ query })).body);
      const rooms = data.bookings.flatMap((each: { room: { name: string } | null }) => each.room?.name ?? '-');
      const expected = {
        integer: 'seven - A nine',
        text: 'seven - A nine',
        'text ': '- - A nine',
      }[own];
      equal(rooms.join(' '), expected, own);
      equal(data.named.length, rooms.filter((name: string) => name !== '-').length, own);
      equal(data.room?.name, own === 'integer' ? undefined : 'seven', own);
    }
  },
);

testOnStores('a reference by several columns is written, emptied and refused as one by one column', async (store) => {
  const { data, code } = await open(store);
  const rowsOf = async (sql: string): Promise<string> => JSON.stringify(await store.prepare(sql).rows([]));
  deepEqual(await data('mutation { createBooking(input: { id: 9, room: "a%2Cb,2" }) { room { name } } }'), {
    createBooking: { room: { name: 'Birch' } },
  });
  deepEqual(await data('mutation { updateBooking(id: 9, input: { room: "100%25,3" }) { room { id } } }'), {
    updateBooking: { room: { id: '100%25,3' } },
  });
  equal(await rowsOf('SELECT tenant, room_nr FROM bookings WHERE id = 9'), '[["100%",3]]');
  deepEqual(await data('mutation { updateBooking(id: 9, input: { room: null }) { room { id } } }'), {
    updateBooking: { room: null },
  });
  equal(await rowsOf('SELECT tenant, room_nr FROM bookings WHERE id = 9'), '[[null,null]]');
  deepEqual(await data('mutation { updateBookings(where: { room: { name: { eq: "Ash" } } }, room: "a%2Cb,2") }'), {
    updateBookings: 2,
  });
  equal(await rowsOf("SELECT id FROM bookings WHERE tenant = 'a,b' AND room_nr = 2 ORDER BY 1"), '[[1],[2],[6]]');
  for (const key of ['a%2Cb,9', 'a,b,1', 'x', '100%,1', 'a%2Cb,01'])
    equal(await code(`mutation { createBooking(input: { id: 10, room: "${key}" }) { id } }`), 'GRAPH_NOT_FOUND', key);
  // By its columns, where the reference shares one.
  deepEqual(
    await data(
      'mutation { createPerson(input: { tenant: "100%", number: 9, homeNr: 1, visited: ["100%25,3"] }) { id home { name } visited { id } } }',
    ),
    { createPerson: { id: '100%25,9', home: { name: 'Cedar' }, visited: [{ id: '100%25,3' }] } },
  );
  deepEqual(
    await data(
      'mutation { updatePerson(id: "100%25,9", input: { homeNr: 3, visited: ["100%25,1"] }) { home { id } visited { name } } }',
    ),
    {
      updatePerson: { home: { id: '100%25,3' }, visited: [{ name: 'Cedar' }] },
    },
  );
  deepEqual(await data('mutation { connectVisited(personId: "100%25,9", roomId: "100%25,3") { visited { id } } }'), {
    connectVisited: { visited: [{ id: '100%25,1' }, { id: '100%25,3' }] },
  });
  deepEqual(await data('mutation { disconnectVisited(personId: "100%25,9", roomId: "100%25,1") { visited { id } } }'), {
    disconnectVisited: { visited: [{ id: '100%25,3' }] },
  });
  equal(await code('mutation { connectVisited(personId: "100%25,9", roomId: "a%2Cb,1") { id } }'), 'GRAPH_CONSTRAINT');
  deepEqual(await data('mutation { deletePerson(id: "100%25,9") { number } }'), { deletePerson: { number: 9 } });
  equal(await rowsOf('SELECT count(*) FROM guests WHERE person = 9'), '[[0]]');
  // The holders are emptied, and the join rows go.
  equal(await code('mutation { deleteRoom(id: "100%25,1") { name } }'), undefined);
  equal(await rowsOf('SELECT tenant, room_nr FROM bookings WHERE id = 3'), '[[null,null]]');
  equal(await rowsOf('SELECT count(*) FROM guests WHERE person = 8'), '[[0]]');
});

testOnStores('a rule goes through a reference by several columns, and hides what it leads to', async (store) => {
  const { data } = await open(
    store,
    SCHEMA('@auth(read: "bookings.any(b, b.id == \'3\')")')
      .replace('type Booking ', 'type Booking @auth(read: "room == null or room.nr == 1") ')
      .replace(/type Mutation [^]*/, ''),
  );
  const { rooms, bookings } = await data('{ rooms { name } bookings { id room { name } } }');
  deepEqual(rooms, [{ name: 'Cedar' }]);
  deepEqual(
    bookings.filter(({ room }: { room: unknown }) => room !== null),
    [{ id: '3', room: { name: 'Cedar' } }],
  );
});

testOnStores('a look-up by a key of several columns, and a join over one, use the index', async (store) => {
  await store.script(TABLES);
  const graph = await createGraph({ model: modelOf(SCHEMA()), store, explain: true });
  for (const query of [
    '{ room(id: "a%2Cb,2") { name } }',
    '{ bookings { room { name } } }',
    '{ nodes(ids: ["a%2Cb,2"]) { name } }',
  ]) {
    const { body } = await graph.execute({ query, extensions: { explain: true } });
    const [{ sql, plan }] = JSON.parse(body).extensions.explain.statements as [
      { readonly sql: string; readonly plan: readonly string[] },
    ];
    if (store.dialect === 'sqlite')
      match(plan.join('\n'), /SEARCH rooms USING INDEX \S+ \(tenant=\? AND nr=\?\)/, query);
    // Small tables are read whole there.
    else match(sql, /"~\d\.1"/, query);
  }
});

testOnStores('a page filtered through a key of several columns finds its rows by the columns', async (store) => {
  await store.script(TABLES);
  const graph = await createGraph({ model: modelOf(SCHEMA()), store, explain: true });
  const pages: Readonly<Record<string, readonly string[]>> = {
    'room: { name: { eq: "Ash" } }': ['1', '6'],
    'room: { name: { contains: "r" } }': ['2', '3'],
    'room: { tenant: { code: { eq: "100%" } } }': ['3'],
    'room: { guests: { any: { number: { eq: 8 } } } }': ['3'],
    'not: { room: { name: { eq: "Ash" } } }': ['2', '3', '4'],
  };
  for (const [where, expected] of Object.entries(pages)) {
    const query = `{ bookings(first: 3, where: { ${where} }) { id } }`;
    const { body } = await graph.execute({ query, extensions: { explain: true } });
    const { data, extensions } = JSON.parse(body);
    deepEqual(
      data.bookings.map(({ id }: { readonly id: string }) => id),
      expected,
      where,
    );
    if (store.dialect === 'postgres' || !where.includes('"Ash"') || where.startsWith('not')) continue;
    const [{ sql }] = extensions.explain.statements;
    // The rooms are searched once, and no row is sampled for the time limit, since an index finds each room.
    match(sql, /IN \(SELECT related\."k0", related\."k1"/);
    doesNotMatch(sql, /random\(\)/);
  }
});

testOnStores('a reference by several columns names as many as the key has, in an existing table', async () => {
  const refuse = (from: string, to: string, expected: RegExp): void =>
    throws(() => modelOf(SCHEMA().replace(from, to)), expected);
  refuse(
    'room: Room @column(name: ["tenant", "room_nr"])',
    'room: Room @column(name: "room_nr")',
    /Booking\.room refers to Room, whose key has 2 columns \(tenant, nr\), and names 1\..*@column\(name: \[…\]\) with 2 columns/s,
  );
  refuse(
    'tenant: Tenant! @column(name: "tenant") nr',
    'tenant: Tenant! @column(name: ["tenant", "nr"]) nr',
    /names 2 columns, and the key of Tenant is one/,
  );
  refuse(
    'to: ["tenant", "room"]',
    'to: "room"',
    /Room\.guests refers to Room, whose key has 2 columns .*@relation\(from: \[…\]\)/s,
  );
  refuse(
    `type Booking ${ENTITY('bookings')}`,
    'type Booking',
    /Booking\.room refers to Room by several columns, and would have to create them\./,
  );
  refuse(
    '@readOnly',
    '',
    /Person\.(tenant|homeNr) and Person\.home are both stored in column "(tenant|home_nr)", and can both be written/,
  );
});

testOnStores('a text that is no key finds nothing, whatever its parts would be', async (store) => {
  const { data } = await open(store);
  const found = async (id: string): Promise<unknown> =>
    (await data(`{ room(id: ${JSON.stringify(id)}) { name } }`)).room;
  deepEqual(await found('a%2Cb,1'), { name: 'Ash' });
  deepEqual(await found('100%25,1'), { name: 'Cedar' });
  for (const id of ['a,b,1', 'a%2cb,1', 'a%2Cb,01', 'a%2Cb, 1', 'a%2Cb,1,', 'a%2Cb', '100%,1', '100%25,1.0', ',', ''])
    equal(await found(id), null, id);
  const names =
    '{ bookings(where: { room: { name: { in: ["Ash", "Dogwood"] } } }, orderBy: [{ id: ASC }]) { id room { id } } }';
  deepEqual(
    (await data(names)).bookings.map(({ id }: { id: string }) => id),
    ['1', '5', '6'],
  );
});
