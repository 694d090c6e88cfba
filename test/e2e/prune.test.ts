// prune removes what nothing needs any more, and leaves whatever somebody may want.
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Orphans, PruneOptions } from '../../src/features/prune/prune.ts';
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

interface Row {
  readonly when: string;
  readonly change: (rig: Rig) => unknown;
  readonly options?: PruneOptions;
  /** Those of the item that is gone, if nothing is said. */
  readonly orphans: Partial<typeof whole3>;
  readonly left?: Partial<Orphans['left']>;
}

const month = { olderThanMs: 30 * day };
const inAMonth = { ...realClock, now: () => Date.now() + 31 * day };
const renamedSteps = untidy
  .replace('  swap:', '  faceswap:')
  .replace('of: swap', 'of: faceswap')
  .replace('  save:', '  fetch:');
const keptRemote = untidy.replace(
  'uses: face-swap-photo\n',
  'uses: face-swap-photo\n    keep: remote\n',
);
const readsOrphan = `${untidy}  again: { uses: upload, with: { file: out/p3.png } }\n`;
const ofOthers = (text: string): string =>
  text.replace('"pipeline":"photos"', '"pipeline":"others"');

/** What else may be so when an item is gone. */
const rows: readonly Row[] = [
  { when: 'nothing else is different', change: () => undefined, orphans: whole3 },
  {
    when: 'its owner changed its file, which is kept with its project',
    change: (rig) => rig.write('out/p3.png', Buffer.from('retouched')),
    orphans: nothing,
    left: { changed: ['out/p3.png'], unsaved: 1 },
  },
  {
    when: 'its file is lost, so its project is kept',
    change: (rig) => rmSync(rig.path('out/p3.png')),
    orphans: nothing,
    left: { unsaved: 1 },
  },
  {
    when: 'steps of another item are not decided yet',
    change: async (rig) => rig.write('photos/p4.png', await photo(4)),
    orphans: nothing,
    left: { undecided: [{ step: 'swap', kind: 'face-swap-photo', tasks: 1 }] },
  },
  {
    when: 'another item cannot be read',
    change: (rig) => rig.write('photos/p2.png', ''),
    orphans: nothing,
    left: { undecided: [expect.objectContaining({ step: 'swap' })] },
  },
  {
    when: 'another item is a link to nowhere',
    change: (rig) => {
      rmSync(rig.path('photos/p2.png'));
      symlinkSync('nowhere.png', rig.path('photos/p2.png'));
    },
    options: { missingFolders: true },
    orphans: nothing,
    left: { unseen: 2 },
  },
  {
    when: 'it is back, and its steps have other names',
    change: async (rig) => {
      rig.write('photos/p3.png', await photo(3));
      rig.write('pipeline.yaml', renamedSteps);
    },
    orphans: nothing,
  },
  {
    when: 'the step is gone, too',
    change: (rig) => rig.write('pipeline.yaml', untidy.slice(0, untidy.indexOf('  swap:'))),
    orphans: { files: ['out/p1.png', 'out/p2.png', 'out/p3.png'] },
  },
  {
    when: 'the step keeps its projects at the service',
    change: (rig) => rig.write('pipeline.yaml', keptRemote),
    orphans: { ...whole3, projects: [] },
    left: { remote: 1 },
  },
  {
    when: 'a step uploads its file',
    change: (rig) =>
      rig.write('pipeline.yaml', readsOrphan.replace('output: out', 'output: ./out')),
    orphans: { files: [] },
  },
  {
    when: 'the state file of another pipeline records the same',
    change: (rig) => rig.write('others.state.jsonl', ofOthers(rig.read(stateFile))),
    orphans: nothing,
    left: { shared: 2 },
  },
  {
    when: 'it is younger than asked for',
    change: () => undefined,
    options: month,
    orphans: nothing,
  },
  {
    when: 'it is as old as asked for',
    change: () => undefined,
    options: { ...month, clock: inAMonth },
    orphans: whole3,
  },
];

/** Removes all that the folder has, and puts back what it had. */
function backup(rig: Rig): () => void {
  const copy = new Rig('');
  cpSync(rig.folder, copy.folder, { recursive: true, preserveTimestamps: true });
  return () => {
    rmSync(rig.folder, { recursive: true });
    cpSync(copy.folder, rig.folder, { recursive: true, preserveTimestamps: true });
  };
}

describe('an item that is gone', () => {
  test('leaves a file and a project unless something speaks for them', async () => {
    const { rig, local } = await without3();
    const restore = backup(rig);
    for (const { when, change, options, orphans, left = {} } of rows) {
      await change(rig);
      const all = await found(rig, local, options);
      expect(named(all), when).toMatchObject(orphans);
      expect(all.left, when).toMatchObject(left);
      if (orphans === nothing && options === undefined) await pruned(rig, local);
      restore();
    }
    const plan = await rig.command(['plan', 'pipeline.yaml', '--items', 'p1.png'], envOf(local));
    expect(plan.stdout).not.toContain('Orphans');
    expect(requests(local, 'DELETE')).toBe(0);
    rig.write('photos/p4.png', await photo(4));
    await rig.run(local);
    expect(named(await found(rig, local))).toEqual(whole3);
    rig.write('photos/p3.png', await photo(3));
    rig.write('pipeline.yaml', renamedSteps);
    await rig.run(local);
    expect(named(await found(rig, local))).toEqual(nothing);
  });

  test('stays where nobody can know, and while a run is in progress', async () => {
    const { rig, local } = await without3();
    const restore = backup(rig);
    const messageOf = async (options: PruneOptions = {}): Promise<string | undefined> =>
      (await refusal(rig, local, options)).diagnostics[0]?.message;

    rmSync(rig.path('photos'), { recursive: true });
    expect(await messageOf()).toContain('finds no file');
    restore();

    rig.write('more.yml', untidy.replace('photos/**', 'others/**'));
    expect(await messageOf()).toContain('more.yml is named "photos" too');
    expect((await planned(rig, local)).orphans).toBeUndefined();
    rig.write('more.yml', 'pipeline: photos\nsteps: [');
    await refusal(rig, local);
    restore();

    rig.write('others.state.jsonl', 'damaged\n');
    expect(await messageOf()).toContain('another state file');
    restore();

    // The service is not asked without the consent of the user.
    expect(await messageOf({ env: {} })).toMatch(/key/);

    const lock = await takeLock(rig.path(`.shotlist/${stateFile}.lock`), 0);
    if (!lock.ok) throw new Error(lock.error);
    expect(await refusal(rig, local)).toMatchObject({ reason: 'locked' });
    await lock.value.release();
    expect(rig.files('out')).toHaveLength(3);
    expect(named(await found(rig, local))).toEqual(whole3);
  });

  test('is removed, a plan without it says the same, and it is not paid for again when it comes back, unless the user says so', async () => {
    const { rig, local } = await without3();
    const { orphans, ...before } = await planned(rig, local);
    expect(orphans).toMatchObject({ files: 1, kept: 0, projects: 1 });
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

  test('and whose project is deleted leaves only its file, which is an orphan again, and never lost, if it is recorded as pruned and still there', async () => {
    const { rig, local } = await without3(photoPipeline);
    expect(named(await found(rig, local))).toEqual({ ...whole3, projects: [] });
    const file = readFileSync(rig.path('out/p3.png'));
    await pruned(rig, local);
    expect(existsSync(rig.path('out/p3.png'))).toBe(false);
    const status = async (): Promise<string> =>
      (await rig.command(['status', 'pipeline.yaml'])).stdout;
    expect(await status()).not.toContain('lost');
    // As after a kill between the record and the removal.
    rig.write('out/p3.png', file);
    expect(await status()).not.toContain('changed');
    expect(named(await found(rig, local)).files).toEqual(['out/p3.png']);
    await pruned(rig, local);
    expect(rig.files('out')).toEqual(['p1.png', 'p2.png']);

    // A download that failed once is recorded again without its marks.
    rig.write('photos/p3.png', await photo(3));
    await rig.run(local);
    rig.write('out/p3.png', file);
    const { summary } = await rig.run(local);
    expect(summary).toMatchObject({ outcome: 'done', credits: { charged: 0 } });
    expect(rig.read(stateFile)).not.toContain('"pruned":');
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

test('links are not followed', async () => {
  const { rig, local } = await without3(untidy.replace('to: "', 'to: "deep/'));
  renameSync(rig.path('out/deep'), rig.path('elsewhere'));
  symlinkSync(rig.path('elsewhere'), rig.path('out/deep'));
  const orphans = await found(rig, local);
  expect(orphans.files).toEqual([]);
  expect(orphans.left.outside).toBe(1);
  await pruned(rig, local);
  expect(existsSync(rig.path('elsewhere/p3.png'))).toBe(true);
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

// The lists, --yes, --older-than and --json: test/transcripts/prune.txt.
test('the command prunes a rehearsal', async () => {
  const rig = await photoRig(2, untidy);
  await rig.command(['run', 'pipeline.yaml', '--rehearse']);
  rmSync(rig.path('photos/p2.png'));
  const plan = await rig.command(['plan', 'pipeline.yaml', '--rehearse']);
  expect(plan.stdout).toContain('see: shotlist prune pipeline.yaml --rehearse');
  const done = await rig.command(['prune', 'pipeline.yaml', '--yes']);
  expect(done.stdout).toMatch(/Removed: 1 file \(.*\), 1 project\./);
  expect(done.code).toBe(0);
});
