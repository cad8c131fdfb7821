// `npm run soak -- policy-leaks [WORLDS]`: plants every leak of mutations by itself, in one random world after the other,
// until the check notices it.
import { findWriteLeak, WRITE_LEAKS } from './leaks.ts';

if (import.meta.main) {
  const worlds = Number(process.argv[2] ?? 60);
  for (const [place, leak] of Object.entries(WRITE_LEAKS)) {
    let requests: number | undefined;
    for (let seed = 1; seed <= worlds && requests === undefined; seed++)
      requests = await findWriteLeak(leak, seed, 160);
    const found = requests === undefined ? `not noticed in ${worlds} worlds` : `noticed after ${requests} requests`;
    process.stdout.write(`  ${place}: ${found}\n`);
    if (requests === undefined) process.exitCode = 1;
  }
}
