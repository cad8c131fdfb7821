// Plans the triggers of @captureChanges: what a migration has to install, replace and drop.
import type { Model } from '../schema/model.ts';
import type { Store } from '../store/store.ts';
import type { CapturePlan, PlannedTables } from './capture-plan.ts';
import { capturedTables } from './captured-tables.ts';
import { planPostgresCapture } from './postgres-triggers.ts';
import { planSqliteCapture } from './sqlite-triggers.ts';

/** Compares the triggers of a database with those that the model asks for. Reads only. */
export function planCapture(model: Model, store: Store, planned: PlannedTables): Promise<CapturePlan> {
  // A missing unmanaged table has a step of its own.
  const tables = capturedTables(model).filter(
    ({ table }) => planned.present.has(table) || planned.wanted.get(table)?.unmanaged !== true,
  );
  const created = new Set(tables.map(({ table }) => table).filter((table) => !planned.present.has(table)));
  return store.dialect === 'sqlite'
    ? planSqliteCapture({ store, tables, created, planned })
    : planPostgresCapture({ store, tables, created, present: planned.present, schema: planned.schema ?? 'public' });
}
