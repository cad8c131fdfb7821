// Prints an answer as YAML, in the style of Elasticsearch: texts in double quotes, lists as far to the left as their key.
import { isObject } from './json.ts';

/** A document of one value. */
export function printYaml(value: unknown): string {
  return isNested(value) ? `---\n${block(value, '')}` : `--- ${scalar(value)}\n`;
}

function isNested(value: unknown): value is object {
  return Array.isArray(value) ? value.length > 0 : isObject(value) && Object.keys(value).length > 0;
}

function scalar(value: unknown): string {
  if (Array.isArray(value)) return '[]';
  return isObject(value) ? '{}' : JSON.stringify(value ?? null);
}

function block(value: object, indent: string): string {
  if (Array.isArray(value))
    return value
      .map((each: unknown) =>
        // The first line of an element follows its dash.
        isNested(each)
          ? `${indent}- ${block(each, `${indent}  `).slice(indent.length + 2)}`
          : `${indent}- ${scalar(each)}\n`,
      )
      .join('');
  return Object.entries(value)
    .map(([key, each]) => {
      const head = `${indent}${/^[A-Za-z_][\w.\-/ ]*$/.test(key) ? key : `'${key.replaceAll("'", "''")}'`}:`;
      if (!isNested(each)) return `${head} ${scalar(each)}\n`;
      return `${head}\n${block(each, Array.isArray(each) ? indent : `${indent}  `)}`;
    })
    .join('');
}
