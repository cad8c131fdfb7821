// Area A of the specification on the running photo-share example.
import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { createGraphCaller, describeExample, spec } from './suite.ts';

interface TypeRef {
  readonly kind: string;
  readonly name: string | null;
  readonly ofType: TypeRef | null;
}

/** Prints a type reference of introspection as the schema language writes it. */
function printType(type: TypeRef): string {
  if (type.kind === 'NON_NULL') return `${printType(type.ofType!)}!`;
  if (type.kind === 'LIST') return `[${printType(type.ofType!)}]`;
  return type.name!;
}

const TYPE_REF = 'kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } }';

describeExample('A. Graph query interface', (example) => {
  const graph = createGraphCaller(example);

  const fieldType = async (typeName: string, fieldName: string): Promise<string | undefined> => {
    const { __type } = await graph.data<{ __type: { fields: { name: string; type: TypeRef }[] } }>(
      `{ __type(name: "${typeName}") { fields { name type { ${TYPE_REF} } } } }`,
    );
    const field = __type.fields.find((candidate) => candidate.name === fieldName);
    return field && printType(field.type);
  };

  const enumValues = async (name: string): Promise<string[]> => {
    const { __type } = await graph.data<{ __type: { kind: string; enumValues: { name: string }[] } }>(
      `{ __type(name: "${name}") { kind enumValues { name } } }`,
    );
    equal(__type.kind, 'ENUM');
    return __type.enumValues.map((value) => value.name);
  };

  const rootArguments = async (root: string, field: string): Promise<Record<string, string>> => {
    const { __type } = await graph.data<{
      __type: { fields: { name: string; args: { name: string; defaultValue: string | null; type: TypeRef }[] }[] };
    }>(`{ __type(name: "${root}") { fields { name args { name defaultValue type { ${TYPE_REF} } } } } }`);
    const found = __type.fields.find((candidate) => candidate.name === field);
    ok(found, `${root}.${field} exists`);
    return Object.fromEntries(
      found.args.map((arg) => [
        arg.name,
        printType(arg.type) + (arg.defaultValue === null ? '' : ` = ${arg.defaultValue}`),
      ]),
    );
  };

  /** A user who has posted photos and is tagged in some: the poster of the newest photo that has tags. */
  const someLogin = async (): Promise<string> => {
    const { allPhotos } = await graph.data<{ allPhotos: { taggedUsers: { githubLogin: string }[] }[] }>(
      '{ allPhotos(first: 50) { taggedUsers { githubLogin } } }',
    );
    return allPhotos.flatMap((photo) => photo.taggedUsers)[0]!.githubLogin;
  };

  const postPhoto = async (name: string): Promise<{ postPhoto: { id: string; name: string } }> =>
    graph.data('mutation ($input: PostPhotoInput!) { postPhoto(input: $input) { id name } }', {
      input: { name, postedBy: await someLogin() },
    });

  spec('A.service.1', 'one request, an answer of the same shape', async () => {
    const login = await someLogin();
    const data = await graph.data<{ User: { name: string | null; inPhotos: { postedBy: { githubLogin: string } }[] } }>(
      'query ($login: ID!) { User(githubLogin: $login) { name inPhotos { name postedBy { githubLogin } } } }',
      { login },
    );
    deepEqual(Object.keys(data), ['User']);
    deepEqual(Object.keys(data.User), ['name', 'inPhotos']);
    deepEqual(Object.keys(data.User.inPhotos[0]!), ['name', 'postedBy']);
  });

  spec('A.service.2', 'an unknown field is refused with its place and a suggestion', async () => {
    const { status, body } = await graph.post({ query: '{ allUsers { nmae } }' });
    ok(status === 200 || status === 400);
    equal(body.data, undefined);
    match(body.errors![0]!.message, /Cannot query field "nmae" on type "User"/);
    deepEqual(body.errors![0]!.locations, [{ line: 1, column: 14 }]);
  });

  spec('A.service.3', 'two shapes of data from one endpoint', async () => {
    const data = await graph.data<Record<string, unknown>>('{ totalUsers totalPhotos allUsers(first: 1) { name } }');
    deepEqual(Object.keys(data), ['totalUsers', 'totalPhotos', 'allUsers']);
  });

  spec('A.service.4', 'the schema has the three operation kinds', async () => {
    deepEqual(await graph.data('{ __schema { queryType { name } mutationType { name } subscriptionType { name } } }'), {
      __schema: {
        queryType: { name: 'Query' },
        mutationType: { name: 'Mutation' },
        subscriptionType: { name: 'Subscription' },
      },
    });
  });

  spec('A.service.5', 'operationName picks one of several operations', async () => {
    const query = 'query A { totalUsers } query B { totalPhotos }';
    deepEqual(Object.keys((await graph.post({ query, operationName: 'B' })).body.data!), ['totalPhotos']);
    const { body } = await graph.post({ query });
    match(body.errors![0]!.message, /operation name/i);
  });

  spec('A.service.6', 'a nullable field that fails leaves its siblings standing', async () => {
    const { body } = await graph.post({
      query: 'query ($id: ID!) { totalUsers photoById(id: $id) { id } }',
      variables: { id: 'x' },
    });
    equal(body.data!['totalUsers'], 1000);
    const failed = await graph.post({ query: 'mutation { githubAuth(code: "x") { token } }' });
    ok(failed.body.errors![0]!.extensions!['code']);
    equal(failed.body.data, null);
  });

  spec('A.service.7', 'the schema describes itself', async () => {
    const { __schema } = await graph.data<{ __schema: { types: { name: string; description: string | null }[] } }>(
      '{ __schema { types { name description } } }',
    );
    for (const name of ['Query', 'Photo', 'User', 'DateTime', 'String', 'PhotoCategory']) {
      ok(
        __schema.types.some((type) => type.name === name),
        name,
      );
    }
    ok(__schema.types.find((type) => type.name === 'Photo')!.description);
  });

  spec('A.scalar.1', 'a count is a JSON number', async () => {
    const { totalUsers } = await graph.data<{ totalUsers: unknown }>('{ totalUsers }');
    equal(totalUsers, 1000);
  });

  spec('A.scalar.3', 'String', async () => {
    const { Photo } = await graph.data<{ Photo: { name: unknown } }>('{ Photo { name } }');
    equal(typeof Photo.name, 'string');
  });

  spec('A.scalar.4', 'an ID is a string, also when it is stored as a number', async () => {
    const { Photo } = await graph.data<{ Photo: { id: unknown } }>('{ Photo { id } }');
    equal(typeof Photo.id, 'string');
    const { photoById } = await graph.data<{ photoById: { id: string } }>('{ photoById(id: 17) { id } }');
    equal(photoById.id, '17');
  });

  spec('A.rule.1', 'a selection below a scalar is refused', async () => {
    const { body } = await graph.post({ query: '{ totalUsers { x } }' });
    match(body.errors![0]!.message, /must not have a selection|no subfields/);
  });

  spec('A.rule.2', 'DateTime is a string in ISO form', async () => {
    const { Photo } = await graph.data<{ Photo: { created: string } }>('{ Photo { created } }');
    match(Photo.created, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
  });

  spec('A.rule.3', 'a value outside the enum is refused', async () => {
    const { body } = await graph.post({ query: '{ Photo(category: SELFIE) { id } }' });
    match(body.errors![0]!.message, /Value "SELFIE" does not exist in "PhotoCategory" enum/);
  });

  spec('A.rule.4', 'non-null fields hold data in every row', async () => {
    const { allPhotos } = await graph.data<{ allPhotos: Record<string, unknown>[] }>(
      '{ allPhotos(first: 100) { id name url created category postedBy { githubLogin } } }',
    );
    ok(allPhotos.every((photo) => Object.values(photo).every((value) => value !== null)));
  });

  spec('A.rule.6', 'a list holds elements of different types', async () => {
    const { activity } = await graph.data<{ activity: { __typename: string }[] }>(
      '{ activity(first: 100) { __typename } }',
    );
    ok(new Set(activity.map((element) => element.__typename)).size > 1);
  });

  spec('A.rule.7', 'objects nest deeply', async () => {
    const login = await someLogin();
    const data = await graph.data<{
      User: { inPhotos: { postedBy: { postedPhotos: { postedBy: { githubLogin: string } }[] } }[] };
    }>(`{ User(githubLogin: "${login}") { inPhotos { postedBy { postedPhotos { postedBy { githubLogin } } } } } }`);
    equal(typeof data.User.inPhotos[0]!.postedBy.postedPhotos[0]!.postedBy.githubLogin, 'string');
  });

  spec('A.rule.8', 'a union returns one of several types, each with its own fields', async () => {
    const { allCollections } = await graph.data<{ allCollections: { items: Record<string, unknown>[] }[] }>(
      '{ allCollections { items { __typename ... on Photo { url } ... on User { avatar } } } }',
    );
    const items = allCollections.flatMap((collection) => collection.items);
    deepEqual([...new Set(items.map((item) => item['__typename']))].toSorted(), ['Photo', 'User']);
    for (const item of items) deepEqual(Object.keys(item)[1], item['__typename'] === 'Photo' ? 'url' : 'avatar');
  });

  spec('A.rule.9', 'an implementing type has the fields of the interface and its own', async () => {
    const { __schema } = await graph.data<{
      __schema: {
        types: { kind: string; fields: { name: string }[]; possibleTypes: { fields: { name: string }[] }[] }[];
      };
    }>('{ __schema { types { kind fields { name } possibleTypes { fields { name } } } } }');
    const abstract = __schema.types.find((type) => type.kind === 'INTERFACE')!;
    for (const implementing of abstract.possibleTypes) {
      const names = implementing.fields.map((field) => field.name);
      for (const field of abstract.fields) ok(names.includes(field.name));
    }
    ok(abstract.possibleTypes.some((implementing) => implementing.fields.length > abstract.fields.length));
  });

  spec('A.rule.10', 'root fields can be selected per operation kind', async () => {
    const created = await postPhoto('Root types');
    equal(created.postPhoto.name, 'Root types');
    const { body } = await graph.post({ query: '{ postPhoto { id } }' });
    match(body.errors![0]!.message, /Cannot query field "postPhoto" on type "Query"/);
  });

  spec('A.rule.11', 'a mandatory argument is demanded, an optional one may be left out', async () => {
    const { body } = await graph.post({ query: '{ User { name } }' });
    match(body.errors![0]!.message, /User\(githubLogin:\)" of type "ID!" is required/);
    ok((await graph.data<{ Photo: unknown }>('{ Photo { id } }')).Photo);
  });

  spec('A.rule.12', 'types and fields carry descriptions', async () => {
    const { __type } = await graph.data<{
      __type: { description: string; fields: { name: string; description: string }[] };
    }>('{ __type(name: "Photo") { description fields { name description } } }');
    ok(__type.description.length > 0);
    ok(__type.fields.every((field) => field.description));
  });

  for (const [id, type, field, expected] of [
    ['A.shape.1', 'Photo', 'id', 'ID!'],
    ['A.shape.2', 'Photo', 'name', 'String!'],
    ['A.shape.3', 'Photo', 'url', 'String!'],
    ['A.shape.4', 'Photo', 'description', 'String'],
    ['A.shape.5', 'Photo', 'created', 'DateTime!'],
    ['A.shape.6', 'Photo', 'category', 'PhotoCategory!'],
    ['A.shape.7', 'Photo', 'postedBy', 'User!'],
    ['A.shape.8', 'Photo', 'taggedUsers', '[User!]!'],
    ['A.shape.9', 'User', 'githubLogin', 'ID!'],
    ['A.shape.10', 'User', 'name', 'String'],
    ['A.shape.11', 'User', 'avatar', 'String'],
    ['A.shape.12', 'User', 'postedPhotos', '[Photo!]!'],
    ['A.shape.13', 'User', 'inPhotos', '[Photo!]!'],
    ['A.shape.14', 'AuthPayload', 'user', 'User!'],
    ['A.shape.15', 'AuthPayload', 'token', 'String!'],
  ] as const) {
    spec(id, `${type}.${field}: ${expected}`, async () => equal(await fieldType(type, field), expected));
  }

  spec('A.enum.1', 'PhotoCategory', async () =>
    deepEqual(await enumValues('PhotoCategory'), ['PORTRAIT', 'LANDSCAPE']),
  );
  spec('A.enum.2', 'SortDirection', async () =>
    deepEqual(await enumValues('SortDirection'), ['ASCENDING', 'DESCENDING']),
  );
  spec('A.enum.3', 'SortablePhotoField', async () =>
    deepEqual(await enumValues('SortablePhotoField'), ['name', 'description', 'category', 'created']),
  );

  spec('A.relationship.1', 'posters and their photos, from either end', async () => {
    const { allPhotos } = await graph.data<{
      allPhotos: { id: string; postedBy: { githubLogin: string; postedPhotos: { id: string }[] } }[];
    }>('{ allPhotos(first: 10) { id postedBy { githubLogin postedPhotos { id } } } }');
    for (const photo of allPhotos) ok(photo.postedBy.postedPhotos.some(({ id }) => id === photo.id));
  });

  spec('A.relationship.2', 'tags, from either end', async () => {
    const { allPhotos } = await graph.data<{
      allPhotos: { id: string; taggedUsers: { inPhotos: { id: string }[] }[] }[];
    }>('{ allPhotos(first: 10) { id taggedUsers { inPhotos { id } } } }');
    ok(allPhotos.some((photo) => photo.taggedUsers.length > 0));
    for (const photo of allPhotos) {
      for (const user of photo.taggedUsers) ok(user.inPhotos.some(({ id }) => id === photo.id));
    }
  });

  spec('A.root.1', 'User by login, null when there is none', async () => {
    deepEqual(await rootArguments('Query', 'User'), { githubLogin: 'ID!' });
    const login = await someLogin();
    deepEqual(await graph.data(`{ User(githubLogin: "${login}") { githubLogin } }`), { User: { githubLogin: login } });
    deepEqual(await graph.data('{ User(githubLogin: "nobody-at-all") { githubLogin } }'), { User: null });
  });

  spec('A.root.2', 'Photo by category', async () => {
    deepEqual(await rootArguments('Query', 'Photo'), { category: 'PhotoCategory' });
    for (const category of ['PORTRAIT', 'LANDSCAPE']) {
      deepEqual(await graph.data(`{ Photo(category: ${category}) { category } }`), { Photo: { category } });
    }
  });

  spec('A.root.3', 'allUsers', async () =>
    deepEqual(await rootArguments('Query', 'allUsers'), { first: 'Int = 50', start: 'Int = 0' }),
  );

  spec('A.root.4', 'allPhotos sorts by each field in either direction', async () => {
    deepEqual(await rootArguments('Query', 'allPhotos'), {
      first: 'Int = 25',
      start: 'Int = 0',
      sort: 'SortDirection = DESCENDING',
      sortBy: 'SortablePhotoField = created',
    });
    for (const field of ['name', 'description', 'category', 'created'] as const) {
      for (const direction of ['ASCENDING', 'DESCENDING']) {
        const { allPhotos } = await graph.data<{ allPhotos: Record<string, string | null>[] }>(
          `{ allPhotos(first: 200, sort: ${direction}, sortBy: ${field}) { ${field} } }`,
        );
        const values = allPhotos.map((photo) => photo[field]).filter((value) => value !== null && value !== undefined);
        const sorted = values.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
        // An enum sorts as its stored text does.
        deepEqual(values, direction === 'ASCENDING' ? sorted : sorted.toReversed());
      }
    }
  });

  spec('A.root.5', 'githubAuth', async () => {
    deepEqual(await rootArguments('Mutation', 'githubAuth'), { code: 'String!' });
    equal(await fieldType('Mutation', 'githubAuth'), 'AuthPayload!');
  });

  spec('A.endpoint.1', 'POST / takes JSON with a string query and nothing else', async () => {
    const answer = await graph.post({ query: '{ totalUsers }' });
    equal(answer.status, 200);
    match(String(answer.headers['content-type']), /^application\/(graphql-response\+)?json/);
    equal(
      (
        await example.call({
          method: 'POST',
          path: '/',
          body: '{ totalUsers }',
          headers: { 'content-type': 'text/plain' },
        })
      ).status,
      415,
    );
    equal((await example.call({ method: 'POST', path: '/', json: { query: 5 } })).status, 400);
    equal(
      (await example.call({ method: 'POST', path: '/', body: '{', headers: { 'content-type': 'application/json' } }))
        .status,
      400,
    );
  });

  spec('A.query.1', 'named, anonymous and shorthand operations', async () => {
    for (const query of ['query Count { totalUsers }', 'query { totalUsers }', '{ totalUsers }']) {
      deepEqual(await graph.data(query), { totalUsers: 1000 });
    }
    const login = await someLogin();
    for (const name of ['mutation Named', 'mutation']) {
      const data = await graph.data<{ postPhoto: { name: string } }>(
        `${name} { postPhoto(input: {name: "n" postedBy: "${login}", category: LANDSCAPE}) { name } }`,
      );
      equal(data.postPhoto.name, 'n');
    }
  });

  spec('A.query.2', 'selection sets nest', async () => {
    const { allUsers } = await graph.data<{ allUsers: { postedPhotos: unknown[] }[] }>(
      '{ allUsers(first: 3) { postedPhotos { id } } }',
    );
    equal(allUsers.length, 3);
  });

  spec('A.query.3', 'aliases, of the same field twice too', async () => {
    const data = await graph.data<Record<string, { category: string }>>(
      '{ tall: Photo(category: PORTRAIT) { category } wide: Photo(category: LANDSCAPE) { kind: category } }',
    );
    deepEqual(data, { tall: { category: 'PORTRAIT' }, wide: { kind: 'LANDSCAPE' } });
  });

  spec('A.query.4', 'arguments by spaces or commas', async () => {
    const spaces = await graph.data('{ allPhotos(first: 3 start: 1 sort: ASCENDING sortBy: name) { name } }');
    const commas = await graph.data('{ allPhotos(first: 3, start: 1, sort: ASCENDING, sortBy: name) { name } }');
    deepEqual(spaces, commas);
  });

  spec('A.query.5', 'variables with defaults; a missing required one is refused', async () => {
    const query =
      'query ($first: Int = 2, $category: PhotoCategory!) { allPhotos(first: $first) { id } Photo(category: $category) { category } }';
    const data = await graph.data<{ allPhotos: unknown[] }>(query, { category: 'PORTRAIT' });
    equal(data.allPhotos.length, 2);
    const { body } = await graph.post({ query, variables: {} });
    match(body.errors![0]!.message, /"\$category" .* non-null type "PhotoCategory!"/);
  });

  spec('A.query.6', 'a named fragment, nested in another', async () => {
    const data = await graph.data<{ allUsers: { name: string; postedPhotos: { id: string }[] }[] }>(
      'query { allUsers(first: 1) { ...who } } fragment who on User { name postedPhotos { ...what } } fragment what on Photo { id }',
    );
    deepEqual(Object.keys(data.allUsers[0]!), ['name', 'postedPhotos']);
  });

  spec('A.query.7', 'inline fragments by concrete type', async () => {
    const { activity } = await graph.data<{ activity: Record<string, unknown>[] }>(
      '{ activity(first: 60) { __typename at ... on Comment { text } ... on Like { photo { id } } } }',
    );
    for (const element of activity) {
      deepEqual(Object.keys(element).slice(1), element['__typename'] === 'Comment' ? ['at', 'text'] : ['at', 'photo']);
    }
  });

  spec('A.query.8', 'a mutation answers the selection of the object it made', async () => {
    const { postPhoto: made } = await postPhoto('Selected back');
    notEqual(made.id, '');
    const { photoById } = await graph.data<{ photoById: { name: string } }>(`{ photoById(id: "${made.id}") { name } }`);
    equal(photoById.name, 'Selected back');
    const { body } = await graph.post({ query: 'mutation { postPhoto(input: {name: "n", postedBy: "x"}) }' });
    match(body.errors![0]!.message, /must have a selection of subfields/);
  });

  spec('A.query.9', 'only the selected fields', async () => {
    const { allUsers } = await graph.data<{ allUsers: object[] }>('{ allUsers(first: 5) { name } }');
    for (const user of allUsers) deepEqual(Object.keys(user), ['name']);
  });

  spec('A.query.10', 'introspection of one type', async () => {
    const { __type } = await graph.data<{
      __type: { name: string; fields: { name: string; description: string; type: { name: string | null } }[] };
    }>('{ __type(name: "Photo") { name fields { name description type { name } } } }');
    equal(__type.name, 'Photo');
    ok(__type.fields.some((field) => field.name === 'description' && field.type.name === 'String'));
    deepEqual(await graph.data('{ __type(name: "Nothing") { name } }'), { __type: null });
  });

  spec('Event.1', 'a subscription hears of a change', async () => {
    const events = await example.subscribe('subscription { newPhoto { name category } }');
    await postPhoto('Heard');
    deepEqual(await events.next(), { data: { newPhoto: { name: 'Heard', category: 'PORTRAIT' } } });
    await events.close();
  });

  spec('Error.4', 'errors stand next to data', async () => {
    const { body } = await graph.post({
      query: '{ nobody: User(githubLogin: "x") { name } nothing: photoById(id: "none") { id } }',
    });
    deepEqual(body.data, { nobody: null, nothing: null });
    const failing = await graph.post({ query: 'mutation { githubAuth(code: "wrong") { token } }' });
    ok('data' in failing.body && failing.body.errors!.length === 1);
    deepEqual(failing.body.errors![0]!.path, ['githubAuth']);
  });

  spec('Limit.1', 'allUsers answers 50 from the start', async () => {
    const { page, same } = await graph.data<{ page: unknown[]; same: unknown[] }>(
      '{ page: allUsers { githubLogin } same: allUsers(first: 50, start: 0) { githubLogin } }',
    );
    equal(page.length, 50);
    deepEqual(page, same);
  });

  spec('Limit.2', 'allPhotos answers the 25 newest', async () => {
    const { page, same } = await graph.data<{ page: unknown[]; same: unknown[] }>(
      '{ page: allPhotos { id } same: allPhotos(first: 25, start: 0, sort: DESCENDING, sortBy: created) { id } }',
    );
    equal(page.length, 25);
    deepEqual(page, same);
  });
});
