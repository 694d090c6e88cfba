// What a teammate sees who clones a repository: git has the pipeline, the photos and the state file, and no outputs.
import { execFileSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { realClock } from '../../src/run/clock.ts';
import type { LocalService } from '../../src/service/start.ts';
import {
  type Ended,
  envOf,
  ownReceipts,
  photo,
  photoPipeline,
  photoRig,
  Rig,
  service,
} from '../rig.ts';
import { longTest } from '../sweep.ts';

const state = 'photos.state.jsonl';
const elsewhere = '2 files are elsewhere: saved by another checkout.';
const untidy = photoPipeline.replace(/ {2}tidy:.*\n/, '');

function git(rig: Rig, ...args: readonly string[]): void {
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@localhost', '-c', 'commit.gpgsign=false'];
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  execFileSync('git', [...who, ...args], { cwd: rig.folder, env, stdio: 'pipe' });
}

function commit(rig: Rig): void {
  git(rig, 'add', '-A');
  git(rig, 'commit', '-qm', 'a run');
}

/** Two photos, done and committed. */
async function origin(local: LocalService, pipeline = photoPipeline): Promise<Rig> {
  const rig = await photoRig(2, pipeline);
  const { summary } = await rig.run(local);
  expect(summary).toMatchObject({ outcome: 'done', files: { changed: 0, elsewhere: 0 } });
  rig.write('.gitignore', 'out/\n.shotlist/\n');
  git(rig, 'init', '-q');
  commit(rig);
  return rig;
}

function cloneOf(rig: Rig): Rig {
  const clone = new Rig('');
  rmSync(clone.file);
  git(clone, 'clone', '-q', rig.folder, '.');
  return clone;
}

/** The receipts of this one would find the files. */
const onAnotherMachine = (): void =>
  rmSync(ownReceipts()['SHOTLIST_RECEIPTS'] ?? '', { recursive: true, force: true });

const shotlist = (rig: Rig, local: LocalService, ...args: readonly string[]): Promise<Ended> =>
  rig.command([args[0] ?? '', 'pipeline.yaml', ...args.slice(1)], envOf(local));

/** The requests since the last call, by route; reading the account does not count. */
function requestsTo(local: LocalService): () => Readonly<Record<string, number>> {
  let before: Readonly<Record<string, number>> = {};
  return () => {
    const now = { ...local.requests() };
    const since = Object.entries(now).flatMap(([route, count]) => {
      const more = count - (before[route] ?? 0);
      return more === 0 || route.includes('account') ? [] : [[route, more] as const];
    });
    before = now;
    return Object.fromEntries(since);
  };
}

interface Row {
  readonly tasks: Readonly<Record<'reuse', number>> &
    Readonly<Partial<Record<'begin' | 'maybe', number>>>;
}

const swap = 'POST /v1/face-swap-photo';

describe('a clone in which all work is done', () => {
  test('has its outputs elsewhere: no failure, no request, and not a byte of the state file changes', async () => {
    const local = await service();
    const clone = cloneOf(await origin(local));
    const before = clone.read(state);
    const since = requestsTo(local);
    since();

    const { stdout: facts } = await shotlist(clone, local, 'plan', '--json');
    expect(JSON.parse(facts)).toMatchObject({
      plan: { files: { changed: 0, elsewhere: 2 }, credits: 0, noted: 0 },
    });
    const ran = await shotlist(clone, local, 'run');
    expect(ran.stdout).toContain('2 of 2 finished');
    expect(ran.stdout).toContain(elsewhere);
    expect(ran.stdout).not.toMatch(/lost|pay-again/i);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect((await clone.run(local)).summary).toMatchObject({ files: { elsewhere: 2 } });
    const status = await shotlist(clone, local, 'status');
    expect(status.stdout).toContain(elsewhere);
    expect(status.stdout).not.toMatch(/lost|failed/i);
    expect(status.code).toBe(0);
    expect(since()).toEqual({});
    expect(clone.read(state)).toBe(before);
  });

  longTest(
    'has lost them with --require-outputs, because their projects are deleted, until somebody copies them',
    async () => {
      const local = await service();
      const rig = await origin(local);
      const clone = cloneOf(rig);
      onAnotherMachine();
      const since = requestsTo(local);
      since();
      const why = 'its project was deleted and out/p1.png is elsewhere: copy the file here';
      const planned = await shotlist(clone, local, 'plan', '--require-outputs');
      expect(planned.stdout).toContain(`LOST: save:p1.png: ${why}`);
      const ran = await shotlist(clone, local, 'run', '--require-outputs');
      expect(ran.stdout).toContain(why);
      expect(ran.code).toBe(1);
      expect((await shotlist(clone, local, 'status')).stdout).toContain('failed: save:p1.png');

      // Without the flag it is no failure, and what the state file says of a failure no longer stands.
      expect((await clone.run(local)).summary.outcome).toBe('done');
      expect((await shotlist(clone, local, 'status')).stdout).not.toContain('failed');
      cpSync(rig.path('out'), clone.path('out'), { recursive: true });
      const { summary } = await clone.run(local, { requireOutputs: true });
      expect(summary).toMatchObject({ outcome: 'done', files: { changed: 0, elsewhere: 0 } });
      expect(since()).toEqual({});
    },
  );

  test('pays for a new photo, once, and for nothing else; the next checkout has that result elsewhere', async () => {
    const local = await service();
    const rig = await origin(local);
    const clone = cloneOf(rig);
    clone.write('photos/p3.png', await photo(3));
    const since = requestsTo(local);
    since();
    const { stdout: facts } = await shotlist(clone, local, 'plan', '--json');
    const { plan } = JSON.parse(facts);
    expect(plan).toMatchObject({ credits: 10, files: { elsewhere: 2 } });
    const ran = await clone.run(local);
    expect(ran.summary).toMatchObject({
      outcome: 'done',
      credits: { charged: 10 },
      files: { changed: 0, elsewhere: 2 },
      // The plan's rows, counted.
      tasks: { done: 5, reused: 11, failed: 0, skipped: 0 },
    });
    expect(
      plan.rows.map(({ tasks: { reuse, begin = 0, maybe = 0 } }: Row) => [reuse, begin + maybe]),
    ).toEqual([[1, 0], ...Array.from({ length: 5 }, () => [2, 1])]);
    expect(since()).toMatchObject({ [swap]: 1, 'GET /downloads/*': 1 });
    expect(clone.files('out')).toEqual(['p3.png']);

    commit(clone);
    git(rig, 'pull', '-q', clone.folder, 'HEAD');
    const pulled = await rig.run(local);
    expect(pulled.summary).toMatchObject({
      ...{ outcome: 'done', credits: { charged: 0 } },
      files: { changed: 0, elsewhere: 1 },
    });
    expect(since()).toEqual({});
  });
});

describe('a clone of work whose projects are still at the service', () => {
  test('fetches nothing, and everything with --require-outputs', async () => {
    const local = await service();
    const clone = cloneOf(await origin(local, untidy));
    const since = requestsTo(local);
    since();
    expect((await clone.run(local)).summary).toMatchObject({
      ...{ outcome: 'done', files: { elsewhere: 2 } },
    });
    expect(since()).toEqual({});
    const ran = await shotlist(clone, local, 'run', '--require-outputs');
    expect(ran.stdout).toContain('0 charged');
    expect(ran.stdout).not.toContain('elsewhere');
    expect(ran.code).toBe(0);
    const requests = since();
    expect(requests['GET /downloads/*']).toBe(2);
    expect(requests).not.toHaveProperty(swap);
    expect(clone.files('out')).toEqual(['p1.png', 'p2.png']);
  });

  longTest('leaves their delete to the checkout that has the files', async () => {
    const local = await service();
    const rig = await origin(local, untidy);
    rig.write('pipeline.yaml', photoPipeline);
    commit(rig);
    const clone = cloneOf(rig);
    const before = clone.read(state);
    const since = requestsTo(local);
    since();
    const planned = await shotlist(clone, local, 'plan');
    expect(planned.stdout).toMatch(/2 +left to another checkout/);
    expect(planned.code).toBe(0);
    const ran = await shotlist(clone, local, 'run', '--json');
    expect(ran.stdout).toContain('kept: its files are elsewhere');
    expect(ran.code).toBe(0);
    expect(clone.read(state)).toBe(before);
    expect(since()).toEqual({});

    // With the files here and verified, this checkout deletes too.
    const { summary } = await clone.run(local, { requireOutputs: true });
    expect(summary).toMatchObject({ outcome: 'done', tasks: { skipped: 0 } });
    expect(since()).toMatchObject({ 'GET /downloads/*': 2, 'DELETE /v1/image-projects/:id': 2 });
  });
});

test('a later step that needs the bytes of a deleted project fails with a way to get them, and buys nothing', async () => {
  const local = await service();
  const rig = await origin(local);
  const clone = cloneOf(rig);
  onAnotherMachine();
  const more = `  more: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.swap.url }}" } } }
  keep: { uses: download, with: { of: more, to: "more/\${{ item.stem }}.png" } }
`;
  clone.write('pipeline.yaml', photoPipeline + more);
  const since = requestsTo(local);
  since();
  const why =
    'swap:p1.png is needed, but its project was deleted and out/p1.png is elsewhere: copy the file here from the checkout that saved it';
  const planned = await shotlist(clone, local, 'plan');
  expect(planned.stdout).toContain(`LOST: more:p1.png: ${why}`);
  const failed = await shotlist(clone, local, 'run');
  expect(failed.stdout).toContain(why);
  expect(failed.code).toBe(1);
  expect(since()).toEqual({});
  cpSync(rig.path('out'), clone.path('out'), { recursive: true });
  const { summary } = await clone.run(local);
  expect(summary.outcome).toBe('done');
  expect(summary.tasks).toMatchObject({ failed: 0 });
});

describe('a result that another step uploads again', () => {
  const chain = `${photoPipeline}\
  again: { uses: upload, with: { file: "\${{ steps.save.path }}" } }
  paint: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.again.file_path }}" } } }
  keep: { uses: download, with: { of: paint, to: "more/\${{ item.stem }}.png" } }
`;
  const another = chain.replace('{ uses: photo-colorizer,', '{ uses: image-background-remover,');

  test('is reused by its recorded content', async () => {
    const local = await service();
    const clone = cloneOf(await origin(local, chain));
    const before = clone.read(state);
    const since = requestsTo(local);
    since();
    expect((await clone.run(local)).summary).toMatchObject({
      ...{ outcome: 'done', files: { elsewhere: 4 } },
    });
    expect(since()).toEqual({});
    expect(clone.read(state)).toBe(before);
  });

  longTest(
    'is named once its upload has expired and a new step needs it; nothing is bought',
    async () => {
      const local = await service();
      const clone = cloneOf(await origin(local, chain));
      clone.write('pipeline.yaml', another);
      const month = 30 * 86_400_000;
      const clock = { ...realClock, now: () => Date.now() + month };
      const since = requestsTo(local);
      since();
      const ran = await clone.run(local, { clock });
      expect(ran.summary).toMatchObject({ outcome: 'failed', credits: { charged: 0 } });
      expect(ran.summary.problems[0]).toMatchObject({
        task: 'paint:p1.png',
        why: 'again:p1.png must be uploaded again, but out/p1.png is elsewhere: copy the file here from the checkout that saved it, or use --require-outputs while its project is at the service',
      });
      const [planned] = ran.events.filter(({ type }) => type === 'planned');
      expect(planned).toMatchObject({ plan: { credits: 0, noted: 2, badItems: 0 } });
      expect(since()).toEqual({});
    },
  );
});

test('changed on disk, lost and elsewhere are three different words', async () => {
  const local = await service();
  const rig = await origin(local);
  const clone = cloneOf(rig);
  clone.write('photos/p3.png', await photo(3));
  await clone.run(local);
  commit(clone);
  git(rig, 'pull', '-q', clone.folder, 'HEAD');
  rig.write('out/p1.png', 'retouched');
  rmSync(rig.path('out/p2.png'));
  const words = [
    '1 file is changed on disk: left alone.',
    '1 file is elsewhere: saved by another checkout.',
  ];
  const before = rig.files('.shotlist');
  const status = await shotlist(rig, local, 'status');
  for (const line of [...words, '1 file is lost: saved here, and gone.'])
    expect(status.stdout).toContain(line);
  expect(rig.files('.shotlist')).toEqual(before);
  const planned = await shotlist(rig, local, 'plan');
  for (const line of [...words, 'LOST: save:p2.png: its project was deleted'])
    expect(planned.stdout).toContain(line);
  const ran = await shotlist(rig, local, 'run');
  for (const line of [...words, 'its project was deleted and the downloaded file is gone'])
    expect(ran.stdout).toContain(line);
  expect(ran.code).toBe(1);
});

longTest(
  'a checkout without its memory, such as a rehearsal after somebody removed the cache, has absent outputs elsewhere',
  async () => {
    const rig = await photoRig(1);
    const rehearse = ['run', 'pipeline.yaml', '--rehearse'];
    expect((await rig.command(rehearse)).code).toBe(0);
    rmSync(rig.privatePath('hashes.db'));
    rmSync(rig.path('.shotlist/rehearsal/photos/out'), { recursive: true });
    const again = await rig.command(rehearse);
    expect(again.stdout).toContain('1 file is elsewhere');
    expect(again.code).toBe(0);
  },
);

longTest(
  'a rehearsal in a folder that was moved uses its results, and says that its service is gone',
  async () => {
    const rig = await photoRig(1);
    const run = ['run', 'pipeline.yaml', '--rehearse'];
    expect((await rig.command(run)).code).toBe(0);
    const moved = new Rig(photoPipeline);
    cpSync(rig.folder, moved.folder, { recursive: true });
    const again = await moved.command(run);
    expect(again.stdout).toContain('6 reused');
    expect(again.stderr).toContain(`to start it over, remove ${moved.path('.shotlist')}`);
    rmSync(moved.path('.shotlist/rehearsal/photos'), { recursive: true });
    expect(await moved.command(run)).toMatchObject({ code: 0, stderr: '' });
  },
);
