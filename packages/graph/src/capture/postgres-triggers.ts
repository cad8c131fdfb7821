// The triggers of captured tables on PostgreSQL, and how those that exist differ from them. Two functions serve every
// table. They know no column: a migration of the table's owner must neither fail for them nor make them fail.
import { type MigrationStep, rolling, safe } from '../migrate/change.ts';
import { quoteText, type TableShape } from '../migrate/table-shape.ts';
import { quoteName, quoteTable } from '../schema/table-name.ts';
import { CHANNEL } from '../store/postgres-notifications.ts';
import type { Session, Store } from '../store/store.ts';
import type { CapturedTable } from './captured-tables.ts';
import { type CapturePlan, renameTypesSql } from './capture-plan.ts';
import { OUTBOX_TABLE } from './outbox.ts';

/** Writes to the outbox. Its triggers have its name. */
const FUNCTION = 'lockstitch_capture';
/** Makes the image. Triggers of an event run by name: it runs before the other. */
const BUFFER = 'lockstitch_buffer';
/** The setting that holds an image between the two: the former row, \u0001, and the new key. */
const IMAGE = 'lockstitch.image';

/** A trigger function. */
interface CaptureFunction {
  /** Quoted, with its schema. */
  readonly name: string;
  readonly body: string;
  readonly rights: 'INVOKER' | 'DEFINER';
}

/**
 * Runs with the rights of who writes the table, as its other triggers do: converting a row runs code of the table's owner,
 * such as casts of its types to JSON and checks of its domains. An image that cannot be made (PostgreSQL reads no \u0000
 * in JSON) means that any row may have changed: nothing but a full disk may make a statement of others fail.
 */
function bufferFunction(schema: string): CaptureFunction {
  const keyOf = (row: string): string => `concat(${row}_key, ',', to_json(TG_ARGV[i]), ':', ${row}_row -> TG_ARGV[i])`;
  const body = `
DECLARE
  -- Arguments: the type, columns to leave out as a JSON object of nulls, the columns of the key.
  hidden json := nullif(TG_ARGV[1], '');
  old_row json;
  new_row json;
  old_key text := '';
  new_key text := '';
BEGIN
  BEGIN
    IF TG_OP <> 'INSERT' THEN
      old_row := CASE WHEN hidden IS NULL THEN to_json(OLD) ELSE to_json(json_populate_record(OLD, hidden)) END;
    END IF;
    IF TG_OP <> 'DELETE' THEN
      new_row := to_json(NEW);
      FOR i IN 2 .. TG_NARGS - 1 LOOP
        old_key := ${keyOf('old')};
        new_key := ${keyOf('new')};
      END LOOP;
      new_key := CASE WHEN TG_OP = 'UPDATE' AND old_key = new_key THEN '' ELSE '{' || substr(new_key, 2) || '}' END;
    END IF;
    PERFORM set_config('${IMAGE}', concat(old_row, chr(1), new_key), true);
  EXCEPTION WHEN OTHERS THEN
    PERFORM set_config('${IMAGE}', '', true);
  END;
  RETURN NULL;
END`;
  return { name: `${quoteName(schema)}.${BUFFER}`, body, rights: 'INVOKER' };
}

/**
 * Runs as its owner, so that nobody who writes the table needs rights to the outbox. So it touches no value of the row:
 * it only moves a text. NOTIFY is not allowed in a transaction that is prepared for a two-phase commit; then the sequencer
 * polls.
 */
function captureFunction(schema: string): CaptureFunction {
  const into = `INSERT INTO ${quoteName(schema)}.${OUTBOX_TABLE} (type, operation, image, at) VALUES`;
  const body = `
DECLARE
  stamp bigint := extract(epoch FROM now());
  image text := current_setting('${IMAGE}', true);
  former text := split_part(image, chr(1), 1);
  new_key text := split_part(image, chr(1), 2);
BEGIN
  IF current_setting('max_prepared_transactions') = '0' THEN
    PERFORM pg_notify('${CHANNEL}', '');
  END IF;
  IF TG_OP <> 'TRUNCATE' THEN
    -- It is the image of this row only.
    PERFORM set_config('${IMAGE}', '', true);
  END IF;
  IF TG_OP = 'TRUNCATE' OR coalesce(image, '') = '' OR (former = '') <> (TG_OP = 'INSERT') OR (TG_OP = 'INSERT' AND new_key = '') THEN
    ${into} (TG_ARGV[0], 'all', NULL, stamp);
    RETURN NULL;
  END IF;
  IF TG_OP = 'UPDATE' AND new_key = '' THEN
    ${into} (TG_ARGV[0], 'update', former, stamp);
    RETURN NULL;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    ${into} (TG_ARGV[0], 'delete', former, stamp);
  END IF;
  IF TG_OP <> 'DELETE' THEN
    ${into} (TG_ARGV[0], 'insert', new_key, stamp);
  END IF;
  RETURN NULL;
END`;
  return { name: `${quoteName(schema)}.${FUNCTION}`, body, rights: 'DEFINER' };
}

/** The body that captures nothing. */
const NO_OP = 'BEGIN RETURN NULL; END';

/** Settings of the writer's session would change the texts of intervals and floating-point numbers. */
function createFunctionSql({ name, body, rights }: CaptureFunction): readonly string[] {
  return [
    `CREATE OR REPLACE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql SECURITY ${rights} SET search_path = pg_catalog, pg_temp${rights === 'INVOKER' ? ' SET IntervalStyle = iso_8601 SET extra_float_digits = 1' : ''} AS $capture$${body}\n$capture$`,
    // Otherwise anybody could write to the outbox by a trigger on a table of their own.
    `REVOKE ALL ON FUNCTION ${name}() FROM PUBLIC`,
  ];
}

/** A trigger as it should be. */
interface WantedTrigger {
  readonly name: string;
  readonly calls: string;
  readonly event: string;
  readonly rows: boolean;
  /** SQL; undefined: always. */
  readonly when?: string;
}

function wantedTriggers(own: string): readonly WantedTrigger[] {
  // What the engine writes itself is in the feed already, except what cascades and other triggers do with it.
  const others = `(pg_trigger_depth() > 0 OR current_setting('lockstitch.own', true) IS DISTINCT FROM ${quoteText(own)})`;
  // The operator compares rows byte by byte, so it needs no equality of any type.
  const changed = `OLD.* OPERATOR(pg_catalog.*<>) NEW.* AND ${others}`;
  return [
    ...[BUFFER, FUNCTION].flatMap((calls) => [
      { name: calls, calls, event: 'INSERT OR DELETE', rows: true, when: others },
      { name: `${calls}_update`, calls, event: 'UPDATE', rows: true, when: changed },
    ]),
    { name: `${FUNCTION}_truncate`, calls: FUNCTION, event: 'TRUNCATE', rows: false },
  ];
}

/** A table that needs the triggers: a captured one, or one that holds a part of its rows. */
interface Target {
  /** Quoted, with its schema. */
  readonly table: string;
  readonly of: CapturedTable;
  readonly kind: string;
  /** PostgreSQL copies the triggers for rows from the partitioned table. */
  readonly isPartition: boolean;
  readonly mayCreate: boolean;
  readonly isOwn: boolean;
  readonly hidden: string;
}

interface FoundTrigger {
  /** Quoted, with its schema. */
  readonly table: string;
  readonly name: string;
  readonly arguments: readonly string[];
  readonly isEnabled: boolean;
  readonly isOwn: boolean;
}

/** Inputs of the plan. */
interface PostgresCapture {
  readonly store: Store;
  readonly tables: readonly CapturedTable[];
  /** Tables that the same migration creates. */
  readonly created: ReadonlySet<string>;
  /** Existing shapes, by name. */
  readonly present: ReadonlyMap<string, TableShape>;
  /** Schema of the engine's own tables. */
  readonly schema: string;
}

/** Compares the triggers of a database with the wanted ones. Reads only. */
export async function planPostgresCapture(capture: PostgresCapture): Promise<CapturePlan> {
  const { store, tables, created, schema } = capture;
  const wanted = captureFunction(schema);
  const buffer = bufferFunction(schema);
  const { bodies, isPublic } = await readFunctions(store, schema);
  const [body, buffered] = [bodies.get(FUNCTION), bodies.get(BUFFER)];
  const found = body === undefined ? [] : await readTriggers(store, schema);
  const targets = await readTargets(store, tables, capture);
  const steps: MigrationStep[] = [];
  const last: string[] = [];
  if (tables.length > 0 && (isPublic || body !== wanted.body.trim() || buffered !== buffer.body.trim())) {
    const text = `Create functions ${buffer.name} and ${wanted.name}, which the triggers below call`;
    steps.push(rolling(`create ${FUNCTION}`, text));
    last.push(...createFunctionSql(buffer), ...createFunctionSql(wanted));
  }
  // Triggers that only their owner can drop must not fill an outbox that nobody reads any more.
  if (tables.length === 0 && found.some(({ isOwn }) => !isOwn) && body !== NO_OP) {
    steps.push(safe(`idle ${FUNCTION}`, `Let function ${wanted.name} do nothing`));
    last.push(...createFunctionSql({ ...wanted, body: `\n${NO_OP}` }));
  }
  const triggers = wantedTriggers(store.ownSchema ?? '');
  const install: string[] = [];
  const missed: string[] = [];
  const types = new Map<string, string>();
  for (const table of tables) {
    const own = targets.filter(({ of }) => of === table);
    const changes = own.flatMap((target) => missingTriggers(target, triggers, found, schema));
    const blocked = own.find(({ kind }) => kind !== 'r' && kind !== 'p');
    if (blocked !== undefined) steps.push(refuse(table, obstacleOf(blocked.kind)));
    else if (changes.length > 0) {
      const refused = own.filter(({ mayCreate }) => !mayCreate);
      const owned = changes.filter(({ mayRun }) => !mayRun).map(({ sql }) => sql);
      if (refused.length > 0) steps.push(refuse(table, grantNeeded(refused, store)));
      else if (owned.length > 0)
        steps.push(refuse(table, `somebody has disabled its triggers. Let its owner run: ${owned.join('; ')}`));
      else steps.push(rolling(`capture ${table.table}`, stepText(table, schema)));
      install.push(...changes.map(({ sql }) => sql));
    }
    for (const each of found) {
      const [type = table.name] = each.arguments;
      if (type !== table.name && own.some((target) => target.table === each.table)) types.set(type, table.name);
    }
    // Whatever happened without the triggers is found by comparing every row once.
    if (!created.has(table.table) && (body === NO_OP || changes.some(({ missed }) => missed)))
      missed.push(
        `INSERT INTO ${quoteName(schema)}.${OUTBOX_TABLE} (type, operation, at) VALUES (${quoteText(table.name)}, 'all', extract(epoch FROM now()))`,
      );
  }
  const optional: MigrationStep[] = [];
  for (const [table, old] of Map.groupBy(found, (trigger) => trigger.table)) {
    if (targets.some((target) => target.table === table)) continue;
    const sql = old.map(({ name }) => `DROP TRIGGER ${quoteName(name)} ON ${table}`);
    const text = `Stop capturing changes of table ${table}: drop its triggers ${old.map(({ name }) => name).join(', ')}`;
    if (old.every(({ isOwn }) => isOwn)) {
      steps.push(safe(`uncapture ${table}`, text));
      install.push(...sql);
    } else
      optional.push({
        ...safe(`uncapture ${table}`, `${text}. Only its owner can: ${sql.join('; ')}`),
        optional: true,
      });
  }
  install.push(...renameTypesSql(`${quoteName(schema)}.${OUTBOX_TABLE}`, types), ...missed);
  // A lock that waits for a long transaction makes everybody else wait behind it.
  if (install.length > 0) last.push(`SET LOCAL lock_timeout = '5s'`, ...install, 'SET LOCAL lock_timeout TO DEFAULT');
  return { steps, optional, first: [], last, afterRenaming: [] };
}

function stepText({ name, table, relation }: CapturedTable, schema: string): string {
  const what = relation === undefined ? name : `relation ${name}`;
  return `Capture changes of table ${table} for ${what}: triggers put each row that others write into ${schema}.${OUTBOX_TABLE}, which costs them as much as another insert`;
}

function refuse({ table }: CapturedTable, loses: string): MigrationStep {
  return { name: `capture ${table}`, text: `Capture changes of table ${table}`, loses, blocked: true };
}

function obstacleOf(kind: string): string {
  const what = { v: 'a view', m: 'a materialized view', f: 'a foreign table' }[kind] ?? 'no table';
  return `it is ${what}, whose rows no trigger sees change; put @captureChanges on the types of the tables behind it`;
}

function grantNeeded(refused: readonly Target[], store: Store): string {
  const role = quoteName(decodeURIComponent(new URL(store.description).username));
  const tables = refused.map(({ table }) => table).join(', ');
  return `this user of the database may not create triggers there. Let the owner of the table or a superuser run: GRANT TRIGGER ON TABLE ${tables} TO ${role}`;
}

function missingTriggers(
  { table, of, kind, isPartition, hidden, isOwn }: Target,
  triggers: readonly WantedTrigger[],
  found: readonly FoundTrigger[],
  schema: string,
): readonly { readonly sql: string; readonly missed: boolean; readonly mayRun: boolean }[] {
  const given = [of.name, hidden, ...of.key];
  return triggers.flatMap(({ name, calls, event, rows, when }) => {
    if ((isPartition && rows) || kind === 'f') return [];
    const now = found.find((trigger) => trigger.table === table && trigger.name === name);
    const enable =
      now?.isEnabled === false
        ? [{ sql: `ALTER TABLE ${table} ENABLE TRIGGER ${quoteName(name)}`, missed: true, mayRun: isOwn }]
        : [];
    if (now !== undefined && isAlike(now.arguments, given, of)) return enable;
    const sql = [
      `CREATE OR REPLACE TRIGGER ${quoteName(name)} AFTER ${event} ON ${table} FOR EACH ${rows ? 'ROW' : 'STATEMENT'}`,
      ...(when === undefined ? [] : [`WHEN (${when})`]),
      `EXECUTE FUNCTION ${quoteName(schema)}.${calls}(${given.map(quoteText).join(', ')})`,
    ];
    return [{ sql: sql.join(' '), missed: now === undefined, mayRun: true }, ...enable];
  });
}

/** Whether the arguments of a trigger do: columns that are gone may still be left out. */
function isAlike(found: readonly string[], wanted: readonly string[], { columns }: CapturedTable): boolean {
  const hides = (given: readonly string[]): readonly string[] => Object.keys(JSON.parse(given[1] || '{}') as object);
  const others = ([name, , ...key]: readonly string[]): string => JSON.stringify([name, ...key]);
  const [now, then] = [hides(found), hides(wanted)];
  return (
    others(found) === others(wanted) &&
    then.every((name) => now.includes(name)) &&
    !now.some((name) => columns.includes(name))
  );
}

/** The bodies of the trigger functions that exist, and whether everybody may call one, as after a restore. */
async function readFunctions(
  session: Session,
  schema: string,
): Promise<{ readonly bodies: ReadonlyMap<string, string>; readonly isPublic: boolean }> {
  const rows = await session
    .prepare(
      `SELECT p.proname, p.prosrc, has_function_privilege('public', p.oid, 'EXECUTE') AND pg_has_role(p.proowner, 'USAGE')
       FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
       WHERE p.proname IN ('${FUNCTION}', '${BUFFER}') AND n.nspname = $1`,
    )
    .rows([schema]);
  return {
    bodies: new Map(rows.map(([name, body]) => [String(name), String(body).trim()])),
    isPublic: rows.some(([, , isPublic]) => isPublic === true),
  };
}

const QUALIFIED = `format('%I.%I', n.nspname, c.relname)`;

async function readTriggers(session: Session, schema: string): Promise<readonly FoundTrigger[]> {
  const rows = await session
    .prepare(
      `SELECT ${QUALIFIED}, t.tgname, encode(t.tgargs, 'hex'), t.tgenabled IN ('O', 'A'), pg_has_role(c.relowner, 'USAGE')
       FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
       JOIN pg_proc p ON p.oid = t.tgfoid JOIN pg_namespace s ON s.oid = p.pronamespace
       WHERE p.proname IN ('${FUNCTION}', '${BUFFER}') AND s.nspname = $1 AND NOT t.tgisinternal AND t.tgparentid = 0 ORDER BY 1, 2`,
    )
    .rows([schema]);
  return rows.map(([table, name, given, isEnabled, isOwn]) => ({
    table: String(table),
    name: String(name),
    arguments: Buffer.from(String(given), 'hex').toString().split('\0').slice(0, -1),
    isEnabled: Boolean(isEnabled),
    isOwn: Boolean(isOwn),
  }));
}

/** The tables with their partitions and the tables that inherit from them. */
async function readTargets(
  session: Session,
  tables: readonly CapturedTable[],
  { created, present }: PostgresCapture,
): Promise<readonly Target[]> {
  const fresh = tables
    .filter(({ table }) => created.has(table))
    .map((of) => ({
      table: quoteTable(of.table),
      of,
      kind: 'r',
      isPartition: false,
      mayCreate: true,
      isOwn: true,
      hidden: '',
    }));
  const old = tables.filter(({ table }) => !created.has(table));
  if (old.length === 0) return fresh;
  const rows = await session
    .prepare(
      `WITH RECURSIVE tree (place, oid, root) AS (
         SELECT ordinality, to_regclass(name)::oid, to_regclass(name)::oid FROM json_array_elements_text($1::json) WITH ORDINALITY AS w(name)
         UNION SELECT place, i.inhrelid, root FROM tree JOIN pg_inherits i ON i.inhparent = tree.oid)
       SELECT place, ${QUALIFIED}, c.relkind::text, c.relispartition AND c.oid <> root, has_table_privilege(c.oid, 'TRIGGER'), pg_has_role(c.relowner, 'USAGE')
       FROM tree JOIN pg_class c ON c.oid = tree.oid JOIN pg_namespace n ON n.oid = c.relnamespace ORDER BY 1, 2`,
    )
    .rows([JSON.stringify(old.map(({ table }) => quoteTable(table)))]);
  const targets = rows.map(([place, table, kind, isPartition, mayCreate, isOwn]): Target => {
    const of = old[Number(place) - 1]!;
    return {
      table: String(table),
      of,
      kind: String(kind),
      isPartition: Boolean(isPartition),
      mayCreate: Boolean(mayCreate),
      isOwn: Boolean(isOwn),
      hidden: hiddenOf(of, present.get(of.table)),
    };
  });
  return [...targets, ...fresh];
}

/** Columns without a field, which may hold secrets. A domain might not allow the null in their place. */
function hiddenOf({ columns }: CapturedTable, now: TableShape | undefined): string {
  const names = (now?.columns ?? []).filter(({ name, found }) => !columns.includes(name) && found?.kind !== 'domain');
  return names.length === 0 ? '' : JSON.stringify(Object.fromEntries(names.map(({ name }) => [name, null])));
}
