// A creation whose answer never comes may have been paid: it is shown, never repeated by a machine, and the rest goes on.
import { connect, createServer } from 'node:net';
import { expect, test } from 'vitest';
import type { LocalService } from '../../src/service/start.ts';
import { listening } from '../listening.ts';
import { bill, envOf, photoRig, service } from '../rig.ts';

/** A network in front of the service that loses the answer to the first creations, after they have arrived. */
async function lossy(local: LocalService, losses: number): Promise<LocalService> {
  const port = Number(new URL(local.address).port);
  let left = losses;
  const proxy = createServer((client) => {
    const server = connect(port, '127.0.0.1');
    let losing = false;
    client.on('data', (chunk) => {
      if (chunk.includes('POST /v1/face-swap-photo') && left > 0) {
        left -= 1;
        losing = true;
      }
      server.write(chunk);
    });
    server.on('data', (chunk) => {
      if (losing) client.destroy();
      else client.write(chunk);
    });
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  return { ...local, address: await listening(proxy) };
}

test('a lost answer leaves one photo in doubt, and everything else is done', async () => {
  const local = await service();
  const network = await lossy(local, 1);
  const rig = await photoRig(4);
  const first = await rig.command(['run', 'pipeline.yaml'], envOf(network));
  expect(first.code).toBe(4);
  expect(first.stdout).toContain('they may have been paid for, so they are not repeated');
  expect(rig.files('out')).toHaveLength(3);
  expect([...bill(local.ledger()).values()]).toEqual([10, 10, 10, 10]);

  const again = await rig.command(['run', 'pipeline.yaml'], envOf(network));
  expect(again.code).toBe(4);
  expect([...bill(local.ledger()).values()]).toEqual([10, 10, 10, 10]);

  const plan = await rig.command(['plan', 'pipeline.yaml'], envOf(network));
  expect(plan.stdout).toMatch(/swap +1 +IN DOUBT +10 credits held/);
  const status = await rig.command(['status', 'pipeline.yaml']);
  expect(status.code).toBe(4);
  const [name] = /named "([^"]+)"/.exec(status.stdout)?.slice(1) ?? [];
  expect(local.ledger().map((entry) => entry.name)).toContain(name);
  expect(status.stdout).toContain('10 credits set aside');
});

test('what is in doubt counts in the budget, as if it had been paid', async () => {
  const local = await service();
  const network = await lossy(local, 1);
  const rig = await photoRig(4);
  const { code } = await rig.command(['run', 'pipeline.yaml', '--budget', '20'], envOf(network));
  expect(code).toBe(4);
  const charged = [...bill(local.ledger()).values()].reduce((sum, credits) => sum + credits, 0);
  expect(charged).toBe(20);
});
