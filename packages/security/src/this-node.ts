// Evaluated before all other modules, so that an old Node gets a clear message.
import { requireNode } from '@lockstitch/kernel';

// 24.7 brought Argon2.
requireNode('@lockstitch/security', [[24, 7]]);
