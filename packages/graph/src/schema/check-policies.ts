// Checks every @auth rule: its names, its types, and for read rules whether the database can evaluate it. Problems are
// collected with those of the rest of the schema.
import { isNonNullType } from 'graphql';
import { compileExpression, isProductError } from '@lockstitch/kernel';
import { checkReadRule } from '../plan/lower-rule.ts';
import { rowShapeOf } from '../write/row-shape.ts';
import { declaredField } from './declared-field.ts';
import { storedColumnsOf, type Entity, type Field, type Model } from './model.ts';
import type { Problems } from './problems.ts';

/** Checks the rules of all types and fields. */
export function checkPolicies(model: Pick<Model, 'entities' | 'schema'>, problems: Problems): void {
  for (const entity of model.entities.values()) {
    checkRules(model, entity, entity, entity.name, problems);
    if (entity.auth?.deniedIsNull === true)
      problems.addAt(
        entity.location,
        `@auth(denied:) of ${entity.name} is for fields: hidden objects are missing.`,
        'Put it on fields with read rules.',
      );
    checkKeyParts(entity, problems);
    for (const field of entity.fields.values()) {
      const name = `${entity.name}.${field.name}`;
      checkRules(model, entity, field, name, problems);
      checkDenied(model, entity, field, name, problems);
    }
  }
}

/**
 * Refuses pages by cursor of types whose keys have a read rule: a cursor holds the key of its row, also where the
 * caller may not read it. Not so lists, whose order tells at most which of two hidden keys is smaller.
 */
export function checkCursors(model: Model, problems: Problems): void {
  const paged = new Map<string, string>();
  const note = (type: string, name: string): void => {
    for (const member of model.abstractTypes.get(type) ?? [type]) if (!paged.has(member)) paged.set(member, name);
  };
  for (const [name, root] of model.roots) if (root.kind === 'connection') note(root.type, name);
  for (const entity of model.entities.values()) {
    for (const field of entity.fields.values()) {
      const of = field.kind === 'form' && field.form === 'connection' ? entity.fields.get(field.of) : field;
      if (of?.kind === 'relation' && (of !== field || of.connection)) note(of.target, `${entity.name}.${field.name}`);
    }
  }
  for (const [type, name] of paged) {
    const key = model.entities.get(type)?.key;
    if (key?.auth?.read === undefined) continue;
    problems.addAt(
      key.location,
      `Cursors of ${name} show keys of ${type}, and ${type}.${key.name} has a read rule.`,
      `Put the rule on the type ${type}, take another field as key, or return a list.`,
    );
  }
}

/** A key of several fields shows them, so it needs their rules. */
function checkKeyParts(entity: Entity, problems: Problems): void {
  const { key } = entity;
  for (const field of entity.fields.values()) {
    if (field === key) continue;
    if (field.auth?.read === undefined || field.auth.read === key.auth?.read) continue;
    if (!storedColumnsOf(field).some((column) => key.parts?.includes(column))) continue;
    problems.addAt(
      field.location,
      `The key ${entity.name}.${key.name} shows ${entity.name}.${field.name}, which has a read rule.`,
      `Put the rule on the type ${entity.name}, or the same rule on ${key.name}.`,
    );
  }
}

/** A withheld value can be null only where the schema promises none. */
function checkDenied(
  { schema }: Pick<Model, 'schema'>,
  entity: Entity,
  field: Field,
  name: string,
  problems: Problems,
): void {
  if (field.auth?.deniedIsNull !== true) return;
  const report = (problem: string, remedy: string): void =>
    problems.addAt(field.location, `@auth(denied: NULL) of ${name} ${problem}`, remedy);
  if (field.auth.read === undefined) report('has no read rule.', 'Write read too: which callers may read it.');
  else if (field.kind === 'resolver') report('is answered by a resolver.', 'Let the resolver return null.');
  else if (isNonNullType(declaredField(schema, entity.name, field.name).type))
    report('can never be null.', 'Remove the "!" behind its type.');
}

function checkRules(
  model: Pick<Model, 'entities' | 'schema'>,
  entity: Entity,
  at: Entity | Field,
  name: string,
  problems: Problems,
): void {
  for (const action of ['read', 'create', 'update', 'delete', 'readDeleted', 'purge'] as const) {
    const text = at.auth?.[action];
    if (text === undefined) continue;
    try {
      const access = compileExpression(text, { row: rowShapeOf(entity, model) });
      if (action === 'read') checkReadRule(model, entity, access);
    } catch (error) {
      if (!isProductError(error)) throw error;
      problems.addAt(at.location, `@auth(${action}:) of ${name}: ${error.message}`, error.hint);
    }
  }
}
