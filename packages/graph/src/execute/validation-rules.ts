// Selects the graphql-js validation rules that can apply to a document. Each rule costs about 4 µs per document (all:
// 130 µs for a list of 25 objects), and half concern features that most documents lack: fragments, variables,
// directives. The features are detected in the text, conservatively: a "$" in a string counts.
import {
  DeferStreamDirectiveLabelRule,
  DeferStreamDirectiveOnRootFieldRule,
  DeferStreamDirectiveOnValidOperationsRule,
  ExecutableDefinitionsRule,
  FragmentsOnCompositeTypesRule,
  Kind,
  KnownArgumentNamesRule,
  KnownDirectivesRule,
  KnownFragmentNamesRule,
  KnownTypeNamesRule,
  LoneAnonymousOperationRule,
  MaxIntrospectionDepthRule,
  NoFragmentCyclesRule,
  NoUndefinedVariablesRule,
  NoUnusedFragmentsRule,
  NoUnusedVariablesRule,
  OperationTypeNode,
  PossibleFragmentSpreadsRule,
  SingleFieldSubscriptionsRule,
  specifiedRules,
  StreamDirectiveOnListFieldRule,
  UniqueArgumentNamesRule,
  UniqueDirectivesPerLocationRule,
  UniqueFragmentNamesRule,
  UniqueInputFieldNamesRule,
  UniqueOperationNamesRule,
  UniqueVariableNamesRule,
  ValuesOfCorrectTypeRule,
  VariablesAreInputTypesRule,
  VariablesInAllowedPositionRule,
  type DocumentNode,
  type ValidationRule,
} from 'graphql';

interface Traits {
  /** Inline fragments count. */
  readonly fragments: boolean;
  readonly variables: boolean;
  readonly directives: boolean;
  readonly arguments: boolean;
  readonly severalDefinitions: boolean;
  readonly subscribes: boolean;
  readonly introspects: boolean;
  readonly schemaDefinitions: boolean;
}

/** The feature that each rule needs; rules not listed always apply. */
const CONCERNS: ReadonlyMap<ValidationRule, (traits: Traits) => boolean> = new Map<
  ValidationRule,
  (traits: Traits) => boolean
>([
  [ExecutableDefinitionsRule, (traits) => traits.schemaDefinitions],
  [UniqueOperationNamesRule, (traits) => traits.severalDefinitions],
  [LoneAnonymousOperationRule, (traits) => traits.severalDefinitions],
  [SingleFieldSubscriptionsRule, (traits) => traits.subscribes],
  [KnownTypeNamesRule, (traits) => traits.fragments || traits.variables],
  [FragmentsOnCompositeTypesRule, (traits) => traits.fragments],
  [UniqueFragmentNamesRule, (traits) => traits.fragments],
  [KnownFragmentNamesRule, (traits) => traits.fragments],
  [NoUnusedFragmentsRule, (traits) => traits.fragments],
  [PossibleFragmentSpreadsRule, (traits) => traits.fragments],
  [NoFragmentCyclesRule, (traits) => traits.fragments],
  [VariablesAreInputTypesRule, (traits) => traits.variables],
  [UniqueVariableNamesRule, (traits) => traits.variables],
  [NoUndefinedVariablesRule, (traits) => traits.variables],
  [NoUnusedVariablesRule, (traits) => traits.variables],
  [VariablesInAllowedPositionRule, (traits) => traits.variables],
  [KnownDirectivesRule, (traits) => traits.directives],
  [UniqueDirectivesPerLocationRule, (traits) => traits.directives],
  [DeferStreamDirectiveOnRootFieldRule, (traits) => traits.directives],
  [DeferStreamDirectiveOnValidOperationsRule, (traits) => traits.directives],
  [DeferStreamDirectiveLabelRule, (traits) => traits.directives],
  [StreamDirectiveOnListFieldRule, (traits) => traits.directives],
  [KnownArgumentNamesRule, (traits) => traits.arguments],
  [UniqueArgumentNamesRule, (traits) => traits.arguments],
  [ValuesOfCorrectTypeRule, (traits) => traits.arguments],
  [UniqueInputFieldNamesRule, (traits) => traits.arguments],
  [MaxIntrospectionDepthRule, (traits) => traits.introspects],
]);

/** The rules that can apply to a document, in graphql-js's order. */
export function validationRulesFor(document: DocumentNode, text: string): readonly ValidationRule[] {
  const { definitions } = document;
  const isFragment = (kind: Kind): boolean => kind === Kind.FRAGMENT_DEFINITION;
  const traits: Traits = {
    fragments: text.includes('...') || definitions.some(({ kind }) => isFragment(kind)),
    variables: text.includes('$'),
    directives: text.includes('@'),
    arguments: text.includes('('),
    severalDefinitions: definitions.length > 1,
    subscribes: definitions.some(
      (each) => each.kind === Kind.OPERATION_DEFINITION && each.operation === OperationTypeNode.SUBSCRIPTION,
    ),
    introspects: text.includes('__'),
    schemaDefinitions: definitions.some(({ kind }) => kind !== Kind.OPERATION_DEFINITION && !isFragment(kind)),
  };
  return specifiedRules.filter((rule) => CONCERNS.get(rule)?.(traits) ?? true);
}
