// Server-sent events over fetch (HTML §9.2), because EventSource can send neither a body nor the CSRF header. Only what
// graphql-sse sends in its distinct-connections mode: `next` with one answer, `complete` at the end.
import { type Answer, readAnswer, request } from './api.ts';

/** An event of the stream, or the response that refused it. */
export type StreamEvent =
  | { readonly kind: 'next'; readonly data: unknown }
  | { readonly kind: 'refused'; readonly answer: Answer };

/** Sends an operation and yields its events until the stream completes or the signal aborts. */
export async function* openEventStream(path: string, json: unknown, signal: AbortSignal): AsyncGenerator<StreamEvent> {
  const started = performance.now();
  const response = await request(path, { method: 'POST', json, signal, accept: 'text/event-stream' });
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (!response.ok || !isStream || response.body === null) {
    yield { kind: 'refused', answer: await readAnswer(response, started) };
    return;
  }
  let text = '';
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    text += decoder.decode(piece.value, { stream: true });
    const events = text.split(/\r?\n\r?\n/);
    text = events.pop() ?? '';
    for (const event of events) {
      const { name, data } = parseEvent(event);
      if (name === 'complete') return;
      if (name === 'next') yield { kind: 'next', data: JSON.parse(data) };
    }
  }
}

function parseEvent(text: string): { readonly name: string; readonly data: string } {
  let name = 'message';
  const data: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    const [, field, value] = /^(\w+):? ?(.*)$/.exec(line) ?? [];
    if (field === 'event') name = value ?? '';
    if (field === 'data') data.push(value ?? '');
  }
  return { name, data: data.join('\n') };
}
