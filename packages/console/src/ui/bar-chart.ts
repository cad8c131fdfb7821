// A bar chart of counts as SVG, with the same numbers in a table for screen readers.
import { h, svg } from './element.ts';

/** One bar. */
export interface Bar {
  readonly label: string;
  readonly count: number;
}

const ROW = 28;
const COUNT = 64;

/**
 * Draws bars in the order given. It is drawn again when its width changes, so that the letters keep their size.
 *
 * @param title what is counted; names the chart for screen readers
 * @param note shown beside the title
 */
export function barChart(title: string, bars: readonly Bar[], note: string | undefined): HTMLElement {
  const chart = svg('svg', {
    class: 'chart',
    height: bars.length * ROW,
    role: 'img',
    'aria-label': `${title}: ${bars.length} ${bars.length === 1 ? 'value' : 'values'}`,
  });
  new ResizeObserver(() => drawBars(chart, bars)).observe(chart);
  return h(
    'figure',
    { class: 'panel chart-panel' },
    h('figcaption', {}, h('strong', {}, title), note === undefined ? null : h('span', { class: 'muted' }, note)),
    bars.length === 0 ? h('p', { class: 'muted' }, 'No values.') : chart,
    bars.length === 0 ? null : h('details', {}, h('summary', {}, 'Show as a table'), countTable(title, bars)),
  );
}

function drawBars(chart: SVGSVGElement, bars: readonly Bar[]): void {
  const largest = Math.max(1, ...bars.map(({ count }) => count));
  const labels = Math.min(160, Math.round(chart.clientWidth * 0.36));
  const width = Math.max(20, chart.clientWidth - labels - COUNT);
  chart.replaceChildren(...bars.map((bar, index) => drawBar(bar, index * ROW, labels, (bar.count / largest) * width)));
}

function drawBar({ label, count }: Bar, y: number, labels: number, length: number): SVGGElement {
  // About 7 pixels a letter at 13 px; the whole label is in the tooltip and in the table.
  const letters = Math.floor((labels - 10) / 7);
  const shown = label.length > letters ? `${label.slice(0, letters - 1)}…` : label;
  return svg(
    'g',
    { class: 'bar' },
    svg('title', {}, `${label}: ${count.toLocaleString('en')}`),
    svg('text', { x: labels - 10, y: y + 18, 'text-anchor': 'end' }, shown),
    svg('rect', { x: labels, y: y + 5, width: Math.max(2, Math.round(length)), height: ROW - 10, rx: 3 }),
    svg('text', { class: 'bar-count', x: labels + Math.round(length) + 8, y: y + 18 }, count.toLocaleString('en')),
  );
}

function countTable(title: string, bars: readonly Bar[]): HTMLElement {
  return h(
    'table',
    {},
    h(
      'thead',
      {},
      h('tr', {}, h('th', { scope: 'col' }, title), h('th', { scope: 'col', class: 'number' }, 'Documents')),
    ),
    h(
      'tbody',
      {},
      ...bars.map(({ label, count }) =>
        h('tr', {}, h('th', { scope: 'row' }, label), h('td', { class: 'number' }, count.toLocaleString('en'))),
      ),
    ),
  );
}
