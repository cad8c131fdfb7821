// What newer versions of Node have in `node:crypto`, taken so that an older one can load the module and be told what it lacks: an import by
// name fails before any module runs.
import crypto from 'node:crypto';

export const { argon2, hash } = crypto;
