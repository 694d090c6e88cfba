// on_finish and on_doubt: what they get, when they act, and what they cannot do.

import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { generate } from 'selfsigned';
import { describe, expect, onTestFinished, test } from 'vitest';
import { realClock } from '../../src/core/clock.ts';
import type { Clock } from '../../src/core/ports.ts';
import type { RunEvent } from '../../src/core/run-event.ts';
import { trust } from '../../src/features/trust/trust.ts';
import { resultOf } from '../../src/language/load/refusal.ts';
import type { LocalService } from '../../src/service/start.ts';
import { Lock } from '../../src/state/lock.ts';
import { dueAMinuteAgo } from '../due-once.ts';
import { photo } from '../photo.ts';
import {
  type Ended,
  ended,
  envOf,
  photoPipeline,
  photoRig,
  Rig,
  service,
  type Told,
  until,
} from '../rig.ts';
import { doubted } from './doubted.ts';

/** Writes what it gets to files in its working folder. */
const recorder = `
import { readFileSync, writeFileSync } from 'node:fs';
const [name, ...args] = process.argv.slice(2);
writeFileSync(name + '.json', JSON.stringify({ input: readFileSync(0, 'utf8'), env: process.env, args }));
`;

interface Record {
  readonly input: string;
  readonly env: NodeJS.ProcessEnv;
  readonly args: readonly string[];
}

const uploads = (hooks: string): string =>
  `pipeline: p
${hooks}
steps:
  photo: { uses: upload, with: { file: a.png } }
`;

const node = JSON.stringify(process.execPath);
const recordFinish = `on_finish: { command: [${node}, notify.mjs, finish, "$HOME; *", "two words"] }`;

interface Hooked {
  readonly rig: Rig;
  readonly local: LocalService;
  readonly env: Readonly<globalThis.Record<string, string>>;
  /** Agrees to the hooks of the pipeline. */
  agree(): void;
  command(...args: readonly string[]): Promise<Ended>;
  record(name: string): Record;
}

const secrets = {
  SHOTLIST_WEBHOOK_SECRET: 'whsec_The-Hidden-Word',
  AWS_ACCESS_KEY_ID: 'AKIA-of-the-bucket',
  AWS_SECRET_ACCESS_KEY: 'the-bucket-of-all-secrets',
  AWS_SESSION_TOKEN: 'the-session-of-the-bucket',
  SHOTLIST_WORKER_SECRET_FILE: '/home/somebody/of-the-workers',
  PGPASSWORD: 'the-word-of-the-database',
  PGPASSFILE: '/home/somebody/of-the-database',
  DATABASE_URL: 'mysql://any-database',
  ENGINE: 'postgres:///shotlist-of-the-team',
};

async function hooked(pipeline = uploads(recordFinish)): Promise<Hooked> {
  const local = await service();
  const rig = new Rig(pipeline);
  rig.write('a.png', await photo(1));
  rig.write('notify.mjs', recorder);
  const env = { ...envOf(local), ...secrets, XDG_STATE_HOME: rig.path('user') };
  return {
    ...{ rig, local, env },
    agree: () => void trust(rig.file, { env }),
    command: (...args) =>
      rig.command(args, { ...env, COPY_OF_THE_KEY: local.key, AWS_REGION: 'eu-central-1' }),
    record: (name) => JSON.parse(rig.read(name)) as Record,
  };
}

const last = ({ stdout }: Ended): unknown => JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');

describe('a trusted command', () => {
  test('gets the summary, runs without a shell beside the pipeline, sees no secret, and is not called by a run with nothing to do', async () => {
    const { rig, local, command, record } = await hooked();
    const trusted = await command('trust', 'pipeline.yaml');
    expect(trusted.code).toBe(0);
    expect(trusted.stdout).toContain(`"finish" "$HOME; *" "two words"\n`);
    const ran = await command('run', 'pipeline.yaml', '--json');
    expect(ran.code).toBe(0);
    expect(last(ran)).toMatchObject({ type: 'hook', hook: 'on_finish', result: 'called' });

    const { input, env, args } = record('finish.json');
    expect(args).toEqual(['$HOME; *', 'two words']);
    const ended = ran.stdout.split('\n').find((line) => line.startsWith('{"type":"ended"')) ?? '';
    expect(JSON.parse(input)).toEqual({
      ...{ hook: 'on_finish', pipeline: 'p', rehearsal: false },
      ...JSON.parse(ended),
    });
    expect(JSON.parse(input)).toMatchObject({ summary: { outcome: 'done', exitCode: 0 } });
    expect(env['AWS_REGION']).toBe('eu-central-1');
    for (const secret of [local.key, ...Object.values(secrets)])
      expect(rig.read('finish.json')).not.toContain(secret);

    rig.write('finish.json', 'untouched');
    expect(await command('run', 'pipeline.yaml')).toMatchObject({ code: 0 });
    expect(rig.read('finish.json')).toBe('untouched');
  });

  test('learns when a scheduled run was due', async () => {
    const { agree, command, record } = await hooked(
      uploads(`schedule: { cron: "${dueAMinuteAgo()}" }\n${recordFinish}`),
    );
    agree();
    expect(await command('schedule', 'pipeline.yaml', '--once')).toMatchObject({ code: 0 });
    const due = expect.stringMatching(/^20.*:00\.000Z$/);
    expect(JSON.parse(record('finish.json').input)).toMatchObject({ due });
  });

  test('is called by a tick only if the tick changed the state file', async () => {
    const items = `items: { values: [a, b] }\n${recordFinish}`;
    const { rig, agree, command, record } = await hooked(
      uploads(items).replace('a.png', '"${{ item.value }}.png"'),
    );
    rig.write('b.png', '');
    agree();
    expect((await command('tick', 'pipeline.yaml')).code).toBe(1);
    expect(JSON.parse(record('finish.json').input)).toMatchObject({
      summary: { outcome: 'failed' },
    });
    rig.write('finish.json', 'untouched');
    expect((await command('tick', 'pipeline.yaml')).code).toBe(1);
    expect(rig.read('finish.json')).toBe('untouched');
    expect((await command('run', 'pipeline.yaml')).code).toBe(1);
    expect(rig.read('finish.json')).not.toBe('untouched');
  });

  test('learns that a run could not begin: no service, no key, a damaged state file', async () => {
    const { rig, agree, env, command, record } = await hooked();
    agree();
    const ran = await command('run', 'pipeline.yaml', '--service', 'http://127.0.0.1:1');
    expect(ran.code).toBe(1);
    const told = (): unknown => JSON.parse(record('finish.json').input);
    expect(told()).toMatchObject({ type: 'refused', reason: 'unreachable' });
    const keyless = await rig.command(['run', 'pipeline.yaml'], { ...env, SHOTLIST_API_KEY: '' });
    expect(keyless.code).toBe(2);
    expect(told()).toMatchObject({
      ...{ type: 'refused', reason: 'input' },
      diagnostics: [{ message: expect.stringContaining('there is no API key') }],
    });
    rig.write('p.state.jsonl', 'damaged\n');
    expect((await command('run', 'pipeline.yaml')).code).toBe(2);
    expect(told()).toMatchObject({
      ...{ type: 'refused', reason: 'input' },
      diagnostics: [{ message: expect.stringContaining('p.state.jsonl:1') }],
    });
  });

  test('that fails is a warning with its last words, and the exit code stays', async () => {
    const { rig, local, agree, command } = await hooked();
    const words = `console.error('cannot connect with', '${local.key}'); process.exit(7);`;
    rig.write('notify.mjs', words);
    agree();
    const ran = await command('run', 'pipeline.yaml', '--log', 'run.log');
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain('ended with exit code 7: cannot connect with REDACTED');
    expect(rig.read('run.log')).toContain('"result":"failed"');
    expect(rig.read('run.log')).not.toContain(local.key);
  });

  test('that does not exist is a warning', async () => {
    const { agree, command } = await hooked(uploads('on_finish: { command: [./missing] }'));
    agree();
    const ran = await command('run', 'pipeline.yaml');
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain('warning: on_finish: ./missing cannot start: does not exist');
  });
});

/** A clock whose long waits end when the test says so. */
function patientClock(): { readonly clock: Clock; readonly pass: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const sleep: Clock['sleep'] = async (ms, signal) =>
    ms < 60_000 ? await realClock.sleep(ms, signal) : await promise;
  return { clock: { ...realClock, sleep }, pass: resolve };
}

async function inProcess(
  { rig, env }: Pick<Hooked, 'rig' | 'env'>,
  local: LocalService,
  clock = realClock,
  signal?: AbortSignal,
): Promise<Told> {
  trust(rig.file, { env });
  const { XDG_STATE_HOME: state = '' } = env;
  const options = { clock, ...(signal === undefined ? {} : { signal }) };
  return await rig.run(local, options, {}, { XDG_STATE_HOME: state });
}

const hookEvents = (events: readonly RunEvent[]): readonly RunEvent[] =>
  events.filter(({ type }) => type === 'hook');

test('a command that hangs is killed with everything that it started', async () => {
  const hang = `
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
writeFileSync('pids.json', JSON.stringify([process.pid, child.pid]));
process.on('SIGTERM', () => {});
setInterval(() => {}, 1000);
`;
  const made = await hooked();
  made.rig.write('notify.mjs', hang);
  const { clock, pass } = patientClock();
  const running = inProcess(made, made.local, clock);
  await until('the hook runs', () => existsSync(made.rig.path('pids.json')));
  await until('it has written', () => made.rig.read('pids.json').endsWith(']'));
  pass();
  const { events, summary } = await running;
  expect(summary.outcome).toBe('done');
  expect(hookEvents(events)).toMatchObject([
    { result: 'failed', why: 'did not end within 60 s and was killed' },
  ]);
  const pids = JSON.parse(made.rig.read('pids.json')) as readonly number[];
  expect(pids).toHaveLength(2);
  for (const pid of pids) await until('the process is gone', () => !isAlive(pid));
});

test('a command that is still working when the process is asked to stop has little time left', async () => {
  const made = await hooked();
  made.rig.write(
    'notify.mjs',
    `import { writeFileSync } from 'node:fs'; writeFileSync('here', ''); setInterval(() => {}, 1000);`,
  );
  const given = resultOf(() => trust(made.rig.file, { env: made.env }));
  expect(given.ok).toBe(true);
  const { clock } = patientClock();
  const stop = new AbortController();
  const running = made.rig.run(
    made.local,
    {
      clock: {
        ...clock,
        sleep: async (ms, signal) =>
          ms === 8000 || ms === 1000 ? undefined : clock.sleep(ms, signal),
      },
      signal: stop.signal,
    },
    {},
    { XDG_STATE_HOME: made.rig.path('user') },
  );
  await until('the hook runs', () => existsSync(made.rig.path('here')));
  stop.abort();
  const { events, summary } = await running;
  expect(summary.outcome).toBe('done');
  expect(hookEvents(events)).toMatchObject([
    { result: 'failed', why: 'was killed because the run was asked to stop' },
  ]);
});

describe('a run that was interrupted', () => {
  const memes = (hooks: string): string =>
    photoPipeline.replace('output: out\n', `output: out\n${hooks}\n`);

  test('calls on_finish in time, after SIGTERM: the outcome says what became of it', async () => {
    const local = await service({ speed: 5 });
    const rig = await photoRig(1, memes(recordFinish));
    rig.write('notify.mjs', recorder);
    const env = { ...envOf(local), XDG_STATE_HOME: rig.path('user') };
    trust(rig.file, { env });
    const child = rig.start(['run', 'pipeline.yaml'], env);
    const end = ended(child);
    await until('it is charged', () => local.ledger().some(({ kind }) => kind === 'charge'));
    child.kill('SIGTERM');
    expect((await end).code).toBe(130);
    const { input } = JSON.parse(rig.read('finish.json')) as Record;
    expect(JSON.parse(input)).toMatchObject({
      ...{ hook: 'on_finish', type: 'ended' },
      summary: { outcome: 'interrupted', exitCode: 130 },
    });
  });

  test('has its webhook called, although it was asked to stop', async () => {
    const { host, bodies } = await receiver(503, 200);
    const made = await hooked(uploads(`on_finish: { webhook: "https://${host}/x" }`));
    const { events, summary } = await inProcess(made, made.local, realClock, AbortSignal.abort());
    expect(summary.outcome).toBe('interrupted');
    expect(hookEvents(events)).toMatchObject([{ calls: host, result: 'called' }]);
    expect(bodies).toHaveLength(2);
    expect(bodies[0]).toContain('"outcome":"interrupted"');
  });

  test('does not wait for a webhook that never answers', async () => {
    const { host } = await receiver('never');
    const made = await hooked(uploads(`on_finish: { webhook: "https://${host}/x" }`));
    const sleep: Clock['sleep'] = async (ms, signal) =>
      ms === 8000 || ms === 1000 ? undefined : await realClock.sleep(ms, signal);
    const clock = { ...realClock, sleep };
    const { events, summary } = await inProcess(made, made.local, clock, AbortSignal.abort());
    expect(summary.outcome).toBe('interrupted');
    expect(hookEvents(events)).toMatchObject([{ calls: host, result: 'failed' }]);
  });
});

test('neither a rehearsal nor a run that meets the lock of another calls anything', async () => {
  const { rig, agree, command } = await hooked();
  agree();
  const rehearsed = await command('run', 'pipeline.yaml', '--rehearse');
  expect(rehearsed.stdout).toContain(`on_finish: a real run would call ${process.execPath}\n`);
  // The other run calls its own hooks.
  const lock = await Lock.take(rig.path('.shotlist/p.state.jsonl.lock'), realClock);
  const ran = await command('run', 'pipeline.yaml');
  await lock?.release();
  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain('p.state.jsonl');
  expect(existsSync(rig.path('finish.json'))).toBe(false);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
    throw error;
  }
}

describe('on_doubt', () => {
  test('is called in addition after a run with doubts', async () => {
    const { local, rig } = await doubted('after');
    rig.write('notify.mjs', recorder);
    const hooks = ['finish', 'doubt'].map(
      (name) => `on_${name}: { command: [${node}, notify.mjs, ${name}] }\n`,
    );
    rig.write('pipeline.yaml', hooks.join('') + photoPipeline);
    const env = { ...envOf(local), XDG_STATE_HOME: rig.path('user') };
    const { events } = await inProcess({ rig, env }, local);
    expect(hookEvents(events)).toMatchObject([
      { hook: 'on_finish', result: 'called' },
      { hook: 'on_doubt', result: 'called' },
    ]);
    const { input } = JSON.parse(rig.read('doubt.json')) as Record;
    expect(JSON.parse(input)).toMatchObject({ hook: 'on_doubt', summary: { outcome: 'doubt' } });
  });
});

describe('without consent', () => {
  test('no hook acts: a warning before the run says so, and the run goes on', async () => {
    const { rig, command } = await hooked();
    const ran = await command('run', 'pipeline.yaml');
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain('warning: on_finish is not called: you have not agreed');
    expect(ran.stderr).toContain('shotlist trust pipeline.yaml');
    expect(existsSync(rig.path('finish.json'))).toBe(false);
  });

  test('it ends when the file or the program beside it changes', async () => {
    const { rig, agree, command } = await hooked();
    for (const name of ['pipeline.yaml', 'notify.mjs']) {
      agree();
      rig.write(name, `${rig.read(name)}\n`);
      const ran = await command('run', 'pipeline.yaml');
      expect(ran.stderr, name).toContain('has changed since you trusted it');
      expect(existsSync(rig.path('finish.json')), name).toBe(false);
    }
    agree();
    rig.write('a.png', await photo(2));
    await command('run', 'pipeline.yaml');
    expect(existsSync(rig.path('finish.json'))).toBe(true);
  });

  test('it ends when any file that an argument names changes, or appears', async () => {
    const command = `[${node}, --import, ./README, --env-file=own.env, notify.mjs, finish]`;
    const {
      rig,
      agree,
      command: run,
    } = await hooked(uploads(`on_finish: { command: ${command} }`));
    for (const name of ['README', 'own.env']) {
      rig.write(name, '');
      agree();
      rig.write(name, '# changed');
      expect((await run('run', 'pipeline.yaml')).stderr).toContain(
        'a file that its command names, has changed since you trusted it',
      );
    }
    expect(existsSync(rig.path('finish.json'))).toBe(false);
  });

  test('a copy of a trusted file runs nothing in another folder, where its programs are others', async () => {
    const { rig, env, agree, command } = await hooked();
    agree();
    mkdirSync(rig.path('copy'));
    for (const name of ['pipeline.yaml', 'a.png'])
      copyFileSync(rig.path(name), rig.path(`copy/${name}`));
    rig.write('copy/notify.mjs', recorder);
    const ran = await command('run', 'copy/pipeline.yaml');
    expect(ran.stderr).toContain('on_finish is not called');
    expect(existsSync(rig.path('copy/finish.json'))).toBe(false);
    // Trusting the copy takes nothing from the original.
    trust(rig.path('copy/pipeline.yaml'), { env });
    rig.write('copy/a.png', await photo(2));
    await command('run', 'copy/pipeline.yaml');
    await command('run', 'pipeline.yaml');
    expect(existsSync(rig.path('copy/finish.json'))).toBe(true);
    expect(existsSync(rig.path('finish.json'))).toBe(true);
  });
});

const certificate = generate([{ name: 'commonName', value: 'localhost' }], {
  ...{ keyType: 'ec', algorithm: 'sha256' },
  extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
});

/** https://localhost, which answers with these statuses, one after the other, or never. */
async function receiver(...statuses: readonly (number | 'never')[]) {
  const { private: key, cert } = await certificate;
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, cert]);
  onTestFinished(() => setDefaultCACertificates(before));
  const bodies: string[] = [];
  const server = createServer({ key, cert }, async (request: IncomingMessage, response) => {
    let body = '';
    for await (const piece of request) body += String(piece);
    bodies.push(`${request.method} ${request.url} ${body}`);
    const status = statuses[bodies.length - 1] ?? 200;
    if (status === 'never') return;
    response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const bound = server.address();
  const port = typeof bound === 'object' ? bound?.port : undefined;
  return { host: `localhost:${port}`, bodies };
}

describe('a webhook', () => {
  const calling = (host: string): string =>
    uploads(`on_finish: { webhook: "https://${host}/x?t=1" }`);

  test('gets the summary by POST, again after a failure of the receiver', async () => {
    const { host, bodies } = await receiver(500, 429, 200);
    const made = await hooked(calling(host));
    const { events } = await inProcess(made, made.local);
    expect(hookEvents(events)).toMatchObject([{ calls: host, result: 'called' }]);
    expect(bodies).toHaveLength(3);
    expect(new Set(bodies).size).toBe(1);
    const [, method, json = ''] = /^(POST \/x\?t=1) (.*)$/.exec(bodies[0] ?? '') ?? [];
    expect(method).toBe('POST /x?t=1');
    expect(JSON.parse(json)).toMatchObject({ pipeline: 'p', summary: { outcome: 'done' } });
    expect(json).not.toContain(made.local.key);
  });

  test.each([
    [[302], 'answered with a redirect (302), which is not followed', 1],
    [[404], 'answered with status 404', 1],
    [[500, 500, 500], 'answered with status 500', 3],
  ])('that answers %j is a warning, and its address is not shown', async (statuses, why, times) => {
    const { host, bodies } = await receiver(...statuses);
    const made = await hooked(calling(host));
    const { events, summary } = await inProcess(made, made.local);
    expect(summary.outcome).toBe('done');
    expect(hookEvents(events)).toMatchObject([{ result: 'failed', why }]);
    expect(bodies).toHaveLength(times);
    expect(JSON.stringify(events)).not.toContain('/x?t=1');
  });
});
