// An S3-compatible bucket on this machine: s3rver, which checks signatures, behind a gate that counts requests, verifies
// the hash of each body as S3 does (s3rver does not), and makes transfers fail on demand.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import {
  createServer,
  type IncomingMessage,
  request as requestTo,
  type ServerResponse,
} from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from '@20minutes/s3rver';
import { DUMMY_ACCOUNT } from '@20minutes/s3rver/lib/models/account.js';

/** What happens to one request instead of an honest answer. */
export type BucketFault =
  | { readonly is: 'status'; readonly status: number }
  /** The connection ends after so many bytes of the answer's body, or of the request's. */
  | { readonly is: 'cut-answer' | 'cut-request'; readonly after: number }
  /** The body of the answer has one byte that differs. */
  | { readonly is: 'flip' };

export interface Asked {
  readonly method: string;
  /** `bucket/prefix/aa/hash`. */
  readonly path: string;
  readonly status: number;
}

export interface Bucket {
  /** `s3://shots/kept`. */
  readonly store: string;
  /** The environment variables that lead to the bucket. */
  readonly env: Readonly<Record<string, string>>;
  /** Every request so far. */
  readonly asked: Asked[];
  /** Says for each request, before it is answered, how it fails. */
  fail(rule: (method: string, path: string) => BucketFault | undefined): void;
  close(): Promise<void>;
}

const accessKeyId = 'AKIAEXAMPLEEXAMPLE00';
const secretAccessKey = 'a-secret/that+nobody=may-see-0123456789';
const name = 'shots';

export async function openBucket(): Promise<Bucket> {
  DUMMY_ACCOUNT.createKeyPair(accessKeyId, secretAccessKey);
  const directory = mkdtempSync(join(tmpdir(), 'shotlist-bucket-'));
  const inner = new S3rver({
    ...{ address: '127.0.0.1', port: 0, silent: true, directory },
    configureBuckets: [{ name }],
  });
  const { port } = await inner.run();
  const asked: Asked[] = [];
  let rule: Parameters<Bucket['fail']>[0] = () => undefined;
  const gate = createServer((request, response) => {
    const { method = '', url = '' } = request;
    const path = decodeURIComponent(url.slice(1));
    const fault = rule(method, path);
    response.on('close', () => asked.push({ method, path, status: response.statusCode }));
    if (fault?.is === 'status') {
      request
        .resume()
        .on('end', () => response.writeHead(fault.status).end('<Code>SlowDown</Code>'));
      return;
    }
    pass(request, response, port, fault);
  });
  gate.listen(0, '127.0.0.1');
  await once(gate, 'listening');
  const bound = gate.address();
  if (bound === null || typeof bound === 'string') throw new Error('the gate has no port');
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    gate.closeAllConnections();
    gate.close();
    await inner.close();
    rmSync(directory, { recursive: true, force: true });
  };
  return {
    store: `s3://${name}/kept`,
    env: {
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      AWS_REGION: 'eu-central-1',
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${bound.port}`,
    },
    asked,
    fail: (given) => {
      rule = given;
    },
    close() {
      closing ??= close();
      return closing;
    },
  };
}

function pass(
  request: IncomingMessage,
  response: ServerResponse,
  port: number,
  fault: BucketFault | undefined,
): void {
  const { method = '', url = '', headers } = request;
  const gone = (): void => void response.destroy();
  const on = requestTo({ host: '127.0.0.1', port, method, path: url, headers, agent: false });
  const hash = createHash('sha256');
  let received = 0;
  request.on('data', (piece: Buffer) => {
    received += piece.length;
    hash.update(piece);
    if (fault?.is === 'cut-request' && received > fault.after) {
      on.destroy();
      request.destroy();
      return;
    }
    if (!on.write(piece)) {
      request.pause();
      on.once('drain', () => request.resume());
    }
  });
  request.on('end', () => {
    const claimed = headers['x-amz-content-sha256'];
    if (claimed === hash.digest('hex')) return void on.end();
    on.destroy();
    response.writeHead(400).end('<Code>XAmzContentSHA256Mismatch</Code>');
  });
  request.on('error', () => void on.destroy());
  on.on('error', gone);
  on.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    let sent = 0;
    answer.on('data', (piece: Buffer) => {
      if (fault?.is === 'flip' && sent === 0) piece[0] = (piece[0] ?? 0) ^ 1;
      const rest = fault?.is === 'cut-answer' ? fault.after - sent : piece.length;
      sent += piece.length;
      if (rest < piece.length) {
        response.write(piece.subarray(0, Math.max(0, rest)), gone);
        answer.destroy();
        return;
      }
      if (!response.write(piece)) {
        answer.pause();
        response.once('drain', () => answer.resume());
      }
    });
    answer.on('end', () => void response.end());
    answer.on('error', gone);
  });
}
