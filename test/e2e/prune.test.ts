// prune removes what nothing needs any more, and leaves whatever somebody may want.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { realClock } from '../../src/run/clock.ts';
import type { LocalService } from '../../src/service/start.ts';
import { takeLock } from '../../src/state/lock/lock.ts';
import { ended, envOf, photo, photoPipeline, photoRig, Rig, service, until } from '../rig.ts';
import { found, named, nothing, planned, pruned, refusal } from './orphaned.ts';

const untidy = photoPipeline.replace(/ {2}tidy:.*\n/, '');
const stateFile = 'photos.state.jsonl';
const day = 86_400_000;

/** Three photos are done, and the third one is removed. */
async function without3(
  pipeline = untidy,
): Promise<{ readonly rig: Rig; readonly local: LocalService }> {
  const local = await service();
  const rig = await photoRig(3, pipeline);
  await rig.run(local);
  rmSync(rig.path('photos/p3.png'));
  return { rig, local };
}

const requests = (local: LocalService, route: string): number =>
  Object.entries(local.requests()).reduce(
    (sum, [name, count]) => (name.startsWith(route) ? sum + count : sum),
    0,
  );

const whole3 = { files: ['out/p3.png'], kept: 0, projects: ['swap:p3.png'] };

describe('an item that is gone', () => {
  test('leaves a file and a project, and a plan without it says the same after they are removed', async () => {
    const { rig, local } = await without3();
    const { orphans, ...before } = await planned(rig, local);
    expect(orphans).toMatchObject({ files: 1, kept: 0, projects: 1 });
    expect(named(await found(rig, local))).toEqual(whole3);
    const { removed, refused } = await pruned(rig, local);
    expect(named(removed)).toEqual(whole3);
    expect(refused).toEqual([]);
    expect(rig.files('out')).toEqual(['p1.png', 'p2.png']);
    expect(requests(local, 'DELETE')).toBe(1);
    const { orphans: none, ...after } = await planned(rig, local);
    expect(none).toEqual({ files: 0, bytes: 0, kept: 0, keptBytes: 0, projects: 0 });
    expect(after).toEqual(before);
    const { summary } = await rig.run(local);
    expect(summary).toMatchObject({ outcome: 'done', credits: { charged: 0 } });
    const status = await rig.command(['status', 'pipeline.yaml']);
    expect(status.stdout).not.toMatch(/lost|changed/);
    expect(status.stdout).toContain('Files saved: 2.');
  });

  test('is not paid for again when it comes back, unless the user says so', async () => {
    const { rig, local } = await without3();
    await pruned(rig, local);
    rig.write('photos/p3.png', await photo(3));
    const { plan } = await planned(rig, local);
    expect(plan).toMatchObject({ credits: 0 });
    expect(plan.notes[0]?.why).toMatch(/its project was deleted and .* was pruned on 20\d\d-/);
    const told = await rig.run(local);
    expect(told.summary).toMatchObject({ credits: { charged: 0 }, outcome: 'failed' });
    const paid = await rig.run(local, { payAgain: true });
    expect(paid.summary).toMatchObject({ credits: { charged: 10 }, outcome: 'done' });
    expect(named(await found(rig, local))).toEqual(nothing);
  });

  test('whose project is deleted leaves only its file', async () => {
    const { rig, local } = await without3(photoPipeline);
    expect(named(await found(rig, local))).toEqual({ ...whole3, projects: [] });
    await pruned(rig, local);
    expect(existsSync(rig.path('out/p3.png'))).toBe(false);
  });

  test('keeps its file if the owner changed it, and its project with it', async () => {
    const { rig, local } = await without3();
    rig.write('out/p3.png', Buffer.from('retouched'));
    const orphans = await found(rig, local);
    expect(named(orphans)).toEqual(nothing);
    expect(orphans.left).toMatchObject({ changed: ['out/p3.png'], unsaved: 1 });
    await pruned(rig, local);
    expect(rig.read('out/p3.png')).toBe('retouched');
    expect(requests(local, 'DELETE')).toBe(0);
  });

  test('keeps its project if its file is lost', async () => {
    const { rig, local } = await without3();
    rmSync(rig.path('out/p3.png'));
    const orphans = await found(rig, local);
    expect(named(orphans)).toEqual(nothing);
    expect(orphans.left.unsaved).toBe(1);
  });

  test('waits until steps that are not decided yet are done', async () => {
    const { rig, local } = await without3();
    rig.write('photos/p4.png', await photo(4));
    const orphans = await found(rig, local);
    expect(named(orphans)).toEqual(nothing);
    expect(orphans.left.undecided).toEqual([{ step: 'swap', kind: 'face-swap-photo', tasks: 1 }]);
    await rig.run(local);
    expect(named(await found(rig, local))).toEqual(whole3);
  });

  test('is kept while another item cannot be read', async () => {
    const { rig, local } = await without3();
    rig.write('photos/p2.png', '');
    const blocked = await found(rig, local);
    expect(named(blocked)).toEqual(nothing);
    expect(blocked.left.undecided).toMatchObject([{ step: 'swap' }]);
    rmSync(rig.path('photos/p2.png'));
    symlinkSync('nowhere.png', rig.path('photos/p2.png'));
    const blind = await found(rig, local, { missingFolders: true });
    expect(named(blind)).toEqual(nothing);
    expect(blind.left.unseen).toBe(2);
  });

  test('is out of sight, and not gone, if its folder is missing or empty', async () => {
    const local = await service();
    const rig = await photoRig(1, untidy);
    rig.write('photos/drive/p2.png', await photo(2));
    await rig.run(local);
    renameSync(rig.path('photos/drive'), rig.path('unmounted'));
    const orphans = await found(rig, local);
    expect(named(orphans)).toEqual(nothing);
    expect(orphans.left.unseen).toBe(1);
    mkdirSync(rig.path('photos/drive'));
    expect((await found(rig, local)).left.unseen).toBe(1);
    expect(named(await found(rig, local, { missingFolders: true }))).toEqual({
      files: ['out/drive/p2.png'],
      kept: 0,
      projects: ['swap:drive/p2.png'],
    });
  });

  test('is not assumed when no item is found at all', async () => {
    const { rig, local } = await without3();
    rmSync(rig.path('photos'), { recursive: true });
    const problem = await refusal(rig, local);
    expect(problem.diagnostics[0]?.message).toContain('finds no file');
    expect(rig.files('out')).toHaveLength(3);
  });
});

describe('a photo with another name', () => {
  test('has an orphan only once its file is under the new name', async () => {
    const local = await service();
    const rig = await photoRig(3, photoPipeline);
    await rig.run(local);
    renameSync(rig.path('photos/p3.png'), rig.path('photos/q3.png'));
    expect(named(await found(rig, local))).toEqual(nothing);
    const { summary } = await rig.run(local);
    expect(summary).toMatchObject({ outcome: 'done', credits: { charged: 0 } });
    expect(named(await found(rig, local))).toEqual({ ...nothing, files: ['out/p3.png'] });
    const { orphans, ...before } = await planned(rig, local);
    expect(orphans?.files).toBe(1);
    await pruned(rig, local);
    const { orphans: _, ...after } = await planned(rig, local);
    expect(after).toEqual(before);
    expect(rig.files('out')).toEqual(['p1.png', 'p2.png', 'q3.png']);
  });
});

describe('a step', () => {
  test('with another name keeps its results', async () => {
    const { rig, local } = await without3();
    rig.write('photos/p3.png', await photo(3));
    const renamed = untidy.replace('  swap:', '  faceswap:').replace('of: swap', 'of: faceswap');
    rig.write('pipeline.yaml', renamed.replace('  save:', '  fetch:'));
    expect(named(await found(rig, local))).toEqual(nothing);
    await rig.run(local);
    expect(named(await found(rig, local))).toEqual(nothing);
  });

  test('that is removed leaves its results', async () => {
    const { rig, local } = await without3();
    rig.write('pipeline.yaml', untidy.slice(0, untidy.indexOf('  swap:')));
    expect(named(await found(rig, local))).toMatchObject({
      files: ['out/p1.png', 'out/p2.png', 'out/p3.png'],
    });
  });

  test('with keep: remote keeps its projects at the service', async () => {
    const { rig, local } = await without3(
      untidy.replace('uses: face-swap-photo\n', 'uses: face-swap-photo\n    keep: remote\n'),
    );
    const orphans = await found(rig, local);
    expect(named(orphans)).toEqual({ ...whole3, projects: [] });
    expect(orphans.left.remote).toBe(1);
  });

  test('that uploads an orphaned file keeps the file', async () => {
    const { rig, local } = await without3();
    const reads = `${untidy}  again: { uses: upload, with: { file: out/p3.png } }\n`;
    rig.write('pipeline.yaml', reads.replace('output: out', 'output: ./out'));
    const orphans = await found(rig, local);
    expect(orphans.files).toEqual([]);
  });
});

describe('a photo with other content', () => {
  test('leaves a kept file while its project is at the service, and going back stays free', async () => {
    const local = await service();
    const rig = await photoRig(2, untidy);
    await rig.run(local);
    const first = readFileSync(rig.path('out/p2.png'));
    rig.write('photos/p2.png', await photo(7));
    await rig.run(local);
    const orphans = await found(rig, local);
    expect(named(orphans)).toEqual({ ...nothing, kept: 1 });
    expect(orphans.left.unsaved).toBe(1);
    const { orphans: counted, ...before } = await planned(rig, local);
    expect(counted).toMatchObject({ kept: 1, projects: 0 });
    await pruned(rig, local);
    expect(rig.files('.shotlist').filter((file) => file.startsWith('kept'))).toEqual([]);
    const { orphans: _, ...after } = await planned(rig, local);
    expect(after).toEqual(before);
    rig.write('photos/p2.png', await photo(2));
    const { summary } = await rig.run(local);
    expect(summary).toMatchObject({ outcome: 'done', credits: { charged: 0 } });
    expect(readFileSync(rig.path('out/p2.png'))).toEqual(first);
  });

  test('leaves the kept file if somebody deleted its project in the hub', async () => {
    const local = await service();
    const rig = await photoRig(1, untidy);
    await rig.run(local);
    const id = /"project":"([^"]+)"/.exec(rig.read(stateFile))?.[1] ?? '';
    rig.write('photos/p1.png', await photo(7));
    await rig.run(local);
    const headers = { authorization: `Bearer ${local.key}` };
    const address = `${local.address}/v1/image-projects/${id}`;
    expect((await fetch(address, { method: 'DELETE', headers })).ok).toBe(true);
    const { removed, refused } = await pruned(rig, local);
    expect(named(removed)).toEqual(nothing);
    expect(refused).toEqual([
      {
        what: expect.stringMatching(/^the kept file [0-9a-f]{64}\.png$/),
        why: `was kept: the service did not confirm that it has project ${id}`,
      },
    ]);
    expect(rig.files('.shotlist').filter((file) => file.startsWith('kept'))).toHaveLength(1);
  });

  test('keeps the only copy of its first result', async () => {
    const local = await service();
    const rig = await photoRig(2, photoPipeline);
    await rig.run(local);
    rig.write('photos/p2.png', await photo(7));
    await rig.run(local);
    const orphans = await found(rig, local);
    expect(named(orphans)).toEqual(nothing);
    expect(orphans.left.lastCopies).toBe(1);
    rmSync(rig.path('photos/p2.png'));
    expect(named(await found(rig, local))).toEqual({ ...nothing, files: ['out/p2.png'], kept: 1 });
  });

  test('keeps a file of its owner that a result replaced', async () => {
    const local = await service();
    const rig = await photoRig(2, untidy);
    rig.write('out/p1.png', 'my own');
    await rig.run(local, { replaceFiles: true });
    const orphans = await found(rig, local);
    expect(named(orphans)).toEqual(nothing);
    expect(orphans.left.unrecorded).toBe(1);
  });
});

test('the results of earlier days are no orphans', async () => {
  const daily = `pipeline: daily
steps:
  hero: { uses: ai-image-generator, with: { image_count: 1, style: { prompt: "A lighthouse on \${{ run.date }}" } } }
  save: { uses: download, with: { of: hero, to: latest.png } }
`;
  const local = await service();
  const rig = new Rig(daily);
  let days = 0;
  const clock = { ...realClock, now: () => Date.now() + days * day };
  await rig.run(local, { clock });
  days = 1;
  await rig.run(local, { clock });
  days = 2;
  const orphans = await found(rig, local, { clock });
  expect(named(orphans)).toEqual(nothing);
  expect(orphans.left.undecided.length + orphans.left.history).toBeGreaterThan(0);
  await rig.run(local, { clock });
  expect((await found(rig, local, { clock })).left.history).toBe(2);
});

describe('other pipelines in the folder', () => {
  test('with the same name share the state file, so nothing is an orphan', async () => {
    const { rig, local } = await without3();
    rig.write('more.yml', untidy.replace('photos/**', 'others/**'));
    const problem = await refusal(rig, local);
    expect(problem.diagnostics[0]?.message).toContain('more.yml is named "photos" too');
    expect((await planned(rig, local)).orphans).toBeUndefined();
    rig.write('more.yml', 'pipeline: photos\nsteps: [');
    await refusal(rig, local);
  });

  test('keep what their state files record', async () => {
    const { rig, local } = await without3();
    rig.write(
      'others.state.jsonl',
      rig.read(stateFile).replace('"pipeline":"photos"', '"pipeline":"others"'),
    );
    const orphans = await found(rig, local);
    expect(named(orphans)).toEqual(nothing);
    expect(orphans.left.shared).toBe(2);
    rig.write('others.state.jsonl', 'damaged\n');
    expect((await refusal(rig, local)).diagnostics[0]?.message).toContain('another state file');
  });
});

describe('links', () => {
  test('are not followed', async () => {
    const { rig, local } = await without3(untidy.replace('to: "', 'to: "deep/'));
    renameSync(rig.path('out/deep'), rig.path('elsewhere'));
    symlinkSync(rig.path('elsewhere'), rig.path('out/deep'));
    const orphans = await found(rig, local);
    expect(orphans.files).toEqual([]);
    expect(orphans.left.outside).toBe(1);
    await pruned(rig, local);
    expect(existsSync(rig.path('elsewhere/p3.png'))).toBe(true);
  });
});

test('only what is old enough is an orphan', async () => {
  const { rig, local } = await without3();
  const clock = { ...realClock, now: () => Date.now() + 31 * day };
  const month = { olderThanMs: 30 * day };
  expect(named(await found(rig, local, month))).toEqual(nothing);
  expect(named(await found(rig, local, { ...month, clock }))).toEqual(whole3);
});

test('a run in progress keeps prune away', async () => {
  const { rig, local } = await without3();
  const lock = await takeLock(rig.path(`.shotlist/${stateFile}.lock`), 0);
  if (!lock.ok) throw new Error(lock.error);
  expect(await refusal(rig, local)).toMatchObject({ reason: 'locked' });
  await lock.value.release();
  expect(named(await found(rig, local))).toEqual(whole3);
});

describe('the service', () => {
  test('has deleted the project when prune is killed: the next prune goes on', async () => {
    const silent = { fault: 'silence', when: 'after', on: 'DELETE /*', count: 1 } as const;
    const local = await service({ faults: { faults: [silent] } });
    const rig = await photoRig(3, untidy);
    await rig.run(local);
    rmSync(rig.path('photos/p3.png'));
    const child = rig.start(['prune', 'pipeline.yaml', '--yes'], envOf(local));
    await until('the project is deleted', () => requests(local, 'DELETE') === 1);
    child.kill('SIGKILL');
    await ended(child);
    expect(rig.files('out')).toHaveLength(3);
    expect(named(await found(rig, local))).toEqual(whole3);
    const { removed, refused } = await pruned(rig, local);
    expect(refused).toEqual([]);
    expect(named(removed)).toEqual(whole3);
    expect(named(await found(rig, local))).toEqual(nothing);
  });

  test('that does not delete a project keeps the files of the project, too', async () => {
    const local = await service({
      faults: { faults: [{ fault: 'broken', when: 'before', on: 'DELETE /*', count: 100 }] },
    });
    const rig = await photoRig(3, untidy);
    await rig.run(local);
    rmSync(rig.path('photos/p3.png'));
    const clock = { ...realClock, sleep: async () => undefined };
    const { removed, refused } = await pruned(rig, local, { clock });
    expect(named(removed)).toEqual(nothing);
    expect(refused[0]?.why).toContain('was kept');
    expect(existsSync(rig.path('out/p3.png'))).toBe(true);
  });

  test('is not asked without the consent of the user, and then nothing is removed', async () => {
    const { rig, local } = await without3();
    const problem = await refusal(rig, local, { env: {} });
    expect(problem.diagnostics[0]?.message).toMatch(/key/);
    expect(existsSync(rig.path('out/p3.png'))).toBe(true);
  });
});

test('the store has the result too: the project may go without the file, if the store still has it', async () => {
  const { rig, local } = await without3(
    untidy.replace('output: out\n', 'output: out\noutputs: { store: store }\n'),
  );
  rmSync(rig.path('out/p3.png'));
  expect(named(await found(rig, local))).toEqual({ ...nothing, projects: ['swap:p3.png'] });
  renameSync(rig.path('store'), rig.path('store2'));
  const { refused } = await pruned(rig, local);
  expect(refused[0]?.why).toContain('the store no longer has out/p3.png');
  renameSync(rig.path('store2'), rig.path('store'));
  expect(named((await pruned(rig, local)).removed).projects).toEqual(['swap:p3.png']);
});

test('a file that is recorded as pruned and still there is an orphan again, and never lost', async () => {
  const { rig, local } = await without3(photoPipeline);
  const file = readFileSync(rig.path('out/p3.png'));
  await pruned(rig, local);
  const status = async (): Promise<string> =>
    (await rig.command(['status', 'pipeline.yaml'])).stdout;
  expect(await status()).not.toContain('lost');
  // As after a kill between the record and the removal.
  rig.write('out/p3.png', file);
  expect(await status()).not.toContain('changed');
  expect(named(await found(rig, local)).files).toEqual(['out/p3.png']);
  await pruned(rig, local);
  expect(rig.files('out')).toEqual(['p1.png', 'p2.png']);
});

test('a download that failed once is recorded again without its marks', async () => {
  const { rig, local } = await without3(photoPipeline);
  const file = readFileSync(rig.path('out/p3.png'));
  await pruned(rig, local);
  rig.write('photos/p3.png', await photo(3));
  await rig.run(local);
  rig.write('out/p3.png', file);
  const { summary } = await rig.run(local);
  expect(summary).toMatchObject({ outcome: 'done', credits: { charged: 0 } });
  expect(rig.read(stateFile)).not.toContain('"pruned":');
});

describe('the command', () => {
  const shotlist = (rig: Rig, local: LocalService, ...args: readonly string[]) =>
    rig.command([args[0] ?? '', 'pipeline.yaml', ...args.slice(1)], envOf(local));

  test('lists without --yes, and removes with it', async () => {
    const { rig, local } = await without3(photoPipeline);
    const plan = await shotlist(rig, local, 'plan');
    expect(plan.stdout).toMatch(/^Orphans: 1 file \(\d+ B\); see: shotlist prune pipeline.yaml$/m);
    const list = await shotlist(rig, local, 'prune');
    expect(list).toMatchObject({ code: 0, stderr: '' });
    expect(list.stdout).toMatch(/out\/p3.png +\d+ B +under 1 hour old +10 credits +swap:p3.png/);
    expect(list.stdout).toContain('Nothing else is left of 1 result, which cost 10 credits');
    expect(list.stdout).toContain(
      'Nothing was removed. To remove the orphans, run the same command',
    );
    expect(rig.files('out')).toHaveLength(3);
    const json = await shotlist(rig, local, 'prune', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ files: [{ path: 'out/p3.png', last: true }] });
    const later = await shotlist(rig, local, 'prune', '--yes', '--older-than', '30d');
    expect(later.stdout).toContain('No orphans.\nNothing was removed.');
    const done = await shotlist(rig, local, 'prune', '--yes');
    expect(done).toMatchObject({ code: 0, stderr: '' });
    expect(done.stdout).toMatch(/Removed: 1 file/);
    expect(rig.files('out')).toHaveLength(2);
    const none = await shotlist(rig, local, 'plan');
    expect(none.stdout).not.toContain('Orphans');
  });

  test('counts nothing in a plan of some items only', async () => {
    const { rig, local } = await without3();
    const plan = await shotlist(rig, local, 'plan', '--items', 'p1.png');
    expect(plan.stdout).not.toContain('Orphans');
  });

  test('refuses a pipeline that never ran, and prunes a rehearsal', async () => {
    const rig = await photoRig(2, untidy);
    const never = await rig.command(['prune', 'pipeline.yaml']);
    expect(never).toMatchObject({ code: 2 });
    expect(never.stderr).toContain('there is no state file yet');
    await rig.command(['run', 'pipeline.yaml', '--rehearse']);
    rmSync(rig.path('photos/p2.png'));
    const plan = await rig.command(['plan', 'pipeline.yaml', '--rehearse']);
    expect(plan.stdout).toContain('see: shotlist prune pipeline.yaml --rehearse');
    const done = await rig.command(['prune', 'pipeline.yaml', '--yes']);
    expect(done.stdout).toMatch(/Removed: 1 file \(.*\), 1 project\./);
    expect(done.code).toBe(0);
  });
});
