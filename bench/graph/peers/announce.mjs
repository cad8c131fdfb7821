// The child's side of bench/lib/load.ts in plain JavaScript, which the peers are written in: what bench/lib/serve.ts does.

/** Announces a listening server to the parent process and answers its questions. */
export function announce(url) {
  process.on('message', (question) => {
    const { user, system } = process.cpuUsage();
    process.send(question === 'cpu' ? user + system : process.memoryUsage.rss());
  });
  process.on('disconnect', () => process.exit(0));
  process.send({ url });
}
