// The hashes by which Elasticsearch divides documents: among shards by their routing, and among the slices of a scroll by their ids.

/** How many shards an index has, and the slots that they share out among them. */
export interface Division {
  readonly shards: number;
  readonly slots: number;
}

/** The shard that a routing leads to. */
export function shardOf(routing: string, { shards, slots }: Division): number {
  const slot = floorMod(murmur3(Buffer.from(routing, 'utf16le'), 0), slots);
  return Math.floor(slot / (slots / shards));
}

/** MetadataCreateIndexService.calculateNumRoutingShards: room to split up to 1,024 shards. */
export function defaultSlots(shards: number): number {
  return shards * 2 ** Math.max(1, 10 - Math.ceil(Math.log2(shards)));
}

/** TermsSliceQuery's seed. */
const SLICE_SEED = 7919;

/** Whether a document is in a slice of its shard. */
export function isInSlice(id: string, slice: { readonly id: number; readonly max: number }): boolean {
  return floorMod(murmur3(uidBytes(id), SLICE_SEED), slice.max) === slice.id;
}

/** Whether a document is in a slice of its shard by a number of a field; 0 stands for none (DocValuesSliceQuery). */
export function isInNumberSlice(
  value: number | undefined,
  isWhole: boolean,
  slice: { readonly id: number; readonly max: number },
): boolean {
  if (value === undefined) return slice.id === 0;
  const hash = Number(BigInt.asIntN(32, mixed(isWhole ? BigInt(value) : sortableBits(value))));
  return floorMod(hash, slice.max) === slice.id;
}

/** BitMixer.mix64. */
export function mixed(value: bigint): bigint {
  let bits = BigInt.asUintN(64, value);
  bits = BigInt.asUintN(64, (bits ^ (bits >> 32n)) * 0x4cd6944c5cc20b6dn);
  bits = BigInt.asUintN(64, (bits ^ (bits >> 29n)) * 0xfc12c5b19d3259e9n);
  return bits ^ (bits >> 32n);
}

/** NumericUtils.doubleToSortableLong. */
export function sortableBits(value: number): bigint {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigInt64(0);
  return bits < 0n ? bits ^ 0x7fffffffffffffffn : bits;
}

export function floorMod(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}

/** An id as Lucene's terms hold it (Uid.encodeId): digits and Base64 are packed. */
function uidBytes(id: string): Buffer {
  if (/^\d+$/.test(id)) {
    const packed = Buffer.alloc(1 + Math.ceil(id.length / 2));
    packed[0] = 0xfe;
    for (let at = 0; at < id.length; at += 2)
      packed[1 + at / 2] = (Number(id[at]) << 4) | (at + 1 < id.length ? Number(id[at + 1]) : 0x0f);
    return packed;
  }
  if (!isBase64(id)) return Buffer.concat([Buffer.from([0xff]), Buffer.from(id, 'utf8')]);
  const decoded = Buffer.from(id, 'base64url');
  return decoded[0]! >= 0xfd ? Buffer.concat([Buffer.from([0xfd]), decoded]) : decoded;
}

/** Uid.isURLBase64WithoutPadding: the last letter must leave no bits over. */
function isBase64(id: string): boolean {
  if (!/^[\w-]+$/.test(id)) return false;
  switch (id.length % 4) {
    case 0:
      return true;
    case 2:
      return /[AQgw]$/.test(id);
    case 3:
      return /[AEIMQUYcgkosw048]$/.test(id);
    default:
      return false;
  }
}

/** MurmurHash3's 32 bits, as Lucene's StringHelper and Elasticsearch's Murmur3HashFunction have them. */
export function murmur3(bytes: Uint8Array, seed: number): number {
  const whole = bytes.length & ~3;
  let hash = seed;
  for (let at = 0; at < whole; at += 4)
    hash = withWord(hash, bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24));
  let rest = 0;
  for (let at = bytes.length - 1; at >= whole; at--) rest = (rest << 8) | bytes[at]!;
  return finish(whole < bytes.length ? hash ^ mix(rest) : hash, bytes.length);
}

/** The same of a text in UTF-8. Of ASCII no bytes are made: that costs 0.3 µs a text. */
export function murmur3OfText(text: string, seed: number): number {
  const whole = text.length & ~3;
  let hash = seed;
  let all = 0;
  for (let at = 0; at < whole; at += 4) {
    const [a, b] = [text.charCodeAt(at), text.charCodeAt(at + 1)];
    const [c, d] = [text.charCodeAt(at + 2), text.charCodeAt(at + 3)];
    all |= a | b | c | d;
    hash = withWord(hash, a | (b << 8) | (c << 16) | (d << 24));
  }
  let rest = 0;
  for (let at = text.length - 1; at >= whole; at--) {
    const unit = text.charCodeAt(at);
    all |= unit;
    rest = (rest << 8) | unit;
  }
  if (all > 0x7f) return murmur3(Buffer.from(text), seed);
  return finish(whole < text.length ? hash ^ mix(rest) : hash, text.length);
}

function mix(word: number): number {
  const once = Math.imul(word, 0xcc9e2d51);
  return Math.imul((once << 15) | (once >>> 17), 0x1b873593);
}

function withWord(hash: number, word: number): number {
  const mixed = hash ^ mix(word);
  return (Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6546b64) | 0;
}

function finish(hash: number, length: number): number {
  let last = hash ^ length;
  last = Math.imul(last ^ (last >>> 16), 0x85ebca6b);
  last = Math.imul(last ^ (last >>> 13), 0xc2b2ae35);
  return last ^ (last >>> 16);
}
