// Explains why a caller may or may not read one object: its rules part by part, each evaluated by the database as in
// every statement. For tools; requests do not use it.
import {
  compileExpression,
  dependsOnRow,
  type AccessExpression,
  type Expression,
  type Principal,
} from '@lockstitch/kernel';
import { toBound } from '../plan/bound-value.ts';
import { evaluatePart } from '../plan/caller-part.ts';
import { Lowering, type PartLookup } from '../plan/lower-rule.ts';
import { Aliases, allRows } from '../plan/rows.ts';
import type { Entity, Field, Model } from '../schema/model.ts';
import type { Dialect } from '../sql/dialect.ts';
import { printSelect } from '../sql/print.ts';
import { and, equals, type Expr, type Inputs } from '../sql/sql.ts';
import type { Store } from '../store/store.ts';
import { rowShapeOf } from '../write/row-shape.ts';

/** A rule or part of one, and its value for the object and caller; null is unknown, which never grants access. */
export interface ExplainedPart {
  readonly text: string;
  readonly truth: boolean | null;
  /** The operator that joins its parts. */
  readonly joined?: 'and' | 'or' | 'not';
  readonly parts: readonly ExplainedPart[];
}

/** Why an object may or may not be read. */
export interface ReadExplanation {
  readonly exists: boolean;
  /** The rule of the type; absent: everybody may read it. */
  readonly rule?: ExplainedPart;
  /** The rules of its fields, by name. */
  readonly fields: Readonly<Record<string, ExplainedPart>>;
}

interface Context {
  readonly model: Model;
  readonly store: Store;
  readonly dialect: Dialect;
}

/** Explains it. */
export async function explainRead(
  context: Context,
  entity: Entity,
  key: string,
  principal: Principal,
): Promise<ReadExplanation> {
  const exists = (await decide(context, entity, key, { kind: 'literal', value: true }, NOTHING)) === true;
  if (!exists) return { exists, fields: {} };
  const explain = async (at: Entity | Field): Promise<ExplainedPart | undefined> => {
    const text = at.auth?.read;
    if (text === undefined) return undefined;
    const access = compileExpression(text, { row: rowShapeOf(entity, context.model) });
    return explainPart(context, entity, key, principal, access, access.expression);
  };
  const rule = await explain(entity);
  const fields: Record<string, ExplainedPart> = {};
  for (const field of entity.fields.values()) {
    const found = await explain(field);
    if (found !== undefined) fields[field.name] = found;
  }
  return { exists, ...(rule === undefined ? {} : { rule }), fields };
}

async function explainPart(
  context: Context,
  entity: Entity,
  key: string,
  principal: Principal,
  access: AccessExpression,
  node: Expression,
): Promise<ExplainedPart> {
  const values: unknown[] = [];
  const lookup: PartLookup = (part) => {
    if (dependsOnRow(part)) return undefined;
    const now = evaluatePart(access.text, part, { principal });
    return { index: values.push(now) - 1, now };
  };
  const { scope } = allRows(entity, new Aliases());
  const predicate = new Lowering(context.model, { access, entity }, scope, lookup).predicate(node);
  const inputs: Inputs = { args: () => ({}), policy: (part) => values[part] };
  const truth = await decide(context, entity, key, predicate, inputs);
  const parts: ExplainedPart[] = [];
  for (const part of partsOf(node)) parts.push(await explainPart(context, entity, key, principal, access, part));
  const joined = node.kind === 'logical' ? node.operator : node.kind === 'not' ? 'not' : undefined;
  return { text: textOf(access.text, node), truth, ...(joined === undefined ? {} : { joined }), parts };
}

/** The operands of and/or; nested ones of the same operator are flattened. */
function partsOf(node: Expression): readonly Expression[] {
  if (node.kind === 'not') return node.operand.kind === 'logical' ? [node.operand] : [];
  if (node.kind !== 'logical') return [];
  return [node.left, node.right].flatMap((side) =>
    side.kind === 'logical' && side.operator === node.operator ? partsOf(side) : [side],
  );
}

/** The text of a node, with parentheses that its range cuts off. */
function textOf(text: string, { end, start }: Expression): string {
  let [from, to] = [start, end];
  const open = (): number => {
    const own = text.slice(from, to);
    return own.replaceAll(/[^(]/g, '').length - own.replaceAll(/[^)]/g, '').length;
  };
  while (open() > 0 && to < text.length) to = text.indexOf(')', to) + 1 || text.length;
  while (open() < 0 && from > 0) from = Math.max(0, text.lastIndexOf('(', from - 1));
  return text.slice(from, to).trim();
}

const NOTHING: Inputs = { args: () => ({}), policy: () => null };

async function decide(
  { dialect, model, store }: Context,
  entity: Entity,
  key: string,
  predicate: Expr,
  inputs: Inputs,
): Promise<boolean | null> {
  const rows = allRows(entity, new Aliases());
  const bound = toBound(model.schema, entity.key, key);
  if (bound === null) return null;
  const value = (truth: boolean): Expr => ({ kind: 'literal', value: truth ? 1 : 0 });
  const { text, parameters } = printSelect(
    {
      columns: [
        {
          expr: {
            kind: 'choose',
            branches: [
              { when: predicate, use: value(true) },
              { when: { kind: 'not', operand: predicate }, use: value(false) },
            ],
            otherwise: { kind: 'literal', value: null },
          },
          as: 'truth',
        },
      ],
      from: rows.from,
      where: and(
        rows.where,
        equals(
          rows.scope.key,
          { kind: 'parameter', parameter: { kind: 'constant', value: bound }, storage: entity.key.storage },
          entity.key.storage,
        ),
      ),
    },
    dialect,
  );
  const values = parameters.map((each) => (each.kind === 'constant' ? each.value : each.read(inputs)));
  const [row] = await store.prepare(text).rows(values);
  const found = row?.[0];
  return found === undefined || found === null ? null : Number(found) === 1;
}
