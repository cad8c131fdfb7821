// The hostile side of soak-flood.ts: so many connections, each sending a new guess as soon as the last one is answered, until
// the parent says stop. Arguments: the address and the number of connections.
import { Agent, request } from 'node:http';

/** What became of the guesses. */
export interface Flooded {
  readonly hashed: number;
  readonly refused: number;
}

const [url = '', hostile = '200'] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, timeout: 2000 });
let refused = 0;
let hashed = 0;

function attack(number: number, serial: number): void {
  const guess = Buffer.from(`eve-${number}-${serial}:guess`).toString('base64');
  const sent = request(`${url}/`, { agent, headers: { authorization: `Basic ${guess}` } }, (response) => {
    response.resume();
    if (response.statusCode === 503) refused += 1;
    else hashed += 1;
    response.on('end', () => attack(number, serial + 1));
  });
  sent.on('error', () => attack(number, serial + 1));
  sent.end();
}

process.on('message', () => process.send!({ hashed, refused } satisfies Flooded));
for (let number = 0; number < Number(hostile); number++) attack(number, 0);
