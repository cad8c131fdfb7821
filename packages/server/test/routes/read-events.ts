// Reads server-sent events as HTML §9.2.6 says, so that ids and pauses can be looked at, which client libraries hide.

/** One event, or a pause that may bring an id. */
export interface ReadEvent {
  /** The last id that was told, by this event or before. */
  readonly lastId: string;
  readonly event: string;
  /** The data as JSON; undefined when there is none. */
  readonly data: any; // eslint-disable-line typescript/no-explicit-any -- tests look into answers of every shape
}

/** A stream that is read on demand. */
export interface OpenStream {
  readonly response: Response;
  /** The id told last. */
  readonly lastId: () => string;
  /** The next event with a name; undefined at the end of the stream. */
  next(): Promise<ReadEvent | undefined>;
  /** Breaks the connection off. */
  cut(): void;
}

/** Opens a stream. */
export async function openStream(url: string, init: RequestInit = {}): Promise<OpenStream> {
  const abort = new AbortController();
  const response = await fetch(url, { ...init, signal: abort.signal });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = '';
  let lastId = '';
  const next = async (): Promise<ReadEvent | undefined> => {
    for (;;) {
      const end = buffer.indexOf('\n\n');
      if (end === -1) {
        const { done, value } = await reader.read();
        if (done) return undefined;
        buffer += value;
        continue;
      }
      const lines = buffer.slice(0, end).split('\n');
      buffer = buffer.slice(end + 2);
      const field = (name: string): string | undefined =>
        lines
          .find((line) => line.startsWith(`${name}:`))
          ?.slice(name.length + 1)
          .replace(/^ /, '');
      lastId = field('id') ?? lastId;
      const event = field('event');
      if (event === undefined) continue;
      const data = field('data');
      return { lastId, event, data: data === undefined || data === '' ? undefined : JSON.parse(data) };
    }
  };
  return { response, lastId: () => lastId, next, cut: () => abort.abort() };
}
