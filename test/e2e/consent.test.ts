// A cloned pipeline names a service, and the key is in the environment: no command connects to that host before the
// user consents, and every command that does names the host first.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listening } from '../listening.ts';
import { type Ended, photoPipeline, type Rig, service } from '../rig.ts';
import { doubted } from './doubted.ts';

const stateFile = 'photos.state.jsonl';

interface Host {
  readonly address: string;
  connections: number;
}

/** A host that counts who connects, and passes everything on. */
async function countingHost(onward: string): Promise<Host> {
  const host = { address: '', connections: 0 };
  const server = createServer((socket) => {
    host.connections += 1;
    const there = connect(Number(new URL(onward).port), '127.0.0.1');
    for (const end of [socket, there])
      end.on('error', () => void [socket, there].map((one) => one.destroy()));
    socket.pipe(there).pipe(socket);
    onTestFinished(() => void [socket, there].map((one) => one.destroy()));
  });
  host.address = await listening(server);
  return host;
}

interface Cloned {
  readonly rig: Rig;
  readonly stranger: Host;
  readonly key: string;
  /** The name of an attempt in doubt. */
  readonly name: string;
  command(...args: readonly string[]): Promise<Ended>;
}

/** A repository with a pipeline that names a stranger's service, and a state file that names it too. */
async function cloned(): Promise<Cloned> {
  const { local, rig, name } = await doubted('after', 2);
  const stranger = await countingHost(local.address);
  // What git does not bring along.
  rmSync(rig.path('.shotlist'), { recursive: true });
  rig.write(stateFile, rig.read(stateFile).replaceAll(local.address, stranger.address));
  rig.write('pipeline.yaml', `service: ${stranger.address}\n${photoPipeline}`);
  const { key } = local;
  const env = { SHOTLIST_API_KEY: key, XDG_STATE_HOME: rig.path('user') };
  return { rig, stranger, key, name, command: (...args) => rig.command(args, env) };
}

const commands = (name: string): readonly (readonly string[])[] => [
  ['run', 'pipeline.yaml'],
  ['run', 'pipeline.yaml', '--hosted', '--json'],
  ['refresh', 'pipeline.yaml'],
  ['audit', 'pipeline.yaml', '--json'],
  ['resolve', 'pipeline.yaml', name, '--project', 'prj'],
];

function filesHolding(folder: string, text: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(text));
}

test('without consent, no command connects: each is refused with the place and the cures, plan shows what would run, and a rehearsal works', async () => {
  const { rig, stranger, key, name, command } = await cloned();
  const state = rig.read(stateFile);
  for (const args of commands(name)) {
    const { code, stdout, stderr } = await command(...args);
    const said = stdout + stderr;
    expect(code, args.join(' ')).toBe(2);
    expect(said).toContain(`names the service ${stranger.address}`);
    expect(said).toContain('shotlist trust pipeline.yaml');
    expect(said).not.toContain(key);
    if (!args.includes('--json')) expect(stderr).toContain(`> 1 | service: ${stranger.address}`);
  }
  // What a person reads: test/transcripts/trust.txt.
  const json = await command('plan', 'pipeline.yaml', '--json');
  expect(json.code).toBe(2);
  expect(JSON.parse(json.stdout)).toMatchObject({
    service: stranger.address,
    plan: { items: 2 },
    problems: [{ message: expect.stringContaining('have not agreed') }],
  });
  expect(await command('run', 'pipeline.yaml', '--rehearse')).toMatchObject({ code: 0 });
  expect(await command('plan', 'pipeline.yaml', '--rehearse')).toMatchObject({ code: 0 });

  // The address in a state file counts as little as the one in the pipeline.
  rig.write('pipeline.yaml', photoPipeline);
  for (const args of commands(name).slice(2)) {
    const { code, stdout, stderr } = await command(...args);
    expect(code, args.join(' ')).toBe(2);
    expect(stdout + stderr).toContain(`the projects of the state file are at ${stranger.address}`);
  }
  expect(stranger.connections).toBe(0);
  expect(rig.read(stateFile)).toBe(state);
  expect(filesHolding(rig.folder, key)).toEqual([]);
});

describe('with consent', () => {
  test('every command works, and names the host before anything else, until the file changes or the consent is taken back', async () => {
    const { rig, stranger, key, name, command } = await cloned();
    const trusted = await command('trust', 'pipeline.yaml');
    expect(trusted).toMatchObject({ code: 0, stderr: '' });
    expect(trusted.stdout).toContain(`Service: ${stranger.address}\n`);
    expect(trusted.stdout).toContain('shotlist trust --remove pipeline.yaml');
    expect(stranger.connections).toBe(0);

    const first = `Service: ${stranger.address}\n`;
    for (const args of [
      ['plan', 'pipeline.yaml'],
      ['refresh', 'pipeline.yaml'],
      ['audit', 'pipeline.yaml'],
      ['run', 'pipeline.yaml'],
      ['resolve', 'pipeline.yaml', name, '--project', 'prj'],
    ])
      expect((await command(...args)).stdout.slice(0, first.length), args[0]).toBe(first);
    expect(stranger.connections).toBeGreaterThan(0);
    const told = await command('run', 'pipeline.yaml', '--json');
    expect(JSON.parse(told.stdout.split('\n')[0] ?? '')).toEqual({
      type: 'started',
      rehearsal: false,
      service: stranger.address,
      state: expect.stringMatching(/\.state\.jsonl$/),
      output: expect.stringContaining('out'),
    });
    const audited = await command('audit', 'pipeline.yaml', '--json');
    expect(JSON.parse(audited.stdout)).toMatchObject({ service: stranger.address });
    expect(filesHolding(rig.folder, key)).toEqual([]);

    const before = stranger.connections;
    rig.write('pipeline.yaml', `${rig.read('pipeline.yaml')}\n`);
    for (const args of commands(name)) {
      const { code, stdout, stderr } = await command(...args);
      expect(code, args.join(' ')).toBe(2);
      expect(stdout + stderr).toContain('the file has changed since you trusted it');
    }
    await command('trust', 'pipeline.yaml');
    expect((await command('trust', '--list')).stdout).toContain(stranger.address);
    expect(await command('trust', '--remove', 'pipeline.yaml')).toMatchObject({ code: 0 });
    expect((await command('trust', '--list')).stdout).toBe('No file is trusted.\n');
    expect(await command('run', 'pipeline.yaml')).toMatchObject({ code: 2 });
    expect(stranger.connections).toBe(before);
  });

  test('the key goes to the address that the user gives, and not to the one in the file', async () => {
    const { rig, stranger } = await cloned();
    rig.write(stateFile, '');
    const mine = await service();
    const own = await countingHost(mine.address);
    const { code, stdout } = await rig.command(
      [
        'run',
        'pipeline.yaml',
        '--service',
        own.address,
        '--state',
        'mine.jsonl',
        '--replace-files',
      ],
      { SHOTLIST_API_KEY: mine.key, XDG_STATE_HOME: rig.path('user') },
    );
    expect(code).toBe(0);
    expect(stdout.split('\n')[0]).toBe(`Service: ${own.address}`);
    expect(own.connections).toBeGreaterThan(0);
    expect(stranger.connections).toBe(0);
  });
});
