// The schema, to be browsed: root fields first, then one type at a time, with descriptions and a way back.
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

/** The pane and what it can be told. */
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
  const body = h('div', { class: 'docs-body' }, h('p', { class: 'muted' }, 'Loading the schema …'));
  const element = h('aside', { class: 'panel docs', 'aria-label': 'Schema' }, body);

  function open(name: string | undefined, field?: string): void {
    if (name !== undefined) trail.push(name);
    draw(field);
  }

  function back(): void {
    trail.pop();
    draw();
  }

  function draw(field?: string): void {
    const type = trail.length === 0 ? undefined : schema?.getType(trail.at(-1)!);
    if (schema === undefined) return;
    body.replaceChildren(...(type === undefined ? drawRoots(schema) : drawType(type, schema, field)));
    body.querySelector('.marked')?.scrollIntoView({ block: 'center' });
    if (field === undefined) body.scrollTop = 0;
  }

  function drawRoots(of: GraphQLSchema): Node[] {
    const roots = [of.getQueryType(), of.getMutationType(), of.getSubscriptionType()].filter((type) => type != null);
    const own = Object.values(of.getTypeMap()).filter(
      (type) => !type.name.startsWith('__') && !roots.includes(type as never),
    );
    return [
      h('h2', {}, 'Schema'),
      ...roots.flatMap((type) => [h('h3', {}, type.name), fieldList(Object.values(type.getFields()))]),
      h('h3', {}, 'Types'),
      h('p', { class: 'types' }, ...own.flatMap((type) => [typeLink(type.name), ' '])),
    ];
  }

  function drawType(type: GraphQLNamedType, of: GraphQLSchema, field: string | undefined): Node[] {
    const nodes: Node[] = [
      h('button', { class: 'quiet back', type: 'button', on: { click: back } }, '← Back'),
      h('h2', {}, type.name),
      h('p', {}, type.description ?? ''),
    ];
    if (isObjectType(type) || isInterfaceType(type)) {
      const interfaces = type.getInterfaces();
      if (interfaces.length > 0)
        nodes.push(h('p', {}, 'Implements ', ...interfaces.flatMap(({ name }) => [typeLink(name), ' '])));
      nodes.push(h('h3', {}, 'Fields'), fieldList(Object.values(type.getFields()), field));
    }
    if (isInputObjectType(type)) nodes.push(h('h3', {}, 'Fields'), fieldList(Object.values(type.getFields()), field));
    if (isInterfaceType(type) || isUnionType(type)) {
      nodes.push(
        h('h3', {}, 'Can be'),
        h('p', {}, ...of.getPossibleTypes(type).flatMap(({ name }) => [typeLink(name), ' '])),
      );
    }
    if (isEnumType(type)) {
      nodes.push(
        h('h3', {}, 'Values'),
        h(
          'ul',
          { class: 'fields' },
          ...type
            .getValues()
            .map(({ name, description }) =>
              h('li', {}, h('code', {}, name), description == null ? null : h('p', {}, description)),
            ),
        ),
      );
    }
    return nodes;
  }

  function fieldList(
    fields: readonly (GraphQLField<unknown, unknown> | GraphQLInputField)[],
    marked?: string,
  ): HTMLElement {
    return h(
      'ul',
      { class: 'fields' },
      ...fields.map((field) =>
        h(
          'li',
          { class: field.name === marked ? 'marked' : undefined },
          h(
            'code',
            {},
            h('span', { class: 'field-name' }, field.name),
            ...('args' in field ? argumentNodes(field.args) : []),
            ': ',
            ...typeNodes(field.type),
          ),
          field.description == null ? null : h('p', {}, field.description),
          field.deprecationReason == null
            ? null
            : h('p', { class: 'deprecated' }, `Deprecated: ${field.deprecationReason}`),
        ),
      ),
    );
  }

  function argumentNodes(args: readonly GraphQLArgument[]): (Node | string)[] {
    if (args.length === 0) return [];
    return [
      '(',
      ...args.flatMap((argument, index) => [
        index === 0 ? '' : ', ',
        `${argument.name}: `,
        ...typeNodes(argument.type),
      ]),
      ')',
    ];
  }

  function typeNodes(type: GraphQLType): (Node | string)[] {
    if (isNonNullType(type)) return [...typeNodes(type.ofType as GraphQLType), '!'];
    if (isListType(type)) return ['[', ...typeNodes(type.ofType), ']'];
    return [typeLink(type.name)];
  }

  function typeLink(name: string): HTMLElement {
    return h('button', { class: 'type-link', type: 'button', on: { click: () => open(name) } }, name);
  }

  return {
    element,
    load: (loaded) => {
      schema = loaded;
      draw();
    },
    fail: (problem) => body.replaceChildren(notice(problem)),
    show: (type, field) => open(type, field),
  };
}
