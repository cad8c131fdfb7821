// Everything that is tested on both databases, in one process: PostgreSQL takes half a second to be created and started,
// once instead of once a file. Each file of cases also runs alone: node --conditions=source --test test/feed/feed.cases.ts
import './execute/stop.cases.ts';
import './execute/filters.cases.ts';
import './execute/nesting.cases.ts';
import './execute/hostile.cases.ts';
import './feed/feed.cases.ts';
import './migrate/adopted-columns.cases.ts';
import './migrate/apply-migration.cases.ts';
import './migrate/changed-schema.cases.ts';
import './migrate/interrupted.cases.ts';
import './migrate/rolling.cases.ts';
import './schema/column-names.cases.ts';
import './store/postgres-silence.cases.ts';
import './store/store-postgres.cases.ts';
import './subscribe/hidden-events.cases.ts';
import './subscribe/outages.cases.ts';
import './subscribe/subscriptions.cases.ts';
import './write/delete-rules.cases.ts';
import './write/filtered.cases.ts';
import './write/import-rows.cases.ts';
import './write/keys.cases.ts';
import './write/members.cases.ts';
import './write/relations.cases.ts';
import './write/replay.cases.ts';
import './write/row-guard.cases.ts';
import './write/writer.cases.ts';
import './value-errors.cases.ts';
