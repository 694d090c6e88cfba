// shotlist serve, as a person starts it: what it prints, what it warns of, and what it refuses.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import { asJson, isObject, type JsonObject } from '../../src/base/json.ts';
import { listening } from '../listening.ts';
import { Rig } from '../rig.ts';
import { Client, send, textAt } from '../service/client.ts';
import { hub } from '../service/receiver.ts';
import { longTest } from '../sweep.ts';

interface Served {
  readonly lines: readonly string[];
  /** The end of the command after SIGTERM. */
  stop(): Promise<{ readonly code: number | null; readonly stderr: string }>;
}

/** Starts the command and waits for so many lines. */
async function serve(rig: Rig, args: readonly string[], count: number): Promise<Served> {
  const child = rig.start(['serve', ...args]);
  if (child.stdout === null) throw new Error('the command has no output');
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const ended = once(child, 'close').then(([code]) => Number(code));
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (lines.length === count) break;
  }
  const stop: Served['stop'] = async () => {
    child.kill('SIGTERM');
    return { code: await ended, stderr };
  };
  return { lines, stop };
}

async function serveJson(
  rig: Rig,
  args: readonly string[],
): Promise<Served & { facts: JsonObject }> {
  const served = await serve(rig, [...args, '--json'], 1);
  const facts = asJson(JSON.parse(served.lines[0] ?? ''));
  if (!isObject(facts)) throw new Error(`it said ${served.lines[0]}`);
  return { ...served, facts };
}

describe('serve', () => {
  test('prints address, hub and key, and ends well when it is told to', async () => {
    const served = await serve(new Rig(''), [], 5);
    const [, address = ''] =
      /^The local service is at (http:\/\/127\.0\.0\.1:\d+)$/.exec(served.lines[0] ?? '') ?? [];
    expect(served.lines).toEqual([
      `The local service is at ${address}`,
      `The hub, with projects, credits, keys and webhooks: ${address}/hub`,
      'Use it with:',
      expect.stringMatching(
        `^  export SHOTLIST_BASE_URL=${address} SHOTLIST_API_KEY=sl_[\\w-]{32}$`,
      ),
      'Ctrl-C stops it.',
    ]);
    const key = (served.lines[3] ?? '').split('SHOTLIST_API_KEY=')[1] ?? '';
    expect((await new Client({ address, key }).ask('GET', '/v1/account')).status).toBe(200);
    expect((await send(address, { method: 'GET', path: '/hub' })).status).toBe(200);
    expect(await served.stop()).toEqual({ code: 0, stderr: '' });
  });

  test('takes its flags: credits, tier, faults, seed, times, a host, and a data folder that is kept and is its own', async () => {
    const rig = new Rig('');
    rig.write('faults.yaml', 'faults:\n  - { fault: job-error, code: unknown_error, count: 1 }\n');
    const args = [
      ...['--credits', '70', '--tier', 'free', '--data', 'data', '--faults', 'faults.yaml'],
      ...['--seed', '7', '--slots', '3', '--speed', '60x', '--address-lifetime', '2h'],
      ...['--asset-lifetime', '1d', '--event-backoff', '10ms', '--event-give-up', '1h'],
    ];
    const first = await serveJson(rig, args);
    const address = textAt(first.facts, 'address');
    const key = textAt(first.facts, 'key');
    expect(first.facts['hub']).toBe(`${address}/hub`);
    const client = new Client({ address, key });
    expect((await client.ask('GET', '/v1/account')).body).toMatchObject({
      tier: 'free',
      credits: 70,
    });
    const [place] = await client.uploadAddresses('image', 'png');
    const life = Date.parse(place?.expiresAt ?? '') - Date.now();
    expect(Math.round(life / 60_000)).toBe(120);
    const { id } = await client.create('ai-voice-generator', {
      style: { prompt: 'Hello', voice_name: 'Elon' },
    });
    expect(await client.settled('audio', id)).toMatchObject({ error: { code: 'unknown_error' } });
    const other = await rig.command(['serve', '--data', 'data']);
    expect(other.code).toBe(2);
    expect(other.stderr).toMatch(/^The data folder data is in use by another local service/);
    await first.stop();

    const more = ['--data', 'data', '--credits', '5', '--host', '0.0.0.0'];
    const second = await serveJson(rig, more);
    const again = new Client({ address: textAt(second.facts, 'address'), key });
    expect((await again.ask('GET', '/v1/account')).body).toMatchObject({
      tier: 'free',
      credits: 70,
    });
    expect((await again.record('audio', id))['status']).toBe('error');
    const { code, stderr } = await second.stop();
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^warning: other machines may reach 0\.0\.0\.0\..*the hub answers only to this machine\.\n$/s,
    );
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

  test('refuses a faults file that is wrong, and shows the place', async () => {
    const rig = new Rig('');
    rig.write(
      'faults.yaml',
      'faults:\n  - fault: reset\n    when: after\n    on: POST /v1/face-swap-foto\n  - fault: latency\n    for: soon\n',
    );
    const { code, stdout, stderr } = await rig.command(['serve', '--faults', 'faults.yaml']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(
      'faults.yaml:4:9: error SL801: "POST /v1/face-swap-foto" matches no target of reset',
    );
    expect(stderr).toContain('did you mean "POST /v1/face-swap-photo"?');
    expect(stderr).toContain('faults.yaml:6:10: error SL107: faults[1].for must be a time such as');
    const missing = await rig.command(['serve', '--faults', 'nothing.yaml']);
    expect([missing.code, missing.stderr]).toEqual([
      2,
      'nothing.yaml: error: the faults file does not exist\n',
    ]);
  });

  test('refuses a port in use, and a data folder of other things, in a sentence', async () => {
    const rig = new Rig('');
    const server = createServer();
    const { port } = new URL(await listening(server));
    const taken = await rig.command(['serve', '--port', port]);
    expect([taken.code, taken.stderr]).toEqual([
      2,
      `port ${port} is in use: choose another one, or omit --port\n`,
    ]);
    rig.write('mine/incoming/holiday.jpg', 'a photo of mine');
    const mine = await rig.command(['serve', '--data', 'mine']);
    expect([mine.code, mine.stderr]).toEqual([
      2,
      'The folder mine holds files, and no local service created it for you on this machine. Name a new or empty folder.\n',
    ]);
    expect(rig.files('mine')).toEqual(['incoming/holiday.jpg']);
    const file = await rig.command(['serve', '--data', 'pipeline.yaml']);
    expect([file.code, file.stderr]).toEqual([
      2,
      'The data folder pipeline.yaml is a file, not a folder.\n',
    ]);
  });

  test.each([
    [['--tier', 'gold'], /Allowed choices are free, creator, pro, business/],
    [['--slots', '0'], /a whole number of 1 or more/],
    [['--event-backoff', 'soon'], /a time such as/],
    [['--speed', '0'], /above 0/],
    [['--port', '99999'], /port/i],
  ])('refuses %j', async (args, message) => {
    const { code, stderr } = await new Rig('').command(['serve', ...args]);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n +at /);
  });
});
