// Prints docs/reference/schema.md: the directives as the engine declares them, and the conventions by which root fields are bound.
import { Kind, parse, print, type StringValueNode } from 'graphql';
import { DIRECTIVES_SDL } from '../../packages/graph/src/schema/directives.ts';

const CONVENTIONS = `## Root fields

A root field is bound by what it returns and what its arguments are called. A field that has a resolver in \`resolvers.ts\` belongs to the resolver. What can be bound in neither way is a start-up
error that says what to write.

| You write | It is | Notes |
|---|---|---|
| \`photo(id: ID!): Photo\` | a look-up by that field | any field of the type can be the argument; where several objects match, the first by key |
| \`allPhotos(first: Int = 25, start: Int = 0): [Photo!]!\` | a page | a page size above the maximum is an error that says so |
| \`… sort: SortDirection = DESCENDING, sortBy: SortablePhotoField = created\` | a sorted page | enums whose values are \`ASCENDING\`/\`DESCENDING\` (or \`ASC\`/\`DESC\`) and names of fields; beside \`orderBy\` they order what it leaves equal |
| \`photosOf(category: PhotoCategory): [Photo!]!\` | a filtered list | arguments named like fields; a list (\`categories: [PhotoCategory!]\`) means any of them |
| \`photos(where: PhotoFilter, orderBy: [PhotoOrder!]): [Photo!]!\` | a list by any condition and order | see below |
| \`photoPages(first: Int = 20, after: String): PhotoConnection!\` | a Relay connection | also \`last\`, \`before\`, \`where\`, \`orderBy\`, \`sort\`, \`sortBy\`; \`edges\`, \`nodes\`, \`pageInfo\`, \`totalCount\` |
| \`searchPhotos(query: String!, first: Int = 10, after: String): PhotoSearchConnection!\` | a full-text search | see below |
| \`activity(first: Int): [Activity!]!\`, \`entry(id: ID!): Activity\` | a list or look-up of an interface or union | by arguments, \`where\`, \`orderBy\` and \`sortBy\` over fields that all of its types have; in the order of the types, then of keys |
| \`node(nodeId: ID!): Node\`, \`nodes(nodeIds: [ID!]!): [Node]!\` | look-ups by a field with \`@nodeId\` | of a type, interface or union whose types all have it; mutations take it in place of the key ([guide](../guide/graphql.md#relay-node-ids)) |
| \`totalPhotos: Int!\`, \`photoCount(where: PhotoFilter): Int!\` | a count | |
| \`photoTotals(where: PhotoFilter): PhotoAggregates!\` | aggregates of all rows | [below](#aggregates) |
| \`photoGroups(groupBy: PhotoGroupBy!): [PhotoGroup!]!\` | aggregates of groups of rows | also \`where\`, \`having\`, \`orderBy: [PhotoGroupOrder!]\`, \`first\`, \`start\`, \`timeZone: String\` |
| \`postPhoto(input: PostPhotoInput!): Photo!\` | a create | also create…, add…, new…, register…; with a list of inputs it returns a list |
| \`createPhoto(input: CreatePhotoInput!): CreatePhotoPayload\` | any write of one or several objects, for older clients of Relay | a payload with \`clientMutationId\` ([below](#derived-types)) |
| \`updatePhoto(id: ID!, input: UpdatePhotoInput!): Photo!\` | an update | fields left out of the input stay; an argument named like a \`version\` field must equal it |
| \`savePhoto(input: PhotoInput!): Photo!\` | an upsert | by the key if it is given, and by nothing else then; without a key by the first unique field given, else by the first \`@unique(fields:)\` of the type whose fields are all given; also upsert…, put… ([guide](../guide/graphql.md#create-or-update)) |
| \`deletePhoto(id: ID!): Photo\` | a delete | answers what it was, or \`Boolean\`, \`Int\` (how many) or \`ID\` |
| \`restorePhoto(id: ID!): Photo!\`, \`purgePhoto(id: ID!): Boolean!\` | of a type with \`@entity(softDelete:)\`: takes a deletion back, or removes the row | also undelete…, destroy…; need \`@auth(readDeleted:)\` and \`@auth(purge:)\` ([guide](../guide/graphql.md#soft-deletion)) |
| \`photos(deleted: Deleted = EXCLUDE): [Photo!]!\` | a list with deleted objects on request | an enum of the words \`EXCLUDE\`, \`INCLUDE\`, \`ONLY\`, or \`WITHOUT\`, \`WITH\`, \`ONLY\`; also on connections, look-ups, counts, aggregates and lists of objects |
| \`updatePhotos(where: PhotoFilter!, input: UpdatePhotoInput!): Int!\`, \`deletePhotos(where: PhotoFilter!): Int!\` | an update or delete of all that satisfy a filter | answers how many, or with \`[Photo!]!\` which |
| \`tagPhoto(photoID: ID!, githubLogin: ID!): Photo!\` | a connection of two objects | \`untagPhoto\` takes it back |
| \`newPhoto: Photo!\`, \`photoChanged(id: ID): Photo!\` | a subscription | created, updated, deleted or any change, by the field's name; arguments named like fields are compared with the object as of the change, \`where\` (not of a deletion) is asked of it as it is stored now |

A field that returns a list of a stored type takes the same arguments as a root field: \`postedPhotos(first: Int, where: PhotoFilter): [Photo!]!\`, or \`postedPhotos(first: Int = 10, after: String): PhotoConnection!\`.

\`@relation(sameAs: "postedPhotos")\` on another field of the type returns the same objects in another form, under the same rules, and stores nothing:

| You write | It is |
|---|---|
| \`photoPages(first: Int = 20, after: String): PhotoConnection! @relation(sameAs: "postedPhotos")\` | the list as a connection, or a connection as a list |
| \`photoCount(where: PhotoFilter): Int! @relation(sameAs: "postedPhotos")\` | their number |
| \`photoTotals: PhotoAggregates!\`, \`photoGroups(groupBy: PhotoGroupBy!): [PhotoGroup!]!\` | their [aggregates](#aggregates); \`sameAs\` is needed only where the type has several lists of photos |

## Derived types

\`PhotoFilter\`, \`PhotoOrder\`, \`PhotoConnection\` and \`PhotoSearchConnection\` exist when the schema names them and does not define them. Introspection shows what is in them.

- **\`PhotoFilter\`**: \`and\`, \`or\`, \`not\` (a field called so takes the place of the word), and one filter for each field; all that are given must hold. For a relation it is the filter of its target, for a list of objects \`any\`, \`all\` and \`none\` of it. The filter of an interface or union has the
  fields that all of its types have, and each type by name: \`{ Comment: { text: { contains: "x" } } }\`.

  | Field | Conditions, as far as its type has them |
  |---|---|
  | a scalar or enum | \`eq\`, \`ne\`, \`in\`, \`notIn\`, \`isNull\`; numbers, times and texts also \`lt\`, \`lte\`, \`gt\`, \`gte\`; \`eq: null\` finds rows without a value ([null in filters](../guide/graphql.md#what-null-means-in-a-filter)) |
  | a \`DateTime\`, \`LocalDateTime\` or \`Date\` | also \`relative\`: \`lt\`, \`lte\`, \`gt\`, \`gte\` with [times relative to now](../guide/graphql.md#times-relative-to-now) |
  | a text | also \`contains\`, \`startsWith\`, \`endsWith\`, by code point; \`eqInsensitive\`, \`containsInsensitive\`, \`startsWithInsensitive\`, \`endsWithInsensitive\` without regard to small and capital letters of any script (\`"STRAẞE"\` is \`"straße"\`, but not \`"strasse"\`), for at most 1,000 characters (\`GRAPH_PATTERN_TOO_LONG\`) |
  | a list of scalars or enum values | \`has\` (an element), \`hasSome\`, \`hasEvery\`, \`eq\` and \`ne\` (the same elements in the same order), \`isEmpty\`, \`isNull\`. A list that has no value has no elements and is not empty either |
  | JSON | the same and \`has\`, \`hasSome\`, \`hasEvery\` of the value at a \`path\` of names and places: \`{ path: ["lenses", "0", "name"], eq: "50 mm" }\`; \`exists\` tells null from what is missing ([JSON in filters](../guide/graphql.md#json-in-filters)) |
  | an embedded object | a filter of its fields, with \`and\`, \`or\`, \`not\`, \`isNull\`: \`{ place: { town: { eq: "Oslo" } } }\` |
  | a list of embedded objects | \`any\`, \`all\`, \`none\`, \`isEmpty\`, \`isNull\` |

- **\`[PhotoOrder!]\`**: one field a step, by itself or of a related object: \`[{ postedBy: { name: ASC } }, { created: DESC }]\`. Rows without a value count as smallest; the key settles ties. [What sorts how](../guide/graphql.md#what-sorts-how).
- **\`PhotoConnection\`**: a cursor holds the order's values of its row, so pages stay in place while rows come and go. \`first\` and \`last\` together are refused. \`totalCount\` alone needs no size. A schema may write its connections itself, as other servers of Relay have them:
  any type called \`…Connection\` with \`edges\` whose \`node\` is stored.
- **\`CreatePhotoPayload\`**, or any name with \`Payload\` at its end that a mutation returns: \`{ clientMutationId: String, photo: Photo }\` for a mutation called …Photo, \`photos: [Photo!]\` for …Photos. \`clientMutationId\` is that of the input, whose type declares it; a deletion takes its key in such an input, too. A schema may write the type itself: \`clientMutationId\` and one field of a stored type. graphql-js completes these answers, so \`@transaction\` does not take them.
- **Null** in what orders a list or cuts a page from it (\`first\`, \`last\`, \`start\`, \`after\`, \`before\`, \`sort\`, \`sortBy\`, \`orderBy\`) is the same as leaving it out: the default holds, as clients of Relay mean it. Null in \`where\` and in arguments
  named like fields is no condition.

A mutation's filter must be non-null, and a place in it that says nothing (\`{}\`, or a variable that was forgotten) is refused: to mean every row, write \`{ and: [] }\`. All rows are written in one transaction or none, at most
[\`graph.limits.writeSize\`](configuration.md) of them; one that the caller may not change makes the whole mutation fail.

## Aggregates

\`PhotoAggregates\` and \`PhotoGroup\` are derived like the types above. Those of an interface or union have the fields that all its types have. Their values come from one statement, over the rows and values that the caller may read ([who may read what](../guide/policy.md)). [How to ask for them](../guide/graphql.md#aggregates-and-groups).

| Field | Over | Result |
|---|---|---|
| \`count\` | all rows | \`Int!\` |
| \`countDistinct { … }\` | scalars and enums, not JSON | \`Int!\`; null is not counted |
| \`sum { … }\` | \`Int\`, \`BigInt\`, \`Decimal\`, \`Float\` | exact: \`BigInt\`, \`Decimal\`, \`Decimal\`, and the nearest \`Float\` of the decimals; null without values |
| \`avg { … }\` | the same | \`Float\`; of a \`Decimal\` a \`Decimal\` with at most 20 digits behind the point |
| \`min { … }\`, \`max { … }\` | whatever lists can be [sorted](../guide/graphql.md#what-sorts-how) by, except \`Boolean\` | the field's type; null without values |

- **\`PhotoGroupBy\`**: \`true\` for a column, one or several parts of a \`DateTime\`, \`LocalDateTime\` or \`Date\`, and the same of related objects: \`{ category: true, created: MONTH, postedBy: { name: true } }\`. \`keys\` of a group has the values; it may select only what \`groupBy\` names (\`GRAPH_GROUP_KEY_MISSING\`).
- **Parts**: \`YEAR\`, \`QUARTER\`, \`MONTH\`, \`WEEK\` (of ISO 8601), \`DAY\`, \`HOUR\`, \`MINUTE\`; \`MONTH_OF_YEAR\`, \`DAY_OF_MONTH\`, \`DAY_OF_WEEK\` (1 is Monday), \`HOUR_OF_DAY\`; and \`EXACT\`, the time itself. They are texts, such as \`2026-07\`, in the time zone that the argument \`timeZone\` names (\`Europe/Berlin\`; default UTC). Of several parts of one field, each is selected by its name: \`created(part: WEEK)\`.
- **\`PhotoHaving\`**: conditions on aggregates, with \`and\`, \`or\`, \`not\`: \`{ count: { gt: 10 }, avg: { rating: { gte: 3 } } }\`.
- **\`[PhotoGroupOrder!]\`**: \`[{ sum: { rating: DESC } }, { keys: { category: ASC } }]\`. The keys settle ties, in the order of the type.

## Full-text search

\`\`\`graphql
type Photo @entity {
  id: ID!
  name: String! @search
  category: String
}

type Query {
  searchPhotos(query: String!, first: Int = 10, after: String, where: PhotoFilter): PhotoSearchConnection!
}
\`\`\`

finds photos by the words of their fields marked \`@search\`, and of related objects that are part of their search documents, the best first. \`query\` takes words, \`"phrases"\`, \`prefix*\`, \`+must\` and \`-not\`, and never fails on its syntax. Each edge has a
\`score\` and \`highlights\` (\`field\`, and \`fragments\` of HTML in which what was found stands in \`<em>\`). \`where\` and arguments named like fields narrow the search. What the index finds is read from the database by one statement with the
caller's rules in it: a photo that they may not read, or that is gone, does not show and is not counted. \`totalCount\` counts without \`where\` as the index stands, with it exactly; it is null with the error \`GRAPH_SEARCH_TOO_BROAD\` where
that would mean to look at more than 10,000 hits. Outside the server, pass \`createGraph({ fullText })\`.

## Inputs

| Input field | Writes |
|---|---|
| named like a column, of its type | the column |
| \`postedBy: ID\`, \`postedByID: ID\`, \`taggedUsers: [ID!]\` | the relation, by key; a list replaces what was there |
| \`album: AlbumInput\` with the fields of the target | creates the related object |
| \`album: { create, connect, disconnect, delete }\`, \`tags: { create, connect, disconnect, set, delete }\` | as the words say, as far as the input offers them |
| \`cover: ItemKey\` with \`input ItemKey @oneOf { Photo: ID User: ID }\` | a relation to an interface or union, by type and key; a list of it, or \`{ connect, disconnect, set }\`, for a list |
`;

/** The page. */
export function printSchemaReferencePage(): string {
  const lines = [
    '# Schema: directives and conventions',
    '',
    'The directives are generated from what the engine declares, by `npm run docs`.',
    '',
    '## Directives',
  ];
  for (const definition of parse(DIRECTIVES_SDL).definitions) {
    if (definition.kind === Kind.DIRECTIVE_DEFINITION) {
      const places = definition.locations
        .map((location) => location.value.toLowerCase().replaceAll('_', ' '))
        .join(', ');
      lines.push(
        '',
        `### @${definition.name.value}`,
        '',
        text(definition.description),
        '',
        `On: ${places}${definition.repeatable ? '; repeatable' : ''}.`,
      );
      const args = definition.arguments ?? [];
      if (args.length > 0) {
        lines.push('', '| Argument | Type | Meaning |', '|---|---|---|');
        for (const arg of args)
          lines.push(`| \`${arg.name.value}\` | \`${print(arg.type)}\` | ${text(arg.description)} |`);
      }
    }
    if (definition.kind === Kind.ENUM_TYPE_DEFINITION) {
      lines.push('', `### enum ${definition.name.value}`, '', '| Value | Meaning |', '|---|---|');
      for (const value of definition.values ?? [])
        lines.push(`| \`${value.name.value}\` | ${text(value.description)} |`);
    }
  }
  lines.push('', CONVENTIONS.trimEnd());
  return `${lines.join('\n')}\n`;
}

function text(description: StringValueNode | undefined): string {
  return (description?.value ?? '').replaceAll('|', '\\|').replaceAll('\n', ' ');
}
