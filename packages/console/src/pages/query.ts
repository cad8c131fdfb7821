// The query page: write a GraphQL operation with completion from the schema, run it, read the answer, browse the schema.
import { graphql, updateSchema } from 'cm6-graphql';
import {
  buildClientSchema,
  getIntrospectionQuery,
  type GraphQLSchema,
  type IntrospectionQuery,
  Kind,
  OperationTypeNode,
  parse,
  print,
} from 'graphql';

import { call, type Problem, problemOf, problemOfFailure } from '../api.ts';
import { createEditor, type Editor, jsonWriting } from '../ui/editor.ts';
import { h } from '../ui/element.ts';
import { recall, remember } from '../ui/memory.ts';
import { runButton } from '../ui/run-button.ts';
import { type AnswerPane, answerPane } from './answer-pane.ts';
import { pathsOfErrors, starterQuery } from './starter-query.ts';
import { type SchemaPane, schemaPane } from './schema-pane.ts';

const QUERY_KEY = 'query.text';
const VARIABLES_KEY = 'query.variables';
/** Attempts at the first operation: an error of an object hides those of its fields. */
const MOST_LOOKS = 5;

interface Request {
  readonly query: string;
  readonly variables: unknown;
  readonly operationName: string | undefined;
}

/** Builds the page and loads the schema. */
export function queryPage(): HTMLElement {
  let running: AbortController | undefined;
  const docs = schemaPane();
  const pane = answerPane(() => running?.abort());
  const operations = h('select', { 'aria-label': 'Operation to run', hidden: true });
  const editor = createEditor({
    label: 'GraphQL operation',
    text: recall(QUERY_KEY) ?? '',
    hint: '# Write an operation, or pick a field in the schema.',
    extensions: graphql(undefined, { onShowInDocs: (field, type, parent) => docs.show(parent ?? type, field) }),
    onRun: () => void run(),
    onChange: (text) => {
      remember(QUERY_KEY, text);
      listOperations(operations, text);
    },
  });
  const variables = createEditor({
    label: 'Variables, as JSON',
    text: recall(VARIABLES_KEY) ?? '',
    hint: '{ "name": "value" }',
    extensions: jsonWriting(),
    onRun: () => void run(),
    onChange: (text) => remember(VARIABLES_KEY, text),
  });

  async function run(): Promise<void> {
    const { request, problem } = readRequest(editor.text(), variables.text(), operations);
    if (request === undefined) return pane.complain(problem);
    running?.abort();
    const control = new AbortController();
    running = control;
    pane.complain();
    try {
      if (isSubscription(request)) await pane.listen(request, control.signal);
      else {
        pane.tell('Running …');
        pane.show(await call('/graphql', { method: 'POST', json: request, signal: control.signal }));
      }
    } catch (error) {
      if (control.signal.aborted) return;
      pane.tell('');
      pane.complain(problemOfFailure(error));
    } finally {
      if (running === control) running = undefined;
    }
  }

  function tidy(): void {
    const tidied = tidyOperation(editor.text());
    if (tidied.kind === 'tidied') editor.replace(tidied.text);
    else pane.tell(`Not tidied: ${tidied.reason}`);
  }

  listOperations(operations, editor.text());
  void loadSchema(editor, docs);
  return layOut({ editor, variables, operations, docs, pane, run, tidy });
}

interface Parts {
  readonly editor: Editor;
  readonly variables: Editor;
  readonly operations: HTMLSelectElement;
  readonly docs: SchemaPane;
  readonly pane: AnswerPane;
  readonly run: () => Promise<void>;
  readonly tidy: () => void;
}

/** Arranges the toolbar, the request, the answer and the schema. */
function layOut({ editor, variables, operations, docs, pane, run, tidy }: Parts): HTMLElement {
  const docsButton = h(
    'button',
    { class: 'quiet', type: 'button', 'aria-expanded': 'true', on: { click: () => toggleDocs() } },
    'Schema',
  );
  const page = h(
    'div',
    { class: 'query-page' },
    h('h1', { class: 'visually-hidden' }, 'Query'),
    h(
      'div',
      { class: 'toolbar' },
      runButton('Run', run),
      pane.stopButton,
      operations,
      h('button', { class: 'quiet', type: 'button', on: { click: tidy } }, 'Tidy'),
      pane.status,
      docsButton,
    ),
    h(
      'div',
      { class: 'query-panes' },
      h(
        'section',
        { class: 'panel write', 'aria-label': 'Request' },
        editor.element,
        h('details', { class: 'variables', open: true }, h('summary', {}, 'Variables'), variables.element),
      ),
      pane.element,
      docs.element,
    ),
  );
  function toggleDocs(): void {
    const hidden = page.classList.toggle('without-docs');
    docsButton.setAttribute('aria-expanded', String(!hidden));
  }
  return page;
}

type ReadRequest =
  | { readonly request: Request; readonly problem?: undefined }
  | { readonly request?: undefined; readonly problem: Problem };

function readRequest(query: string, variables: string, operations: HTMLSelectElement): ReadRequest {
  if (query.trim() === '') {
    const hint = 'Write one on the left, for example { __typename }.';
    return { problem: { title: 'There is no operation to run.', hint } };
  }
  try {
    const values: unknown = variables.trim() === '' ? undefined : JSON.parse(variables);
    // JSON leaves out members that are undefined.
    return { request: { query, variables: values, operationName: operations.hidden ? undefined : operations.value } };
  } catch (error) {
    return { problem: { title: 'The variables are not JSON.', detail: String(error) } };
  }
}

/** Offers the operations of a text to choose from if there are several. */
function listOperations(select: HTMLSelectElement, text: string): void {
  const names = [...text.matchAll(/^\s*(?:query|mutation|subscription)\s+(\w+)/gm)].map(([, name]) => name);
  select.hidden = names.length < 2;
  const chosen = select.value;
  select.replaceChildren(...names.map((name) => h('option', { selected: name === chosen }, name)));
}

async function loadSchema(editor: Editor, docs: SchemaPane): Promise<void> {
  try {
    const answer = await call('/graphql', { method: 'POST', json: { query: getIntrospectionQuery() } });
    const { data } = answer.body as { data?: IntrospectionQuery };
    if (data === undefined) return docs.fail(problemOf(answer));
    const schema = buildClientSchema(data);
    updateSchema(editor.view, schema);
    docs.load(schema);
    if (editor.text().trim() === '') await writeStarter(editor, schema);
  } catch (error) {
    docs.fail(problemOfFailure(error));
  }
}

/** Whether the operation that will run is a subscription: the named one, or the first. */
function isSubscription({ query, operationName }: Request): boolean {
  try {
    const operations = parse(query).definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
    const chosen = operations.find(({ name }) => name?.value === operationName) ?? operations[0];
    return chosen?.operation === OperationTypeNode.SUBSCRIPTION;
  } catch {
    // The server reports the syntax error.
    return false;
  }
}

/** Writes a first operation without the fields that the caller may not read: those whose paths come back as errors. */
async function writeStarter(editor: Editor, schema: GraphQLSchema): Promise<void> {
  const without = new Set<string>();
  editor.replace(starterQuery(schema));
  for (let look = 0; look < MOST_LOOKS; look++) {
    const query = editor.text();
    const { body } = await call('/graphql', { method: 'POST', json: { query } });
    const { errors = [] } = (body ?? {}) as { readonly errors?: readonly { readonly path?: readonly unknown[] }[] };
    const paths = pathsOfErrors(errors);
    // The user may have started to type meanwhile.
    if (paths.length === 0 || editor.text() !== query) return;
    for (const path of paths) without.add(path);
    editor.replace(starterQuery(schema, without));
  }
}

type Tidied =
  | { readonly kind: 'tidied'; readonly text: string }
  | { readonly kind: 'refused'; readonly reason: string };

/** Reprints an operation, below the comments at its head. */
function tidyOperation(text: string): Tidied {
  const [, head = '', rest = ''] = /^((?:\s*#[^\n]*\n)*)([^]*)$/.exec(text) ?? [];
  // Comments are not part of the syntax tree, so printing would drop them.
  if (rest.includes('#')) return { kind: 'refused', reason: 'comments inside the operation would be lost.' };
  try {
    return { kind: 'tidied', text: `${head}${print(parse(text))}\n` };
  } catch {
    return { kind: 'refused', reason: 'the text is no GraphQL document yet.' };
  }
}
