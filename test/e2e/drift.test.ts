// Drift: what happens to our projects at the service behind our back. refresh brings it into the state file, audit names
// what differs, and neither writes anything when all is as it was.

import { rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { audit as auditState } from '../../src/features/drift/audit.ts';
import { refresh as refreshState } from '../../src/features/drift/refresh.ts';
import { loadPipeline } from '../../src/language/load/load.ts';
import { resultOf } from '../../src/language/load/refusal.ts';
import type { LocalService } from '../../src/service/start.ts';
import { bill, type Ended, envOf, photoPipeline, photoRig, type Rig, service } from '../rig.ts';
import { Client } from '../service/client.ts';
import { hub } from '../service/receiver.ts';
import { doubted } from './doubted.ts';

const stateFile = 'photos.state.jsonl';
const kept = photoPipeline.replace(/ {2}tidy.*\n/, '');
const unsaved = photoPipeline.replace(/ {2}save[\s\S]*/, '');
const impatient = kept.replace('uses: face-swap-photo', 'uses: face-swap-photo\n    timeout: 1ms');

const refresh = (rig: Rig, local: LocalService, ...flags: readonly string[]): Promise<Ended> =>
  rig.command(['refresh', 'pipeline.yaml', ...flags], envOf(local));
const audit = (rig: Rig, local: LocalService, ...flags: readonly string[]): Promise<Ended> =>
  rig.command(['audit', 'pipeline.yaml', ...flags], envOf(local));

function projectOf(rig: Rig, task: string): string {
  const line = rig
    .read(stateFile)
    .split('\n')
    .find((text) => text.includes(`"${task}"`) && text.includes('"project"'));
  const project = /"project":"([^"]+)"/.exec(line ?? '')?.[1];
  if (project === undefined) throw new Error(`${task} has no project`);
  return project;
}

async function removeElsewhere(local: LocalService, project: string): Promise<void> {
  const { status } = await new Client(local).ask('DELETE', `/v1/image-projects/${project}`);
  if (status !== 204) throw new Error(`the project was not deleted: ${status}`);
}

const net = (local: LocalService): number =>
  [...bill(local.ledger()).values()].reduce((sum, credits) => sum + credits, 0);

/** A second refresh finds nothing and writes nothing, and both ledgers agree. */
async function isSettled(rig: Rig, local: LocalService): Promise<void> {
  const state = rig.read(stateFile);
  const loaded = await loadPipeline(rig.file);
  const again = await resultOf(() => refreshState(loaded, { env: envOf(local) }));
  expect(again.ok && again.value).toMatchObject({ changes: [], unread: [] });
  const audited = await resultOf(() => auditState(loaded, { env: envOf(local) }));
  expect(audited.ok && audited.value.differences).toEqual([]);
  expect(audited.ok && audited.value.jobs).toBe(net(local));
  expect(rig.read(stateFile)).toBe(state);
}

describe('refresh', () => {
  test('a project that was canceled in progress: audit names what differs, and refresh records that it failed and is refunded; the next run makes it again', async () => {
    const local = await service({ faults: { faults: [{ fault: 'job-hang', count: 1 }] } });
    const rig = await photoRig(1, impatient);
    await rig.run(local);
    const project = projectOf(rig, 'swap:p1.png');
    await hub(local.address, `/hub/projects/${project}/cancel`, {});
    const state = rig.read(stateFile);
    const audited = await audit(rig, local);
    expect(audited.stdout).toContain(
      `differs: swap:p1.png: project ${project}: 10 recorded, 0 reported`,
    );
    expect(audited.code).toBe(1);
    const facts = JSON.parse((await audit(rig, local, '--json')).stdout);
    expect(facts).toMatchObject({
      projects: 1,
      jobs: 10,
      differences: [{ project, recorded: 10, reported: 0 }],
    });
    expect(rig.read(stateFile)).toBe(state);
    const said = await refresh(rig, local);
    expect(said.stdout).toContain(
      `canceled: swap:p1.png: project ${project}: the project ended: canceled: stopped by hand in the hub (10 → 0 credits)`,
    );
    expect(said.code).toBe(0);
    const status = await rig.command(['status', 'pipeline.yaml']);
    expect(status.stdout).toContain('→ run it again; somebody canceled the project in the hub');
    await isSettled(rig, local);
    rig.write('pipeline.yaml', kept);
    const { summary } = await rig.run(local);
    expect(summary).toMatchObject({ outcome: 'done', credits: { charged: 10 } });
    expect(net(local)).toBe(10);
    await isSettled(rig, local);
  });

  test('a project that was canceled and not refunded: it stays on the books', async () => {
    const local = await service({ faults: { faults: [{ fault: 'job-hang', count: 1 }] } });
    const rig = await photoRig(1, impatient);
    await rig.run(local);
    await hub(local.address, `/hub/projects/${projectOf(rig, 'swap:p1.png')}/cancel`, {
      refund: false,
    });
    expect((await refresh(rig, local)).stdout).toMatch(/canceled: swap:p1\.png: .*hub\n/);
    rig.write('pipeline.yaml', kept);
    await rig.run(local);
    expect(net(local)).toBe(20);
    await isSettled(rig, local);
  });

  test('a project that is complete by now: the next run fetches it', async () => {
    const local = await service({ speed: 40 });
    const rig = await photoRig(1, impatient);
    await rig.run(local);
    for (let done = false; !done; ) {
      const { body } = await new Client(local).ask(
        'GET',
        `/v1/image-projects/${projectOf(rig, 'swap:p1.png')}`,
      );
      done = body['status'] === 'complete';
    }
    expect((await refresh(rig, local)).stdout).toContain(
      'the project is complete: the next run downloads its result',
    );
    rig.write('pipeline.yaml', kept);
    expect((await rig.run(local)).summary).toMatchObject({
      outcome: 'done',
      credits: { charged: 0 },
    });
  });

  test('nothing happened, and then a project is deleted elsewhere, its files saved: nothing is lost, and nothing is paid', async () => {
    const local = await service();
    const rig = await photoRig(2, kept);
    await rig.run(local);
    await isSettled(rig, local);
    await removeElsewhere(local, projectOf(rig, 'swap:p1.png'));
    const said = await refresh(rig, local);
    expect(said.stdout).toContain('deleted: swap:p1.png: project');
    expect(said.stdout).toContain('the project was deleted elsewhere; its files are saved');
    expect(said.stdout).not.toContain('--pay-again');
    await isSettled(rig, local);
    expect((await rig.run(local)).summary).toMatchObject({
      outcome: 'done',
      credits: { charged: 0 },
    });
  });

  test('a project that was deleted elsewhere and never saved: it is lost, and paid again only when that is asked for', async () => {
    const local = await service();
    const rig = await photoRig(2, unsaved);
    await rig.run(local);
    await removeElsewhere(local, projectOf(rig, 'swap:p1.png'));
    const said = await refresh(rig, local);
    expect(said.stdout).toContain('lost: swap:p1.png: project');
    expect(said.stdout).toContain('To replace lost results, pay for them again: run --pay-again.');
    await isSettled(rig, local);
    rig.write('pipeline.yaml', kept);
    const { summary } = await rig.run(local);
    expect(summary).toMatchObject({
      outcome: 'failed',
      credits: { charged: 0 },
      items: { done: 1 },
    });
    expect((await rig.run(local, { payAgain: true })).summary).toMatchObject({
      outcome: 'done',
      credits: { charged: 10 },
    });
    expect(net(local)).toBe(30);
    await isSettled(rig, local);
  });

  test('a project that was deleted in progress: it is lost, and its charge stays on the books', async () => {
    const local = await service({ faults: { faults: [{ fault: 'job-hang', count: 1 }] } });
    const rig = await photoRig(2, impatient);
    await rig.run(local, { items: { only: 'p1.png' } });
    const hung =
      rig
        .read(stateFile)
        .split('\n')
        .find((line) => line.includes('"state":"created"')) ?? '';
    const project = /"project":"([^"]+)"/.exec(hung)?.[1] ?? '';
    rig.write('pipeline.yaml', kept);
    await rig.run(local, { items: { only: 'p2.png' } });
    await removeElsewhere(local, project);
    expect((await refresh(rig, local)).stdout).toContain('lost: swap:p');
    await isSettled(rig, local);
    expect((await rig.run(local)).summary).toMatchObject({
      outcome: 'failed',
      credits: { charged: 0 },
    });
    expect((await rig.run(local, { payAgain: true })).summary.outcome).toBe('done');
    expect(net(local)).toBe(30);
    await isSettled(rig, local);
  });

  // A wrong key: test/transcripts/failures.txt.
  test('a service that knows none of the projects is not believed without --accept-missing', async () => {
    const local = await service();
    const rig = await photoRig(2, kept);
    await rig.run(local);
    const { id } = await hub(local.address, '/hub/accounts', { credits: 10 });
    const { key } = await hub(local.address, '/hub/keys', { name: 'another', account: String(id) });
    const another = { ...local, key: String(key) };
    const state = rig.read(stateFile);
    const said = await refresh(rig, another);
    expect(said.stderr).toContain(
      `${local.address} knows no project of the state file (2 projects): nothing was changed`,
    );
    expect(said.stderr).toContain('check that the key belongs to the right account');
    expect(said.stderr + said.stdout).not.toContain(String(key));
    expect(said.code).toBe(2);
    const keyless = await rig.command(['refresh', 'pipeline.yaml']);
    expect(keyless.stderr).toContain('there is no API key');
    expect(keyless.code).toBe(2);
    expect(rig.read(stateFile)).toBe(state);
    const believed = await refresh(rig, another, '--accept-missing');
    expect(believed.stdout).toContain('2 changes');
    expect(believed.code).toBe(0);
  });
});

describe('audit', () => {
  test('counts what is in doubt beside the rest, and projects that the service no longer tells of', async () => {
    const { local, rig } = await doubted('after', 3);
    const said = await audit(rig, local);
    expect(said.stdout).toContain('2 projects; credits: 20 charged.');
    expect(said.stdout).toContain(
      'The service no longer reports 2 projects, for example after a deletion; by the state file, they cost 20 credits.',
    );
    expect(said.stdout).toContain('In doubt: 1 creation, 10 credits set aside.');
    expect(said.code).toBe(0);
  });

  test('of a rehearsal sees charges that the state file does not know of', async () => {
    const rig = await photoRig(2, kept);
    expect((await rig.command(['run', 'pipeline.yaml'])).code).toBe(0);
    expect((await rig.command(['audit', 'pipeline.yaml'])).stdout).toContain('The ledgers agree.');
    const file = '.shotlist/rehearsal/photos/state.jsonl';
    const lines = rig.read(file).split('\n');
    const left = lines.filter((line) => !line.includes('"swap:p2.png"')).join('\n');
    // Without its number of lines, so that a lost line is no damage.
    rig.write(file, left.replace(/,"lines":\d+/, ''));
    const state = rig.read(file);
    const known = await rig.command(['audit', 'pipeline.yaml']);
    expect(known.stdout).toMatch(
      /differs: swap:p2\.png: project \S+: 0 recorded, 10 reported: not in the state file, only in your receipts/,
    );
    expect(known.code).toBe(1);
    rmSync(rig.privatePath('rehearsal/photos/receipts.db'));
    const said = await rig.command(['audit', 'pipeline.yaml']);
    expect(said.stdout).toMatch(
      /differs: no task: project \S+: 0 recorded, 10 reported: charged for "p2 #\w+", and not known to photos/,
    );
    expect(said.stdout).toContain(
      'The jobs add up to 10 credits, the runs add up to 20; the two must be equal.',
    );
    expect(said.code).toBe(1);
    expect(rig.read(file)).toBe(state);
  });
});
