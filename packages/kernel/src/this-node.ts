// Evaluated before all other modules: an old Node gets words, not what fails first.
import { requireNode } from './node-version.ts';

requireNode('Lockstitch', [[24, 0]]);
