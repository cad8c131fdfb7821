// Evaluated before all other modules: an old Node gets words, not what fails first.
import { DATABASE_NODES, requireNode } from '@lockstitch/kernel';

requireNode('@lockstitch/graph', DATABASE_NODES);
