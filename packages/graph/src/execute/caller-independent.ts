// Decides from the text of a query whether its answer can be the same for every caller: it calls no resolver, full-text
// search or introspection. Whether a read rule has a say is known when it is executed (`GraphResponse.isRuleFree`).
import {
  BREAK,
  isAbstractType,
  Kind,
  OperationTypeNode,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { Model } from '../schema/model.ts';

/** Root fields that read only stored rows. */
const READS: ReadonlySet<string> = new Set(['lookup', 'list', 'connection', 'count', 'aggregates', 'groups']);

/** Whether all callers get the same answer to an operation if no read rule has a say. */
export function isCallerIndependent(
  model: Model,
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): boolean {
  if (operation.operation !== OperationTypeNode.QUERY) return false;
  const document = { kind: Kind.DOCUMENT, definitions: [operation, ...fragments.values()] } as const;
  const types = new TypeInfo(model.schema);
  let isSame = true;
  visit(
    document,
    visitWithTypeInfo(types, {
      Field(node) {
        const parent = types.getParentType()?.name;
        if (parent !== undefined && readsRowsOnly(model, parent, node.name.value)) return undefined;
        isSame = false;
        return BREAK;
      },
    }),
  );
  return isSame;
}

function readsRowsOnly(model: Model, parent: string, name: string): boolean {
  if (name === '__typename') return true;
  // `__schema` and `__type` depend on who may introspect.
  if (name.startsWith('__')) return false;
  if (parent === model.schema.getQueryType()?.name) return READS.has(model.roots.get(`${parent}.${name}`)?.kind ?? '');
  const types = model.abstractTypes.get(parent) ?? [parent];
  if (types.some((type) => isAbstractType(model.schema.getType(type)))) return false;
  return types.every(
    (type) => !model.answered.has(`${type}.${name}`) && model.entities.get(type)?.fields.get(name)?.kind !== 'resolver',
  );
}
