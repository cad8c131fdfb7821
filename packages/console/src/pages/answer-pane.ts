// Shows the outcome of an operation: the answer or the latest events as text, problems, and the status.
import { type Answer, problemOf } from '../api.ts';
import { openEventStream } from '../event-stream.ts';
import { createEditor, jsonReading } from '../ui/editor.ts';
import { h } from '../ui/element.ts';
import { notice } from '../ui/notice.ts';

/** Of a subscription only the latest events are shown. */
const MOST_EVENTS = 50;

/** The pane; its status line and stop button belong into the toolbar. */
export interface AnswerPane {
  readonly element: HTMLElement;
  readonly status: HTMLElement;
  readonly stopButton: HTMLElement;
  show(answer: Answer): void;
  /** Shows the events of a subscription until it ends or the signal fires. */
  listen(request: object, signal: AbortSignal): Promise<void>;
  /** Sets the status line. */
  tell(text: string): void;
  /** Shows these problems in place of the former ones. */
  complain(...problems: readonly Parameters<typeof notice>[0][]): void;
}

/** Builds the pane. @param stop called by the button */
export function answerPane(stop: () => void): AnswerPane {
  const problems = h('div', { class: 'problems' });
  const status = h('span', { class: 'status muted', role: 'status' });
  const stopButton = h('button', { class: 'quiet', type: 'button', hidden: true, on: { click: stop } }, 'Stop');
  const result = createEditor({
    label: 'Answer',
    text: '',
    hint: 'The answer appears here.',
    extensions: jsonReading(),
    readOnly: true,
  });

  function show(answer: Answer): void {
    const { body, status: code, milliseconds, text } = answer;
    const isJson = typeof body === 'object' && body !== null;
    result.replace(isJson ? JSON.stringify(body, null, 2) : text);
    status.textContent = `HTTP ${code} · ${Math.round(milliseconds)} ms · ${formatBytes(text.length)}`;
    const failed = code >= 400 || (isJson && 'errors' in body);
    complain(...(failed ? [problemOf(answer)] : []));
  }

  async function listen(request: object, signal: AbortSignal): Promise<void> {
    const events: unknown[] = [];
    const count = (): string => `${events.length} ${events.length === 1 ? 'event' : 'events'}`;
    status.textContent = 'Listening …';
    stopButton.hidden = false;
    try {
      for await (const event of openEventStream('/graphql/stream', request, signal)) {
        if (event.kind === 'refused') return show(event.answer);
        events.unshift(event.data);
        result.replace(JSON.stringify(events.slice(0, MOST_EVENTS), null, 2));
        status.textContent = `Listening … ${count()}, the latest first`;
      }
      status.textContent = `The stream ended after ${count()}.`;
    } finally {
      if (signal.aborted) status.textContent = `Stopped after ${count()}.`;
      stopButton.hidden = true;
    }
  }

  function complain(...found: readonly Parameters<typeof notice>[0][]): void {
    problems.replaceChildren(...found.map((each) => notice(each)));
  }

  return {
    element: h('section', { class: 'panel read', 'aria-label': 'Answer' }, problems, result.element),
    status,
    stopButton,
    show,
    listen,
    tell: (text) => void (status.textContent = text),
    complain,
  };
}

function formatBytes(bytes: number): string {
  return bytes < 1000 ? `${bytes} B` : `${(bytes / 1000).toFixed(1)} kB`;
}
