// Schema browser: root fields first, then one type at a time, with descriptions and a way back.
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  type GraphQLType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from 'graphql';

import type { Problem } from '../api.ts';
import { h } from '../ui/element.ts';
import { notice } from '../ui/notice.ts';

export interface SchemaPane {
  readonly element: HTMLElement;
  load(schema: GraphQLSchema): void;
  fail(problem: Problem): void;
  /** Opens a type; marks a field of it. */
  show(type: string | undefined, field: string | undefined): void;
}

/** Builds the pane, empty until a schema is loaded. */
export function schemaPane(): SchemaPane {
  let schema: GraphQLSchema | undefined;
  const trail: string[] = [];
  const body = h(
    'div',
    { class: 'docs-body', on: { click: ({ target }) => followLink(target) } },
    h('p', { class: 'muted' }, 'Loading the schema …'),
  );
  const element = h('aside', { class: 'panel docs', 'aria-label': 'Schema' }, body);

  function followLink(target: EventTarget | null): void {
    const link = target instanceof Element ? target.closest<HTMLElement>('[data-type]') : null;
    if (link !== null) open(link.dataset['type']);
  }

  function open(name: string | undefined, field?: string): void {
    if (name !== undefined) trail.push(name);
    draw(field);
  }

  function back(): void {
    trail.pop();
    draw();
  }

  function draw(field?: string): void {
    if (schema === undefined) return;
    const type = schema.getType(trail.at(-1) ?? '');
    body.replaceChildren(...(type === undefined ? rootNodes(schema) : typeNodes(type, schema, back, field)));
    body.querySelector('.marked')?.scrollIntoView({ block: 'center' });
    if (field === undefined) body.scrollTop = 0;
  }

  return {
    element,
    load: (loaded) => {
      schema = loaded;
      draw();
    },
    fail: (problem) => body.replaceChildren(notice(problem)),
    show: open,
  };
}

function rootNodes(schema: GraphQLSchema): Node[] {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].filter(
    (type) => type != null,
  );
  const names = new Set(roots.map(({ name }) => name));
  const others = Object.keys(schema.getTypeMap()).filter((name) => !name.startsWith('__') && !names.has(name));
  return [
    h('h2', {}, 'Schema'),
    ...roots.flatMap((type) => [h('h3', {}, type.name), fieldList(Object.values(type.getFields()))]),
    h('h3', {}, 'Types'),
    h('p', { class: 'types' }, ...typeLinks(others)),
  ];
}

/** @param marked the field to be marked */
function typeNodes(type: GraphQLNamedType, schema: GraphQLSchema, back: () => void, marked?: string): Node[] {
  const nodes: Node[] = [
    h('button', { class: 'quiet back', type: 'button', on: { click: back } }, '← Back'),
    h('h2', {}, type.name),
    h('p', {}, type.description ?? ''),
  ];
  if (isObjectType(type) || isInterfaceType(type)) {
    const interfaces = type.getInterfaces().map(({ name }) => name);
    if (interfaces.length > 0) nodes.push(h('p', {}, 'Implements ', ...typeLinks(interfaces)));
  }
  if (isObjectType(type) || isInterfaceType(type) || isInputObjectType(type))
    nodes.push(h('h3', {}, 'Fields'), fieldList(Object.values(type.getFields()), marked));
  if (isInterfaceType(type) || isUnionType(type)) {
    const possible = schema.getPossibleTypes(type).map(({ name }) => name);
    nodes.push(h('h3', {}, 'Can be'), h('p', {}, ...typeLinks(possible)));
  }
  if (isEnumType(type)) {
    const values = type.getValues().map(({ name, description }) => h('li', {}, h('code', {}, name), text(description)));
    nodes.push(h('h3', {}, 'Values'), h('ul', { class: 'fields' }, ...values));
  }
  return nodes;
}

function fieldList(
  fields: readonly (GraphQLField<unknown, unknown> | GraphQLInputField)[],
  marked?: string,
): HTMLElement {
  return h('ul', { class: 'fields' }, ...fields.map((field) => fieldItem(field, field.name === marked)));
}

function fieldItem(field: GraphQLField<unknown, unknown> | GraphQLInputField, isMarked: boolean): HTMLElement {
  const { name, type, description, deprecationReason: reason } = field;
  const signature = [...('args' in field ? argumentNodes(field.args) : []), ': ', ...typeReference(type)];
  return h(
    'li',
    { class: isMarked ? 'marked' : undefined },
    h('code', {}, h('span', { class: 'field-name' }, name), ...signature),
    text(description),
    reason == null ? null : h('p', { class: 'deprecated' }, `Deprecated: ${reason}`),
  );
}

function argumentNodes(args: readonly GraphQLArgument[]): (Node | string)[] {
  if (args.length === 0) return [];
  const each = args.flatMap(({ name, type }, index) => [`${index === 0 ? '' : ', '}${name}: `, ...typeReference(type)]);
  return ['(', ...each, ')'];
}

function typeReference(type: GraphQLType): (Node | string)[] {
  if (isNonNullType(type)) return [...typeReference(type.ofType), '!'];
  if (isListType(type)) return ['[', ...typeReference(type.ofType), ']'];
  return [typeLink(type.name)];
}

function typeLinks(names: readonly string[]): (Node | string)[] {
  return names.flatMap((name) => [typeLink(name), ' ']);
}

function typeLink(name: string): HTMLElement {
  return h('button', { class: 'type-link', type: 'button', 'data-type': name }, name);
}

function text(description: string | null | undefined): HTMLElement | null {
  return description == null ? null : h('p', {}, description);
}
