// Which index templates match some of the same names, what is refused for that, and what is warned of.
import type { Engine } from '../../engine/engine-api.ts';
import { illegalArgument } from '../../errors/request-error.ts';
import { TimeSlices } from '../../tasks/scheduler.ts';
import { patternsMeet } from '../../text/glob.ts';
import type { Call } from '../request/request.ts';
import { type ComposableTemplate, readKind } from './composable-templates.ts';
import { readTemplates } from './templates.ts';

/** A template by its name. */
export interface Overlap {
  readonly name: string;
  readonly patterns: readonly string[];
}

/** Other composable templates that match some of the same names. */
export async function overlapping(
  engine: Engine,
  name: string,
  patterns: readonly string[],
): Promise<readonly (Overlap & { readonly priority: number })[]> {
  const others = Object.entries(readKind(engine, 'indexTemplates')).map(([other, template]) => ({
    name: other,
    patterns: template.index_patterns,
    priority: template.priority ?? 0,
  }));
  return withSome(
    others.filter((other) => other.name !== name),
    patterns,
  );
}

/** Legacy templates that match some of the same names. */
export function olderOverlapping(engine: Engine, patterns: readonly string[]): Promise<readonly Overlap[]> {
  return withSome(
    Object.entries(readTemplates(engine)).map(([name, template]) => ({ name, patterns: template.patterns })),
    patterns,
  );
}

async function withSome<Each extends Overlap>(
  others: readonly Each[],
  patterns: readonly string[],
): Promise<readonly Each[]> {
  const found: Each[] = [];
  for (const other of others) if (await anyMeet(other.patterns, patterns)) found.push(other);
  return found;
}

/** @throws RequestError for another template of the same names and priority */
export async function checkTemplateConflicts(
  engine: Engine,
  name: string,
  { index_patterns: patterns, priority = 0 }: ComposableTemplate,
): Promise<void> {
  const rivals = (await overlapping(engine, name, patterns)).filter((other) => other.priority === priority);
  if (rivals.length > 0)
    throw illegalArgument(
      `index template [${name}] has index patterns [${patterns.join(', ')}] matching patterns from existing templates [${namesOf(rivals)}] with patterns (${shown(rivals)}) that have the same priority [${priority}], multiple index templates may not match during index creation, please use a different priority`,
    );
}

/** Warns that a composable template takes the place of legacy ones. */
export async function warnOfOlder(
  engine: Engine,
  name: string,
  { index_patterns: patterns }: ComposableTemplate,
  call: Call,
): Promise<void> {
  const older = await olderOverlapping(engine, patterns);
  if (older.length > 0)
    call.warn(
      `index template [${name}] has index patterns [${patterns.join(', ')}] matching patterns from existing older templates [${namesOf(older)}] with patterns (${shown(older)}); this template [${name}] will take precedence during new index creation`,
    );
}

/** Warns that a legacy template is ignored where composable ones match. */
export async function warnOfComposable(
  engine: Engine,
  name: string,
  patterns: readonly string[],
  call: Call,
): Promise<void> {
  const found = await overlapping(engine, name, patterns);
  if (found.length > 0)
    call.warn(
      `legacy template [${name}] has index patterns [${patterns.join(', ')}] matching patterns from existing composable templates [${namesOf(found)}] with patterns (${shown(found)}); this template [${name}] may be ignored in favor of a composable template at index creation time`,
    );
}

const namesOf = (templates: readonly Overlap[]): string => templates.map(({ name }) => name).join(',');
const shown = (templates: readonly Overlap[]): string =>
  templates.map(({ name, patterns }) => `${name} => [${patterns.join(', ')}]`).join(',');

/** Whether a name fits a pattern of either list; with turns of the event loop, for there may be thousands of them. */
async function anyMeet(some: readonly string[], others: readonly string[]): Promise<boolean> {
  const slices = new TimeSlices(some.length * others.length > MANY_PAIRS);
  for (const one of some) {
    for (const other of others) {
      if (patternsMeet(one, other)) return true;
      if (slices.isOver) await slices.yield();
    }
  }
  return false;
}

/** Pairs of patterns that are compared without a pause. */
const MANY_PAIRS = 100;
