// One character of any kind for fc.string. The unit 'binary' makes the same characters, but puts all of them into a map
// first: a second of processor time in each process.
import fc from 'fast-check';

const SURROGATES = { from: 0xd800, count: 0x800 };

export const codePoint = fc.nat({ max: 0x10_ffff - SURROGATES.count }).map(
  (at) => String.fromCodePoint(at < SURROGATES.from ? at : at + SURROGATES.count),
  (text) => {
    if (typeof text !== 'string' || !/^[^\p{Cs}]$/su.test(text)) throw new Error('No character.');
    const at = text.codePointAt(0) ?? 0;
    return at < SURROGATES.from ? at : at - SURROGATES.count;
  },
);
