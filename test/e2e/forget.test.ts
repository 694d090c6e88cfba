// forget: a person wants a task done again. It is made and paid for again, and neither a credit nor a file is forgotten with it.
import { copyFileSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { plan } from '../../src/features/plan/plan.ts';
import { status } from '../../src/features/status/status.ts';
import { loadPipeline } from '../../src/language/load/load.ts';
import {
  bill,
  type Ended,
  envOf,
  photoPipeline,
  photoRig,
  type Rig,
  service,
  type Told,
} from '../rig.ts';
import { longTest } from '../sweep.ts';
import { doubted } from './doubted.ts';
import { unlike } from './taken.ts';

const stateFile = 'photos.state.jsonl';
const kept = photoPipeline.replace(/ {2}tidy.*\n/, '');

const forget = (rig: Rig, ...args: readonly string[]): Promise<Ended> =>
  rig.command(['forget', 'pipeline.yaml', ...args]);

/** The tasks for which something was done. */
const doneIn = ({ events }: Told): readonly string[] =>
  events.flatMap((h) => (h.type === 'task' && h.ending === 'done' ? [h.task] : [])).sort();

/** The line of the job that serves a task, by its step kind. */
function jobOf(rig: Rig, kind: string, task: string): Readonly<Record<string, unknown>> {
  for (const line of rig.read(stateFile).split('\n')) {
    if (!line.startsWith('{"job":')) continue;
    const job: { kind: string; tasks: readonly string[] } = JSON.parse(line);
    if (job.kind === kind && job.tasks.includes(task)) return job;
  }
  throw new Error(`there is no ${kind} job of ${task}`);
}

describe('forget', () => {
  test('a swap: it is made and paid for again, its first attempt stays on the books, and its first file is kept', async () => {
    const local = await service();
    const rig = await photoRig(2, kept);
    // The pictures of the local service are the same each time.
    const internals = unlike();
    await rig.run(local, {}, internals);
    const { project, name } = jobOf(rig, 'face-swap-photo', 'swap:p1.png');
    const first = readFileSync(rig.path('out/p1.png'));
    const said = await forget(rig, 'swap:p1.png');
    expect(said).toMatchObject({ code: 0, stderr: '' });
    expect(said.stdout).toContain(
      'swap:p1.png: the next run makes it again, and pays for it again. 10 credits stay in the ledger; ' +
        `project ${project} stays at the service.`,
    );
    const loaded = await loadPipeline(rig.file);
    expect((await plan(loaded, { env: envOf(local) })).plan.credits).toBe(10);
    expect((await status(loaded, { hosted: true })).credits.charged).toBe(20);

    const told = await rig.run(local, {}, internals);
    expect(told.summary).toMatchObject({ outcome: 'done', credits: { charged: 10 } });
    expect(doneIn(told)).toEqual(['save:p1.png', 'swap:p1.png']);
    const second = jobOf(rig, 'face-swap-photo', 'swap:p1.png');
    expect(second).toMatchObject({
      state: 'complete',
      credits: 10,
      past: [{ name, project, credits: 10 }],
    });
    expect(second['project']).not.toBe(project);
    expect(bill(local.ledger())).toEqual(
      new Map([
        ['p1', 20],
        ['p2', 10],
      ]),
    );
    expect((await status(loaded, { hosted: true })).credits.charged).toBe(30);
    expect(readFileSync(rig.path('out/p1.png')).equals(first)).toBe(false);
    const aside = rig.files('.shotlist/kept').map((file) => rig.path(`.shotlist/kept/${file}`));
    expect(aside.map((path) => readFileSync(path).equals(first))).toEqual([true]);

    const state = rig.read(stateFile);
    expect((await rig.run(local)).summary).toMatchObject({ credits: { charged: 0 } });
    expect(rig.read(stateFile)).toBe(state);
  });

  longTest('a swap whose project was deleted: it is made, saved and deleted again', async () => {
    const local = await service();
    const rig = await photoRig(1);
    await rig.run(local);
    expect((await forget(rig, 'swap:p1.png')).code).toBe(0);
    const told = await rig.run(local);
    expect(told.summary).toMatchObject({ outcome: 'done', credits: { charged: 10 } });
    expect(doneIn(told)).toEqual(['save:p1.png', 'swap:p1.png', 'tidy:p1.png']);
    expect(local.requests()['DELETE /v1/image-projects/:id']).toBe(2);
  });

  test('an upload or a face detection: it is done again, free, and what was made of it stays', async () => {
    const local = await service();
    const rig = await photoRig(1, kept);
    await rig.run(local);
    const uploads = local.requests()['PUT /uploads/*'] ?? 0;
    const said = await forget(rig, 'photo:p1.png');
    expect(said.stdout).toContain('photo:p1.png: the next run does it again.\n');
    const told = await rig.run(local);
    expect(told.summary).toMatchObject({ outcome: 'done', credits: { charged: 0 } });
    expect(doneIn(told)).toEqual(['photo:p1.png']);
    expect(local.requests()['PUT /uploads/*']).toBe(uploads + 1);
    expect((await forget(rig, 'faces:p1.png')).code).toBe(0);
    const again = await rig.run(local);
    expect(again.summary).toMatchObject({ outcome: 'done', credits: { charged: 0 } });
    expect(doneIn(again)).toEqual(['faces:p1.png']);
  });

  longTest('a download: its file is saved again, and nothing is paid', async () => {
    const local = await service();
    const rig = await photoRig(1, kept);
    await rig.run(local);
    rig.write('out/p1.png', 'spoilt by hand');
    expect((await rig.run(local)).summary.tasks.done).toBe(0);
    const said = await forget(rig, 'save:p1.png');
    expect(said.stdout).toContain('save:p1.png: the next run downloads its files again.\n');
    const told = await rig.run(local);
    expect(told.summary).toMatchObject({ outcome: 'done', credits: { charged: 0 } });
    expect(doneIn(told)).toEqual(['save:p1.png']);
    expect(readFileSync(rig.path('out/p1.png')).subarray(1, 4).toString()).toBe('PNG');
    expect([...bill(local.ledger()).values()]).toEqual([10]);
  });

  test('tasks that share a job are all named: they begin again together, and are paid once', async () => {
    const local = await service();
    const rig = await photoRig(1, kept);
    copyFileSync(rig.path('photos/p1.png'), rig.path('photos/twin.png'));
    await rig.run(local);
    const said = await forget(rig, 'swap:twin.png', '--json');
    expect(JSON.parse(said.stdout)).toMatchObject({
      tasks: ['swap:p1.png', 'swap:twin.png'],
      kind: 'face-swap-photo',
      what: 'result',
      credits: 10,
    });
    const { summary } = await rig.run(local);
    expect(summary).toMatchObject({ outcome: 'done', credits: { charged: 10 } });
    expect([...bill(local.ledger()).values()].reduce((sum, one) => sum + one, 0)).toBe(20);
  });

  test('--project: also what is in progress, where its task’s name is refused', async () => {
    const hang = { fault: 'job-hang', count: 1 } as const;
    const local = await service({ faults: { faults: [hang] } });
    const rig = await photoRig(
      1,
      kept.replace('uses: face-swap-photo', 'uses: face-swap-photo\n    timeout: 1ms'),
    );
    expect((await rig.run(local)).summary).toMatchObject({
      outcome: 'failed',
      tasks: { pending: 1 },
    });
    const { project } = jobOf(rig, 'face-swap-photo', 'swap:p1.png');
    const state = rig.read(stateFile);
    const byName = await forget(rig, 'swap:p1.png');
    expect(byName.stderr).toContain(
      `swap:p1.png is paid and still running: wait for it, or name its project: --project ${project}`,
    );
    expect(byName.code).toBe(2);
    expect(rig.read(stateFile)).toBe(state);
    expect((await forget(rig, '--project', String(project))).code).toBe(0);
    const again = await forget(rig, '--project', String(project));
    expect(again.stderr).toContain(
      `project ${project} is an attempt of swap:p1.png that is over already`,
    );
    expect(again.code).toBe(2);
  });
});

describe('forget is refused with exit code 2, and the state file stays as it was, for', () => {
  test('what is in doubt, what was never done, names that nothing has, and neither or both of task and project', async () => {
    const { local, rig } = await doubted('after', 2);
    const state = rig.read(stateFile);
    const refused = async (args: readonly string[], says: string): Promise<void> => {
      const { code, stderr } = await forget(rig, ...args);
      expect(stderr, args.join(' ')).toContain(says);
      expect(code, args.join(' ')).toBe(2);
      expect(rig.read(stateFile), args.join(' ')).toBe(state);
    };
    await refused(['swap:p1.png'], 'swap:p1.png is in doubt: settle it first');
    await refused(['save:p1.png'], 'the state file knows no task "save:p1.png"');
    await refused(['swap:p2.pgn'], 'swap:p2.png');
    await refused(['nothing-like-it-at-all'], 'shotlist status lists them');
    await refused(['--project', 'none-such'], 'the state file knows no project "none-such"');
    await refused([], 'name what to forget: a task, or --project <id>');
    await refused(['swap:p2.png', '--project', 'x'], 'name what to forget');
    expect(bill(local.ledger()).size).toBe(2);
  });

  test('what has failed: the next run tries that anyway', async () => {
    const local = await service({
      faults: { faults: [{ fault: 'job-error', on: 'face-swap-photo', code: 'no_source_face' }] },
    });
    const rig = await photoRig(1);
    await rig.run(local);
    const state = rig.read(stateFile);
    const said = await forget(rig, 'swap:p1.png');
    expect(said.stderr).toContain('swap:p1.png has failed: the next run tries it again');
    expect(said.code).toBe(2);
    expect(rig.read(stateFile)).toBe(state);
  });
});
