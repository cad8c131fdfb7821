// Loaded before the tests where TEST_SEED is set: property tests then draw the same cases again.
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.TEST_SEED) });
