// Shows a problem: what happened, the code, what to do next.
import type { Problem } from '../api.ts';
import { h } from './element.ts';

/** Shows a problem; screen readers announce it. */
export function notice({ title, detail, hint }: Problem): HTMLElement {
  return h(
    'div',
    { class: 'notice', role: 'alert' },
    h('p', { class: 'notice-title' }, title),
    hint === undefined ? null : h('p', {}, hint),
    detail === undefined ? null : h('p', { class: 'notice-detail' }, detail),
  );
}
