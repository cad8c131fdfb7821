// Warns about text defaults that probably mean something else: a word for the caller, or a function of another system.
// `lockstitch check` prints the warnings; no schema is rejected for them.
import { toText } from '@lockstitch/kernel';
import type { Model } from './model.ts';
import type { SchemaProblem } from './problems.ts';

const CALLER =
  /^(?:principal|authentication|current_?user|user|auth|caller|me|viewer|session|jwt)(?:[.(].*)?$|^\$\{?\w*(?:user|auth)\w*\}?/i;
const NOW = /^(?:now\(\)|current_timestamp(?:\(\))?|current_date|getdate\(\)|sysdate|datetime\(.*\)|date\.now\(\))$/i;
const UUID = /^(?:uuid(?:v\d)?\(\)|gen_random_uuid\(\)|guid|newid\(\)|cuid(?:\(\))?|nanoid(?:\(\))?|random)$/i;
const COUNTED = /^(?:auto_?increment(?:\(\))?|serial|nextval\(.*\)|identity\(.*\))$/i;

/** Returns warnings about the defaults of a valid schema. */
export function adviseOnDefaults(model: Model): readonly SchemaProblem[] {
  return [...model.entities.values()].flatMap((entity) =>
    [...entity.fields.values()].flatMap((field): readonly SchemaProblem[] => {
      if (field.kind !== 'column' || field.default?.kind !== 'literal') return [];
      const text = field.default.value;
      const remedy = typeof text === 'string' && field.storage === 'text' ? remedyFor(text, field.name) : undefined;
      if (remedy === undefined) return [];
      return [
        {
          location: field.location ?? entity.location,
          message: `The default of ${entity.name}.${field.name} is the text "${toText(text)}" itself.`,
          remedy,
        },
      ];
    }),
  );
}

function remedyFor(text: string, field: string): string | undefined {
  if (CALLER.test(text))
    return `No default names the signed-in user. Let the client send ${field} and check it, @auth(create: "${field} == authentication.name"), or write the mutation's resolver, which finds the caller as context.principal.name.`;
  if (NOW.test(text)) return `For the time of the create, make ${field} a DateTime and write @default(value: "now").`;
  if (UUID.test(text)) return 'For a random key write @default(value: "uuid").';
  if (COUNTED.test(text)) return 'For the next whole number write @default(value: "identity"), on an ID or Int.';
  return undefined;
}
