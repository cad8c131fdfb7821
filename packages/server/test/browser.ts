// A browser that logs in to an application under test.
import { createHmac } from 'node:crypto';

import type { Got, Sent, TestApp } from './start-app.ts';

/** Headers of a caller without credentials. */
export const NOBODY = { authorization: '' };

/** A browser: keeps the cookies that it is given. */
export function browser({ call }: TestApp) {
  const jar = new Map<string, string>();
  const send = async (target: string, sent: Sent = {}): Promise<Got> => {
    const got = await call(target, { ...sent, headers: { ...NOBODY, cookie: cookies(jar), ...sent.headers } });
    for (const line of (got.headers['set-cookie'] ?? '').split('\n')) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (name !== undefined && value !== '') jar.set(name, value!);
      else if (name !== undefined) jar.delete(name);
    }
    return got;
  };
  return {
    jar,
    send,
    async logIn(password = 'correct horse', more: Readonly<Record<string, string>> = {}): Promise<Got> {
      const { token, headerName } = (await send('/csrf')).json as { token: string; headerName: string };
      return send('/login', {
        method: 'POST',
        headers: { [headerName]: token, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ username: 'user', password, ...more }).toString(),
      });
    },
  };
}

/** The Cookie header of a jar. */
export function cookies(jar: ReadonlyMap<string, string>): string {
  return [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
}

/** In Base32; the same as `ONE_TIME_KEY`. */
export const ONE_TIME_SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
const ONE_TIME_KEY = Buffer.from('48656c6c6f21deadbeef'.repeat(2), 'hex');

/** The code of this moment (RFC 6238). */
export function oneTimePassword(): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)));
  const mac = createHmac('sha1', ONE_TIME_KEY).update(counter).digest();
  return String((mac.readUInt32BE(mac.at(-1)! & 15) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}
