// 1,000 projects over 64 connections at once: each is charged exactly once, and none is lost.

import { Pool } from 'undici';
import { expect } from 'vitest';
import { photo, service } from '../rig.ts';
import { longTest } from '../sweep.ts';
import { Client } from './client.ts';

const count = 1000;

longTest(
  '1,000 projects over 64 connections: no lost and no double charge in the ledger',
  async () => {
    const local = await service({ credits: count * 10 });
    const file = await new Client(local).upload(await photo(1), 'png');
    const pool = new Pool(local.address, { connections: 64 });
    const headers = { authorization: `Bearer ${local.key}`, 'content-type': 'application/json' };
    const assets = { target_file_path: file, source_file_path: file };
    let next = 0;
    const answered: string[] = [];
    const work = async (): Promise<void> => {
      while (next < count) {
        const body = JSON.stringify({ name: `p${next++}`, assets });
        const path = '/v1/face-swap-photo';
        const answer = await pool.request({ method: 'POST', path, headers, body });
        const text = await answer.body.text();
        expect(answer.statusCode, text).toBe(200);
        const { id, credits_charged }: { id: string; credits_charged: number } = JSON.parse(text);
        expect(credits_charged).toBe(10);
        answered.push(id);
      }
    };
    await Promise.all(Array.from({ length: 64 }, work));
    await pool.close();
    const charges = local.ledger().filter(({ kind }) => kind === 'charge');
    expect(charges).toHaveLength(count);
    expect(new Set(charges.map(({ name }) => name)).size).toBe(count);
    expect(charges.map(({ project }) => project).sort()).toEqual(answered.sort());
    expect(local.balance()).toBe(0);
    const more = await new Client(local).ask('POST', '/v1/face-swap-photo', { assets });
    expect(more.status).toBe(402);
  },
);
