// Reads the configuration of a pipeline or a processor member by member. Errors have the words of Elasticsearch's ConfigurationUtils.
import { parseException, type RequestError } from '../errors/request-error.ts';
import type { Json } from '../json/json.ts';
import { classOf, isMembers, textOfValue } from './ingest-values.ts';
import { readTemplate, readValue, type Template, type ValueSource } from './template.ts';

/** The processor that an error is about. */
export interface About {
  readonly type?: string | undefined;
  readonly tag?: string | undefined;
}

/** The refusal of a configuration. */
export function configError({ type, tag }: About, property: string | undefined, reason: string): RequestError {
  return parseException(property === undefined ? reason : `[${property}] ${reason}`, {
    fields: {
      ...(property === undefined ? {} : { property_name: property }),
      ...(tag === undefined ? {} : { processor_tag: tag }),
      ...(type === undefined ? {} : { processor_type: type }),
    },
  });
}

/** Reads the members of one configuration. Each is taken once; those that are left in the end are unknown. */
export class ConfigReader {
  readonly #left: Map<string, unknown>;
  /** The processor that errors name. */
  about: About;

  constructor(config: Json, about: About = {}) {
    this.#left = new Map(Object.entries(config));
    this.about = about;
  }

  get left(): readonly string[] {
    return [...this.#left.keys()];
  }

  refuse(property: string | undefined, reason: string): RequestError {
    return configError(this.about, property, reason);
  }

  /** Takes a member; undefined if it is absent or null. */
  take(name: string): unknown {
    const value = this.#left.get(name) ?? undefined;
    this.#left.delete(name);
    return value;
  }

  /** Takes a required member. @throws RequestError if it is absent */
  value(name: string): unknown {
    const value = this.take(name);
    if (value === undefined) throw this.refuse(name, 'required property is missing');
    return value;
  }

  #wrong(name: string, what: string, value: unknown): RequestError {
    return this.refuse(name, `property isn't a ${what}, but of type [${classOf(value)}]`);
  }

  optionalText(name: string): string | undefined {
    const value = this.take(name);
    if (value === undefined || typeof value === 'string') return value;
    throw this.#wrong(name, 'string', value);
  }

  text(name: string): string {
    const value = this.value(name);
    if (typeof value === 'string') return value;
    throw this.#wrong(name, 'string', value);
  }

  template(name: string): Template {
    return readTemplate(this.text(name));
  }

  optionalTemplate(name: string): Template | undefined {
    const text = this.optionalText(name);
    return text === undefined ? undefined : readTemplate(text);
  }

  valueSource(name: string): ValueSource {
    return readValue(this.value(name));
  }

  flag(name: string, fallback = false): boolean {
    const value = this.take(name);
    if (value === undefined) return fallback;
    if (typeof value === 'boolean') return value;
    throw this.#wrong(name, 'boolean', value);
  }

  optionalInteger(name: string): number | undefined {
    const value = this.take(name);
    if (value === undefined) return undefined;
    const text = textOfValue(value);
    if (!/^[+-]?\d+$/.test(text) || Math.abs(Number(text) + 0.5) > 2 ** 31)
      throw this.refuse(name, `property cannot be converted to an int [${text}]`);
    return Number(text);
  }

  optionalList(name: string): readonly unknown[] | undefined {
    const value = this.take(name);
    if (value === undefined || Array.isArray(value)) return value;
    throw this.#wrong(name, 'list', value);
  }

  list(name: string): readonly unknown[] {
    const value = this.value(name);
    if (Array.isArray(value)) return value;
    throw this.#wrong(name, 'list', value);
  }

  map(name: string): Json {
    const value = this.value(name);
    if (isMembers(value)) return value;
    throw this.#wrong(name, 'map', value);
  }
}
