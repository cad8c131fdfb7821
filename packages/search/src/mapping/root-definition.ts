// What a mapping says besides its fields: how unknown members are mapped, and what holds for whole documents.
import { didYouMean } from '@lockstitch/kernel';
import { illegalArgument, mapperParsing } from '../errors/request-error.ts';
import { asBoolean, isObject, type Json, toList, textOf } from '../json/json.ts';
import { inHashOrder } from '../text/java-order.ts';
import { checkTemplates, readMetadata } from './check-mapping.ts';
import { dateFormat } from './date-format.ts';
import { type DynamicOptions, printTemplates, readTemplates, DEFAULT_DATES } from './dynamic.ts';
import { show } from '../json/java-values.ts';
import { convertedFlag } from './parameter-values.ts';

const METADATA_KEYS = ['_source', '_routing', '_field_names', '_meta'];
/** Metadata without settings. */
const FIXED_KEYS: readonly string[] = ['_id', '_type', '_index', '_ignored', '_seq_no', '_version'];

const ROOT_KEYS: readonly string[] = [
  'properties',
  'dynamic',
  'enabled',
  'dynamic_templates',
  'date_detection',
  'dynamic_date_formats',
  'numeric_detection',
  'include_in_all',
  ...METADATA_KEYS,
];

/** Which sources are kept, and which of their members. */
export interface SourceSetting {
  readonly enabled: boolean;
  readonly includes: readonly string[];
  readonly excludes: readonly string[];
}

/** The members of a mapping beside `properties`, `dynamic` and `enabled`. */
export class RootDefinition {
  readonly #members = new Map<string, unknown>();
  options: DynamicOptions = { templates: [], dates: true, dateFormats: DEFAULT_DATES, numbers: false };

  /** Reads how unknown members are mapped. */
  applyDynamic(definition: Json): void {
    const flag = (key: string, before: boolean): boolean => {
      const value = definition[key];
      if (value === undefined) return before;
      const found = convertedFlag(value, key);
      this.#members.set(key, found);
      return found;
    };
    const { dynamic_date_formats: formats, dynamic_templates: templates } = definition;
    if (formats !== undefined) this.#members.set('dynamic_date_formats', toList(formats));
    if (templates !== undefined) {
      checkTemplates(templates);
      this.#members.set('dynamic_templates', templates);
    }
    this.options = {
      templates: templates === undefined ? this.options.templates : readTemplates(templates),
      dates: flag('date_detection', this.options.dates),
      dateFormats: formats === undefined ? this.options.dateFormats : dynamicFormats(formats),
      numbers: flag('numeric_detection', this.options.numbers),
    };
  }

  /** Reads what is said of the whole document. */
  applyMetadata(definition: Json): void {
    for (const key of METADATA_KEYS) {
      const value = definition[key];
      if (value === undefined) continue;
      if (key !== '_meta') this.#members.set(key, readMetadata(key, value));
      else if (value !== null && !isObject(value))
        throw mapperParsing(`[_meta] must be an object, got [${show(value)}]`);
      else if (value !== null) this.#members.set(key, value);
    }
    const others = Object.keys(definition).filter((key) => !ROOT_KEYS.includes(key));
    const fixed = others.find((key) => FIXED_KEYS.includes(key));
    if (fixed !== undefined) throw mapperParsing(`${fixed} is not configurable`);
    if (others.length > 0)
      throw mapperParsing(
        `Root mapping definition has unsupported parameters: ${inHashOrder(others)
          .map((key) => ` [${key} : ${show(definition[key])}]`)
          .join('')}${didYouMean(others[0]!, ROOT_KEYS)}`,
      );
  }

  /** The members as `GET _mapping` shows them. */
  toJSON(): Json {
    return Object.fromEntries(
      [...this.#members]
        .filter(([key, value]) => !isDefault(key, value))
        .map(([key, value]) => [key, key === 'dynamic_templates' ? printTemplates(value) : value]),
    );
  }

  /** The `_source` setting. */
  get sourceSetting(): SourceSetting {
    const value = this.#members.get('_source');
    if (!isObject(value)) return { enabled: true, includes: [], excludes: [] };
    const list = (key: string): string[] => (value[key] === undefined ? [] : toList(value[key]).map(textOf));
    return {
      enabled: value['enabled'] === undefined || asBoolean(value['enabled'], 'enabled'),
      includes: list('includes'),
      excludes: list('excludes'),
    };
  }

  /** Whether writes and reads must name a routing. */
  get routingRequired(): boolean {
    const value = this.#members.get('_routing');
    return isObject(value) && (value['required'] === true || value['required'] === 'true');
  }
}

/** Whether a metadata field of a mapping says what is so without it. */
function isDefault(key: string, value: unknown): boolean {
  const usual = { _source: '{"enabled":true}', _routing: '{"required":false}' }[key];
  const text = JSON.stringify(value);
  return text === usual || (text === '{}' && key.startsWith('_') && key !== '_meta');
}

function dynamicFormats(value: unknown): DynamicOptions['dateFormats'] {
  return toList(value).map((format) => {
    if (typeof format !== 'string' && !(value === format && typeof value === 'number'))
      throw illegalArgument(`Invalid format: [${show(format)}]: expected string value`);
    return dateFormat(textOf(format));
  });
}
