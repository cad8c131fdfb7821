// Builds the fields with `@nodeId` of stored types. Not here: which fields have it (node-ids.ts), and values
// (plan/node-id.ts).
import type { GraphQLField, GraphQLObjectType } from 'graphql';
import type { BuildContext } from './build-field.ts';
import type { ColumnField, Field, NodeIdField } from './model.ts';
import { joinRules } from './relation-forms.ts';

/** Directives that say where a value is stored, or what it may be. */
const OF_STORED_VALUES: ReadonlySet<string> = new Set(
  'column constraint default id index readOnly relation renamedFrom search unique unmanaged'.split(' '),
);

/** Builds a field with `@nodeId`. */
export function buildNodeId(
  { problems }: BuildContext,
  type: GraphQLObjectType,
  field: GraphQLField<unknown, unknown>,
  base: Omit<NodeIdField, 'kind'>,
): NodeIdField {
  const coordinate = `${type.name}.${field.name}`;
  if (String(field.type) !== 'ID!' || field.args.length > 0)
    problems.add(
      field.astNode,
      `${coordinate} is a node id, and its type is ${String(field.type)}${field.args.length > 0 ? ' with arguments' : ''}.`,
      `Write "${field.name}: ID! @nodeId".`,
    );
  const wrong = field.astNode?.directives?.find(({ name }) => OF_STORED_VALUES.has(name.value));
  if (wrong !== undefined)
    problems.add(
      wrong,
      `${coordinate} has @nodeId and @${wrong.name.value}, and a node id is not stored.`,
      'Remove one of them.',
    );
  return { ...base, search: undefined, kind: 'nodeId' };
}

interface CompletedEntity {
  readonly name: string;
  readonly key: ColumnField;
  readonly fields: Map<string, Field>;
}

/** Checks that node ids can hold the key, and adds its read rule to theirs, because they show it. */
export function completeNodeIds({ problems }: BuildContext, entity: CompletedEntity): void {
  const { key, fields } = entity;
  for (const field of fields.values()) {
    if (field.kind !== 'nodeId') continue;
    if (key.storage !== 'integer' && key.storage !== 'text')
      problems.addAt(
        field.location,
        `${entity.name}.${field.name} is a node id, and the key ${key.name} is ${key.typeName}.`,
        'Take a key of type ID, String, Int, BigInt or UUID, or an enum.',
      );
    fields.set(field.name, { ...field, auth: joinRules(key.auth, field.auth, false) });
  }
}
