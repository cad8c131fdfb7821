// Evaluates @auth(create:, update:, delete:) of types and fields, and @auth(read:) for rows that a write touches: a
// hidden row does not exist. The kernel evaluates rules on the row in the transaction, with exactly the related rows
// that the expression reads.
import { type AccessExpression, compileExpression, type Expression, type Principal } from '@lockstitch/kernel';
import { graphErrors } from '../errors.ts';
import type { AuthRules, Model, RelationField } from '../schema/model.ts';
import { canGrant, grantsAll } from './can-grant.ts';
import type { EntityTable, StoredRow } from './entity-table.ts';
import { joinedKeys } from './join-rows.ts';
import { rowShapeOf } from './row-shape.ts';
import { type ReadUnit, type RowGuard, tableOf } from './write-unit.ts';

/** Limits how deep and how many related rows a rule may read, and thereby the cost of a write. */
const MAX_ROWS = 10_000;

/** A rule and the related rows it reads. */
interface Rule {
  readonly rule: AccessExpression;
  readonly needs: Needs;
  /** Whether the row alone decides the rule. */
  readonly alone: boolean;
}

/** The rules of a model. */
interface Rules {
  /** By what they are of: `Photo update`, `Photo.name read`. */
  readonly compiled: ReadonlyMap<string, Rule>;
  /** `Photo update` if the type or one of its fields has such a rule. */
  readonly ruled: ReadonlySet<string>;
}

function compileRules(model: Model): Rules {
  const compiled = new Map<string, Rule>();
  const ruled = new Set<string>();
  for (const entity of model.entities.values()) {
    const row = rowShapeOf(entity, model);
    const add = (name: string, rules: AuthRules | undefined, location: string): void => {
      for (const action of ['read', 'create', 'update', 'delete', 'readDeleted', 'purge'] as const) {
        const text = rules?.[action];
        if (text === undefined) continue;
        const rule = compileExpression(text, { row, location });
        const needs = needsOf(rule.expression);
        const alone = [...needs.below.keys()].every((field) => entity.fields.get(field)?.kind !== 'relation');
        compiled.set(`${name} ${action}`, { rule, needs, alone });
        ruled.add(`${entity.name} ${action}`);
      }
    };
    add(entity.name, entity.auth, placeOf(entity));
    for (const field of entity.fields.values()) add(`${entity.name}.${field.name}`, field.auth, placeOf(field));
  }
  return { compiled, ruled };
}

/** Creates the guard of a model. @throws an EXPRESSION_… error with the location of an invalid rule */
export function createRowGuard(model: Model): RowGuard {
  const { compiled, ruled } = compileRules(model);
  /** By caller and rule: whether it can grant them anything. */
  const possible = new WeakMap<Principal, Map<Rule, boolean>>();
  const isPossible = (rule: Rule, principal: Principal): boolean => {
    let known = possible.get(principal);
    if (known === undefined) possible.set(principal, (known = new Map()));
    let decided = known.get(rule);
    if (decided === undefined) known.set(rule, (decided = canGrant(rule.rule, principal)));
    return decided;
  };

  async function grants(unit: ReadUnit, table: EntityTable, row: StoredRow, name: string): Promise<boolean> {
    const known = compiled.get(name);
    if (known === undefined) return true;
    const { rule, needs } = known;
    const shown = await load(unit, table, row, needs, { left: MAX_ROWS });
    return rule.decide({ principal: unit.principal, row: shown }).granted;
  }

  const checkFields: RowGuard['checkFields'] = async (unit, table, row, action, fields) => {
    for (const field of fields) {
      const what = `${table.entity.name}.${field}`;
      if (await grants(unit, table, row, `${what} ${action}`)) continue;
      throw graphErrors.create('GRAPH_FORBIDDEN', { field: unit.field, action, what }, { path: field });
    }
  };

  return {
    canSee: (unit, table, row) => grants(unit, table, row, `${table.entity.name} read`),
    canSeeDeleted: (unit, table, row) => grants(unit, table, row, `${table.entity.name} readDeleted`),
    async canFind(unit, table, row) {
      return (await this.canSee(unit, table, row)) && this.canRead(unit, table, row, table.entity.key.name);
    },
    canRead: (unit, table, row, field) => grants(unit, table, row, `${table.entity.name}.${field} read`),
    async deniedFields(unit, table, row) {
      const denied = new Set<string>();
      for (const field of table.entity.fields.values()) {
        if (field.auth?.read === undefined) continue;
        if (!(await this.canRead(unit, table, row, field.name))) denied.add(field.name);
      }
      return denied;
    },
    decideAlone(principal, entity, row, action, fields = []) {
      if (!ruled.has(`${entity.name} ${action}`)) return true;
      const names = [entity.name];
      for (const field of fields) names.push(`${entity.name}.${field}`);
      for (const name of names) {
        const known = compiled.get(`${name} ${action}`);
        if (known === undefined) continue;
        if (!known.alone) return undefined;
        if (!known.rule.decide({ principal, row }).granted) return false;
      }
      return true;
    },
    refuses(principal, entity, action, fields, fieldsOnly = false) {
      if (!ruled.has(`${entity.name} ${action}`)) return undefined;
      const refused = (what: string): boolean => {
        const rule = compiled.get(`${what} ${action}`);
        return rule !== undefined && !isPossible(rule, principal);
      };
      if (!fieldsOnly && refused(entity.name)) return { what: entity.name };
      if (action === 'delete' || action === 'purge') return undefined;
      for (const path of fields) {
        const what = `${entity.name}.${path}`;
        if (refused(what)) return { what, path };
      }
      return undefined;
    },
    allows(principal, { name }, action) {
      const known = compiled.get(`${name} ${action}`);
      return known === undefined || grantsAll(known.rule, principal);
    },
    hasRule: (entity, action) => ruled.has(`${entity.name} ${action}`),
    checkFields,
    async check(unit, table, row, action, fields = []) {
      const { name } = table.entity;
      if (!(await grants(unit, table, row, `${name} ${action}`)))
        throw graphErrors.create('GRAPH_FORBIDDEN', { field: unit.field, action, what: name });
      if (action !== 'delete' && action !== 'purge') await checkFields(unit, table, row, action, fields);
    },
  };
}

/** Evaluates no rules, for the owner of the database. */
export const OPEN_GUARD: RowGuard = {
  canSee: () => Promise.resolve(true),
  canSeeDeleted: () => Promise.resolve(true),
  canFind: () => Promise.resolve(true),
  canRead: () => Promise.resolve(true),
  deniedFields: () => Promise.resolve(new Set()),
  check: () => Promise.resolve(),
  checkFields: () => Promise.resolve(),
  decideAlone: () => true,
  refuses: () => undefined,
  allows: () => true,
  hasRule: () => false,
};

function placeOf(of: { readonly location: { file: string; line: number; column: number } | undefined }): string {
  return of.location === undefined ? 'schema' : `${of.location.file}:${of.location.line}:${of.location.column}`;
}

/** The related rows that an expression reads, as a tree of relation names. */
interface Needs {
  readonly below: Map<string, Needs>;
}

function needsOf(expression: Expression): Needs {
  const root: Needs = { below: new Map() };
  const locals = new Map<string, Needs>();
  const reach = (needs: Needs | undefined, name: string): Needs | undefined => {
    if (needs === undefined) return undefined;
    const known = needs.below.get(name) ?? { below: new Map() };
    needs.below.set(name, known);
    return known;
  };
  /** Visits a node; returns the needs of its value, if that is a row or rows. */
  const visit = (node: Expression): Needs | undefined => {
    switch (node.kind) {
      case 'field':
        return reach(root, node.name);
      case 'local':
        return locals.get(node.name);
      case 'member':
        return reach(visit(node.target), node.name);
      case 'quantifier': {
        const target = visit(node.target);
        const hidden = locals.get(node.parameter);
        if (target !== undefined) locals.set(node.parameter, target);
        visit(node.body);
        if (hidden === undefined) locals.delete(node.parameter);
        else locals.set(node.parameter, hidden);
        return undefined;
      }
      case 'call':
        if (node.target !== undefined) visit(node.target);
        node.arguments.forEach(visit);
        return undefined;
      case 'list':
        node.items.forEach(visit);
        return undefined;
      case 'not':
      case 'negate':
        return visit(node.operand);
      case 'logical':
      case 'compare':
      case 'in':
      case 'arithmetic':
        visit(node.left);
        visit(node.right);
        return undefined;
      case 'conditional':
        visit(node.condition);
        visit(node.whenTrue);
        return visit(node.whenFalse);
      default:
        return undefined;
    }
  };
  visit(expression);
  return root;
}

async function load(
  unit: ReadUnit,
  table: EntityTable,
  row: StoredRow,
  needs: Needs,
  budget: { left: number },
  isGone = unit.gone !== undefined,
): Promise<Readonly<Record<string, unknown>>> {
  const shown: Record<string, unknown> = { ...table.snapshot(row) };
  for (const [name, below] of needs.below) {
    const field = table.entity.fields.get(name);
    if (field?.kind !== 'relation' || !unit.tables.has(field.target)) continue;
    const target = tableOf(unit, field.target);
    const rows = await (isGone
      ? formerlyRelated(unit, row, field, target)
      : // A list that contained the deleted row would now have a different meaning.
        unit.gone === field.target && field.many
        ? undefined
        : related(unit, table, row, field, target));
    budget.left -= rows?.length ?? 0;
    // Missing or beyond the limits: the field is absent, and absent values never grant access.
    if (rows === undefined || budget.left < 0) {
      delete shown[name];
      continue;
    }
    const loaded: Readonly<Record<string, unknown>>[] = [];
    for (const each of rows) loaded.push(await load(unit, target, each, below, budget, false));
    shown[name] = field.many ? loaded : (loaded[0] ?? null);
  }
  return shown;
}

/**
 * The former related rows of a deleted row; undefined if unknown. Its join rows and referring rows were deleted with
 * it, so a rule over them would reveal what it had hidden.
 */
async function formerlyRelated(
  unit: ReadUnit,
  row: StoredRow,
  { storage }: RelationField,
  target: EntityTable,
): Promise<readonly StoredRow[] | undefined> {
  if (storage.kind !== 'foreignKey') return undefined;
  const key = row.get(storage.column) ?? null;
  if (key === null) return [];
  const rows = await target.findBy(unit.session, target.entity.key.column, [key]);
  return rows.length === 0 ? undefined : rows;
}

async function related(
  unit: ReadUnit,
  table: EntityTable,
  row: StoredRow,
  field: RelationField,
  target: EntityTable,
): Promise<readonly StoredRow[]> {
  const { storage } = field;
  const byKey = (keys: Parameters<EntityTable['findBy']>[2]): Promise<readonly StoredRow[]> =>
    target.findBy(unit.session, target.entity.key.column, keys);
  if (storage.kind === 'foreignKey') {
    const key = row.get(storage.column) ?? null;
    return key === null ? [] : byKey([key]);
  }
  if (storage.kind === 'joinTable') return byKey(await joinedKeys(unit, table, row, field));
  if (storage.kind !== 'inverse') return [];
  const back = target.entity.fields.get(storage.field);
  if (back?.kind !== 'relation') return [];
  if (back.storage.kind === 'foreignKey') return target.findBy(unit.session, back.storage.column, [table.keyOf(row)]);
  if (back.storage.kind !== 'polymorphic') return [];
  const { typeColumn, keyColumn } = back.storage;
  const held = await target.findBy(unit.session, keyColumn, [String(table.keyOf(row))]);
  return held.filter((each) => each.get(typeColumn) === table.entity.name);
}
