// A proxy that terminates TLS and demands credentials, in front of an HTTP server: what a managed search cluster looks like.
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

import { temporaryFolder } from '../temporary-folder.ts';

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export interface Certificates {
  /** File of the authority that signed `valid` and `expired`. */
  readonly ca: string;
  readonly valid: Certificate;
  readonly expired: Certificate;
  /** Of another authority. */
  readonly foreign: Certificate;
  /** For another name. */
  readonly misnamed: Certificate;
}

/** Makes them for `localhost`; undefined without openssl. */
export function makeCertificates(): Certificates | undefined {
  if (spawnSync('openssl', ['version']).error !== undefined) return undefined;
  const folder = temporaryFolder(undefined);
  const openssl = (...words: readonly string[]): void =>
    void execFileSync('openssl', words, { cwd: folder, stdio: 'pipe' });
  const made = (name: string): Certificate => ({
    cert: readFileSync(join(folder, `${name}.pem`), 'utf8'),
    key: readFileSync(join(folder, `${name}.key`), 'utf8'),
  });
  const keyed = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const authority = (name: string): void =>
    openssl('req', '-x509', ...keyed, '-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', `${name}.pem`);
  const sign = (name: string, by: string, host: string, days: string): Certificate => {
    const subject = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`];
    openssl('req', '-new', ...keyed, ...subject, '-keyout', `${name}.key`, '-out', `${name}.csr`);
    const signer = ['-CA', `${by}.pem`, '-CAkey', `${by}.key`, '-CAcreateserial'];
    openssl(
      'x509',
      '-req',
      '-in',
      `${name}.csr`,
      ...signer,
      '-copy_extensions',
      'copy',
      '-days',
      days,
      '-out',
      `${name}.pem`,
    );
    return made(name);
  };
  authority('ca');
  authority('other');
  return {
    ca: join(folder, 'ca.pem'),
    valid: sign('valid', 'ca', 'localhost', '2'),
    expired: sign('expired', 'ca', 'localhost', '-1'),
    foreign: sign('foreign', 'other', 'localhost', '2'),
    misnamed: sign('misnamed', 'ca', 'elsewhere.example', '2'),
  };
}

/** Starts a proxy and returns its address. @param accepted values of the header `authorization`; others are answered 401 */
export async function startSecureProxy(
  context: TestContext,
  target: string,
  certificate: Certificate,
  accepted: readonly string[],
): Promise<string> {
  const server = createServer(certificate, (request, response) => {
    const { authorization = '', ...headers } = request.headers;
    if (!accepted.includes(authorization)) {
      response.writeHead(401, { 'www-authenticate': 'Basic' });
      response.end(
        JSON.stringify({ error: { type: 'security_exception', reason: `bad ${authorization}` }, status: 401 }),
      );
      return;
    }
    const passed = httpRequest(new URL(request.url!, target), { method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    request.pipe(passed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `https://localhost:${(server.address() as AddressInfo).port}`;
}

/** As `Authorization` has it. */
export const basic = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
