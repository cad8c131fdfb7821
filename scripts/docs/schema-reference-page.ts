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
| \`… sort: SortDirection = DESCENDING, sortBy: SortablePhotoField = created\` | a sorted page | enums whose values are \`ASCENDING\`/\`DESCENDING\` (or \`ASC\`/\`DESC\`) and names of fields |
| \`photosOf(category: PhotoCategory): [Photo!]!\` | a filtered list | arguments named like fields |
| \`activity(first: Int): [Activity!]!\` | a list of an interface or union | \`sortBy\` over fields they share |
| \`totalPhotos: Int!\`, \`photoCount(category: PhotoCategory): Int!\` | a count | |
| \`postPhoto(input: PostPhotoInput!): Photo!\` | a create | also create…, add…, new…, register… |
| \`updatePhoto(id: ID!, input: UpdatePhotoInput!): Photo!\` | an update | fields left out of the input stay |
| \`deletePhoto(id: ID!): Photo\` | a delete | answers what it was |
| \`tagPhoto(photoID: ID!, githubLogin: ID!): Photo!\` | a connection of two objects | \`untagPhoto\` takes it back |
| \`newPhoto: Photo!\`, \`photoChanged(id: ID): Photo!\` | a subscription | created, updated, deleted or any change, by the field's name |
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
