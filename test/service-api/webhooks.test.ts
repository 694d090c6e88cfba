// Whether a run listens to the service's events, and by which secret it knows them.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { renderProblem, resultOf } from '../../src/language/load/refusal.ts';
import type { Target } from '../../src/service-api/target.ts';
import { type WebhookOptions, webhookConfigOf } from '../../src/service-api/webhooks.ts';
import { listenAddress } from '../../src/terminal/flags.ts';
import { temporaryFolder } from '../files/places.ts';
import { envOf, photoRig, Rig, service } from '../rig.ts';

const secret = 'whsec_The-Very-Secret-4711';
const listen = { host: '127.0.0.1', port: 0 };
const hosted: Target = { kind: 'hosted', address: 'https://media.example', key: 'k' };
type Env = Readonly<Record<string, string | undefined>>;

/** What was chosen, or what the problem says. */
function chosen(env: Env, options: WebhookOptions = { listen }, target: Target = hosted): unknown {
  const webhooks = resultOf(() => webhookConfigOf(options, target, env));
  if (webhooks.ok) return webhooks.value;
  const text = renderProblem(webhooks.error);
  expect(text).not.toContain(secret);
  return text;
}

function secretFile(content: string): string {
  const file = join(temporaryFolder(), 'secret');
  writeFileSync(file, content);
  return file;
}

describe('a run listens', () => {
  test('only when it is asked to', () => {
    expect(chosen({ SHOTLIST_WEBHOOK_SECRET: secret }, {})).toBeUndefined();
  });

  test.each<[string, () => Env, WebhookOptions]>([
    ['the environment', () => ({ SHOTLIST_WEBHOOK_SECRET: secret }), {}],
    ['a file', () => ({ SHOTLIST_WEBHOOK_SECRET_FILE: secretFile(`${secret}\n`) }), {}],
    ['a program', () => ({}), { webhookSecret: secret }],
    [
      'a program before all else',
      () => ({ SHOTLIST_WEBHOOK_SECRET: 'other' }),
      { webhookSecret: secret },
    ],
  ])('with the secret from %s', (_, env, options) => {
    expect(chosen(env(), { listen, ...options })).toEqual({
      ...{ address: listen, secret, patienceMs: 60_000 },
      headers: { signature: 'magic-hour-event-signature', timestamp: 'magic-hour-event-timestamp' },
    });
  });

  test('with the header names that the environment sets, in lower case', () => {
    const env = {
      SHOTLIST_WEBHOOK_SECRET: secret,
      SHOTLIST_WEBHOOK_SIGNATURE_HEADER: 'X-Signature',
      SHOTLIST_WEBHOOK_TIMESTAMP_HEADER: 'X-Timestamp',
    };
    const headers = { signature: 'x-signature', timestamp: 'x-timestamp' };
    expect(chosen(env)).toMatchObject({ headers });
  });
});

describe('a run does not begin', () => {
  test.each<[string, () => Env, RegExp]>([
    ['without a secret', () => ({}), /no webhook secret[\s\S]*SHOTLIST_WEBHOOK_SECRET/],
    ['with an empty one', () => ({ SHOTLIST_WEBHOOK_SECRET: '' }), /no webhook secret/],
    [
      'with a blank one',
      () => ({ SHOTLIST_WEBHOOK_SECRET: ' ' }),
      /SHOTLIST_WEBHOOK_SECRET holds no/,
    ],
    [
      'with one of two lines',
      () => ({ SHOTLIST_WEBHOOK_SECRET: `${secret}\n${secret}` }),
      /holds no/,
    ],
    [
      'with an empty file',
      () => ({ SHOTLIST_WEBHOOK_SECRET_FILE: secretFile('\n') }),
      /the file .* holds no/,
    ],
    [
      'with a file that is not there',
      () => ({ SHOTLIST_WEBHOOK_SECRET_FILE: '/none/x' }),
      /does not exist/,
    ],
    [
      'with a header name that is none',
      () => ({ SHOTLIST_WEBHOOK_SECRET: secret, SHOTLIST_WEBHOOK_TIMESTAMP_HEADER: 'a: b' }),
      /SHOTLIST_WEBHOOK_TIMESTAMP_HEADER holds "a: b"/,
    ],
  ])('%s', (_, env, message) => {
    expect(chosen(env())).toMatch(message);
  });

  test('as a rehearsal, which needs no events', () => {
    const env = { SHOTLIST_WEBHOOK_SECRET: secret };
    expect(chosen(env, { listen }, { kind: 'rehearsal' })).toMatch(/a rehearsal needs no events/);
  });

  test('and nothing is sent, when the command line says so: exit code 2', async () => {
    const local = await service();
    const rig = await photoRig(1);
    const taken = new URL(local.address).port;
    const env = { ...envOf(local), SHOTLIST_WEBHOOK_SECRET: secret };
    const tries: readonly (readonly [
      readonly string[],
      Readonly<Record<string, string>>,
      RegExp,
    ])[] = [
      [['--listen', '0'], envOf(local), /no webhook secret/],
      [['--listen', '0', '--rehearse'], env, /a rehearsal needs no events/],
      [['--listen', taken], env, /port \d+ is in use[\s\S]*choose another port/],
      [['--listen', 'here'], env, /Write a port or host:port/],
      [['--listen', '::1:80'], env, /Write a port or host:port/],
      [['--listen', '127.0.0.1:65536'], env, /from 0 to 65535/],
    ];
    for (const [flags, given, message] of tries) {
      const { code, stderr } = await rig.command(['run', 'pipeline.yaml', ...flags], given);
      expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
      expect(stderr).not.toContain(secret);
    }
    const asked = Object.values(local.requests()).reduce((sum, count) => sum + count, 0);
    expect(asked).toBe(0);
  });
});

test.each([
  ['4000', '127.0.0.1', 4000],
  ['0.0.0.0:4000', '0.0.0.0', 4000],
  ['localhost:0', 'localhost', 0],
  ['[::1]:65535', '::1', 65_535],
])('--listen %s means host %s and port %i', (text, host, port) => {
  expect(listenAddress(text)).toEqual({ host, port });
});

test('where it listens is said, and a warning when other machines can reach it', async () => {
  const local = await service();
  // Nothing is bought: a run that waits for events polls rarely, and nobody sends any here.
  const rig = new Rig('pipeline: note\nsteps:\n  note: { uses: upload, with: { file: a.png } }\n');
  rig.write('a.png', 'a');
  const env = { ...envOf(local), SHOTLIST_WEBHOOK_SECRET: secret };
  const near = await rig.command(['run', 'pipeline.yaml', '--listen', '0'], env);
  expect(near.stdout).toMatch(
    /Listening for the service's events at http:\/\/127\.0\.0\.1:[1-9]\d*\n/,
  );
  expect(near.stderr).toBe('');
  const far = await rig.command(['run', 'pipeline.yaml', '--listen', '0.0.0.0:0', '--json'], env);
  expect(far.stdout).toMatch(
    /"type":"listening","address":"http:\/\/0\.0\.0\.0:[1-9]\d*","doubts":0/,
  );
  expect(far.stdout).toContain('other machines may reach 0.0.0.0');
});
