// A folder that several hosts share: a coordinator on another host trusts `.shotlist` there because of the canary of the open
// run, and for no other reason. Hosts are folders of users here.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { coordinate } from '../../src/distributed/coordinate.ts';
import { termsOf } from '../../src/distributed/terms.ts';
import { status } from '../../src/features/status/status.ts';
import { boundPipeline } from '../../src/language/load/bound-pipeline.ts';
import { loadPipeline } from '../../src/language/load/load.ts';
import { renderProblem, resultOf } from '../../src/language/load/problem.ts';
import { realClock } from '../../src/run/clock.ts';
import type { LocalService } from '../../src/service/start.ts';
import { pathsOf } from '../../src/state/run-paths.ts';
import { newEngine, startWorker } from '../engine-rig.ts';
import { query } from '../postgres.ts';
import { photoRig, type Rig, service } from '../rig.ts';

/** From here on, this process runs on another host. */
function beOn(host: string): void {
  vi.stubEnv('XDG_STATE_HOME', join(hosts, host));
}

let hosts = '';
beforeEach(() => {
  hosts = mkdtempSync(join(tmpdir(), 'shotlist-hosts-'));
  beOn('first');
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(hosts, { recursive: true, force: true });
  });
});

/** Why the pipeline cannot be coordinated here; empty if it can. Ends at once. */
async function coordinated(
  file: string,
  local: LocalService,
  url: string,
): Promise<{ readonly refused: string; readonly warnings: readonly string[] }> {
  const loaded = await loadPipeline(file);
  const bound = boundPipeline(loaded);
  const paths = pathsOf(bound, { kind: 'hosted', address: local.address, key: local.key }, {});
  const warnings: string[] = [];
  const begun = await resultOf(() =>
    coordinate(bound, paths, url, {
      ...{ clock: realClock, onWarning: (message) => void warnings.push(message) },
      terms: termsOf(bound, paths, { speedFactor: 1, backoffMs: 1 }),
    }),
  );
  if (!begun.ok) return { refused: renderProblem(begun.error), warnings };
  await begun.value.session.desk.release(begun.value.session.term);
  await begun.value[Symbol.asyncDispose]();
  return { refused: '', warnings };
}

/** The first host has begun a run, and its coordinator is gone. */
async function begun() {
  const rig = await photoRig(2);
  const local = await service();
  const url = await newEngine();
  expect(await coordinated(rig.file, local, url)).toEqual({ refused: '', warnings: [] });
  const [row] = await query(
    url,
    'select run, canary from shotlist.terms join shotlist.run using (run)',
  );
  const canary = { file: `.shotlist/engine/${row?.['run']}`, word: String(row?.['canary']) };
  return { rig, local, url, canary };
}

/** Moves a file or a folder away, and puts a link to it in its place. */
function asLink(rig: Rig, name: string): void {
  renameSync(rig.path(name), rig.path('elsewhere'));
  symlinkSync(rig.path('elsewhere'), rig.path(name));
}

test('a coordinator on another host goes on without a copy of any key, and both hosts are trusted afterwards', async () => {
  const { rig, local, url } = await begun();
  beOn('second');
  startWorker(rig, local, url);
  const told = await rig.run(local, { engine: url });
  expect(told.summary).toMatchObject({ outcome: 'done', items: { done: 2 } });
  const said = told.events.filter((event) => event.type === 'warning');
  expect(said.map(({ message }) => message)).toEqual([
    expect.stringContaining('was made on another host or by another user'),
  ]);
  for (const host of ['second', 'first']) {
    beOn(host);
    expect((await rig.run(local)).events.filter(({ type }) => type === 'warning')).toEqual([]);
  }
  expect(rig.files('.shotlist').filter((name) => name.startsWith('engine/'))).toEqual([]);
});

test('status on another host shows the run', async () => {
  const { rig, url } = await begun();
  beOn('second');
  const loaded = await loadPipeline(rig.file);
  await status(loaded, { engine: url });
});

describe('a folder stays untrusted', () => {
  const other = 'was not made by shotlist for you on this machine';
  const wrongs: readonly {
    readonly why: string;
    readonly change: (world: Awaited<ReturnType<typeof begun>>) => unknown;
    readonly says: string;
  }[] = [
    {
      why: 'whose canary is another word',
      change: ({ rig, canary }) => rig.write(canary.file, `${'0'.repeat(32)}\n`),
      says: other,
    },
    {
      why: 'without a canary',
      change: ({ rig, canary }) => rmSync(rig.path(canary.file)),
      says: other,
    },
    {
      why: 'whose canary is a link',
      change: ({ rig, canary }) => asLink(rig, canary.file),
      says: other,
    },
    {
      why: 'whose canary is in a linked folder',
      change: ({ rig }) => asLink(rig, '.shotlist/engine'),
      says: other,
    },
    {
      why: 'with a link anywhere in it',
      change: ({ rig }) => symlinkSync('/etc', rig.path('.shotlist/more')),
      says: 'is a link',
    },
    {
      why: 'whose run is over',
      change: ({ url }) => query(url, `update shotlist.run set stage = 'exported'`),
      says: other,
    },
    {
      why: 'whose word in the database is short',
      change: async ({ rig, url, canary }) => {
        await query(url, `update shotlist.terms set canary = 'abc'`);
        rig.write(canary.file, 'abc');
      },
      says: other,
    },
    {
      why: 'that git tracks',
      change: ({ rig, canary }) => {
        const git = (...args: string[]) => execFileSync('git', args, { cwd: rig.folder });
        git('init', '--quiet');
        git('add', '--force', canary.file);
      },
      says: 'git tracks',
    },
  ];

  test.each(wrongs)('$why', async ({ change, says }) => {
    const world = await begun();
    beOn('second');
    await change(world);
    const { refused } = await coordinated(world.rig.file, world.local, world.url);
    expect(refused).toContain(says);
    beOn('third');
    expect((await coordinated(world.rig.file, world.local, world.url)).refused).toContain(says);
  });
});
