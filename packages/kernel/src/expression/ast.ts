// The node kinds of the access-expression language. A parsed tree holds names as written; a checked tree (check.ts)
// holds only kinds whose meaning is settled, which is what SQL and search compilers walk. Every node is frozen data.

/** Where a node stands in the text: offsets of its first character and of the one behind its last. */
interface Span {
  readonly start: number;
  readonly end: number;
}

export type CompareOperator = '==' | '!=' | '<' | '<=' | '>' | '>=';
export type ArithmeticOperator = '+' | '-' | '*' | '/' | '%';

export interface Literal extends Span {
  readonly kind: 'literal';
  readonly value: string | number | boolean | null;
}

/** `{'a', 'b'}` */
export interface ListNode extends Span {
  readonly kind: 'list';
  readonly items: readonly Expression[];
}

/** A bare word. Parsed trees only; in a checked tree it is left only where the word is unknown, and never grants. */
export interface NameNode extends Span {
  readonly kind: 'name';
  readonly name: string;
}

/** A field of the row that is asked about: `owner`. Checked trees only. */
export interface FieldNode extends Span {
  readonly kind: 'field';
  readonly name: string;
}

/** The parameter of an enclosing lambda: `m` in `members.any(m, m.login == 'a')`. Checked trees only. */
export interface LocalNode extends Span {
  readonly kind: 'local';
  readonly name: string;
}

/** `authentication` or `principal`. Checked trees only. */
export interface SubjectNode extends Span {
  readonly kind: 'subject';
  readonly which: 'authentication' | 'principal';
}

/** `#id`: a variable of the request, such as a path variable. */
export interface VariableNode extends Span {
  readonly kind: 'variable';
  readonly name: string;
}

/** `@clock`: an object that the host supplies. */
export interface BeanNode extends Span {
  readonly kind: 'bean';
  readonly name: string;
}

/** `target.name`. `safe` is `target?.name`; a member of null is null either way. */
export interface MemberNode extends Span {
  readonly kind: 'member';
  readonly target: Expression;
  readonly name: string;
  readonly safe: boolean;
}

/** `name(…)` or, with a target, `target.name(…)`. In a checked tree `permitAll` is a call without arguments too. */
export interface CallNode extends Span {
  readonly kind: 'call';
  readonly target: Expression | undefined;
  readonly name: string;
  readonly arguments: readonly Expression[];
}

/** `list.any(m, body)`, `list.all(m, body)`, `list.none(m, body)` over a relation of the row. */
export interface QuantifierNode extends Span {
  readonly kind: 'quantifier';
  readonly quantifier: 'any' | 'all' | 'none';
  readonly target: Expression;
  readonly parameter: string;
  readonly body: Expression;
}

export interface NotNode extends Span {
  readonly kind: 'not';
  readonly operand: Expression;
}

export interface NegateNode extends Span {
  readonly kind: 'negate';
  readonly operand: Expression;
}

export interface LogicalNode extends Span {
  readonly kind: 'logical';
  readonly operator: 'and' | 'or';
  readonly left: Expression;
  readonly right: Expression;
}

export interface CompareNode extends Span {
  readonly kind: 'compare';
  readonly operator: CompareOperator;
  /** Compared as exact decimal numbers: one side is a decimal. */
  readonly decimal?: true;
  readonly left: Expression;
  readonly right: Expression;
}

/** `left in right`: right is a list. */
export interface InNode extends Span {
  readonly kind: 'in';
  /** Compared as exact decimal numbers: the left side is a decimal. */
  readonly decimal?: true;
  readonly left: Expression;
  readonly right: Expression;
}

export interface ArithmeticNode extends Span {
  readonly kind: 'arithmetic';
  readonly operator: ArithmeticOperator;
  readonly left: Expression;
  readonly right: Expression;
}

/** `condition ? whenTrue : whenFalse`; null when the condition is null. */
export interface ConditionalNode extends Span {
  readonly kind: 'conditional';
  readonly condition: Expression;
  readonly whenTrue: Expression;
  readonly whenFalse: Expression;
}

/** One node of an access expression. */
export type Expression =
  | Literal
  | ListNode
  | NameNode
  | FieldNode
  | LocalNode
  | SubjectNode
  | VariableNode
  | BeanNode
  | MemberNode
  | CallNode
  | QuantifierNode
  | NotNode
  | NegateNode
  | LogicalNode
  | CompareNode
  | InNode
  | ArithmeticNode
  | ConditionalNode;

/** The nodes directly below a node, in the order of the text. */
export function childrenOf(node: Expression): readonly Expression[] {
  switch (node.kind) {
    case 'literal':
    case 'name':
    case 'field':
    case 'local':
    case 'subject':
    case 'variable':
    case 'bean':
      return [];
    case 'list':
      return node.items;
    case 'member':
      return [node.target];
    case 'call':
      return node.target === undefined ? node.arguments : [node.target, ...node.arguments];
    case 'quantifier':
      return [node.target, node.body];
    case 'not':
    case 'negate':
      return [node.operand];
    case 'logical':
    case 'compare':
    case 'in':
    case 'arithmetic':
      return [node.left, node.right];
    case 'conditional':
      return [node.condition, node.whenTrue, node.whenFalse];
  }
}

/**
 * Tells whether the value of a checked node depends on the row. A node that does not is the same for every row of one
 * request: compilers evaluate it once (`evaluateExpression`) and bind the value.
 */
export function dependsOnRow(node: Expression): boolean {
  if (node.kind === 'field' || node.kind === 'local') return true;
  return childrenOf(node).some(dependsOnRow);
}
