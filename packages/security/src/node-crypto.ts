// Exports of `node:crypto` that only newer Node versions have. Not imported by name, because that would fail before an
// old Node is told which version it needs.
import crypto from 'node:crypto';

export const { argon2, hash } = crypto;
