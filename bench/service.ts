// The local service under load, by itself: `npm run bench -- service`. Creations over 64 connections, with the real
// ledger and plain pictures behind them, then reads; in memory and with a data folder.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { Pool } from 'undici';
import { serve } from './serve.ts';

const connections = 64;

/** Requests a second, when so many are made over all connections. */
async function rateOf(count: number, ask: (index: number) => Promise<void>): Promise<number> {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) await ask(next++);
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: connections }, work));
  return (count * 1000) / (performance.now() - began);
}

export interface ServiceRates {
  readonly creations: number;
  readonly reads: number;
}

/** Throws when the ledger is not exactly what was answered. */
export async function measureService(count: number, stored: boolean): Promise<ServiceRates> {
  const data = stored ? mkdtempSync(join(tmpdir(), 'shotlist-bench-')) : undefined;
  const place = data === undefined ? [] : ['--data', data];
  const door = await serve(['--pictures', 'plain', '--credits', `${count * 10}`, ...place]);
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
    const creations = await rateOf(count, async (index) => {
      const created = await ask<{ id: string }>('POST', '/v1/face-swap-photo', {
        name: `p${index}`,
        assets,
      });
      ids.push(created.id);
    });
    const reads = await rateOf(count, async (index) => {
      await ask('GET', `/v1/image-projects/${ids[index]}`);
    });
    const { entries, balance } = await ask<{
      entries: { kind: string; project: string }[];
      balance: number;
    }>('GET', '/hub/ledger');
    const charged = entries.filter(({ kind }) => kind === 'charge').map(({ project }) => project);
    if (balance !== 0 || charged.sort().join() !== ids.sort().join())
      throw new Error('the ledger is not what was answered');
    return { creations, reads };
  } finally {
    await pool.close();
    door.process.kill('SIGKILL');
    if (data !== undefined) rmSync(data, { recursive: true, force: true });
  }
}
