// Reads the text of `/metrics`, each line checked against Prometheus' exposition format.
import { ok } from 'node:assert/strict';

/** Samples by name and labels, as they stand in the text. */
export function readMetrics(text: string): Map<string, number> {
  const samples = new Map<string, number>();
  const typed = new Set<string>();
  for (const line of text.trimEnd().split('\n')) {
    const type = /^# TYPE ([a-z_0-9]+) (?:counter|gauge|histogram)$/.exec(line);
    if (type !== null) {
      ok(!typed.has(type[1]!), `${type[1]} is told twice`);
      typed.add(type[1]!);
      continue;
    }
    if (/^# HELP [a-z_0-9]+ .+$/.test(line)) continue;
    const sample = /^([a-z_0-9]+)(\{(?:[a-z]+="(?:[^"\\]|\\.)*",?)*\})? (-?[0-9.e+-]+|NaN|[+-]Inf)$/.exec(line);
    ok(sample !== null, line);
    ok(typed.has(sample[1]!.replace(/_(?:bucket|sum|count)$/, '')) || typed.has(sample[1]!), line);
    samples.set(`${sample[1]}${sample[2] ?? ''}`, Number(sample[3]));
  }
  return samples;
}
