// Evaluated before all other modules, so that an old Node gets a clear message.
import { DATABASE_NODES, requireNode } from '@lockstitch/kernel';

requireNode('lockstitch', DATABASE_NODES);
