// resolve: a person says what became of a creation whose answer was lost. What can be checked is checked, and whatever is
// said, the ledger and the service's agree about the credits afterwards.
import { cpSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import type { LocalService } from '../../src/service/start.ts';
import { takeLock } from '../../src/state/lock/lock.ts';
import { listening } from '../listening.ts';
import { bill, envOf, photo, photoRig, Rig, service } from '../rig.ts';
import { Client } from '../service/client.ts';
import { hub } from '../service/receiver.ts';
import { atLine } from './at-line.ts';
import { doubted } from './doubted.ts';

const stateFile = 'photos.state.jsonl';

/** The project that the service made under a name. */
function projectNamed(local: LocalService, name: string): string {
  const project = local.ledger().find((entry) => entry.name === name)?.project;
  if (project === undefined || project === null) throw new Error(`there is no project ${name}`);
  return project;
}

/** What the service has charged in all, refunds taken off. */
function net(local: LocalService): number {
  return [...bill(local.ledger()).values()].reduce((sum, credits) => sum + credits, 0);
}

/** What the state file's lines about runs add up to. */
function ours(rig: Rig): number {
  const lines = rig.read(stateFile).split('\n');
  const runs = lines.filter((line) => line.startsWith('{"run":'));
  return runs.reduce((sum, line) => {
    const { charged, refunded }: { charged: number; refunded: number } = JSON.parse(line);
    return sum + charged - refunded;
  }, 0);
}

async function forwarded(
  local: LocalService,
  request: IncomingMessage,
): Promise<{ readonly status: number; readonly text: string }> {
  const body = await buffer(request);
  const { authorization = '', 'content-type': type = 'application/json' } = request.headers;
  const answer = await fetch(`${local.address}${request.url}`, {
    method: request.method ?? 'GET',
    headers: { authorization, ...(body.length > 0 ? { 'content-type': type } : {}) },
    ...(body.length > 0 ? { body: new Uint8Array(body) } : {}),
  });
  return { status: answer.status, text: await answer.text() };
}

/** A deployment that tells of deleted projects with `enabled: false` (facts.md) instead of a 404. */
async function toldOf(): Promise<{
  readonly deleted: Set<string>;
  before(local: LocalService): Promise<string>;
}> {
  const deleted = new Set<string>();
  const before = async (local: LocalService): Promise<string> => {
    const server = createServer((request, response) => {
      forwarded(local, request).then(
        ({ status, text }) => {
          const told = [...deleted].some((project) => request.url?.endsWith(project));
          const shown = told ? text.replace('"enabled":true', '"enabled":false') : text;
          response.writeHead(status, { 'content-type': 'application/json' }).end(shown);
        },
        // The service hung up, and so do we.
        () => void request.socket.destroy(),
      );
    });
    return await listening(server);
  };
  return { deleted, before };
}

describe('what a person says', () => {
  test('--project: the next run goes on with the project, and pays nothing', async () => {
    const { local, rig, env, name } = await doubted('after');
    const project = projectNamed(local, name);
    const said = await rig.command(
      ['resolve', 'pipeline.yaml', 'swap:p1.png', '--project', project],
      env,
    );
    expect(said.stderr).toBe('');
    expect(said.stdout).toContain(`swap:p1.png (${JSON.stringify(name)}) is project ${project}`);
    expect(said.stdout).toContain('complete, 10 credits. The next run continues with it.');
    expect(said.code).toBe(0);
    expect((await rig.command(['status', 'pipeline.yaml'])).code).toBe(0);
    const { summary } = await rig.run(local);
    expect(summary).toMatchObject({ outcome: 'done', credits: { charged: 0, reserved: 0 } });
    expect(rig.files('out')).toEqual(['p1.png']);
    expect([net(local), ours(rig)]).toEqual([10, 10]);
    const again = await rig.run(local);
    expect([again.summary.outcome, net(local)]).toEqual(['done', 10]);
  });

  test('--not-charged on another machine: the next run here makes it, whatever the receipts here say', async () => {
    const { local, rig, env } = await doubted('before');
    const there = { ...env, SHOTLIST_RECEIPTS: join(rig.folder, 'receipts of another machine') };
    const said = await rig.command(
      ['resolve', 'pipeline.yaml', 'swap:p1.png', '--not-charged'],
      there,
    );
    expect(said.code).toBe(0);
    const { summary } = await rig.run(local);
    expect(summary).toMatchObject({ outcome: 'done', credits: { charged: 10, reserved: 0 } });
    expect([net(local), ours(rig)]).toEqual([10, 10]);
  });

  test('--project of one that was canceled since: it failed and is refunded, and the next run makes it again', async () => {
    const lost = {
      fault: 'reset',
      on: 'POST /v1/face-swap-photo',
      when: 'after',
      count: 1,
    } as const;
    const hang = { fault: 'job-hang', count: 1 } as const;
    const local = await service({ faults: { faults: [lost, hang] } });
    const rig = await photoRig(1);
    await rig.run(local);
    const [entry] = local.ledger().filter(({ kind }) => kind === 'charge');
    const project = entry?.project ?? '';
    await hub(local.address, `/hub/projects/${project}/cancel`, {});
    const said = await rig.command(
      ['resolve', 'pipeline.yaml', 'swap:p1.png', '--project', project],
      envOf(local),
    );
    expect(said.stdout).toContain('failed, 0 credits. The next run tries it again.');
    expect((await rig.run(local)).summary).toMatchObject({
      outcome: 'done',
      credits: { charged: 10, refunded: 0 },
    });
    expect([net(local), ours(rig)]).toEqual([10, 10]);
  });

  test('--project of one that was deleted and is still told of: it is lost, and that is said, not paid again', async () => {
    const deployed = await toldOf();
    const lost = { fault: 'reset', on: 'POST /v1/face-swap-photo', when: 'after' } as const;
    const local = await service({ faults: { faults: [{ ...lost, count: 1 }] } });
    const front = { ...local, address: await deployed.before(local) };
    const rig = await photoRig(1);
    await rig.run(front);
    const project = local.ledger().find(({ kind }) => kind === 'charge')?.project ?? '';
    deployed.deleted.add(project);
    const args = ['resolve', 'pipeline.yaml', 'swap:p1.png', '--project', project];
    expect((await rig.command(args, envOf(front))).code).toBe(0);
    const { summary } = await rig.run(front);
    expect(summary.outcome).toBe('failed');
    expect(summary.problems[0]?.why).toContain('--pay-again would pay for it again');
    expect(net(local)).toBe(10);
  });

  test('--not-charged: the next run sends it again, and that is the one charge', async () => {
    const { local, rig, name } = await doubted('before');
    expect(net(local)).toBe(0);
    // Also by the name that was sent, and with no key: nothing has to be asked.
    const said = await rig.command(['resolve', 'pipeline.yaml', name, '--not-charged']);
    expect(said).toMatchObject({ code: 0, stderr: '' });
    expect(said.stdout).toContain('The service never took swap:');
    expect(ours(rig)).toBe(0);
    const { summary } = await rig.run(local);
    expect(summary).toMatchObject({ outcome: 'done', credits: { charged: 10, reserved: 0 } });
    expect([net(local), ours(rig)]).toEqual([10, 10]);
    expect(rig.files('out')).toEqual(['p1.png']);
  });

  test('--abandon, as JSON: what was set aside counts as charged, and the next run pays for it again', async () => {
    const { local, rig, name } = await doubted('after');
    expect([net(local), ours(rig)]).toEqual([10, 0]);
    const args = ['resolve', 'pipeline.yaml', 'swap:p1.png', '--abandon', '--json'];
    const said = await rig.command(args);
    expect(said).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(said.stdout)).toEqual({
      ...{ service: local.address, tasks: ['swap:p1.png'], name, state: 'failed', credits: 10 },
    });
    expect(ours(rig)).toBe(10);
    const { summary } = await rig.run(local);
    expect(summary).toMatchObject({ outcome: 'done', credits: { charged: 10, reserved: 0 } });
    expect([net(local), ours(rig)]).toEqual([20, 20]);
    expect(rig.read(stateFile)).toMatch(/"past":\[\{"name":"p1 #[0-9a-z]+","credits":10\}\]/);
  });
});

describe('of a doubt in an older state file that was put back, and that was resolved since, the receipts know', () => {
  test('the project: nobody can say that it was not charged, and nothing is paid again', async () => {
    const { local, rig, env, name } = await doubted('after');
    const older = rig.read(stateFile);
    const project = projectNamed(local, name);
    await rig.command(['resolve', 'pipeline.yaml', name, '--project', project], env);
    // The run saves the result and deletes the project: from now on, the hub has it no more.
    expect((await rig.run(local)).summary.outcome).toBe('done');
    rig.write(stateFile, older);
    const task = ['resolve', 'pipeline.yaml', 'swap:p1.png'];
    const denied = await rig.command([...task, '--not-charged'], env);
    expect(denied.code).toBe(2);
    expect(denied.stderr).toContain(`your receipts say that it is project ${project}`);
    rig.write(stateFile, older);
    expect((await rig.command([...task, '--project', project], env)).code).toBe(0);
    rig.write(stateFile, older);
    const all = await rig.command(['resolve', 'pipeline.yaml', '--all', '--not-charged'], env);
    expect(all.code).toBe(0);
    expect(all.stdout).toContain('Nothing is in doubt.');
    expect(all.stderr).toContain('your receipts know what became of swap:p1.png');
    expect((await rig.run(local)).summary.outcome).toBe('done');
    rig.write(stateFile, older);
    // A run takes it over by itself, as the one attempt that it was.
    expect((await rig.run(local)).summary.outcome).toBe('done');
    expect(rig.read(stateFile)).not.toContain('"past"');
    expect(net(local)).toBe(10);
  });

  test('a later attempt of another checkout, which plan and run take over', async () => {
    let older = '';
    // As a kill at this moment leaves it: the intent is on disk, and nothing after it.
    const keep = (rig: Rig) =>
      atLine('"event":"doubt"', () => {
        older = rig.read(stateFile);
      });
    const { local, rig, env, name } = await doubted('before', 1, keep);
    const other = new Rig(rig.read('pipeline.yaml'));
    cpSync(rig.folder, other.folder, {
      recursive: true,
      filter: (path) => !path.endsWith('.shotlist'),
    });
    await other.command(['resolve', 'pipeline.yaml', name, '--not-charged'], env);
    expect((await other.run(local)).summary.outcome).toBe('done');
    rig.write(stateFile, older);
    // Each attempt by its own name: that the later one was charged says nothing of this one.
    const said = await rig.command(['resolve', 'pipeline.yaml', name, '--not-charged'], env);
    expect(said.code, said.stderr).toBe(0);
    expect(said.stderr).toContain('your receipts know what became of swap:p1.png');
    rig.write(stateFile, older);
    const planned = await rig.command(['plan', 'pipeline.yaml', '--json'], env);
    expect(JSON.parse(planned.stdout)).toMatchObject({ plan: { credits: 0 } });
    expect((await rig.run(local)).summary.outcome).toBe('done');
    expect(net(local)).toBe(10);
  });
});

describe('a resolve that is refused exits with 2 and leaves the state file as it was, to the byte:', () => {
  test('whatever does not fit', async () => {
    const { local, rig, env, name } = await doubted('after', 2);
    const state = rig.read(stateFile);
    const client = new Client(local);
    const picture = await client.upload(await photo(5), 'png');
    const stranger = await client.swap(picture, picture, 'a holiday');
    const other = projectNamed(local, /"name":"(p2 #[^"]+)"/.exec(state)?.[1] ?? '');
    const refused = async (
      args: readonly string[],
      says: string | RegExp,
      environment: Readonly<Record<string, string>> = env,
    ): Promise<void> => {
      const { code, stderr, stdout } = await rig.command(
        ['resolve', 'pipeline.yaml', ...args],
        environment,
      );
      expect(stderr, args.join(' ')).toMatch(says);
      expect(code, args.join(' ')).toBe(2);
      // Only the service, where it was asked.
      expect(stdout, args.join(' ')).toMatch(/^(Service: \S+\n)?$/);
      expect(rig.read(stateFile), args.join(' ')).toBe(state);
    };
    const task = 'swap:p1.png';
    await refused(
      [task, '--project', stranger],
      `is named "a holiday", not ${JSON.stringify(name)}`,
    );
    await refused([task, '--project', other], /belongs to .*swap:p2\.png/);
    await refused(['swap:p1.pgn', '--abandon'], /no.* task "swap:p1\.pgn"[\s\S]*swap:p1\.png/);
    await refused([task, '--abandon', '--project', other], /cannot be used with/);
    await refused([task, '--project', stranger], 'there is no API key', {
      SHOTLIST_BASE_URL: local.address,
    });
    await refused(
      [task, '--project', stranger, '--service', 'http://127.0.0.1:9'],
      `the projects of the state file are at ${local.address}`,
    );
    await refused([task, '--abandon', '--rehearse'], 'there is no state file yet');
  });

  test('while a run holds the lock, and says who', async () => {
    const { rig, env } = await doubted('after');
    const state = rig.read(stateFile);
    const lock = await takeLock(rig.path('.shotlist/photos.state.jsonl.lock'), Date.now());
    if (!lock.ok) throw new Error(lock.error);
    const said = await rig.command(['resolve', 'pipeline.yaml', 'swap:p1.png', '--abandon'], env);
    expect(said.stderr).toContain(`process ${process.pid} on `);
    expect(said.code).toBe(2);
    expect(rig.read(stateFile)).toBe(state);
    await lock.value.release();
    const later = await rig.command(['resolve', 'pipeline.yaml', 'swap:p1.png', '--abandon'], env);
    expect(later.code).toBe(0);
  });
});

test('where there are a hosted state file and a rehearsal’s, the environment or a flag says which one is meant', async () => {
  const { rig, env } = await doubted('after');
  const rehearsed = await rig.command(['run', 'pipeline.yaml', '--rehearse']);
  expect(rehearsed.code).toBe(0);
  const of = async (...flags: readonly string[]): Promise<string> =>
    (await rig.command(['resolve', 'pipeline.yaml', 'swap:p1.png', '--abandon', ...flags])).stderr;
  expect(await of()).toContain('add --hosted or --rehearse');
  expect(await of('--rehearse')).toContain('swap:p1.png is not in doubt: it is deleted');
  expect(await of('--hosted', '--rehearse')).toContain('cannot be used with');
  const own = await rig.command(['resolve', 'pipeline.yaml', 'swap:p1.png', '--abandon'], env);
  expect(own.stderr).toBe('');
  expect(await of('--hosted')).toContain('swap:p1.png is not in doubt: it is failed');
});
