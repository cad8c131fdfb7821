// Evaluated before all other modules: an old Node gets words, not what fails first.
import { requireNode } from '@lockstitch/kernel';

// 24.7 brought Argon2.
requireNode('@lockstitch/security', [[24, 7]]);
