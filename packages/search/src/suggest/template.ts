// Texts with places for values, in the language Mustache, as Elasticsearch fills them into queries: values are escaped for JSON strings.
import { isObject, type Json } from '../json/json.ts';
import { show } from '../json/java-values.ts';

/** Fills in values. */
export type Template = (values: Json) => string;

type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly path: string; readonly isEscaped: boolean }
  | {
      readonly kind: 'section' | 'inverted';
      readonly path: string;
      readonly inner: readonly Part[];
      readonly raw: string;
    };

/** Tags: three braces, or two with a sign before the name. */
const TAG = /\{\{\{\s*([^}]*?)\s*\}\}\}|\{\{\s*([#^/&!>=]?)\s*([^}]*?)\s*\}\}/g;

/** Reads a template. @param refuse makes the error for one that cannot be read */
export function compileTemplate(text: string, refuse: (reason: string) => Error): Template {
  const stack: { kind: 'section' | 'inverted'; path: string; start: number; parts: Part[] }[] = [];
  let parts: Part[] = [];
  let at = 0;
  for (const { 0: tag, 1: raw, 2: sign, 3: path = '', index } of text.matchAll(TAG)) {
    if (index > at) parts.push({ kind: 'text', text: text.slice(at, index) });
    at = index + tag.length;
    if (raw !== undefined) parts.push({ kind: 'value', path: raw, isEscaped: false });
    else if (sign === '' || sign === '&') parts.push({ kind: 'value', path, isEscaped: sign === '' });
    else if (sign === '#' || sign === '^') {
      stack.push({ kind: sign === '#' ? 'section' : 'inverted', path, start: at, parts });
      parts = [];
    } else if (sign === '/') {
      const open = stack.pop();
      if (open?.path !== path) throw refuse(`Improperly closed tag [${path}] in a template`);
      open.parts.push({ kind: open.kind, path, inner: parts, raw: text.slice(open.start, index) });
      ({ parts } = open);
    } else if (sign !== '!') throw refuse(`[${tag}] in a template is not supported`);
  }
  if (stack.length > 0) throw refuse(`Tag [${stack.at(-1)!.path}] in a template is not closed`);
  if (at < text.length) parts.push({ kind: 'text', text: text.slice(at) });
  return (values) => print(parts, [values]);
}

/** @param scopes the innermost last */
function print(parts: readonly Part[], scopes: readonly unknown[]): string {
  return parts.map((part) => printPart(part, scopes)).join('');
}

function printPart(part: Part, scopes: readonly unknown[]): string {
  if (part.kind === 'text') return part.text;
  if (part.kind === 'value') {
    const text = textOf(lookUp(part.path, scopes));
    return part.isEscaped ? JSON.stringify(text).slice(1, -1) : text;
  }
  const { inner, path, raw } = part;
  if (part.kind === 'section' && path === 'toJson') return JSON.stringify(lookUp(raw.trim(), scopes) ?? null);
  if (part.kind === 'section' && path === 'join') {
    const list = lookUp(raw.trim(), scopes);
    return Array.isArray(list) ? list.map(textOf).join(',') : textOf(list);
  }
  const value = lookUp(path, scopes);
  const isOn =
    value !== undefined && value !== null && value !== false && !(Array.isArray(value) && value.length === 0);
  if (part.kind === 'inverted') return isOn ? '' : print(inner, scopes);
  if (!isOn) return '';
  const each: readonly unknown[] = Array.isArray(value) ? value : [value];
  return each.map((element) => print(inner, [...scopes, element])).join('');
}

function lookUp(path: string, scopes: readonly unknown[]): unknown {
  if (path === '.') return scopes.at(-1);
  const [first = '', ...rest] = path.split('.');
  const scope = scopes.findLast((each) => isObject(each) && Object.hasOwn(each, first));
  const step = (from: unknown, name: string): unknown => {
    if (Array.isArray(from)) return (from as readonly unknown[])[Number(name)];
    return isObject(from) && Object.hasOwn(from, name) ? from[name] : undefined;
  };
  return rest.reduce(step, step(scope, first));
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : show(value);
}
