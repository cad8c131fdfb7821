// The query room: write a GraphQL operation with completion from the schema, run it, read the answer, browse the schema.
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

import { call, problemOf, problemOfFailure } from '../api.ts';
import { createEditor, type Editor, jsonWriting, RUN_KEYS } from '../ui/editor.ts';
import { h } from '../ui/element.ts';
import { recall, remember } from '../ui/memory.ts';
import { answerPane } from './answer-pane.ts';
import { pathsOfErrors, starterQuery } from './starter-query.ts';
import { schemaPane } from './schema-pane.ts';

const QUERY_KEY = 'query.text';
const VARIABLES_KEY = 'query.variables';
/** How often the first operation is tried: an error further out hides those inside. */
const MOST_LOOKS = 5;

interface Request {
  readonly query: string;
  readonly variables?: unknown;
  readonly operationName?: string;
}

/** Builds the room and loads the schema. */
export function queryPage(): HTMLElement {
  let running: AbortController | undefined;
  const docs = schemaPane();
  const pane = answerPane(() => running?.abort());
  const runButton = h(
    'button',
    {
      class: 'primary',
      type: 'button',
      title: 'Run (Ctrl+Enter)',
      'aria-keyshortcuts': RUN_KEYS,
      on: { click: () => void run() },
    },
    'Run',
  );
  const operations = h('select', { 'aria-label': 'Operation to run', hidden: true });
  const editor = createEditor({
    label: 'GraphQL operation',
    text: recall(QUERY_KEY) ?? '',
    hint: '# Write an operation, or pick a field in the schema.',
    extensions: graphql(undefined, { onShowInDocs: (field, type, parent) => docs.show(parent ?? type, field) }),
    onRun: () => void run(),
    onChange: (text) => {
      remember(QUERY_KEY, text);
      listOperations(text);
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
    const request = readRequest();
    if (request === undefined) return;
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

  function readRequest(): Request | undefined {
    const query = editor.text();
    if (query.trim() === '') {
      pane.complain({
        title: 'There is no operation to run.',
        hint: 'Write one on the left, for example { __typename }.',
      });
      return undefined;
    }
    let values: unknown;
    try {
      values = variables.text().trim() === '' ? undefined : JSON.parse(variables.text());
    } catch (error) {
      pane.complain({ title: 'The variables are not JSON.', detail: (error as Error).message });
      return undefined;
    }
    const operationName = operations.hidden ? undefined : operations.value;
    return {
      query,
      ...(values === undefined ? {} : { variables: values }),
      ...(operationName === undefined ? {} : { operationName }),
    };
  }

  function listOperations(text: string): void {
    const names = [...text.matchAll(/^\s*(?:query|mutation|subscription)\s+(\w+)/gm)].map((match) => match[1]!);
    operations.hidden = names.length < 2;
    const chosen = operations.value;
    operations.replaceChildren(...names.map((name) => h('option', { selected: name === chosen }, name)));
  }

  function tidy(): void {
    const tidied = tidyOperation(editor.text());
    if (tidied.kind === 'tidied') editor.replace(tidied.text);
    else pane.tell(`Not tidied: ${tidied.reason}`);
  }

  async function loadSchema(): Promise<void> {
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

  listOperations(editor.text());
  void loadSchema();
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
      runButton,
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

/** Tells a subscription from what is answered once; the operation that will run is the named one, or the first. */
function isSubscription({ query, operationName }: Request): boolean {
  try {
    const operations = parse(query).definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
    const chosen = operations.find(({ name }) => name?.value === operationName) ?? operations[0];
    return chosen?.operation === OperationTypeNode.SUBSCRIPTION;
  } catch {
    // The server says what is wrong with the text.
    return false;
  }
}

/** Writes a first operation, and takes out of it what comes back with an error: fields that the caller may not read. */
async function writeStarter(editor: Editor, schema: GraphQLSchema): Promise<void> {
  const without = new Set<string>();
  editor.replace(starterQuery(schema));
  for (let look = 0; look < MOST_LOOKS; look++) {
    const query = editor.text();
    const { body } = await call('/graphql', { method: 'POST', json: { query } });
    const { errors = [] } = (body ?? {}) as { readonly errors?: readonly { readonly path?: readonly unknown[] }[] };
    const paths = pathsOfErrors(errors);
    // Somebody may have begun to write meanwhile.
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
  // Comments are not part of the document tree: printing would drop those in between.
  if (rest.includes('#')) return { kind: 'refused', reason: 'comments inside the operation would be lost.' };
  try {
    return { kind: 'tidied', text: `${head}${print(parse(text))}\n` };
  } catch {
    return { kind: 'refused', reason: 'the text is no GraphQL document yet.' };
  }
}
