// The child's side of bench/lib/load.ts in plain JavaScript, which the peers are written in: what bench/lib/serve.ts does.

/** Announces a listening server to the parent process and answers its questions. */
export function announce(url) {
  process.on('message', (question) => {
    const { user, system } = process.cpuUsage();
    if (question === 'cpu') process.send(user + system);
    else if (question === 'heap') process.send(measureHeap());
    else process.send(process.memoryUsage.rss());
  });
  process.on('disconnect', () => process.exit(0));
  process.send({ url });
}

/** What is in use after a collection, in processes that were started with --expose-gc; buffers outside the heap count. */
function measureHeap() {
  gc();
  gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
