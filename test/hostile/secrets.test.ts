// A service that repeats the key wherever it can: in no file, log or line of output is the key found, however it is spelled,
// nor the signature of an address.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { printableJson } from '../../src/base/printable.ts';
import { Redactor } from '../../src/base/redactor.ts';
import { signatureHeader, signatureOf, timestampHeader } from '../../src/contract/api/event.ts';
import { probeService } from '../../src/service-api/service-probe.ts';
import { type Ended, ended, Rig, until } from '../rig.ts';
import { answer, serve } from '../service-api/server.ts';
import { partOf } from '../sweep.ts';
import { onePicture, type Sayings, strangeService } from './strange-service.ts';

const key = 'sk-The"Very+Secret/Key-4711';
const webhookSecret = 'whsec_also%Very&Secret-0815';

/** Spellings in which a person or a program would find it again. */
const spellings = (secret: string): readonly string[] => [
  secret,
  encodeURIComponent(secret),
  JSON.stringify(secret).slice(1, -1),
  Array.from(secret, (c) => `%${c.charCodeAt(0).toString(16)}`).join(''),
  Array.from(secret, (c) => `\\u00${c.charCodeAt(0).toString(16)}`).join(''),
];

interface Shown extends Ended {
  readonly state: string;
  readonly log: string;
}

async function ran(
  sayings: Sayings,
  pipeline = onePicture,
  args: readonly string[] = [],
): Promise<Shown> {
  const server = await strangeService(sayings);
  const rig = new Rig(pipeline);
  const env = { SHOTLIST_BASE_URL: server.address, SHOTLIST_API_KEY: key };
  const done = await rig.command(['run', rig.file, '--log', 'run.log', ...args], env);
  const state = rig.files('.').includes('p.state.jsonl') ? rig.read('p.state.jsonl') : '';
  const log = rig.read('run.log');
  expect(done.stderr).not.toContain('    at ');
  for (const secret of [...spellings(key), 'Sig4711'])
    for (const text of [state, log, done.stdout, done.stderr]) expect(text).not.toContain(secret);
  return { ...done, state, log };
}

const failed = (error: unknown): Sayings => ({
  record: ({ honest }) => ({ ...honest, status: 'error', downloads: [], error }),
});

describe('a service repeats the key', () => {
  test('in the message and the code of a failure, in each spelling, and inside a longer word', async () => {
    const message = `no such user ${spellings(key).join(', nor ')}, go away`;
    const { state, log } = await ran(failed({ code: `x${key}x`, message }));
    for (const text of [state, log]) {
      expect(text).toContain('xREDACTEDx');
      expect(text).toContain(
        `user ${spellings(key)
          .map(() => 'REDACTED')
          .join(', nor ')}, go away`,
      );
    }
  });

  test('at the end of a message that is cut', async () => {
    const { state } = await ran(failed({ code: 'c', message: 'x'.repeat(1990) + key }));
    expect(state).toContain('xREDACTED');
    expect(state).not.toContain('sk-The');
  });

  test.each([401, 422, 500])('in the answer to a creation (%i)', async (status) => {
    const body = { message: `the key ${key} is not for ${encodeURIComponent(key)}` };
    await ran({ refusal: { status, body } });
  });

  test('in the name, the type, the time, the id and in fields that nobody knows', async () => {
    const { code, state } = await ran({
      creation: ({ honest }) => ({ ...honest, id: `p-${key}` }),
      record: ({ honest }) => ({
        ...{ ...honest, name: key, type: key, created_at: key, [key]: { [key]: [key] } },
      }),
    });
    expect(code).toBe(0);
    expect(state).toContain('p-REDACTED');
  });

  test('in an upload address and the path of a file', async () => {
    const pipeline = `pipeline: p\nsteps:\n  up: { uses: upload, with: { file: pic.png } }\n`;
    await ran({ addresses: ({ honest }) => ({ ...honest, [key]: key }) }, pipeline);
  });

  test('in the account, with --json', async () => {
    await ran({ account: () => ({ credits: 1, tier: key, id: key }) }, onePicture, ['--json']);
  });

  test('in the address that it sends a request to', async () => {
    const server = await serve((_, response) =>
      answer(response, 302, undefined, {
        location: `https://${key.replace(/[^\w-]/g, '')}.example/`,
      }),
    );
    const plain = key.replace(/[^\w-]/g, '');
    const probe = await probeService({ base: server.address, key: plain.toLowerCase(), now: 0 });
    expect(probe).toMatchObject({ is: 'other-server' });
    expect(JSON.stringify(probe)).not.toContain(plain.toLowerCase());
  });
});

test('a signed address in a message keeps no signature, in any spelling of its scheme', async () => {
  const message = 'GET HTTPS://cdn.example/1.png?sign=Sig4711&x=1 and http://u:Sig4711@h/x#Sig4711';
  const { state } = await ran(failed({ code: message, message }));
  expect(state).toContain('GET HTTPS://cdn.example/1.png and http://h/x');
});

test('plan, audit and refresh hide the key, which the service repeats, and the pipeline too', async () => {
  const server = await strangeService({
    account: () => ({ credits: 100, tier: key }),
    record: ({ honest }) => ({ ...honest, type: key, name: key }),
  });
  const rig = new Rig(onePicture.replace('a boat', `'${key}'`));
  const env = { SHOTLIST_BASE_URL: server.address, SHOTLIST_API_KEY: key };
  for (const command of ['plan', 'run', 'audit', 'refresh'])
    for (const json of [[], ['--json']]) {
      const args = command === 'run' ? ['--log', 'run.log'] : [];
      const { stdout, stderr } = await rig.command([command, rig.file, ...json, ...args], env);
      for (const spelt of spellings(key)) {
        expect(stdout).not.toContain(spelt);
        expect(stderr).not.toContain(spelt);
      }
    }
  for (const file of ['p.state.jsonl', 'run.log'])
    for (const spelt of spellings(key)) expect(rig.read(file)).not.toContain(spelt);
});

test('an event repeats the webhook secret: it is hidden in the same places', async () => {
  const server = await strangeService({ creation: () => '{"id":' });
  const rig = new Rig(onePicture);
  const env = {
    ...{ SHOTLIST_BASE_URL: server.address, SHOTLIST_API_KEY: key },
    SHOTLIST_WEBHOOK_SECRET: webhookSecret,
  };
  const child = rig.start(['run', rig.file, '--listen', '0', '--json', '--log', 'run.log'], env);
  let told = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    told += chunk.toString();
  });
  const done = ended(child);
  await until('the run is in doubt', () =>
    server.asked.some(({ path }) => path.includes('image-generator')),
  );
  const address = /"type":"listening","address":"([^"]+)"/.exec(told)?.[1] ?? '';
  const { name } = JSON.parse(
    server.asked.find(({ body }) => body.includes('"name"'))?.body ?? '{}',
  );
  const error = { code: webhookSecret, message: `${webhookSecret} and ${key}` };
  const record = { id: `p-${webhookSecret}`, name, status: 'error', downloads: [], error };
  const body = JSON.stringify({ type: 'image.errored', payload: record });
  const at = `${Math.floor(Date.now() / 1000)}`;
  const signed = { [timestampHeader]: at, [signatureHeader]: signatureOf(webhookSecret, at, body) };
  const request = { method: 'POST', body, headers: signed };
  // As the service does: an event that came too early (503) is sent again.
  await until('the event is taken', async () => (await fetch(address, request)).status === 204);
  const { stdout, stderr } = await done;
  expect(rig.read('p.state.jsonl')).toContain('p-REDACTED');
  for (const text of [stdout, stderr, rig.read('p.state.jsonl'), rig.read('run.log')])
    for (const secret of [key, webhookSecret])
      for (const spelt of spellings(secret)) expect(text).not.toContain(spelt);
});

test('a key as long as a JSON Web Token, and its Base64, are hidden too', async () => {
  const long = `eyJhbGciOiJIUzI1NiJ9.${'aA0-_'.repeat(800)}`;
  const basic = Buffer.from(`user:${long}`).toString('base64');
  const said = { code: 'c', message: `no ${long}, no Basic ${basic}` };
  const server = await strangeService(failed(said));
  const rig = new Rig(onePicture);
  const env = { SHOTLIST_BASE_URL: server.address, SHOTLIST_API_KEY: long };
  for (const args of [['plan'], ['run', '--log', 'run.log'], ['status']]) {
    const { code, stdout, stderr } = await rig.command([...args, rig.file], env);
    expect(code).not.toBe(7);
    for (const text of [stdout, stderr]) expect(text).not.toMatch(/aA0-_|YUEwLV|FBMC1f|hQTAtX/);
  }
  for (const file of ['p.state.jsonl', 'run.log']) {
    expect(rig.read(file)).toContain('no REDACTED, no Basic ');
    expect(rig.read(file)).not.toMatch(/aA0-_|YUEwLV|FBMC1f|hQTAtX/);
  }
});

describe('a redactor', () => {
  test('hides one secret that begins with another whole', () => {
    const redactor = new Redactor(['secret-1', 'secret-12345']);
    expect(redactor.text('secret-12345 secret-1')).toBe('REDACTED REDACTED');
  });

  test('leaves a text alone when a secret is too short to be one', () => {
    expect(new Redactor(['a', 'test', undefined]).text('a test')).toBe('a test');
  });

  test('finds each spelling in the JSON of data that it would change', () => {
    const redactor = new Redactor([key, webhookSecret]);
    const spelt = fc.constantFrom(...[key, webhookSecret].flatMap(spellings));
    const around = fc.string({ unit: 'binary' });
    const text = fc.tuple(around, fc.option(spelt, { nil: '' }), around).map((s) => s.join(''));
    const data = fc.oneof(fc.record({ a: text, b: fc.array(text) }), fc.dictionary(text, text));
    fc.assert(
      fc.property(data, (value) => {
        if (redactor.value(value) !== value)
          expect(redactor.mayHide(printableJson(JSON.stringify(value)))).toBe(true);
      }),
      { numRuns: partOf(100) },
    );
    expect(redactor.mayHide('{"a":"plain"}')).toBe(false);
  });

  test('answers data without a secret as it is, and drops what is nested too deep', () => {
    const redactor = new Redactor(['secret-1']);
    const plain = { a: [1, { b: 'c' }] };
    expect(redactor.value(plain)).toBe(plain);
    const deep = JSON.parse(`${'[{"a":'.repeat(50_000)}1${'}]'.repeat(50_000)}`);
    expect(JSON.stringify(redactor.value(deep)).length).toBeLessThan(1000);
  });
});
