// shotlist serve, its flags and its data. What it prints and refuses: test/transcripts/meanwhile.txt and serving.txt.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import { asJson, isObject, type JsonObject } from '../../src/base/json.ts';
import { listening } from '../listening.ts';
import { Rig } from '../rig.ts';
import { Client, textAt } from '../service/client.ts';
import { hub } from '../service/receiver.ts';
import { longTest } from '../sweep.ts';

interface Served {
  readonly facts: JsonObject;
  /** The exit code of the command after SIGTERM. */
  stop(): Promise<number>;
}

/** Starts the command and waits for its first line. */
async function serveJson(rig: Rig, args: readonly string[]): Promise<Served> {
  const child = rig.start(['serve', ...args, '--json']);
  if (child.stdout === null) throw new Error('the command has no output');
  const end = once(child, 'close').then(([code]) => Number(code));
  const stop = async (): Promise<number> => {
    child.kill('SIGTERM');
    return await end;
  };
  for await (const line of createInterface({ input: child.stdout })) {
    const facts = asJson(JSON.parse(line));
    if (isObject(facts)) return { facts, stop };
  }
  throw new Error('it said nothing');
}

describe('serve', () => {
  test('takes its flags: credits, faults, speed, a host, and a data folder that is kept and is its own', async () => {
    const rig = new Rig('');
    rig.write('faults.yaml', 'faults:\n  - { fault: job-error, code: unknown_error, count: 1 }\n');
    const args = [
      ...['--credits', '70', '--data', 'data', '--faults', 'faults.yaml', '--speed', '60x'],
    ];
    const first = await serveJson(rig, args);
    const address = textAt(first.facts, 'address');
    const key = textAt(first.facts, 'key');
    expect(first.facts['hub']).toBe(`${address}/hub`);
    const client = new Client({ address, key });
    expect((await client.ask('GET', '/v1/account')).body).toMatchObject({ credits: 70 });
    const { id } = await client.create('ai-voice-generator', {
      style: { prompt: 'Hello', voice_name: 'Elon' },
    });
    expect(await client.settled('audio', id)).toMatchObject({ error: { code: 'unknown_error' } });
    await first.stop();

    const more = ['--data', 'data', '--credits', '5', '--host', '0.0.0.0'];
    const second = await serveJson(rig, more);
    const again = new Client({ address: textAt(second.facts, 'address'), key });
    expect((await again.ask('GET', '/v1/account')).body).toMatchObject({ credits: 70 });
    expect((await again.record('audio', id))['status']).toBe('error');
    expect(await second.stop()).toBe(0);
  });

  longTest('prints the same key again on the same data, until it is revoked', async () => {
    const rig = new Rig('');
    const keyOf = async (revokes = false): Promise<string> => {
      const { facts, stop } = await serveJson(rig, ['--data', 'data']);
      const address = textAt(facts, 'address');
      if (revokes) await hub(address, '/hub/keys/1/revoke', {});
      await stop();
      return textAt(facts, 'key');
    };
    const key = await keyOf();
    expect(await keyOf(true)).toBe(key);
    expect(await keyOf()).not.toBe(key);
    expect(
      rig
        .files('data')
        .map((name) => rig.read(`data/${name}`))
        .join(),
    ).not.toContain(key);
  });

  test('refuses a port that is in use', async () => {
    const { port } = new URL(await listening(createServer()));
    expect((await new Rig('').command(['serve', '--port', port])).code).toBe(2);
  });
});
