// Everything a verb may use of its environment: three streams and the environment variables. Tests pass their own.
import { printable } from '@lockstitch/kernel';

export interface Terminal {
  readonly input: NodeJS.ReadStream;
  readonly out: NodeJS.WriteStream;
  readonly err: NodeJS.WriteStream;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Control codes that commands write themselves: colours, and the restart of a progress line. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const OWN = /(^\r\u001B\[K|\u001B\[\d{1,2}m)/;

/** Wraps a stream so that control characters in names, values and messages are escaped, as in the log. */
export function safeOutput(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  return Object.create(stream, {
    write: {
      value: (text: string) =>
        stream.write(
          text
            .split(OWN)
            .map((part, index) => (index % 2 === 1 ? part : printable(part, '\n\t')))
            .join(''),
        ),
    },
  }) as NodeJS.WriteStream;
}
