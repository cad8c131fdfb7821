// The text of an operation for traces: without the values that clients wrote into it, and without comments.
import { type DocumentNode, type GraphQLSchema, isInputObjectType, Kind, parse, TokenKind, visit } from 'graphql';

/** What stands in place of a value; `_` for enum values, Booleans and null, which are names. */
const REDACTED: Readonly<Record<string, string>> = {
  [TokenKind.INT]: '0',
  [TokenKind.FLOAT]: '0.0',
  [TokenKind.STRING]: '""',
  [TokenKind.BLOCK_STRING]: '""',
  [TokenKind.COMMENT]: '',
  [TokenKind.NAME]: '_',
};

/** Longest text, in characters. */
const LONGEST = 10_000;

/** The names of all input fields: other names of members in a document are those of a JSON value. */
export function inputNamesOf(schema: GraphQLSchema): ReadonlySet<string> {
  const types = Object.values(schema.getTypeMap()).filter(isInputObjectType);
  return new Set(types.flatMap((type) => Object.keys(type.getFields())));
}

/** Nothing is shown of a document that cannot be parsed: what is a value in it is unknown. */
export function redactDocument(text: string, inputNames: ReadonlySet<string>): string {
  let document: DocumentNode;
  try {
    document = parse(text);
  } catch {
    return '…';
  }
  const hidden = namesOfValues(document, inputNames);
  let shown = '';
  let end = 0;
  for (let token = document.loc?.startToken.next; token && token.kind !== TokenKind.EOF; token = token.next) {
    const isShown = token.kind === TokenKind.NAME && !hidden.has(token.start);
    const plain = text.slice(token.start, token.end);
    shown += text.slice(end, token.start) + (isShown ? plain : (REDACTED[token.kind] ?? plain));
    end = token.end;
    if (shown.length > LONGEST) return `${shown.slice(0, LONGEST)} …`;
  }
  return shown;
}

/** The places of names that are values, or members of JSON values. */
function namesOfValues(document: DocumentNode, inputNames: ReadonlySet<string>): ReadonlySet<number> {
  const places = new Set<number>();
  visit(document, {
    enter(node) {
      const { kind } = node;
      const isValue = kind === Kind.ENUM || kind === Kind.BOOLEAN || kind === Kind.NULL;
      if (isValue && node.loc !== undefined) places.add(node.loc.start);
      else if (kind === Kind.OBJECT_FIELD && node.name.loc !== undefined && !inputNames.has(node.name.value))
        places.add(node.name.loc.start);
    },
  });
  return places;
}
