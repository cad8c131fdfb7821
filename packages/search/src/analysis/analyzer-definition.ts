// What the definition of a type of analyzer says.
import type { Analyzer } from './analyzer.ts';
import type { PartDefinition } from './part-definition.ts';
import type { Options, Values } from './part-options.ts';

/** One type of analyzer. */
export interface AnalyzerDefinition<Of extends Options = Options> extends PartDefinition<Of> {
  /** @param type as it is named: it may be an alias */
  build(values: Values<Of>, type: string): Analyzer;
}

/** Infers the types of the values of a definition. */
export function defineAnalyzer<Of extends Options>(definition: AnalyzerDefinition<Of>): AnalyzerDefinition<Of> {
  return definition;
}
