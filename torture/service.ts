// The local service under load, killed at random moments: after every restart its books must be right, and at the
// end every project must have ended, every event must have come, and no file may be there that should be gone.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { chanceOf } from '../src/base/chance.ts';
import type { JsonObject } from '../src/base/json.ts';
import type { ServiceOptions } from '../src/service/start.ts';
import {
  addressesIn,
  Client,
  download,
  listAt,
  smallSample,
  textAt,
} from '../test/service/client.ts';
import { projectsOf } from './ledger-audit.ts';

export interface TortureOptions {
  readonly rounds: number;
  readonly seed: number;
  readonly onEvent: (line: string) => void;
}

export interface TortureResult {
  readonly projects: number;
  readonly events: number;
  /** Sentences about what was not right; none, or the service does not keep its promises. */
  readonly violations: readonly string[];
}

const script = fileURLToPath(new URL('../bench/service-process.ts', import.meta.url));
const opening = 1_000_000;
const workers = 12;

export async function tortureService({
  rounds,
  seed,
  onEvent,
}: TortureOptions): Promise<TortureResult> {
  const chance = chanceOf(seed, 0);
  const data = mkdtempSync(join(tmpdir(), 'shotlist-torture-'));
  const receiver = await openReceiver(chance);
  const violations: string[] = [];
  /** What the service said that it did: from then on it must be so. */
  const answered: Answered = { created: new Set(), deleted: new Set(), canceled: new Set() };
  let assets: Assets | undefined;
  let key: string | undefined;
  try {
    for (let round = 1; round <= rounds; round++) {
      const served = await serve(data);
      key ??= served.key;
      const client = new Client({ address: served.address, key });
      violations.push(
        ...(await checkLedger(client, answered)).map((line) => `round ${round}: ${line}`),
      );
      assets ??= await prepare(client, receiver.url);
      const load = generateLoad(client, assets, answered, chance);
      await wait(20 + chance() * 600);
      served.process.kill('SIGKILL');
      await once(served.process, 'exit');
      await load;
      if (round % 10 === 0) onEvent(`round ${round}: ${answered.created.size} projects`);
    }
    const served = await serve(data);
    const client = new Client({ address: served.address, key: key ?? served.key });
    receiver.settle();
    await waitUntilIdle(client);
    violations.push(...(await checkLedger(client, answered)));
    const projects = await projectsOf(client);
    violations.push(...(await checkFinalState(projects, answered, receiver.heard, data)));
    served.process.kill('SIGTERM');
    await once(served.process, 'exit');
    return { projects: projects.length, events: receiver.heard.size, violations };
  } finally {
    receiver.close();
    rmSync(data, { recursive: true, force: true });
  }
}

interface Answered {
  readonly created: Set<string>;
  readonly deleted: Set<string>;
  readonly canceled: Set<string>;
}

interface Assets {
  readonly good: string;
  readonly bad: string;
}

interface Served {
  readonly address: string;
  readonly key: string;
  readonly process: ChildProcess;
}

async function serve(data: string): Promise<Served> {
  const options: ServiceOptions = {
    ...{ tier: 'business', pictures: 'plain', data, credits: opening, eventBackoffMs: 20 },
  };
  const child = spawn(process.execPath, [script, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const { address, key }: { address: string; key: string } = JSON.parse(line);
    return { address, key, process: child };
  }
  throw new Error('the service did not start: its books do not add up, or worse');
}

/** A receiver that answers one event in three with 500 until it is told to settle down. */
async function openReceiver(chance: () => number) {
  const heard = new Set<string>();
  let failing = true;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.on('end', () => {
      const refuses = failing && chance() < 1 / 3;
      const { type, payload }: { type: string; payload: { id: string } } = JSON.parse(
        Buffer.concat(chunks).toString(),
      );
      if (!refuses) heard.add(`${payload.id} ${type.split('.')[1]}`);
      response.writeHead(refuses ? 500 : 200).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the receiver has no port');
  const settle = (): void => {
    failing = false;
  };
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${bound.port}/`, heard, settle, close };
}

async function prepare(client: Client, url: string): Promise<Assets> {
  await hub(client, '/hub/webhooks', { url });
  return {
    good: await client.upload(await smallSample(6)),
    bad: await client.upload(Buffer.from('no picture'), 'png'),
  };
}

/** Works on the service until it is gone. */
async function generateLoad(
  client: Client,
  { good, bad }: Assets,
  answered: Answered,
  chance: () => number,
): Promise<void> {
  const colour = (path: string): JsonObject => ({ assets: { image_file_path: path } });
  const clip = {
    end_seconds: 1,
    resolution: '480p',
    model: 'ltx-2.3',
    style: { prompt: 'a boat' },
  };
  const operations: readonly (() => Promise<void>)[] = [
    async () =>
      void answered.created.add((await client.create('photo-colorizer', colour(good))).id),
    async () => void answered.created.add((await client.create('photo-colorizer', colour(bad))).id),
    async () => void answered.created.add((await client.create('text-to-video', clip)).id),
    async () => {
      const id = anyOf(answered.created, chance);
      const { status } = await client.ask('DELETE', `/v1/image-projects/${id}`);
      if (status === 204) answered.deleted.add(id);
    },
    async () => {
      const id = anyOf(answered.created, chance);
      if ((await tryHub(client, `/hub/projects/${id}/cancel`)) === 200) answered.canceled.add(id);
    },
  ];
  await Promise.all(
    Array.from({ length: workers }, async () => {
      try {
        for (;;) await operations[Math.floor(chance() * operations.length)]?.();
      } catch (error) {
        if (!isGone(error)) throw error;
      }
    }),
  );
}

/** The service was killed, with or without this request. */
function isGone(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return ['ECONNREFUSED', 'ECONNRESET', 'UND_ERR_SOCKET', 'EPIPE'].includes(code);
}

const anyOf = (ids: ReadonlySet<string>, chance: () => number): string =>
  [...ids][Math.floor(chance() * ids.size)] ?? 'none';

/** What the ledger says: how often each project was charged, and what that came to after refunds. */
interface LedgerSums {
  readonly charges: ReadonlyMap<string, number>;
  readonly net: ReadonlyMap<string, number>;
  readonly sum: number;
  readonly balance: number;
}

async function ledgerSumsOf(client: Client): Promise<LedgerSums> {
  const { body } = await client.ask('GET', '/hub/ledger');
  const charges = new Map<string, number>();
  const net = new Map<string, number>();
  let sum = 0;
  for (const { kind, project, credits } of listAt(body, 'entries')) {
    const paid = kind === 'charge' ? Number(credits) : -Number(credits);
    sum -= paid;
    if (typeof project !== 'string') continue;
    net.set(project, (net.get(project) ?? 0) + paid);
    if (kind === 'charge') charges.set(project, (charges.get(project) ?? 0) + 1);
  }
  return { charges, net, sum, balance: Number(body['balance']) };
}

/** Every credit is accounted for: of each project that was answered, and of no other that is not there. */
async function checkLedger(client: Client, answered: Answered): Promise<readonly string[]> {
  // What was left unfinished goes on meanwhile: a project agrees with the ledger before it was read or after.
  const before = await ledgerSumsOf(client);
  const projects = await projectsOf(client);
  const after = await ledgerSumsOf(client);
  const wrong: string[] = [];
  for (const { sum, balance } of [before, after])
    if (sum !== balance) wrong.push(`the ledger adds up to ${sum}, the balance is ${balance}`);
  for (const id of answered.created)
    if (after.charges.get(id) !== 1)
      wrong.push(`${id} was charged ${after.charges.get(id) ?? 0} times`);
  for (const { id, credits_charged } of projects) {
    const known = [before, after].map(({ net }) => net.get(String(id)));
    if (!known.includes(Number(credits_charged)))
      wrong.push(`${id} says ${credits_charged} credits, the ledger ${known.join(', then ')}`);
  }
  if (projects.length !== after.charges.size)
    wrong.push(`${projects.length} projects, ${after.charges.size} charges`);
  return wrong;
}

/** What must be so once nothing moves any more. */
async function checkFinalState(
  projects: readonly JsonObject[],
  answered: Answered,
  heard: ReadonlySet<string>,
  data: string,
): Promise<readonly string[]> {
  const wrong: string[] = [];
  const folders = new Set(readdirSync(join(data, 'outputs')));
  for (const project of projects) {
    const id = textAt(project, 'id');
    const status = textAt(project, 'status');
    const gone = project['enabled'] === false;
    if (answered.deleted.has(id) && !gone) wrong.push(`${id} was deleted and is there`);
    if (answered.canceled.has(id) && status !== 'canceled')
      wrong.push(`${id} was canceled and is ${status}`);
    if ((gone || status !== 'complete') && folders.has(id))
      wrong.push(`${id} is ${gone ? 'deleted' : status} and its files are there`);
    if (status === 'complete' && !heard.has(`${id} completed`))
      wrong.push(`${id}: completed was not heard`);
    if (status === 'error' && !heard.has(`${id} errored`))
      wrong.push(`${id}: errored was not heard`);
    if (status === 'canceled' && (heard.has(`${id} completed`) || heard.has(`${id} errored`)))
      wrong.push(`${id} was canceled and another end was heard`);
    if (status === 'complete' && !gone)
      for (const url of addressesIn(project))
        if ((await download(url)).status !== 200) wrong.push(`${id}: an output is not there`);
  }
  return wrong;
}

/** Waits until every project has ended and no event waits. */
async function waitUntilIdle(client: Client): Promise<void> {
  for (;;) {
    const projects = await projectsOf(client);
    const live = projects.some(
      ({ status, enabled }) => enabled !== false && (status === 'queued' || status === 'rendering'),
    );
    const { body } = await client.ask('GET', '/hub/deliveries?state=waiting&limit=1');
    if (!live && listAt(body, 'deliveries').length === 0) return;
    await wait(50);
  }
}

async function hub(client: Client, path: string, body: JsonObject): Promise<void> {
  const { status } = await client.ask('POST', path, body);
  if (status >= 300) throw new Error(`${path} was answered with ${status}`);
}

const tryHub = async (client: Client, path: string): Promise<number> =>
  (await client.ask('POST', path, {})).status;
