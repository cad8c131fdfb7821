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

import { openEventStream } from '../event-stream.ts';
import { type Answer, call, problemOf, problemOfFailure } from '../api.ts';
import { createEditor, jsonReading, jsonWriting, RUN_KEYS } from '../ui/editor.ts';
import { h } from '../ui/element.ts';
import { recall, remember } from '../ui/memory.ts';
import { notice } from '../ui/notice.ts';
import { pathsOfErrors, starterQuery } from './starter-query.ts';
import { schemaPane } from './schema-pane.ts';

const QUERY_KEY = 'query.text';
const VARIABLES_KEY = 'query.variables';
/** Of a subscription only the latest events are shown. */
const MOST_EVENTS = 50;
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
  const problems = h('div', { class: 'problems' });
  const status = h('span', { class: 'status muted', role: 'status' });
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
  const stopButton = h(
    'button',
    { class: 'quiet', type: 'button', hidden: true, on: { click: () => running?.abort() } },
    'Stop',
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
  const result = createEditor({
    label: 'Answer',
    text: '',
    hint: 'The answer appears here.',
    extensions: jsonReading(),
    readOnly: true,
  });

  async function run(): Promise<void> {
    const request = readRequest();
    if (request === undefined) return;
    running?.abort();
    const control = new AbortController();
    running = control;
    problems.replaceChildren();
    try {
      if (isSubscription(request)) await listen(request, control.signal);
      else {
        status.textContent = 'Running …';
        showAnswer(await call('/graphql', { method: 'POST', json: request, signal: control.signal }));
      }
    } catch (error) {
      if (control.signal.aborted) return;
      status.textContent = '';
      problems.replaceChildren(notice(problemOfFailure(error)));
    } finally {
      if (running === control) running = undefined;
    }
  }

  async function listen(request: Request, signal: AbortSignal): Promise<void> {
    const events: unknown[] = [];
    status.textContent = 'Listening …';
    stopButton.hidden = false;
    try {
      for await (const event of openEventStream('/graphql/stream', request, signal)) {
        if (event.kind === 'refused') return showAnswer(event.answer);
        events.unshift(event.data);
        result.replace(JSON.stringify(events.slice(0, MOST_EVENTS), null, 2));
        status.textContent = `Listening … ${events.length} ${events.length === 1 ? 'event' : 'events'}, the latest first`;
      }
      status.textContent = `The stream ended after ${events.length} ${events.length === 1 ? 'event' : 'events'}.`;
    } finally {
      if (signal.aborted)
        status.textContent = `Stopped after ${events.length} ${events.length === 1 ? 'event' : 'events'}.`;
      stopButton.hidden = true;
    }
  }

  function readRequest(): Request | undefined {
    const query = editor.text();
    if (query.trim() === '') {
      problems.replaceChildren(
        notice({ title: 'There is no operation to run.', hint: 'Write one on the left, for example { __typename }.' }),
      );
      return undefined;
    }
    let values: unknown;
    try {
      values = variables.text().trim() === '' ? undefined : JSON.parse(variables.text());
    } catch (error) {
      problems.replaceChildren(notice({ title: 'The variables are not JSON.', detail: (error as Error).message }));
      return undefined;
    }
    const operationName = operations.hidden ? undefined : operations.value;
    return {
      query,
      ...(values === undefined ? {} : { variables: values }),
      ...(operationName === undefined ? {} : { operationName }),
    };
  }

  function showAnswer(answer: Answer): void {
    const { body, status: code, milliseconds, text } = answer;
    const isJson = typeof body === 'object' && body !== null;
    result.replace(isJson ? JSON.stringify(body, null, 2) : text);
    status.textContent = `HTTP ${code} · ${Math.round(milliseconds)} ms · ${formatBytes(text.length)}`;
    const failed = code >= 400 || (isJson && 'errors' in body);
    problems.replaceChildren(...(failed ? [notice(problemOf(answer))] : []));
  }

  function listOperations(text: string): void {
    const names = [...text.matchAll(/^\s*(?:query|mutation|subscription)\s+(\w+)/gm)].map((match) => match[1]!);
    operations.hidden = names.length < 2;
    const chosen = operations.value;
    operations.replaceChildren(...names.map((name) => h('option', { selected: name === chosen }, name)));
  }

  function tidy(): void {
    const text = editor.text();
    const [, head = '', rest = ''] = /^((?:\s*#[^\n]*\n)*)([^]*)$/.exec(text) ?? [];
    // Comments are not part of the document tree: printing would drop those in between.
    if (rest.includes('#')) {
      status.textContent = 'Not tidied: comments inside the operation would be lost.';
      return;
    }
    try {
      editor.replace(`${head}${print(parse(text))}\n`);
    } catch {
      status.textContent = 'Not tidied: the text is no GraphQL document yet.';
    }
  }

  async function loadSchema(): Promise<void> {
    try {
      const answer = await call('/graphql', { method: 'POST', json: { query: getIntrospectionQuery() } });
      const { data } = answer.body as { data?: IntrospectionQuery };
      if (data === undefined) return docs.fail(problemOf(answer));
      const schema = buildClientSchema(data);
      updateSchema(editor.view, schema);
      docs.load(schema);
      if (editor.text().trim() === '') await start(schema);
    } catch (error) {
      docs.fail(problemOfFailure(error));
    }
  }

  /** Writes a first operation, and takes out of it what comes back with an error: fields that the caller may not read. */
  async function start(schema: GraphQLSchema): Promise<void> {
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
      stopButton,
      operations,
      h('button', { class: 'quiet', type: 'button', on: { click: tidy } }, 'Tidy'),
      status,
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
      h('section', { class: 'panel read', 'aria-label': 'Answer' }, problems, result.element),
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

function formatBytes(bytes: number): string {
  return bytes < 1000 ? `${bytes} B` : `${(bytes / 1000).toFixed(1)} kB`;
}
