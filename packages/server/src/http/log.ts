// Log output: one JSON object a line for machines, or one readable line for people. Callers log names and ids, never
// credentials; nothing is redacted here. Control characters are escaped, so that clients cannot move the cursor or
// forge a line.
import { inspect } from 'node:util';

import { type Clock, type Log, type LogLevel, printable, silentLog, systemClock } from '@lockstitch/kernel';

import type { ResolvedConfig } from '../config/config.ts';

const RANK: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };
const COLOUR: Readonly<Record<LogLevel, number>> = { debug: 90, info: 36, warn: 33, error: 31 };

/** Destination of the lines; `process.stderr` satisfies it. */
export interface LogSink {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

/** Creates the configured log. */
export function createLog(settings: ResolvedConfig['log'], sink: LogSink, clock: Clock = systemClock): Log {
  if (settings.format === 'none') return silentLog;
  const pretty = settings.format === 'pretty' || (settings.format === 'auto' && sink.isTTY === true);
  const print = pretty ? printPretty : printJson;
  const colour = sink.isTTY === true;
  return {
    write(level, message, facts = {}) {
      if (RANK[level] < RANK[settings.level]) return;
      sink.write(print(new Date(clock.now()), level, message, facts, colour));
    },
  };
}

type Facts = Readonly<Record<string, unknown>>;

function printJson(time: Date, level: LogLevel, message: string, facts: Facts): string {
  const line = { time: time.toISOString(), level, message, ...facts };
  try {
    return `${printable(JSON.stringify(line, jsonValue))}\n`;
  } catch {
    // A cycle or a throwing getter among the facts must not lose the line.
    const text = JSON.stringify({ time: line.time, level, message, facts: inspect(facts, { depth: 3 }) });
    return `${printable(text)}\n`;
  }
}

function jsonValue(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Error) return describeError(value);
  return value;
}

/** Describes an error with its stack and, one level each, its causes. */
function describeError(error: Error): Facts {
  const { code, detail } = error as { code?: unknown; detail?: unknown };
  return {
    name: error.name,
    ...(code === undefined ? {} : { code }),
    message: error.message,
    stack: error.stack?.split('\n').slice(1).join('\n'),
    ...(detail === undefined ? {} : { detail }),
    ...(error.cause === undefined ? {} : { cause: error.cause }),
  };
}

function printPretty(time: Date, level: LogLevel, message: string, facts: Facts, colour: boolean): string {
  const clock = time.toISOString().slice(11, 23);
  const paint = (code: number, text: string): string => (colour ? `\u001B[${code}m${text}\u001B[39m` : text);
  const rest = Object.entries(facts)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) =>
      value instanceof Error ? `\n${printError(value)}` : ` ${printable(key)}=${prettyValue(value)}`,
    )
    .join('');
  return `${paint(90, clock)} ${paint(COLOUR[level], level.padEnd(5))} ${printable(message)}${rest}\n`;
}

/** Indented, so that no line of a message looks like a log line. */
function printError(error: Error): string {
  return printable(inspect(error), '\n').replaceAll(/^/gm, '    ');
}

function prettyValue(value: unknown): string {
  return typeof value === 'string' && /^[\w./:@-]+$/.test(value)
    ? value
    : printable(inspect(value, { depth: 4, breakLength: Number.POSITIVE_INFINITY, compact: true }));
}
