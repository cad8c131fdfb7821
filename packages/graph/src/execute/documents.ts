// Parses, limits and validates documents, and caches the results by text.
import { LruMap } from '@lockstitch/kernel';
import {
  GraphQLError,
  Kind,
  NoFragmentCyclesRule,
  parse,
  UniqueFragmentNamesRule,
  validate,
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type VariableDefinitionNode,
} from 'graphql';
import { graphErrors } from '../errors.ts';
import { estimateCost } from '../plan/cost.ts';
import { checkDocument, checkDocumentSize, type Limits } from '../plan/limits.ts';
import { checkTokens } from '../plan/nesting.ts';
import { checkRepetition } from '../plan/repetition.ts';
import type { MutationPlan } from '../plan/build-mutation-plan.ts';
import type { Plan } from '../plan/build-plan.ts';
import { codesOf, formatRequestErrors, toGraphQLError } from './format-error.ts';
import { inPhase, type Observer } from './observe.ts';
import { isKnownValid } from './validation-fast-path.ts';
import { createVariableReader, type ReadVariables } from './read-variables.ts';
import { createShapeKey, type ShapeKey } from './shape-key.ts';
import { validationRulesFor } from './validation-rules.ts';

/** `fallback`: graphql-js executes the operation. */
export type CachedPlan = Plan | MutationPlan | 'fallback';

/** An operation of a document, with the plans built so far. */
export interface PreparedOperation {
  readonly node: OperationDefinitionNode;
  readonly shapeKey: ShapeKey;
  readonly readVariables: ReadVariables;
  /** The estimate may exceed the limit, so the cost is computed per request. */
  readonly costly: boolean;
  /** By the shape of the variables and the caller's view; `fallback` if graphql-js must execute. */
  readonly plans: LruMap<string, CachedPlan>;
}

/** A document that can be executed. */
export interface PreparedDocument {
  readonly kind: 'document';
  /** The document with source locations; nodes of `operations` may have none. */
  readonly located: () => DocumentNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly operations: readonly PreparedOperation[];
  /** Some operation selects `__schema` or `__type`. */
  readonly introspects: boolean;
}

/** An invalid document, with the response body of its errors. */
export interface RefusedDocument {
  readonly kind: 'refused';
  readonly body: string;
  /** The code of each error. */
  readonly codes: readonly string[];
}

/** Size of the document cache. */
const DOCUMENT_LIMIT = 1000;
/** Size of the plan cache of one operation. */
const PLAN_LIMIT = 64;
/** Longer documents are not cached: a thousand of them would be 100 MB. */
const KEPT_LENGTH = 20_000;
/** Fragments and directives need all rules; graphql-js completes mutations and subscriptions from their own nodes. */
const NOT_PLAIN = /\.\.\.|@|\b(?:mutation|subscription)\b/;

/** Prepares documents and caches them. */
export class Documents {
  readonly #schema: GraphQLSchema;
  readonly #limits: Limits;
  readonly #open = new LruMap<string, PreparedDocument | RefusedDocument>(DOCUMENT_LIMIT);
  readonly #closed = new LruMap<string, PreparedDocument | RefusedDocument>(DOCUMENT_LIMIT);

  constructor(schema: GraphQLSchema, limits: Limits) {
    this.#schema = schema;
    this.#limits = limits;
  }

  /** `hideSuggestions`: for callers without introspection, "Did you mean" would reveal the schema word by word. */
  get(text: string, hideSuggestions: boolean, observer?: Observer): PreparedDocument | RefusedDocument {
    const kept = hideSuggestions ? this.#closed : this.#open;
    const known = kept.get(text);
    if (known !== undefined) return known;
    const prepared = this.#prepare(text, hideSuggestions, observer);
    if (text.length <= KEPT_LENGTH) kept.set(text, prepared);
    return prepared;
  }

  #prepare(text: string, hideSuggestions: boolean, observer: Observer | undefined): PreparedDocument | RefusedDocument {
    let document: DocumentNode;
    try {
      checkDocumentSize(text, this.#limits);
      checkTokens(text, this.#limits);
      const plain = NOT_PLAIN.test(text) ? undefined : this.#preparePlain(text, observer);
      if (plain !== undefined) return plain;
      document = inPhase(observer, 'parse', () => parse(text));
      checkDocument(document, this.#limits);
      const fragments = fragmentsOf(document);
      if (fragments.size > 0) {
        // Rules that follow fragments, and our own count, require that fragments have no cycles.
        const endless = validate(this.#schema, document, [UniqueFragmentNamesRule, NoFragmentCyclesRule], {
          maxErrors: 5,
        });
        if (endless.length > 0) return refused(endless, 'GRAPH_VALIDATION');
      }
      checkRepetition(document, fragments);
    } catch (error) {
      const code = error instanceof GraphQLError ? 'GRAPH_SYNTAX' : 'GRAPH_REQUEST_INVALID';
      return refused([toGraphQLError(error)], code);
    }
    const errors = inPhase(observer, 'validate', () =>
      isKnownValid(this.#schema, document)
        ? []
        : validate(this.#schema, document, validationRulesFor(document, text), { maxErrors: 50, hideSuggestions }),
    );
    // graphql-js takes too long to compare many repeated fields.
    const told = errors.map((error) =>
      error.message === 'Validation aborted.' ? toGraphQLError(graphErrors.create('GRAPH_TOO_REPETITIVE')) : error,
    );
    if (told.length > 0) return refused(told, 'GRAPH_VALIDATION');
    return this.#outline(document, text, () => document);
  }

  /**
   * A query that is certainly valid is parsed without locations, in half the time; a location keeps all tokens of the
   * document in memory. For errors it is parsed again. Undefined if validity is uncertain.
   */
  #preparePlain(text: string, observer: Observer | undefined): PreparedDocument | undefined {
    const document = inPhase(observer, 'parse', () => parse(text, { noLocation: true }));
    checkDocument(document, this.#limits);
    if (!inPhase(observer, 'validate', () => isKnownValid(this.#schema, document))) return undefined;
    let located: DocumentNode | undefined;
    return this.#outline(document, text, () => (located ??= parse(text)));
  }

  #outline(document: DocumentNode, text: string, located: () => DocumentNode): PreparedDocument {
    const fragments = fragmentsOf(document);
    const operations: PreparedOperation[] = [];
    for (const node of document.definitions) {
      if (node.kind === Kind.OPERATION_DEFINITION) {
        const costly = estimateCost(this.#schema, node, fragments, this.#limits) > this.#limits.cost;
        operations.push({
          node,
          costly,
          shapeKey: createShapeKey(this.#schema, node, fragments),
          readVariables: createVariableReader(this.#schema, node),
          plans: new LruMap(PLAN_LIMIT),
        });
      }
    }
    return { kind: 'document', located, fragments, operations, introspects: /\b__(schema|type)\b/.test(text) };
  }
}

function fragmentsOf(document: DocumentNode): Map<string, FragmentDefinitionNode> {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of document.definitions) {
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  }
  return fragments;
}

function refused(errors: readonly GraphQLError[], code: string): RefusedDocument {
  const formatted = formatRequestErrors(errors, code);
  return { kind: 'refused', body: JSON.stringify({ errors: formatted }), codes: codesOf(formatted) };
}

/** The variable definitions of an operation, with locations for errors. */
export function locatedDefinitions(
  prepared: PreparedDocument,
  { node }: PreparedOperation,
): readonly VariableDefinitionNode[] {
  for (const each of prepared.located().definitions) {
    if (each.kind === Kind.OPERATION_DEFINITION && each.name?.value === node.name?.value)
      return each.variableDefinitions ?? [];
  }
  return node.variableDefinitions ?? [];
}

/** The operation by name, or the only one; undefined if graphql-js must report an error. */
export function findOperation(
  prepared: PreparedDocument,
  name: string | null | undefined,
): PreparedOperation | undefined {
  const { operations } = prepared;
  if (name === undefined || name === null) return operations.length === 1 ? operations[0] : undefined;
  return operations.find((operation) => operation.node.name?.value === name);
}
