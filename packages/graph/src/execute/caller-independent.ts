// Decides whether the answer to a query is the same for every caller: it reads no type or field with a read rule, and
// calls no resolver, full-text search or introspection. Decided from the text alone, and against sharing where in doubt.
import {
  BREAK,
  getNamedType,
  isCompositeType,
  OperationTypeNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { type ArgumentBindings, entityOf, type Entity, type Model } from '../schema/model.ts';

/** Root fields that read only stored rows. */
const READS: ReadonlySet<string> = new Set(['lookup', 'list', 'connection', 'count', 'aggregates', 'groups']);
/** Arguments that name fields of other types. */
const FAR: ReadonlySet<string> = new Set(['where', 'orderBy', 'sortBy', 'groupBy', 'having']);

/** Whether all callers get the same answer to an operation. */
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
        if (parent !== undefined && isFieldOpen(model, parent, node, types)) return undefined;
        isSame = false;
        return BREAK;
      },
    }),
  );
  return isSame;
}

function isFieldOpen(model: Model, parent: string, node: FieldNode, types: TypeInfo): boolean {
  const name = node.name.value;
  if (name === '__typename') return true;
  // `__schema` and `__type` depend on who may introspect.
  if (name.startsWith('__') || model.answered.has(`${parent}.${name}`)) return false;
  const output = types.getType();
  const named = output === undefined || output === null ? undefined : getNamedType(output);
  if (named !== undefined && isCompositeType(named) && !areOpen(membersOf(model, named.name))) return false;
  if (parent === model.schema.getQueryType()?.name) {
    const root = model.roots.get(`${parent}.${name}`);
    if (root === undefined || !READS.has(root.kind) || !('type' in root)) return false;
    return areOpen(reached(model, membersOf(model, root.type), root.arguments, node, types));
  }
  const [entity] = membersOf(model, parent);
  if (entity === undefined) return true;
  const fields = membersOf(model, parent).map((each) => each.fields.get(name));
  return fields.every((field) => {
    if (field === undefined || field.kind === 'column' || field.kind === 'nodeId') return true;
    if (field.kind === 'resolver') return false;
    const relation = field.kind === 'form' ? entity.fields.get(field.of) : field;
    if (relation?.kind !== 'relation') return false;
    return areOpen(reached(model, membersOf(model, relation.target), field.arguments, node, types));
  });
}

/** The types that a field reads: its own, and where an argument can look further, all related ones; undefined: deleted rows too. */
function reached(
  model: Model,
  own: readonly Entity[],
  bindings: ArgumentBindings,
  { arguments: given = [] }: FieldNode,
  types: TypeInfo,
): readonly Entity[] | undefined {
  // What the schema gives an argument applies where the operation gives none.
  const defaults = types.getFieldDef()?.args.filter((each) => each.default !== undefined || each.defaultValue != null);
  const names = [...given.map(({ name }) => name.value), ...(defaults ?? []).map(({ name }) => name)];
  // Whether deleted rows are visible depends on the caller.
  if (names.some((name) => bindings.get(name)?.kind === 'deleted')) return undefined;
  const looksFar = names.some((name) => {
    const binding = bindings.get(name);
    // A reference is compared by the key of its target.
    return binding?.kind === 'equals'
      ? own.some(({ fields }) => fields.get(binding.field)?.kind === 'relation')
      : FAR.has(binding?.kind ?? 'where');
  });
  if (!looksFar) return own;
  const found = new Set(own);
  for (const entity of found)
    for (const field of entity.fields.values())
      if (field.kind === 'relation') for (const target of membersOf(model, field.target)) found.add(target);
  return [...found];
}

function membersOf(model: Model, type: string): readonly Entity[] {
  const names = model.abstractTypes.get(type) ?? (model.entities.has(type) ? [type] : []);
  return names.map((name) => entityOf(model, name));
}

function areOpen(entities: readonly Entity[] | undefined): boolean {
  if (entities === undefined) return false;
  return entities.every(
    ({ auth, fields }) =>
      auth?.read === undefined && [...fields.values()].every((field) => field.auth?.read === undefined),
  );
}
