// How the values of a `rank_features` field are indexed: each feature of a document is one term, its name followed by its value in
// Lucene's precision, nine significant bits of a float32 (FeatureField). So a field has any number of features, and no column for any.
import { illegalArgument, NumberFormatError } from '../errors/request-error.ts';
import { isObject, tokenOf } from '../json/json.ts';
import type { DocumentPart } from './document-part.ts';
import { javaFloat, readJavaDouble } from '../json/java-values.ts';
import type { MappedField } from './field-type.ts';

const floats = new Float32Array(1);
const bits = new Int32Array(floats.buffer);

/** The bits of a feature that are kept; at least 0x100 for the values that a feature may have. */
export function featureBits(value: number): number {
  floats[0] = value;
  return bits[0]! >>> 15;
}

/** The value of these bits. */
export function fromFeatureBits(value: number): number {
  bits[0] = value << 15;
  return floats[0]!;
}

/** What the terms of a feature begin with. A name is compared as it is stored: as UTF-8, which has no halves of surrogate pairs. */
export function featurePrefix(feature: string): string {
  return `${feature.toWellFormed()}\0`;
}

/** The bits in a term that begins with the prefix of a feature; undefined for a term of a feature with a longer name. */
export function bitsInTerm(term: string, prefix: string): number | undefined {
  return term.length === prefix.length + BITS_LENGTH ? Number.parseInt(term.slice(prefix.length), 36) : undefined;
}

/** Characters of the bits in a term: 36 ** 4 is more than 2 ** 17. */
const BITS_LENGTH = 4;

/** The least float that a feature may be. */
const LEAST = 2 ** -126;

function featureValue({ path }: MappedField, feature: string, given: number | string): number {
  const number = typeof given === 'number' ? given : readJavaDouble(given);
  if (number === undefined) throw new NumberFormatError(given === '' ? 'empty String' : `For input string: "${given}"`);
  const value = Math.fround(number);
  if (!Number.isFinite(value))
    throw illegalArgument(`featureValue must be finite, got: ${value} for feature ${feature} on field ${path}`);
  if (value < LEAST)
    throw illegalArgument(
      `featureValue must be a positive normal float, got: ${javaFloat(value)} for feature ${feature} on field ${path} which is less than the minimum positive normal float: 1.17549435E-38`,
    );
  return value;
}

/** Adds the features of one value. @throws RequestError for what is no object of positive numbers */
export function addFeatures(field: MappedField, value: unknown, target: DocumentPart): void {
  if (!isObject(value))
    throw illegalArgument(
      `[rank_features] fields must be json objects, expected a START_OBJECT but got: ${tokenOf(value)}`,
    );
  const terms = target.keyword(field);
  const seen = new Set(terms.map((term) => term.slice(0, -BITS_LENGTH)));
  const added: string[] = [];
  for (const [feature, given] of Object.entries(value)) {
    if (given === null) continue;
    if (typeof given !== 'number' && typeof given !== 'string')
      throw illegalArgument(
        `[rank_features] fields take hashes that map a feature to a strictly positive float, but got unexpected token ${tokenOf(given)}`,
      );
    const prefix = featurePrefix(feature);
    const number = featureValue(field, feature, given);
    if (seen.has(prefix))
      throw illegalArgument(
        `[rank_features] fields do not support indexing multiple values for the same rank feature [${field.path}.${feature}] in the same document`,
      );
    seen.add(prefix);
    added.push(`${prefix}${featureBits(number).toString(36).padStart(BITS_LENGTH, '0')}`);
  }
  // All or none: a value that is ignored leaves no features behind.
  for (const term of added) terms.push(term);
}
