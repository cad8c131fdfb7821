// Evaluated before all other modules, so that an old Node reports its version instead of the first missing feature.
import { DATABASE_NODES, requireNode } from '@lockstitch/kernel';

requireNode('@lockstitch/graph', DATABASE_NODES);
