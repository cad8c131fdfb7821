// A bar chart of counts, drawn as SVG, with the same numbers as a table for those who cannot see it.
import { h, svg } from './element.ts';

/** One bar. */
export interface Bar {
  readonly label: string;
  readonly count: number;
}

const ROW = 28;
const LABEL = 150;
const COUNT = 64;
const WIDTH = 640;

/**
 * Draws bars from the largest to the smallest as given.
 *
 * @param title what is counted; names the chart for screen readers
 */
export function barChart(title: string, bars: readonly Bar[], note: string | undefined): HTMLElement {
  const largest = Math.max(1, ...bars.map(({ count }) => count));
  const height = bars.length * ROW;
  const chart = svg(
    'svg',
    { class: 'chart', viewBox: `0 0 ${WIDTH} ${height}`, role: 'img', 'aria-label': `${title}: ${bars.length} values` },
    ...bars.map(({ label, count }, index) =>
      drawBar(label, count, index * ROW, (count / largest) * (WIDTH - LABEL - COUNT)),
    ),
  );
  return h(
    'figure',
    { class: 'panel chart-panel' },
    h('figcaption', {}, h('strong', {}, title), note === undefined ? null : h('span', { class: 'muted' }, note)),
    bars.length === 0 ? h('p', { class: 'muted' }, 'No values.') : chart,
    bars.length === 0 ? null : h('details', {}, h('summary', {}, 'Show as a table'), countTable(title, bars)),
  );
}

function drawBar(label: string, count: number, y: number, length: number): SVGGElement {
  const shown = label.length > 21 ? `${label.slice(0, 20)}…` : label;
  return svg(
    'g',
    { class: 'bar' },
    svg('title', {}, `${label}: ${count.toLocaleString('en')}`),
    svg('text', { x: LABEL - 10, y: y + 18, 'text-anchor': 'end' }, shown),
    svg('rect', { x: LABEL, y: y + 5, width: Math.max(2, Math.round(length)), height: ROW - 10, rx: 3 }),
    svg('text', { class: 'bar-count', x: LABEL + Math.round(length) + 8, y: y + 18 }, count.toLocaleString('en')),
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
