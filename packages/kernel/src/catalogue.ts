// How a package declares its error codes: one table, from which the typed factory, docs/errors.md and the test that
// keeps both in step are derived. Codes are never renamed and never reused.
import { ProductError, type ProductErrorInit } from './error.ts';

/** One row of a catalogue. `{name}` in message and hint is replaced by the parameter of that name. */
export interface ErrorTemplate {
  readonly status: number;
  readonly message: string;
  readonly hint?: string;
}

type Values = Readonly<Record<string, string | number | boolean | undefined>>;
type Extra = Pick<ProductErrorInit, 'path' | 'facts' | 'detail' | 'cause' | 'hint'>;

/** The catalogue of one package: its templates, and `create` to raise one by its code. */
export interface ErrorCatalogue<Code extends string> {
  readonly templates: Readonly<Record<Code, ErrorTemplate>>;
  create(code: Code, values?: Values, extra?: Extra): ProductError;
}

/**
 * Declares the error codes of a package.
 *
 * @param prefix the package's prefix, for example `GRAPH`; every code must start with it and an underscore
 * @throws Error at load when a code lacks the prefix
 */
export function defineErrors<const Templates extends Record<string, ErrorTemplate>>(
  prefix: string,
  templates: Templates,
): ErrorCatalogue<keyof Templates & string> {
  for (const code of Object.keys(templates)) {
    if (!code.startsWith(`${prefix}_`)) throw new Error(`Error code "${code}" must start with "${prefix}_".`);
  }
  return {
    templates,
    create(code, values = {}, extra = {}) {
      const template: ErrorTemplate = templates[code]!;
      const hint = extra.hint ?? (template.hint === undefined ? undefined : fill(template.hint, values));
      return new ProductError({
        ...extra,
        code,
        status: template.status,
        message: fill(template.message, values),
        hint,
      });
    },
  };
}

function fill(template: string, values: Values): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    return value === undefined ? whole : String(value);
  });
}
