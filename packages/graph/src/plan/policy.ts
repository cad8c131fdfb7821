// Turns `@auth(read:)` into predicates of statements. Parts that depend on the caller only are evaluated once per
// request. Truth values among them shape the plan (an administrator's plan has no predicate at all) and are part of its
// cache key; other values are bound. A rule without an exact SQL form is rejected at start-up, never approximated.
import {
  compileExpression,
  dependsOnRow,
  evaluateExpression,
  type AccessExpression,
  type Expression,
  type ExpressionContext,
  type Principal,
} from '@lockstitch/kernel';
import type { Entity, Field, Model } from '../schema/model.ts';
import type { Expr } from '../sql/sql.ts';
import { rowShapeOf } from '../write/row-shape.ts';
import type { View } from './environment.ts';
import { checkReadRule, Lowering, type PartLookup } from './lower-rule.ts';
import { RowScope } from './rows.ts';
import { isFraction, isNoNumber, type Rule } from './rule-operand.ts';

/** A maximal row-independent part of a rule. */
interface Part {
  readonly text: string;
  readonly node: Expression;
  /** The part is used as a truth value. */
  readonly decides: boolean;
}

/** The rules as they apply to one caller. */
export interface CallerView extends View {
  /** Callers with the same key share plans. */
  readonly key: string;
  /** The value of a bound part. */
  readonly value: (part: number) => unknown;
}

/** The read rules of a model. */
export class ReadPolicies {
  readonly #model: Model;
  readonly #rules = new Map<string, Rule>();
  readonly #parts: Part[] = [];
  readonly #partOf = new Map<Expression, number>();
  readonly #partByWords = new Map<string, number>();
  /** Views are cached per principal object. */
  readonly #views = new WeakMap<Principal, CallerView>();

  /** @throws ProductError with the location of an invalid or unsupported rule */
  constructor(model: Model) {
    this.#model = model;
    for (const entity of model.entities.values()) {
      this.#add(entity.name, entity.auth?.read, entity, entity);
      this.#add(ofDeleted(entity), entity.auth?.readDeleted, entity, entity);
      for (const field of entity.fields.values())
        this.#add(`${entity.name}.${field.name}`, field.auth?.read, entity, field);
    }
    for (const rule of this.#rules.values()) checkReadRule(model, rule.entity, rule.access);
  }

  #add(name: string, text: string | undefined, entity: Entity, at: Entity | Field): void {
    if (text === undefined) return;
    const location =
      at.location === undefined ? 'schema' : `${at.location.file}:${at.location.line}:${at.location.column}`;
    const access = compileExpression(text, { row: rowShapeOf(entity, this.#model), location });
    this.#rules.set(name, { access, entity });
    this.#collect(access, access.expression, true);
  }

  #collect(access: AccessExpression, node: Expression, decides: boolean): void {
    if (!dependsOnRow(node)) {
      // The same words in two rules are one part, so that their conditions are recognised as the same.
      const words = `${decides} ${JSON.stringify(node, withoutPlace)}`;
      let index = this.#partByWords.get(words);
      if (index === undefined)
        this.#partByWords.set(words, (index = this.#parts.push({ text: access.text, node, decides }) - 1));
      this.#partOf.set(node, index);
      return;
    }
    switch (node.kind) {
      case 'logical':
        this.#collect(access, node.left, true);
        this.#collect(access, node.right, true);
        break;
      case 'not':
        this.#collect(access, node.operand, true);
        break;
      case 'negate':
        this.#collect(access, node.operand, false);
        break;
      case 'compare':
      case 'in':
      case 'arithmetic':
        this.#collect(access, node.left, false);
        this.#collect(access, node.right, false);
        break;
      case 'conditional':
        this.#collect(access, node.condition, true);
        this.#collect(access, node.whenTrue, decides);
        this.#collect(access, node.whenFalse, decides);
        break;
      case 'quantifier':
        this.#collect(access, node.body, true);
        break;
      case 'call':
        if (node.target !== undefined) this.#collect(access, node.target, false);
        for (const argument of node.arguments) this.#collect(access, argument, false);
        break;
      case 'list':
        for (const item of node.items) this.#collect(access, item, false);
        break;
      case 'member':
        this.#collect(access, node.target, false);
        break;
      default:
        break;
    }
  }

  /** The model has no read rules. */
  get isEmpty(): boolean {
    return this.#rules.size === 0;
  }

  /** The view of a caller. */
  viewOf(principal: Principal): CallerView {
    const known = this.#views.get(principal);
    if (known !== undefined) return known;
    const context: ExpressionContext = { principal };
    const decided = new Map<number, boolean | null>();
    let key = '';
    this.#parts.forEach((part, index) => {
      if (!part.decides) return;
      const value = this.#evaluate(part, context);
      const truth = value === true ? true : value === false ? false : null;
      decided.set(index, truth);
      key += truth === null ? 'n' : truth ? 't' : 'f';
    });
    const values: unknown[] = [];
    const value = (index: number): unknown => {
      if (!(index in values)) values[index] = this.#evaluate(this.#parts[index]!, context);
      return values[index];
    };
    // The kind of a value also shapes the statement.
    this.#parts.forEach((part, index) => {
      if (!part.decides) key += shapeOf(value(index));
    });
    const view: CallerView = { ...this.#viewOf(decided, value), key, value };
    this.#views.set(principal, view);
    return view;
  }

  /**
   * The view key and all bound values: callers with the same signature may read exactly the same. Undefined if a value
   * has no unique text.
   */
  signatureOf(principal: Principal): string | undefined {
    const { key, value } = this.viewOf(principal);
    const bound = this.#parts.flatMap((part, index) => (part.decides ? [] : [value(index)]));
    try {
      return key + JSON.stringify(bound, exactly);
    } catch {
      // Some value has no exact form.
      return undefined;
    }
  }

  /** A part that fails is null, and thus never grants access. */
  #evaluate(part: Part, context: ExpressionContext): unknown {
    try {
      return evaluateExpression(part.text, part.node, context);
    } catch {
      // The cause may hold values of the caller.
      return null;
    }
  }

  #viewOf(decided: ReadonlyMap<number, boolean | null>, value: (part: number) => unknown): View {
    const lookup: PartLookup = (node) => {
      const index = this.#partOf.get(node);
      if (index === undefined) return undefined;
      return { index, now: this.#parts[index]!.decides ? (decided.get(index) ?? null) : value(index) };
    };
    const predicate = (name: string, scope: RowScope): Expr | undefined => {
      const rule = this.#rules.get(name);
      if (rule === undefined) return undefined;
      const lowered = new Lowering(this.#model, rule, scope, lookup).predicate(rule.access.expression);
      return lowered.kind === 'literal' && lowered.value === true ? undefined : lowered;
    };
    if (this.isEmpty) return UNRESTRICTED;
    return {
      rows: (scope) => predicate(scope.entity.name, scope),
      deleted: (scope) => predicate(ofDeleted(scope.entity), scope),
      field: (scope, name) => predicate(`${scope.entity.name}.${name}`, scope),
      restricts: (entity) => {
        const rule = this.#rules.get(entity);
        return rule !== undefined && predicate(entity, new RowScope(rule.entity, 't')) !== undefined;
      },
    };
  }
}

/** A node without its offsets in the text. */
function withoutPlace(name: string, value: unknown): unknown {
  return name === 'start' || name === 'end' ? undefined : value;
}

/** The name of the rule about deleted rows. */
function ofDeleted({ name }: Entity): string {
  return `${name} deleted`;
}

const UNRESTRICTED: View = {
  rows: () => undefined,
  deleted: () => undefined,
  field: () => undefined,
  restricts: () => false,
};

/**
 * The properties of a value that shape the lowered rule: null, a list, a list with null, a text that is not an integer,
 * a fraction.
 */
function shapeOf(value: unknown): string {
  if (value === null || value === undefined) return 'n';
  if (!Array.isArray(value)) return isNoNumber(value) ? 't' : isFraction(value) ? 'f' : 'v';
  return value.includes(null) ? 'o' : 'l';
}

/** Accepts only values that JSON distinguishes; a Set, for example, would always become `{}`. */
function exactly(_key: string, value: unknown): unknown {
  const isPlain =
    value === null ||
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    (typeof value === 'number' && Number.isFinite(value)) ||
    Array.isArray(value);
  if (!isPlain) throw new Error('has no exact form');
  return value;
}
