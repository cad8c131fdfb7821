// What a verb may use of the world: three streams and the environment. Tests hand over their own.

/** What a verb may use of the world. */
export interface Terminal {
  readonly input: NodeJS.ReadStream;
  readonly out: NodeJS.WriteStream;
  readonly err: NodeJS.WriteStream;
  readonly environment: Readonly<Record<string, string | undefined>>;
}
