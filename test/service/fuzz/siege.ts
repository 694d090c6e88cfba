// A service under fire for a whole test file, and what must hold of every answer that it gives.
import { afterAll, expect } from 'vitest';
import { isObject, type Json, type JsonObject } from '../../../src/base/json.ts';
import { tools } from '../../../src/contract/tools/all.ts';
import {
  type LocalService,
  type ServiceOptions,
  startService,
} from '../../../src/service/start.ts';
import { photo, plainly } from '../../rig.ts';
import { type Answer, Client } from '../client.ts';

export interface Siege {
  readonly local: LocalService;
  readonly client: Client;
  /** Everything written to standard error, where the service reports its own failures. */
  readonly stderr: string[];
  /** Warnings of Node.js, such as an invalid timeout or too many listeners. */
  readonly warnings: Error[];
}

/** Call at the top of a file: one service for all of its tests. */
export async function besiege(options: ServiceOptions = {}): Promise<Siege> {
  const local = await startService({ ...plainly, ...options });
  const warnings: Error[] = [];
  const hear = (warning: Error): void => {
    if (warning.name !== 'ExperimentalWarning') warnings.push(warning);
  };
  process.on('warning', hear);
  const stderr: string[] = [];
  const { write } = process.stderr;
  // Not a spy of vitest: it would be restored after the first test.
  process.stderr.write = new Proxy(write, {
    apply(target, stream, given) {
      stderr.push(String(given[0]));
      return Reflect.apply(target, stream, given);
    },
  });
  afterAll(async () => {
    await local.close();
    process.off('warning', hear);
    process.stderr.write = write;
  });
  return { local, client: new Client(local), stderr, warnings };
}

/** Nothing is ever rendered or delivered: what was charged stays as the answer left it. */
export const frozen: ServiceOptions = { speed: 'realtime', after: () => () => undefined };

/** Never the service's own fault, and a refusal says why, in JSON. */
export function expectDecent({ status, headers, body }: Answer, about: string): void {
  expect(status, about).toBeLessThan(500);
  if (status < 400) return;
  expect(String(headers['content-type']), about).toContain('application/json');
  expect(typeof body['message'], about).toBe('string');
  expect(body['message'], about).not.toBe('');
}

/** How many cases a property gets: a quarter of the usual number, with `EVERY=1` all, and with `FUZZ=10 npx vitest run test/service/fuzz` ten times that. */
export const tries = (usual: number): number =>
  Math.ceil(usual * Number(process.env['FUZZ'] ?? process.env['EVERY'] ?? 0.25));

/** What no refusal may change. */
export function moneyOf(local: LocalService): readonly [number, number] {
  return [local.balance(), local.ledger().length];
}

/** After whatever was sent, the service blames itself for nothing, and serves the next client. */
export async function expectAlive({ local, client, stderr, warnings }: Siege): Promise<void> {
  expect([...new Set(warnings.splice(0).map(({ name }) => name))]).toEqual([]);
  const lines = stderr.splice(0);
  expect(lines.filter((line) => line.startsWith('local service:'))).toEqual([]);
  const { status, body } = await client.ask('GET', '/v1/account');
  expect([status, body['credits']]).toEqual([200, local.balance()]);
}

/** A request that a tool takes. */
export interface Order {
  readonly path: string;
  readonly body: JsonObject;
}

/** The examples of all 27 tools, with real uploads in place of `asset:image` and its like. */
export async function validOrders(client: Client): Promise<readonly Order[]> {
  const files = new Map([
    ['asset:image', await client.upload(await photo(3), 'png')],
    ['asset:video', await client.upload(Buffer.from('frames of a clip'), 'mp4', 'video')],
    ['asset:audio', await client.upload(Buffer.from('a voice'), 'mp3', 'audio')],
  ]);
  return tools.flatMap(({ name, examples }) =>
    examples.map((example) => ({ path: `/v1/${name}`, body: filledIn(example, files) })),
  );
}

function filledIn(body: JsonObject, files: ReadonlyMap<string, string>): JsonObject {
  const fill = (value: Json): Json => {
    if (typeof value === 'string') return files.get(value) ?? value;
    if (isObject(value)) return filledIn(value, files);
    return Array.isArray(value) ? value.map(fill) : value;
  };
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, fill(value)]));
}
