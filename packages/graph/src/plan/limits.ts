// Limits of one operation, checked before anything expensive happens. Each limit has its own error code.
import {
  Kind,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { graphErrors } from '../errors.ts';

/** Limits of one operation. */
export interface Limits {
  /** Characters of the document. Default 100,000. */
  readonly documentSize: number;
  /** Lexical tokens of the document. Default 5,000. */
  readonly tokens: number;
  /** Levels of nested brackets of any kind, in the document and in the variables. Default 100. */
  readonly nesting: number;
  /** Levels of nested fields, fragments followed. Default 15; introspection has its own 20. */
  readonly depth: number;
  /** Aliases in the document. Default 100. */
  readonly aliases: number;
  /** Directives in the document. Default 100. */
  readonly directives: number;
  /** Fields selected, fragments followed. Default 5,000. */
  readonly fields: number;
  /**
   * Estimated cost: objects that may be returned and the fields selected of each (adjusted by @cost and @listSize).
   * Default 250,000. A page of 1,000 objects with ten fields costs 11,000.
   */
  readonly cost: number;
  /** Largest page size for `first` and `last`. Default 1,000. */
  readonly pageSize: number;
  /** Objects that one mutation field may change or delete by a filter. Default 10,000. */
  readonly writeSize: number;
  /** Bytes of one response, and of the data read for it. Default 16 MiB. */
  readonly answerSize: number;
  /** Milliseconds an operation may take. Default 10,000. */
  readonly time: number;
}

export const DEFAULT_LIMITS: Limits = {
  documentSize: 100_000,
  tokens: 5000,
  nesting: 100,
  depth: 15,
  aliases: 100,
  directives: 100,
  fields: 5000,
  cost: 250_000,
  pageSize: 1000,
  writeSize: 10_000,
  answerSize: 16 * 1024 * 1024,
  time: 10_000,
};

/** Nesting limit of introspection queries: the standard one has 13 levels, nine of them `ofType`. */
const INTROSPECTION_DEPTH = 20;

/** Rejects a document that is too long to parse. */
export function checkDocumentSize(text: string, limits: Limits): void {
  if (text.length > limits.documentSize)
    throw graphErrors.create('GRAPH_DOCUMENT_TOO_LARGE', { size: text.length, limit: limits.documentSize });
}

/** Counts aliases, directives, fields and levels of a parsed document, in time linear in its size. */
export function checkDocument(document: DocumentNode, limits: Limits): void {
  const fragments = new Map<string, FragmentDefinitionNode>();
  const operations: OperationDefinitionNode[] = [];
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
    else if (definition.kind === Kind.OPERATION_DEFINITION) operations.push(definition);
  }
  countPlain(document, limits);
  const measured = new Map<string, Measure>();
  for (const operation of operations) {
    const { depth, introspectionDepth, fields } = measure(operation.selectionSet, fragments, measured, new Set());
    if (depth > limits.depth) throw graphErrors.create('GRAPH_TOO_DEEP', { depth, limit: limits.depth });
    if (introspectionDepth > INTROSPECTION_DEPTH)
      throw graphErrors.create('GRAPH_TOO_DEEP', { depth: introspectionDepth, limit: INTROSPECTION_DEPTH });
    if (fields > limits.fields)
      throw graphErrors.create('GRAPH_TOO_MANY_FIELDS', { count: fields, limit: limits.fields });
  }
}

interface Measure {
  readonly depth: number;
  readonly introspectionDepth: number;
  readonly fields: number;
}

/** Each fragment is measured once; fragments that double each other cost no more than their own size. */
function measure(
  set: SelectionSetNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  measured: Map<string, Measure>,
  open: Set<string>,
): Measure {
  let depth = 0;
  let introspectionDepth = 0;
  let fields = 0;
  for (const selection of set.selections) {
    if (selection.kind === Kind.FIELD) {
      const below =
        selection.selectionSet === undefined ? EMPTY : measure(selection.selectionSet, fragments, measured, open);
      fields += 1 + below.fields;
      if (isIntrospection(selection))
        introspectionDepth = Math.max(introspectionDepth, 1 + below.depth, 1 + below.introspectionDepth);
      else {
        depth = Math.max(depth, 1 + below.depth);
        introspectionDepth = Math.max(
          introspectionDepth,
          below.introspectionDepth === 0 ? 0 : 1 + below.introspectionDepth,
        );
      }
      continue;
    }
    let below: Measure;
    if (selection.kind === Kind.INLINE_FRAGMENT) below = measure(selection.selectionSet, fragments, measured, open);
    else {
      const name = selection.name.value;
      const fragment = fragments.get(name);
      // A fragment cycle is a validation error, reported later.
      if (fragment === undefined || open.has(name)) continue;
      open.add(name);
      below = measured.get(name) ?? measure(fragment.selectionSet, fragments, measured, open);
      open.delete(name);
      measured.set(name, below);
    }
    depth = Math.max(depth, below.depth);
    introspectionDepth = Math.max(introspectionDepth, below.introspectionDepth);
    fields += below.fields;
  }
  return { depth, introspectionDepth, fields };
}

const EMPTY: Measure = { depth: 0, introspectionDepth: 0, fields: 0 };

function isIntrospection(field: FieldNode): boolean {
  return field.name.value === '__schema' || field.name.value === '__type';
}

function countPlain(document: DocumentNode, limits: Limits): void {
  let aliases = 0;
  let directives = 0;
  const walk = (set: SelectionSetNode): void => {
    for (const selection of set.selections) {
      directives += selection.directives?.length ?? 0;
      if (selection.kind === Kind.FIELD && selection.alias !== undefined) aliases++;
      if ('selectionSet' in selection && selection.selectionSet !== undefined) walk(selection.selectionSet);
    }
  };
  for (const definition of document.definitions) {
    if (!('selectionSet' in definition) || definition.selectionSet === undefined) continue;
    directives += definition.directives?.length ?? 0;
    walk(definition.selectionSet);
  }
  if (aliases > limits.aliases)
    throw graphErrors.create('GRAPH_TOO_MANY_ALIASES', { count: aliases, limit: limits.aliases });
  if (directives > limits.directives)
    throw graphErrors.create('GRAPH_TOO_MANY_DIRECTIVES', { count: directives, limit: limits.directives });
}
