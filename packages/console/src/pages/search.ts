// The search page: choose an index, write a search in Elasticsearch's language or take an example made from the fields of
// the index. Hits are shown as cards, terms aggregations as bar charts.
import { type Answer, call, problemOf, problemOfFailure } from '../api.ts';
import { createEditor, type Editor, jsonReading, jsonWriting } from '../ui/editor.ts';
import { h } from '../ui/element.ts';
import { notice } from '../ui/notice.ts';
import { runButton } from '../ui/run-button.ts';
import { aggregationCharts, type Aggregations } from './aggregation-charts.ts';
import { type Hit, hitCard } from './hit-card.ts';
import { createIndexList, type IndexRow } from './index-list.ts';
import { type Example, examplesFor, readFields } from './search-examples.ts';

interface Total {
  readonly value: number;
  readonly relation: string;
}

interface SearchBody {
  readonly took?: number;
  readonly timed_out?: boolean;
  readonly hits?: {
    readonly total?: number | Total;
    readonly max_score?: number | null;
    readonly hits?: readonly Hit[];
  };
  readonly aggregations?: Aggregations;
}

/** Builds the page and lists the indexes. */
export function searchPage(): HTMLElement {
  let examples: readonly Example[] = [];
  let latest = 0;
  const list = createIndexList();
  const indexes = h('select', { id: 'index', on: { change: () => void chooseIndex() } });
  const exampleList = h('select', { id: 'example', on: { change: () => takeExample() } });
  const words = h('input', { id: 'words', type: 'search', placeholder: 'words to look for', autocomplete: 'off' });
  const answer = createAnswer();
  const editor = createEditor({
    label: 'Search request, as JSON',
    text: '',
    extensions: jsonWriting(),
    onRun: () => void run(),
    onChange: (text) => {
      // An edited example is deselected, so that it can be chosen again.
      if (text !== textOf(examples[Number(exampleList.value)])) exampleList.selectedIndex = -1;
    },
  });

  async function run(): Promise<void> {
    const ticket = ++latest;
    answer.wait();
    try {
      const json = editor.text().trim() || '{}';
      const found = await call(`/${encodeURIComponent(indexes.value)}/_search`, { method: 'POST', json });
      // A later search may have started meanwhile.
      if (ticket === latest) answer.show(found);
      answer.showLag((await list.read()).rows, indexes.value);
    } catch (error) {
      if (ticket === latest) answer.showProblem(problemOfFailure(error));
    }
  }

  function takeExample(): void {
    const text = textOf(examples[Number(exampleList.value)]);
    if (text === undefined) return;
    editor.replace(text);
    void run();
  }

  function searchWords(): void {
    editor.replace(searchFor(words.value.trim()));
    void run();
  }

  async function chooseIndex(): Promise<void> {
    const index = indexes.value;
    try {
      const mapping = await call(`/${encodeURIComponent(index)}/_mapping`);
      if (indexes.value !== index) return;
      if (mapping.status >= 400) return answer.showProblem(problemOf(mapping));
      examples = examplesFor(readFields(mapping.body));
      exampleList.replaceChildren(...examples.map(({ title }, at) => h('option', { value: at }, title)));
      takeExample();
    } catch (error) {
      answer.showProblem(problemOfFailure(error));
    }
  }

  async function listIndexes(): Promise<void> {
    try {
      const { rows, refusal } = await list.read();
      if (refusal !== undefined) return answer.showProblem(problemOf(refusal));
      if (rows.length === 0) {
        const hint = 'Mark fields of the schema with @search, or put a document by REST.';
        return answer.showProblem({ title: 'There is no index yet.', hint });
      }
      offerIndexes(indexes, rows);
      answer.showLag(rows, indexes.value);
      await chooseIndex();
    } catch (error) {
      answer.showProblem(problemOfFailure(error));
    }
  }

  void listIndexes();
  return h(
    'div',
    { class: 'search-page' },
    h('h1', { class: 'visually-hidden' }, 'Search'),
    requestPanel({ indexes, words, exampleList, editor, run, searchWords }),
    answer.element,
  );
}

/** The half of the page that shows what came back. */
function createAnswer() {
  const status = h('p', { class: 'status muted', role: 'status' }, 'No search yet.');
  const lag = h('p', { class: 'status muted' });
  const results = h('div', { class: 'results' });
  const showProblem = (problem: Parameters<typeof notice>[0]): void => {
    status.textContent = '';
    results.replaceChildren(notice(problem));
  };
  return {
    element: h('section', { class: 'answer', 'aria-label': 'Answer' }, status, lag, results),
    showProblem,
    wait(): void {
      status.textContent = 'Searching …';
    },
    show(answer: Answer): void {
      if (answer.status >= 400) return showProblem(problemOf(answer));
      const body = answer.body as SearchBody;
      status.textContent = describeHits(body);
      results.replaceChildren(...resultNodes(body));
    },
    showLag(rows: readonly IndexRow[], index: string): void {
      lag.textContent = describeLag(rows, index);
    },
  };
}

interface RequestParts {
  readonly indexes: HTMLElement;
  readonly words: HTMLElement;
  readonly exampleList: HTMLElement;
  readonly editor: Editor;
  readonly run: () => Promise<void>;
  readonly searchWords: () => void;
}

/** Arranges the choice of index, words and example above the request. */
function requestPanel({ indexes, words, exampleList, editor, run, searchWords }: RequestParts): HTMLElement {
  return h(
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
      runButton('Search', run),
      h('span', { class: 'muted small wide-only' }, 'Ctrl+Enter'),
    ),
  );
}

/** The hits as cards, the aggregations as charts, and the whole answer as JSON. */
function resultNodes(body: SearchBody): readonly Node[] {
  const hits = body.hits?.hits ?? [];
  const raw = createEditor({
    label: 'Answer, as JSON',
    text: JSON.stringify(body, null, 2),
    extensions: jsonReading(),
    readOnly: true,
  });
  return [
    ...aggregationCharts(body.aggregations ?? {}),
    hits.length === 0
      ? h('p', { class: 'empty' }, totalOf(body).value === 0 ? 'Nothing matches.' : 'The request asks for no hits.')
      : h('ol', { class: 'hits' }, ...hits.map((hit) => h('li', {}, hitCard(hit)))),
    h('details', { class: 'panel raw' }, h('summary', {}, 'Answer as JSON'), raw.element),
  ];
}

function describeHits(body: SearchBody): string {
  const { value, relation } = totalOf(body);
  const shown = body.hits?.hits?.length ?? 0;
  return [
    `${relation === 'gte' ? 'At least ' : ''}${numberOf(value, 'hit')} in ${body.took ?? 0} ms`,
    ...(shown === 0 ? [] : [`the first ${shown} shown`]),
    ...(body.timed_out === true ? ['cut short by the time limit'] : []),
  ].join(' · ');
}

/** How far an index is behind the data: the newest changes may not be found yet. */
function describeLag(rows: readonly IndexRow[], index: string): string {
  const changes = rows.find(({ name }) => name === index)?.lag;
  if (changes === undefined) return '';
  return changes === 0 ? 'In step with the data.' : `${numberOf(changes, 'change')} behind the data.`;
}

function totalOf({ hits }: SearchBody): Total {
  const total = hits?.total ?? 0;
  return typeof total === 'number' ? { value: total, relation: 'eq' } : total;
}

function numberOf(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

function indexOption({ name, documents }: IndexRow): HTMLElement {
  const text = documents === undefined ? name : `${name} · ${documents.toLocaleString('en')} documents`;
  return h('option', { value: name }, text);
}

/** Offers the indexes and chooses the largest: it makes the best first impression. */
function offerIndexes(select: HTMLSelectElement, rows: readonly IndexRow[]): void {
  select.replaceChildren(...rows.map(indexOption));
  select.value = rows.reduce((best, row) => ((row.documents ?? 0) > (best.documents ?? 0) ? row : best)).name;
}

function searchFor(words: string): string {
  const query = words === '' ? { match_all: {} } : { multi_match: { query: words, fields: ['*'], lenient: true } };
  return `${JSON.stringify({ query, size: 12 }, null, 2)}\n`;
}

function textOf(example: Example | undefined): string | undefined {
  return example === undefined ? undefined : `${JSON.stringify(example.body, null, 2)}\n`;
}
