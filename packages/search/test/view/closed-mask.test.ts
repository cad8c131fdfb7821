// What a view shows of a segment is decided member by member: nothing of the stored segment comes along by itself, and no accessor of
// what is shown tells anything of a hidden document.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEngine, createRestApi, type IndexView } from '@lockstitch/search';
import type { IndexSearcher } from '../../src/collect/searcher.ts';
import type { CoreReader } from '../../src/index/core-reader.ts';
import { encodeId } from '../../src/index/ids.ts';
import { SegmentCore } from '../../src/index/segment-core.ts';
import { MaskedCore } from '../../src/view/masked-segment.ts';
import { indexUnder } from '../../src/view/viewed-engine.ts';
import { startRest } from '../rest/harness.ts';

/**
 * By member of the reader, what is asked of it about a document. A member that is added to the reader does not compile before it has a
 * line here.
 */
const ABOUT = {
  name: undefined,
  docCount: undefined,
  roots: undefined,
  content: undefined,
  engine: undefined,
  documents: undefined,
  all: undefined,
  fieldNames: undefined,
  shape: undefined,
  counts: undefined,
  terms: undefined,
  shownTerms: undefined,
  number: undefined,
  numericSkipIndex: undefined,
  geo: undefined,
  documentsWith: undefined,
  id: (core, doc) => core.id(doc),
  find: (core, doc, id) => core.find(encodeId(id)) === doc,
  version: (core, doc) => core.version(doc),
  seqNo: (core, doc) => core.seqNo(doc),
  primaryTerm: (core, doc) => core.primaryTerm(doc),
  routing: (core, doc) => core.routing(doc),
  source: (core, doc) => Buffer.from(core.source(doc)).toString(),
  readSource: (core, doc) => {
    const read = core.readSource(doc);
    return typeof read === 'function' ? read : Buffer.from(read).toString();
  },
  sourceText: (core, doc) => core.sourceText(doc),
  nestedPath: (core, doc) => [core.nestedPath(doc), core.nestedPath(Math.max(0, doc - 1))],
  nestedOffset: (core, doc) => core.nestedOffset(Math.max(0, doc - 1)),
  documentsOfPath: (core, doc) => {
    const bits = core.documentsOfPath('parts');
    return bits !== undefined && (bits[(doc - 1) >>> 5]! & (1 << ((doc - 1) & 31))) !== 0;
  },
} satisfies Record<keyof CoreReader, ((core: CoreReader, doc: number, id: string) => unknown) | undefined>;

test('1.5 what a view shows of a segment inherits nothing of the stored one and decides every member itself', () => {
  assert.equal(Object.getPrototypeOf(MaskedCore.prototype), Object.prototype);
  assert.equal(MaskedCore.prototype instanceof SegmentCore, false);
  const own = Object.getOwnPropertyNames(MaskedCore.prototype).filter((name) => name !== 'constructor');
  assert.deepEqual(own.toSorted(), Object.keys(ABOUT).toSorted());
});

test('1.5 no accessor of a masked segment tells anything of a hidden document', async () => {
  const engine = await createEngine();
  const ask = await startRest(createRestApi(engine));
  const properties = {
    owner: { type: 'keyword' },
    parts: { type: 'nested', properties: { kind: { type: 'keyword' } } },
  };
  await ask('PUT /t', { mappings: { properties } });
  for (const [id, owner] of Object.entries({ 1: 'ann', 2: 'bob', 3: 'bob' })) {
    await ask(`PUT /t/_doc/${id}?routing=r${id}`, { owner, parts: [{ kind: `k${id}` }, { kind: 'x' }] });
  }
  await ask('POST /t/_refresh');
  const view: IndexView = { rows: { kind: 'term', field: 'owner', term: 'ann' }, hidden: ['owner'] };
  const core = (indexUnder(engine.index('t'), view).searcher() as IndexSearcher).segments[0]!.core;
  const whole = (engine.index('t').searcher() as IndexSearcher).segments[0]!.core;
  const rootOf = (id: string): number => whole.find(encodeId(id));
  const told = (of: CoreReader, id: string): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(ABOUT).flatMap(([name, about]) =>
        about === undefined ? [] : [[name, about(of, rootOf(id), id)]],
      ),
    );
  const nothing = {
    id: '',
    find: false,
    version: 1,
    seqNo: 0,
    primaryTerm: 1,
    routing: undefined,
    source: '',
    readSource: '',
    sourceText: '',
    nestedPath: [undefined, undefined],
    nestedOffset: 0,
    documentsOfPath: false,
  };
  assert.deepEqual(told(core, '2'), nothing);
  assert.deepEqual(told(core, '3'), nothing);
  // What is shown is there, without the counters of writes, which count hidden ones.
  const source = '{"parts":[{"kind":"k1"},{"kind":"x"}]}';
  assert.deepEqual(told(core, '1'), {
    ...nothing,
    id: '1',
    find: true,
    routing: 'r1',
    source,
    readSource: source,
    sourceText: source,
    nestedPath: [undefined, 'parts'],
    nestedOffset: 1,
    documentsOfPath: true,
  });
  // The stored segment tells hidden documents apart: what is asked above can tell.
  assert.notDeepEqual(told(whole, '2'), told(whole, '3'));
  assert.equal(core.terms('owner'), undefined);
  assert.deepEqual(core.fieldNames().includes('owner'), false);
  assert.equal(core.counts('parts.kind'), undefined);
  assert.equal(whole.counts('parts.kind')!.sumDocFreq, 6);
  assert.equal('meta' in core.terms('parts.kind')!, false);
});
