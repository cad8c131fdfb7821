// Recovers from misspelt names: each is reported, then replaced by the nearest known name or removed. One run thus
// finds the problems behind it, without reporting its consequences.
import {
  Kind,
  parse,
  visit,
  type ASTNode,
  type ArgumentNode,
  type DirectiveNode,
  type DirectiveDefinitionNode,
  type DocumentNode,
  type NamedTypeNode,
} from 'graphql';
import { suggest } from '@lockstitch/kernel';
import { foreignDirective, type ForeignDirective } from './foreign-directives.ts';
import type { Problems } from './problems.ts';
import { lookUp } from '../present.ts';

/** Reports unknown directives and unknown directive arguments; returns the document without them. */
export function recoverDirectives(document: DocumentNode, problems: Problems, directivesSdl: string): DocumentNode {
  const known = new Map<string, readonly string[]>([
    ['deprecated', ['reason']],
    ['specifiedBy', ['url']],
    ['oneOf', []],
  ]);
  const define = (node: DirectiveDefinitionNode): void =>
    void known.set(
      node.name.value,
      (node.arguments ?? []).map((argument) => argument.name.value),
    );
  for (const { definitions } of [parse(directivesSdl), document]) {
    for (const node of definitions) if (node.kind === Kind.DIRECTIVE_DEFINITION) define(node);
  }
  return visit(document, {
    Directive(node, _key, parent, _path, ancestors) {
      let name = node.name.value;
      const foreign = known.has(name) ? undefined : foreignDirective(name);
      if (foreign !== undefined) {
        problems.add(node, `Unknown directive "@${name}", which is ${foreign.of}'s.`, foreign.remedy);
        return translated(node, foreign);
      }
      if (!known.has(name)) {
        const meant = suggest(name, known.keys());
        const question = meant === undefined ? '' : ` Did you mean "@${meant}"?`;
        problems.add(node, `Unknown directive "@${name}".${question}`);
        if (meant === undefined) return null;
        name = meant;
      }
      const recovered = recoverArguments(node, name, lookUp(known, name), problems);
      if (recovered === undefined) {
        if (name === 'relation') suppressAtHolder([...ancestors, parent], problems);
        return null;
      }
      if (name === node.name.value && recovered === node.arguments) return undefined;
      return { ...node, name: { ...node.name, value: name }, arguments: recovered };
    },
  });
}

/** Our directive of the same meaning; null if there is none. */
function translated(node: DirectiveNode, { same }: ForeignDirective): DirectiveNode | null {
  if (same === undefined) return null;
  const args = (node.arguments ?? []).flatMap((argument): ArgumentNode[] => {
    const name = same.arguments[argument.name.value];
    if (name === undefined) return [];
    // Dgraph writes the field of @hasInverse as a name.
    const { value: given } = argument;
    const value = given.kind === Kind.ENUM ? ({ ...given, kind: Kind.STRING } as const) : given;
    return [{ ...argument, name: { ...argument.name, value: name }, value }];
  });
  return { ...node, name: { ...node.name, value: same.name }, arguments: args };
}

/** Undefined if the intended argument cannot be guessed; without it the directive would mean something else. */
function recoverArguments(
  node: DirectiveNode,
  directive: string,
  names: readonly string[],
  problems: Problems,
): readonly ArgumentNode[] | undefined {
  const given = node.arguments ?? [];
  const unknown = given.filter((argument) => !names.includes(argument.name.value));
  if (unknown.length === 0) return node.arguments ?? [];
  const free = names.filter((name) => !given.some((argument) => argument.name.value === name));
  const meant = new Map(unknown.map((argument) => [argument, suggest(argument.name.value, free)]));
  for (const [argument, name] of meant)
    problems.add(
      argument,
      `@${directive} has no argument "${argument.name.value}".${name === undefined ? '' : ` Did you mean "${name}"?`}`,
      names.length === 0 ? undefined : `It takes ${names.join(', ')}.`,
    );
  if (new Set(meant.values()).size < meant.size || [...meant.values()].includes(undefined)) return undefined;
  return given.map((argument) => {
    const name = meant.get(argument);
    return name === undefined ? argument : { ...argument, name: { ...argument.name, value: name } };
  });
}

/**
 * Reports unknown type names; returns the document with the nearest known names. If none is near, the field becomes a
 * String. Further problems of the field are suppressed, since its type is a guess.
 *
 * @param defined every type name of the schema, derived types included
 * @param derivable names of types that would be derived if the schema named them
 */
export function recoverTypeNames(
  document: DocumentNode,
  defined: ReadonlySet<string>,
  derivable: readonly string[],
  knownScalars: readonly string[],
  problems: Problems,
): DocumentNode {
  const declared = new Set<string>();
  const recovered = visit(document, {
    NamedType(node, _key, parent, _path, ancestors) {
      const name = node.name.value;
      if (defined.has(name)) return undefined;
      if (knownScalars.includes(name)) {
        problems.add(node, `Unknown type "${name}".`, `Write "scalar ${name}".`);
        declared.add(name);
        return undefined;
      }
      const meant = suggest(
        name,
        [...derivable, ...defined].filter((each) => !each.startsWith('__')),
      );
      problems.add(node, `Unknown type "${name}".${meant === undefined ? '' : ` Did you mean "${meant}"?`}`);
      const holder = holderOf([...ancestors, parent]);
      if (holder !== undefined) problems.suppress(holder);
      if (meant !== undefined) return renamed(node, meant);
      if (holder === undefined) return null;
      return holder.kind === Kind.OPERATION_TYPE_DEFINITION ? undefined : renamed(node, 'String');
    },
  });
  if (declared.size === 0) return recovered;
  const { definitions } = parse([...declared].map((name) => `scalar ${name}`).join('\n'), { noLocation: true });
  return { ...recovered, definitions: [...recovered.definitions, ...definitions] };
}

function renamed(node: NamedTypeNode, name: string): NamedTypeNode {
  return { ...node, name: { ...node.name, value: name } };
}

/** The ancestors of a node, outermost first. */
type Path = readonly (ASTNode | readonly ASTNode[] | undefined)[];

/** Suppresses further problems of the field whose directive could not be read. */
export function suppressAtHolder(path: Path, problems: Problems): void {
  const holder = holderOf(path);
  if (holder !== undefined) problems.suppress(holder);
}

/** The field, argument or root operation that has the type; undefined in a list of members or interfaces. */
function holderOf(path: Path): ASTNode | undefined {
  const nodes = path.filter((each): each is ASTNode => each !== undefined && !Array.isArray(each));
  return nodes.findLast(
    ({ kind }) =>
      kind === Kind.FIELD_DEFINITION || kind === Kind.INPUT_VALUE_DEFINITION || kind === Kind.OPERATION_TYPE_DEFINITION,
  );
}
