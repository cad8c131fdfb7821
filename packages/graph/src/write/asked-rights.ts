// What a mutation asks to do, known before its first statement: a caller whom the rules can never allow it is refused
// before the database could answer that a value is taken or that an object exists.
import type { Principal } from '@lockstitch/kernel';
import { graphErrors } from '../errors.ts';
import type { Entity, RelationField } from '../schema/model.ts';
import type { ObjectWrite } from './read-values.ts';
import type { RowGuard } from './write-unit.ts';

/** An action on objects of a type and on some of their fields. */
export interface AskedRight {
  readonly entity: Entity;
  readonly action: 'create' | 'update' | 'delete' | 'purge';
  readonly fields: Iterable<string>;
  /** The rule of the type is not asked: no row of it changes. */
  readonly fieldsOnly?: boolean;
  /** An upsert: either right may do. */
  readonly orUpdate?: boolean;
}

/** The rights to write an object and its nested objects. @param filled the field that its parent object fills */
export function* rightsOf(
  entity: Entity,
  action: 'create' | 'update',
  write: ObjectWrite,
  filled?: string,
): Iterable<AskedRight> {
  yield { entity, action, fields: filled === undefined ? write.given : [...write.given, filled] };
  yield* rightsOfRelated(write);
}

/** The rights to what an object's relations name. What the caller does not name depends on the rows. */
export function* rightsOfRelated({ relations }: ObjectWrite): Iterable<AskedRight> {
  for (const { field, target, set, connect, disconnect, create, remove } of relations) {
    const { kind } = field.storage;
    for (const each of create) yield* rightsOf(target, 'create', each, kind === 'inverse' ? field.inverse : undefined);
    if (remove.length > 0) yield { entity: target, action: 'delete', fields: [] };
    const joined = connect.length + (set?.length ?? 0);
    // A row is released only if it is one of the object's; join rows are asked about in any case.
    const more = kind === 'joinTable' ? disconnect.length + create.length : 0;
    if (joined + more > 0) yield* rightsToJoin(field, target);
  }
}

/** The rights at the other end of a relation whose objects are connected or disconnected. */
export function* rightsToJoin(field: RelationField, target: Entity): Iterable<AskedRight> {
  const { kind } = field.storage;
  if (field.inverse === undefined || (kind !== 'inverse' && kind !== 'joinTable')) return;
  yield { entity: target, action: 'update', fields: [field.inverse], fieldsOnly: kind === 'joinTable' };
}

/** @throws GRAPH_FORBIDDEN if a rule never grants the caller one of the rights, whatever the row is */
export function checkRights(
  { guard, principal, field }: { readonly guard: RowGuard; readonly principal: Principal; readonly field: string },
  rights: Iterable<AskedRight>,
): void {
  for (const { entity, action, fields, fieldsOnly = false, orUpdate = false } of rights) {
    const refused = guard.refuses(principal, entity, action, fields, fieldsOnly);
    if (refused === undefined) continue;
    if (orUpdate && guard.refuses(principal, entity, 'update', fields) === undefined) continue;
    const { what, path } = refused;
    throw graphErrors.create('GRAPH_FORBIDDEN', { field, action, what }, path === undefined ? {} : { path });
  }
}
