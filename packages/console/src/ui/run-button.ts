// The button that runs a page's action; Ctrl+Enter presses it.
import { h } from './element.ts';

/** Creates the button. main.ts finds it by its `aria-keyshortcuts`. */
export function runButton(label: string, run: () => Promise<void>): HTMLButtonElement {
  return h(
    'button',
    {
      class: 'primary',
      type: 'button',
      title: `${label} (Ctrl+Enter)`,
      'aria-keyshortcuts': 'Control+Enter Meta+Enter',
      on: { click: () => void run() },
    },
    label,
  );
}
