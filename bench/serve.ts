// The local service under load, by itself: creations over 64 connections, with the real ledger and plain pictures
// behind them, then reads; in memory and with a data folder.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { Pool } from 'undici';
import { column, defineBench, type Row, shareOf, spreadOf } from './frame/bench.ts';
import { type Served, serve } from './local-service.ts';

const connections = 64;

const rate = 'creations/s';
const wait = 'read p99 ms';
/** Creations a second. */
const pace = 2000;
const pacedWait = `creation p99 ms at ${pace}/s`;
const onDisk = (rows: readonly Row[]): readonly Row[] =>
  rows.filter(({ data }) => data === 'on disk');

export const serveBench = defineBench({
  name: 'serve',
  description: `Creations and reads a second of the local service over ${connections} connections, while it renders plain pictures.`,
  full: { requests: 10_000, pairs: 5 },
  tiny: { requests: 20, pairs: 1 },
  goals: [
    {
      what: `${rate} with data on disk`,
      bound: { atLeast: 2_000 },
      figure: (rows) => spreadOf(column(onDisk(rows), rate)),
      obstacle:
        'The service takes 0.3 to 0.4 ms of a core for each, renderings included, and the client needs a part of the same two cores.',
    },
    {
      what: `${pacedWait}, with data on disk`,
      bound: { atMost: 20 },
      figure: (rows) => spreadOf(column(onDisk(rows), pacedWait)),
      obstacle:
        'Twice a second, the garbage collector stops the service for about 15 ms, and requests queue up meanwhile.',
    },
    {
      what: `${wait} at full load, with data on disk`,
      bound: { atMost: 20 },
      figure: (rows) => spreadOf(column(onDisk(rows), wait)),
      obstacle: `${connections} reads at once wait for each other and for renderings.`,
    },
  ],
  async *run({ requests, pairs }) {
    for (let pair = 1; pair <= pairs; pair++)
      for (const data of ['in memory', 'on disk']) {
        const stored = data === 'on disk';
        const { creations, paced, reads, charges } = await measureService(requests, stored);
        yield {
          ...{ pair, data, [rate]: creations.rate, 'creation p99 ms': creations.p99 },
          'service ms a creation': creations.cost,
          [pacedWait]: paced.p99,
          ...{ 'reads/s': reads.rate, [wait]: reads.p99, charges },
        };
      }
  },
});

interface Load {
  /** Requests a second. */
  readonly rate: number;
  /** Milliseconds of the service's processor time for each, renderings included. */
  readonly cost: number;
  /** Milliseconds that 99 % of the requests stay below. */
  readonly p99: number;
}

/**
 * So many requests over all connections. With a pace, so many a second, whatever the answers take: a request that had to wait for a
 * connection waited for the service.
 */
async function load(
  count: number,
  { processor }: Served,
  ask: (index: number) => Promise<void>,
  pace?: number,
): Promise<Load> {
  const before = processor();
  let next = 0;
  const times: number[] = [];
  const began = performance.now();
  const work = async (): Promise<void> => {
    while (next < count) {
      const index = next++;
      const due = pace === undefined ? performance.now() : began + (index / pace) * 1000;
      if (due > performance.now()) await sleep(due - performance.now());
      await ask(index);
      times.push(performance.now() - due);
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
  const seconds = (performance.now() - began) / 1000;
  return {
    rate: count / seconds,
    cost: ((processor() - before) * 1000) / count,
    p99: shareOf(
      times.toSorted((a, b) => a - b),
      0.99,
    ),
  };
}

interface ServiceLoad {
  readonly creations: Load;
  readonly paced: Load;
  readonly reads: Load;
  readonly charges: number;
}

/** Throws when the ledger is not exactly what was answered. */
async function measureService(count: number, stored: boolean): Promise<ServiceLoad> {
  const data = stored ? mkdtempSync(join(tmpdir(), 'shotlist-bench-')) : undefined;
  const door = await serve({ pictures: 'plain', credits: 2 * count * 10, data });
  const pool = new Pool(door.address, { connections });
  const headers = { authorization: `Bearer ${door.key}`, 'content-type': 'application/json' };
  const ask = async <T>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<T> => {
    const sent = body === undefined ? null : JSON.stringify(body);
    const answer = await pool.request({ method, path, headers, body: sent });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${text}`);
    const value: T = JSON.parse(text);
    return value;
  };
  try {
    const colour = { r: 200, g: 120, b: 90 };
    const picture = sharp({ create: { width: 48, height: 48, channels: 3, background: colour } });
    const { items } = await ask<{ items: { upload_url: string; file_path: string }[] }>(
      'POST',
      '/v1/files/upload-urls',
      { items: [{ type: 'image', extension: 'png' }] },
    );
    const [place] = items;
    if (place === undefined) throw new Error('no upload address came');
    const { pathname, search } = new URL(place.upload_url);
    const body = await picture.png().toBuffer();
    await (await pool.request({ method: 'PUT', path: `${pathname}${search}`, body })).body.dump();

    const assets = { target_file_path: place.file_path, source_file_path: place.file_path };
    const ids: string[] = [];
    const create = async (index: number): Promise<void> => {
      const project = { name: `p${index}`, assets };
      ids.push((await ask<{ id: string }>('POST', '/v1/face-swap-photo', project)).id);
    };
    const creations = await load(count, door, create);
    const paced = await load(count, door, async (index) => await create(count + index), pace);
    const reads = await load(count, door, async (index) => {
      await ask('GET', `/v1/image-projects/${ids[index]}`);
    });
    const { entries, balance } = await ask<{
      entries: { kind: string; project: string }[];
      balance: number;
    }>('GET', '/hub/ledger');
    const charged = entries.filter(({ kind }) => kind === 'charge').map(({ project }) => project);
    if (balance !== 0 || charged.sort().join() !== ids.sort().join())
      throw new Error('the ledger is not what was answered');
    return { creations, paced, reads, charges: charged.length };
  } finally {
    await pool.close();
    await door.stop();
    if (data !== undefined) rmSync(data, { recursive: true, force: true });
  }
}
