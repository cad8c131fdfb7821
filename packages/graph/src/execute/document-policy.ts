// The read rules of a type's search documents, split into document inputs and caller values: the rule of the type, of
// its fields, and of embedded objects. Also lists the other rows that the inputs depend on. Not here: how an index
// evaluates them.
import { childrenOf, compileExpression, dependsOnRow, type Expression, isProductError } from '@lockstitch/kernel';
import { isAboutCaller, type RuleForm, type RuleInput } from '../plan/rule-form.ts';
import { Constants } from '../plan/caller-part.ts';
import type { Taken } from '../plan/row-part.ts';
import { splitRule } from '../plan/split-rule.ts';
import {
  entityOf,
  type Entity,
  type Field,
  type Model,
  type RelationField,
  type SourceLocation,
} from '../schema/model.ts';
import type { SchemaProblem } from '../schema/problems.ts';
import { rowShapeOf } from '../write/row-shape.ts';
import { type EmbeddedPath, embeddedPaths, embeddedRelations, searchDocumentShape } from './document-shape.ts';
import { last, required } from '../present.ts';

/** One rule over documents. */
export interface DocumentRule {
  /** The document field that the rule protects, with its subfields; '' is the whole document. */
  readonly path: string;
  /** Schema coordinate of the rule: `Photo`, `Photo.description`. */
  readonly of: string;
  readonly text: string;
  readonly form: RuleForm;
}

/** Rows of other types that a document, or an input of its rules, is computed from. */
export interface Dependency {
  /** The relations from the document's row to them. */
  readonly path: readonly RelationField[];
  /** The types along `path`, the document's own first. */
  readonly entities: readonly Entity[];
  /** A field of the last type. */
  readonly field: string;
}

/** The rules of a type's documents. */
export interface DocumentPolicy {
  readonly rules: readonly DocumentRule[];
  /** The rules' inputs, by dotted name. */
  readonly inputs: readonly RuleInput[];
  /** Inputs per embedded relation; '' is the document's own row. */
  readonly inputsOf: ReadonlyMap<string, readonly RuleInput[]>;
  readonly dependencies: readonly Dependency[];
  /** What reading the inputs binds. */
  readonly constants: Constants;
}

/** Reads the rules. A rule that no index can evaluate is reported as a problem and left out. */
export function readDocumentPolicy(
  model: Pick<Model, 'entities' | 'schema'>,
  entity: Entity,
): { readonly policy: DocumentPolicy; readonly problems: readonly SchemaProblem[] } {
  const rules: DocumentRule[] = [];
  const problems: SchemaProblem[] = [];
  const dependencies: Dependency[] = [];
  const constants = new Constants();
  const inputsOf = new Map<string, readonly RuleInput[]>();
  const paths = searchDocumentShape(model, entity).map(({ path }) => path);
  const shown = (path: string): boolean => paths.some((each) => each === path || each.startsWith(`${path}.`));

  const read = (
    owner: Entity,
    at: Entity | Field,
    path: string,
    taken: Taken,
    through: RelationField | undefined,
    deep?: EmbeddedPath,
  ): void => {
    const of = at === owner ? owner.name : `${owner.name}.${at.name}`;
    try {
      const prefix = through === undefined ? '' : `of.${through.name}.`;
      const split = splitRule(model, owner, at, prefix, taken);
      if (split === undefined) return;
      const about = isAboutCaller(split.form);
      if (!about && deep === undefined && through?.many === true) {
        const remedy = `Rules about the caller alone, hasRole('ADMIN') say, are possible here; else write @search(embed: false) at ${entity.name}.${through.name}, and search ${owner.name} by itself.`;
        problems.push(problem(at.location ?? entity.location, manyMessage(entity, through, of), remedy));
        return;
      }
      if (!about && deep !== undefined) {
        const names = deep.path.map(({ name }) => name);
        const remedy = `Rules about the caller alone, hasRole('ADMIN') say, are possible here; else write @search(depth: ${names.length - 1}) at ${entity.name}.${names[0]}.`;
        const message = `Documents of ${entity.name} hold the objects of "${names.join('.')}" through others, and the rule @auth(read:) of ${of} decides by their rows: search can do that for objects next to the document only.`;
        problems.push(problem(at.location ?? entity.location, message, remedy));
        return;
      }
      if (path === entity.key.name && through === undefined) {
        problems.push(
          problem(
            at.location,
            `The rule @auth(read:) of ${of} cannot hold in search, where every hit shows its key.`,
            `Put the rule on the type ${owner.name}, or take @search away.`,
          ),
        );
        return;
      }
      rules.push({ path, of, text: split.text, form: split.form });
      // A rule about the caller alone depends on no row.
      if (deep === undefined)
        dependencies.push(...ruleDependencies(model, owner, required(at.auth?.read, 'the read rule'), through, entity));
    } catch (error) {
      if (!isProductError(error)) throw error;
      problems.push(problem(at.location, `@auth(read:) of ${of}: ${error.message}`, error.hint ?? ''));
    }
  };

  const own: Taken = { taken: new Map(), constants };
  read(entity, entity, '', own, undefined);
  for (const field of entity.fields.values()) if (shown(field.name)) read(entity, field, field.name, own, undefined);
  if (own.taken.size > 0) inputsOf.set('', [...own.taken.values()]);
  for (const relation of embeddedRelations(model, entity)) {
    const target = entityOf(model, relation.target);
    const of: Taken = { taken: new Map(), constants };
    read(target, target, relation.name, of, relation);
    for (const field of target.fields.values()) {
      const path = `${relation.name}.${field.name}`;
      if (shown(path)) read(target, field, path, of, relation);
    }
    if (of.taken.size > 0) inputsOf.set(relation.name, [...of.taken.values()]);
  }
  for (const embedded of embeddedPaths(model, entity)) {
    const { path: relations, target } = embedded;
    if (relations.length < 2) continue;
    const none: Taken = { taken: new Map(), constants };
    const prefix = relations.map(({ name }) => name).join('.');
    read(target, target, prefix, none, relations.at(-1), embedded);
    for (const field of target.fields.values()) {
      const path = `${prefix}.${field.name}`;
      if (shown(path)) read(target, field, path, none, relations.at(-1), embedded);
    }
  }
  return { policy: { rules, inputs: [...inputsOf.values()].flat(), inputsOf, dependencies, constants }, problems };
}

function problem(location: SourceLocation | undefined, message: string, remedy: string): SchemaProblem {
  return { location, message, remedy };
}

function manyMessage(entity: Entity, relation: RelationField, of: string): string {
  return `Documents of ${entity.name} hold the objects of "${relation.name}" side by side, and the rule @auth(read:) of ${of} shows some of them and hides others: search cannot keep them apart.`;
}

/** The fields of other rows that a rule reads, and the relations it follows. */
function ruleDependencies(
  model: Pick<Model, 'entities' | 'schema'>,
  owner: Entity,
  rule: string,
  through: RelationField | undefined,
  indexed: Entity,
): readonly Dependency[] {
  const { expression } = compileExpression(rule, { row: rowShapeOf(owner, model) });
  const found: Dependency[] = [];
  interface Place {
    readonly path: readonly RelationField[];
    readonly entities: readonly Entity[];
  }
  const root: Place =
    through === undefined
      ? { path: [], entities: [indexed] }
      : { path: [through], entities: [indexed, entityOf(model, through.target)] };
  const locals = new Map<string, Place>();
  /** Records what a node reads; returns the relation path if the node is a row. */
  const visit = (node: Expression): Place | undefined => {
    if (!dependsOnRow(node)) return undefined;
    if (node.kind === 'field' || node.kind === 'member') {
      const from = node.kind === 'field' ? root : visit(node.target);
      const field = from?.entities.at(-1)?.fields.get(node.name);
      if (from === undefined || field === undefined) return undefined;
      found.push({ ...from, field: node.name });
      if (field.kind !== 'relation') return undefined;
      const target = model.entities.get(field.target);
      return target === undefined ? undefined : { path: [...from.path, field], entities: [...from.entities, target] };
    }
    if (node.kind === 'local') return locals.get(node.name);
    if (node.kind === 'quantifier') {
      const rows = visit(node.target);
      const shadowed = locals.get(node.parameter);
      if (rows !== undefined) locals.set(node.parameter, rows);
      visit(node.body);
      if (shadowed === undefined) locals.delete(node.parameter);
      else locals.set(node.parameter, shadowed);
      return undefined;
    }
    for (const child of childrenOf(node)) visit(child);
    return undefined;
  };
  visit(expression);
  return found;
}

/** Every field that some rule reads, of reads or of writes, as `Type.field`; the results of rules depend on them. */
export function fieldsReadByRules(model: Pick<Model, 'entities' | 'schema'>): ReadonlySet<string> {
  const found = new Set<string>();
  for (const entity of model.entities.values()) {
    for (const at of [entity, ...entity.fields.values()]) {
      const { create, delete: remove, purge, read, readDeleted, update } = at.auth ?? {};
      for (const rule of [create, remove, purge, read, readDeleted, update]) {
        if (rule === undefined) continue;
        for (const { entities, field } of ruleDependencies(model, entity, rule, undefined, entity))
          found.add(`${last(entities).name}.${field}`);
      }
    }
  }
  return found;
}
