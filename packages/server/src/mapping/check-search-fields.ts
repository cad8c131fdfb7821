// Checks that the search package can map every `@search` field: its type, its analyzer and their combination. Each
// field is checked alone, so that every problem has a location.
import type { ColumnField, Model, Field, SchemaProblem } from '@lockstitch/graph';
import { didYouMean, isProductError } from '@lockstitch/kernel';
import { createMapper } from '@lockstitch/search';
import { isEnumType, isObjectType } from 'graphql';

import { buildMapping } from './mapping.ts';
import { SAMPLES, takesSome } from './sample-values.ts';

const TYPE_HINT = 'Use text, keyword, long, double, boolean, date or another field type, or leave "type" out.';
const ANALYZERS: readonly string[] = ['standard', 'simple', 'whitespace', 'keyword', 'stop', 'english'];
const ANALYZER_HINT = `Use ${ANALYZERS.join(', ')}, or leave "analyzer" out.`;

/** Field types whose values are objects. Any other type would drop an embedded object from every document. */
const OF_OBJECTS = /^(?:flattened|geo_point|completion|[a-z]+_range)$/;

/** Longest chain of relations. Each one multiplies the size of a document and the documents that a change rewrites. */
const DEEPEST = 5;

/** Finds every `@search(type:, analyzer:)` that no index can be built with, or whose values no query would find. */
export function checkSearchFields(model: Pick<Model, 'entities' | 'schema'>): readonly SchemaProblem[] {
  const problems: SchemaProblem[] = [];
  for (const entity of model.entities.values()) {
    for (const field of entity.fields.values()) {
      const depth = field.search?.depth;
      if (
        depth !== undefined &&
        (field.kind !== 'relation' || depth < 1 || depth > DEEPEST || field.search?.embed === false)
      )
        problems.push({
          location: field.location,
          message: `@search(depth: ${depth}) of ${entity.name}.${field.name}: ${whyNot(field, depth)}`,
          remedy: `Write a depth of 1 to ${DEEPEST} at a relation, or leave it out.`,
        });
      if (field.kind !== 'column' || field.search === undefined) continue;
      const { location, typeName } = field;
      const { type, analyzer } = field.search;
      const place = `${entity.name}.${field.name}`;
      const add = (argument: string, value: string, message: string, remedy: string): void =>
        void problems.push({ location, message: `@search(${argument}: "${value}") of ${place}: ${message}`, remedy });
      const wrongType = refusal(field.name, { typeName, type, analyzer: undefined });
      if (wrongType !== undefined) add('type', type ?? '', wrongType, TYPE_HINT);
      else if (isObjectType(model.schema.getType(typeName)) && !OF_OBJECTS.test(type ?? ''))
        problems.push({
          location,
          message: `@search of ${place}: ${typeName} is embedded, and ${type === undefined ? 'an object is no value of a keyword' : `type "${type}" takes no objects`}.`,
          remedy: `Write @search(type: "flattened"), which finds what is inside by its path (${field.name}.${memberOf(model, typeName)}), or leave @search out.`,
        });
      else if (
        type !== undefined &&
        !takesSome(mapperOf(field.name, { typeName, type, analyzer: undefined }), field.name, samplesOf(model, field))
      )
        add('type', type, `no ${field.list ? `[${typeName}]` : typeName} value fits this type.`, TYPE_HINT);
      if (analyzer === undefined) continue;
      const wrongAnalyzer = refusal(field.name, { typeName: 'String', type: 'text', analyzer });
      if (wrongAnalyzer !== undefined)
        add('analyzer', analyzer, `${wrongAnalyzer}${didYouMean(analyzer, ANALYZERS)}`, ANALYZER_HINT);
      else if (wrongType === undefined && !isText(typeName, type))
        add('analyzer', analyzer, 'only text is analyzed, and this field is none.', 'Write type: "text" as well.');
    }
  }
  return problems;
}

/** Name of the first field of an embedded object. */
function memberOf({ schema }: Pick<Model, 'schema'>, typeName: string): string {
  const type = schema.getType(typeName);
  return isObjectType(type) ? (Object.keys(type.getFields())[0] ?? '…') : '…';
}

function whyNot(field: Field, depth: number): string {
  if (field.kind !== 'relation') return 'only relations lead anywhere, and this field is none.';
  if (field.search?.embed === false) return 'with embed: false nothing is part of the document.';
  return depth < 1
    ? 'a document cannot follow less than one relation.'
    : `a document follows ${DEEPEST} relations in a row at most.`;
}

type FieldChoice = Pick<Parameters<typeof buildMapping>[0][number], 'typeName' | 'type' | 'analyzer'>;

/**
 * Returns the reason for which the search package rejects a field, as a sentence; undefined if it accepts the field.
 */
function refusal(name: string, choice: FieldChoice): string | undefined {
  if (choice.type === 'object' || choice.type === 'nested' || choice.type === 'alias')
    return `a field with one value cannot be of type ${choice.type}.`;
  try {
    mapperOf(name, choice);
    return undefined;
  } catch (error) {
    if (!isProductError(error)) throw error;
    return /[.?!]$/.test(error.message) ? error.message : `${error.message}.`;
  }
}

function mapperOf(name: string, choice: FieldChoice): ReturnType<typeof createMapper> {
  return createMapper({ mappings: buildMapping([{ path: name, ...choice }]).mappings });
}

/** Values as documents hold them, if those of the type are known. */
function samplesOf({ schema }: Pick<Model, 'schema'>, { typeName, list }: ColumnField): readonly unknown[] {
  const type = schema.getType(typeName);
  const values = isEnumType(type) ? type.getValues().map(({ name }) => name) : (SAMPLES[typeName] ?? []);
  return list ? values.map((value) => [value, value]) : values;
}

function isText(typeName: string, type: string | undefined): boolean {
  return type === 'text' || (type === undefined && typeName === 'String');
}
