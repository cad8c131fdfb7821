// The search room: pick an index, write a search in Elasticsearch's language or take an example made from the index's own
// fields, see hits as cards and terms aggregations as bar charts.
import { type Answer, call, problemOf, problemOfFailure } from '../api.ts';
import { createEditor, jsonReading, jsonWriting, RUN_KEYS } from '../ui/editor.ts';
import { h } from '../ui/element.ts';
import { notice } from '../ui/notice.ts';
import { aggregationCharts, type Aggregations } from './aggregation-charts.ts';
import { type Hit, hitCard } from './hit-card.ts';
import { createIndexList, type IndexRow } from './index-list.ts';
import { type Example, examplesFor, readFields } from './search-examples.ts';

interface SearchBody {
  readonly took?: number;
  readonly timed_out?: boolean;
  readonly hits?: {
    readonly total?: number | { readonly value: number; readonly relation: string };
    readonly max_score?: number | null;
    readonly hits?: readonly Hit[];
  };
  readonly aggregations?: Aggregations;
}

/** Builds the room and lists the indexes. */
export function searchPage(): HTMLElement {
  let examples: readonly Example[] = [];
  let latest = 0;
  const list = createIndexList();
  const indexes = h('select', { id: 'index', on: { change: () => void chooseIndex() } });
  const exampleList = h('select', { id: 'example', on: { change: () => takeExample() } });
  const words = h('input', { id: 'words', type: 'search', placeholder: 'words to look for', autocomplete: 'off' });
  const status = h('p', { class: 'status muted', role: 'status' }, 'No search yet.');
  const lag = h('p', { class: 'status muted' });
  const results = h('div', { class: 'results' });
  const editor = createEditor({
    label: 'Search request, as JSON',
    text: '',
    extensions: jsonWriting(),
    onRun: () => void run(),
    onChange: (text) => {
      // Edited, it is no longer the example, which can then be chosen again.
      if (text !== textOf(examples[Number(exampleList.value)])) exampleList.selectedIndex = -1;
    },
  });

  async function run(): Promise<void> {
    const ticket = ++latest;
    status.textContent = 'Searching …';
    try {
      const answer = await call(`/${encodeURIComponent(indexes.value)}/_search`, {
        method: 'POST',
        json: editor.text().trim() || '{}',
      });
      // An answer that a later search has overtaken is of no interest.
      if (ticket === latest) showAnswer(answer);
      showLag((await list.read()).rows);
    } catch (error) {
      showProblem(notice(problemOfFailure(error)));
    }
  }

  /** How far the chosen index is behind the data: what was written last may not be found yet. */
  function showLag(rows: readonly IndexRow[]): void {
    const changes = rows.find(({ name }) => name === indexes.value)?.lag;
    lag.textContent =
      changes === undefined
        ? ''
        : changes === 0
          ? 'In step with the data.'
          : `${changes.toLocaleString('en')} ${changes === 1 ? 'change' : 'changes'} behind the data.`;
  }

  function showProblem(element: HTMLElement): void {
    status.textContent = '';
    results.replaceChildren(element);
  }

  function showAnswer(answer: Answer): void {
    if (answer.status >= 400) return showProblem(notice(problemOf(answer)));
    const { hits, took, aggregations, timed_out: timedOut } = answer.body as SearchBody;
    const total = hits?.total ?? 0;
    const [count, open] = typeof total === 'number' ? [total, false] : [total.value, total.relation === 'gte'];
    const shown = hits?.hits ?? [];
    status.textContent =
      `${open ? 'At least ' : ''}${count.toLocaleString('en')} ${count === 1 ? 'hit' : 'hits'} in ${took ?? 0} ms` +
      `${shown.length === 0 ? '' : ` · the first ${shown.length} shown`}${timedOut === true ? ' · cut short by the time limit' : ''}`;
    const raw = createEditor({
      label: 'Answer, as JSON',
      text: JSON.stringify(answer.body, null, 2),
      extensions: jsonReading(),
      readOnly: true,
    });
    results.replaceChildren(
      ...aggregationCharts(aggregations ?? {}),
      shown.length === 0
        ? h('p', { class: 'empty' }, count === 0 ? 'Nothing matches.' : 'The request asks for no hits.')
        : h('ol', { class: 'hits' }, ...shown.map((hit) => h('li', {}, hitCard(hit)))),
      h('details', { class: 'panel raw' }, h('summary', {}, 'Answer as JSON'), raw.element),
    );
  }

  function takeExample(): void {
    const text = textOf(examples[Number(exampleList.value)]);
    if (text === undefined) return;
    editor.replace(text);
    void run();
  }

  function searchWords(): void {
    const text = words.value.trim();
    const query = text === '' ? { match_all: {} } : { multi_match: { query: text, fields: ['*'], lenient: true } };
    editor.replace(`${JSON.stringify({ query, size: 12 }, null, 2)}\n`);
    void run();
  }

  async function chooseIndex(): Promise<void> {
    try {
      const answer = await call(`/${encodeURIComponent(indexes.value)}/_mapping`);
      if (answer.status >= 400) return showProblem(notice(problemOf(answer)));
      examples = examplesFor(readFields(answer.body));
      exampleList.replaceChildren(...examples.map(({ title }, index) => h('option', { value: index }, title)));
      takeExample();
    } catch (error) {
      showProblem(notice(problemOfFailure(error)));
    }
  }

  async function listIndexes(): Promise<void> {
    try {
      const { rows, refusal } = await list.read();
      if (refusal !== undefined) return showProblem(notice(problemOf(refusal)));
      if (rows.length === 0) {
        return showProblem(
          notice({
            title: 'There is no index yet.',
            hint: 'Mark fields of the schema with @search, or put a document by REST.',
          }),
        );
      }
      indexes.replaceChildren(
        ...rows.map(({ name, documents }) =>
          h(
            'option',
            { value: name },
            documents === undefined ? name : `${name} · ${documents.toLocaleString('en')} documents`,
          ),
        ),
      );
      // The largest index has the most to show.
      indexes.value = rows.reduce((best, row) => ((row.documents ?? 0) > (best.documents ?? 0) ? row : best)).name;
      showLag(rows);
      await chooseIndex();
    } catch (error) {
      showProblem(notice(problemOfFailure(error)));
    }
  }

  void listIndexes();
  return h(
    'div',
    { class: 'search-page' },
    h('h1', { class: 'visually-hidden' }, 'Search'),
    h(
      'section',
      { class: 'panel ask', 'aria-label': 'Request' },
      h(
        'form',
        { class: 'ask-form', on: { submit: (event) => (event.preventDefault(), searchWords()) } },
        h('div', { class: 'field' }, h('label', { for: 'index' }, 'Index'), indexes),
        h(
          'div',
          { class: 'field' },
          h('label', { for: 'words' }, 'Words'),
          h('div', { class: 'joined' }, words, h('button', { class: 'quiet', type: 'submit' }, 'Find')),
        ),
        h('div', { class: 'field' }, h('label', { for: 'example' }, 'Example'), exampleList),
      ),
      editor.element,
      h(
        'div',
        { class: 'toolbar' },
        h(
          'button',
          {
            class: 'primary',
            type: 'button',
            title: 'Search (Ctrl+Enter)',
            'aria-keyshortcuts': RUN_KEYS,
            on: { click: () => void run() },
          },
          'Search',
        ),
        h('span', { class: 'muted small wide-only' }, 'Ctrl+Enter'),
      ),
    ),
    h('section', { class: 'answer', 'aria-label': 'Answer' }, status, lag, results),
  );
}

function textOf(example: Example | undefined): string | undefined {
  return example === undefined ? undefined : `${JSON.stringify(example.body, null, 2)}\n`;
}
