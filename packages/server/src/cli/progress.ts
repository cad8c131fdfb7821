// Progress of a long job: one line that rewrites itself on a terminal, a plain line every few seconds elsewhere.
import type { Terminal } from './terminal.ts';

export interface Step {
  readonly done: number;
  /** Undefined if unknown: then without bar and remaining time. */
  readonly total?: number | undefined;
  /** Used for the fraction instead of `done`, where the total is known in another unit (bytes of a file). */
  readonly fraction?: number | undefined;
}

export interface Progress {
  update(step: Step): void;
  /** Ends the line and leaves a summary. */
  end(step: Step): void;
}

const REDRAW_MS = 100;
const PLAIN_LINE_MS = 5000;

/**
 * Starts to show a job.
 *
 * @param label what the job does: `Importing Photo`
 * @param noun the counted unit, singular: `row`
 */
export function showProgress(terminal: Pick<Terminal, 'err'>, label: string, noun: string, now = Date.now): Progress {
  const { err } = terminal;
  const started = now();
  const live: boolean = err.isTTY;
  let drawn = live ? 0 : started;
  const line = (step: Step): string => printStep(label, noun, step, now() - started, live ? err.columns : undefined);
  return {
    update(step) {
      const time = now();
      if (time - drawn < (live ? REDRAW_MS : PLAIN_LINE_MS)) return;
      drawn = time;
      err.write(live ? `\r\u001B[K${line(step)}` : `${line(step)}\n`);
    },
    end({ done }) {
      const seconds = (now() - started) / 1000;
      // A job that shows as "0.0 s" is too short for a meaningful rate.
      const rate = seconds >= 0.05 && done > 0 ? `, ${formatCount(Math.round(done / seconds))}/s` : '';
      const erased = live ? '\r\u001B[K' : '';
      // Of a short job no step was reported.
      const amount = noun === 'byte' && done === 0 ? '' : `${countOf(done, noun)} in `;
      err.write(`${erased}${label}: ${amount}${formatSeconds(seconds)}${rate}\n`);
    },
  };
}

/** Steps of a job, one after the other, each under its own label. */
export interface Job {
  readonly update: (label: string, noun: string, done: number, total?: number) => void;
  /** Ends the line of the last step. */
  readonly end: () => void;
}

export function showJob(terminal: Pick<Terminal, 'err'>): Job {
  let current: { readonly label: string; readonly progress: Progress; done: number } | undefined;
  const end = (): void => {
    current?.progress.end({ done: current.done });
    current = undefined;
  };
  return {
    update(label, noun, done, total) {
      if (current?.label !== label) {
        end();
        current = { label, progress: showProgress(terminal, label, noun), done };
      }
      current.done = done;
      current.progress.update({ done, total });
    },
    end,
  };
}

/** Prints a line about a running job: `Importing Photo ▕█████░░░▏ 61 % 12,210 rows 20,114/s 0.4 s left`. */
export function printStep(label: string, noun: string, step: Step, elapsed: number, columns = 100): string {
  const fraction = step.fraction ?? (step.total === undefined ? undefined : step.done / Math.max(1, step.total));
  const seconds = elapsed / 1000;
  const parts = [countOf(step.done, noun)];
  if (seconds > 0.2) parts.push(`${formatCount(Math.round(step.done / seconds))}/s`);
  if (fraction === undefined) return `${label}  ${parts.join('  ')}`;
  const share = Math.min(1, Math.max(0, fraction));
  if (share > 0.01 && seconds > 0.5) parts.push(`${formatSeconds((seconds / share) * (1 - share))} left`);
  const text = `${Math.floor(share * 100)} %  ${parts.join('  ')}`;
  const width = Math.min(24, columns - label.length - text.length - 7);
  if (width < 6) return `${label}  ${text}`;
  const filled = Math.round(share * width);
  return `${label}  ▕${'█'.repeat(filled)}${'░'.repeat(width - filled)}▏ ${text}`;
}

/** Formats 12345 as `12,345`. */
export function formatCount(value: number): string {
  return value.toLocaleString('en-US');
}

/** Formats a count with its noun: `1 row`, `2,000 rows`. */
export function countOf(value: number, noun: string): string {
  return `${formatCount(value)} ${noun}${value === 1 ? '' : 's'}`;
}

/** Formats bytes: `512 B`, `4.9 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const units = ['KB', 'MB', 'GB', 'TB'];
  let amount = bytes / 1024;
  let unit = 0;
  for (; amount >= 1024 && unit < units.length - 1; unit++) amount /= 1024;
  return `${amount < 10 ? amount.toFixed(1) : Math.round(amount)} ${units[unit]}`;
}

/** Formats seconds: `0.4 s`, `12 s`, `3 min 20 s`. */
export function formatSeconds(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
