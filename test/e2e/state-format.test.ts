// State files that the last version with format 1 wrote (test/fixtures/state-format-1): what they say stays true, and a
// run goes on with them without paying again.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { loadState } from '../../src/runner/adapters/state/load-state.ts';
import { memoryStore } from '../../src/runner/journal/job-store.ts';
import type { Ledger } from '../../src/runner/journal/ledger.ts';
import { lineText } from '../../src/runner/journal/line.ts';
import { boundPipeline } from '../../src/runner/operations/pipeline/bound-pipeline.ts';
import { loadPipeline } from '../../src/runner/operations/pipeline/load.ts';
import { plan } from '../../src/runner/operations/plan.ts';
import { resultFates } from '../../src/runner/plan/result-fate.ts';
import { statusOf } from '../../src/runner/report/status.ts';
import type { LocalService } from '../../src/service/start.ts';
import { bill, envOf, Rig, service } from '../rig.ts';
import { Client } from '../service/client.ts';

const fixture = (name: string): Buffer =>
  readFileSync(new URL(`../fixtures/state-format-1/${name}`, import.meta.url));

const names = ['interrupted', 'compacted', 'later', 'repaired'] as const;
const state = 'voices.state.jsonl';
const oldAddress = 'http://127.0.0.1:47111';

/** The pipeline, the files that were saved, and the state file, as if this service had always been its service. */
function rigOf(name: (typeof names)[number], local: LocalService): Rig {
  const rig = new Rig(fixture('voices.yaml').toString());
  for (const [file, from] of [
    ['kept', 'kept'],
    ['twin', 'kept'],
    ['deleted', 'deleted'],
    ...(name === 'later' ? [['failed', 'failed']] : []),
  ])
    rig.write(`out/${file}.mp3`, fixture(`out/${from}.mp3`));
  const text = fixture(`${name}.state.jsonl`).toString();
  rig.write(state, text.replace(oldAddress, local.address));
  return rig;
}

async function loaded(rig: Rig): Promise<Ledger> {
  const read = await loadState(rig.path(state), memoryStore());
  if (!read.ok) throw new Error(read.error);
  return read.value.ledger;
}

/** The file with its header upgraded, and without the lines about skipped tasks. */
const upgraded = (text: string): string =>
  text
    .replace('{"shotlist":1,', '{"shotlist":3,')
    .split('\n')
    .filter((line) => !line.includes('"state":"skipped"'))
    .join('\n');

/** The words of a plan that the old version had, by what they are called now. */
const actionNames: Readonly<Record<string, string>> = {
  hold: 'doubt',
  refuse: 'keep',
  skip: 'skipped',
  exclude: 'excluded',
  block: 'blocked',
};

describe.each(names)('the %s state file', (name) => {
  const text = fixture(`${name}.json`)
    .toString()
    .replace(/"(hold|refuse|skip|exclude|block)":/g, (_, old) => `"${actionNames[old]}":`);
  // How a failure may be cured is told in new sentences.
  const said = JSON.parse(text, (key, value) => (key === 'advice' ? undefined : value));

  test('gives the status that the old version gave', async () => {
    const rig = rigOf(name, await service());
    const pipeline = await loadPipeline(rig.file);
    if (!pipeline.ok) throw new Error('the pipeline does not load');
    const fateOf = resultFates(boundPipeline(pipeline.value).pipeline.steps);
    const { unsaved, ...status } = statusOf(await loaded(rig), {
      ...{ now: 0, expiringMs: 0, fateOf },
      conditionOf: () => 'whole',
      isStored: () => false,
    });
    expect({ ...status, unsaved: unsaved.map(({ soon: _, ...one }) => one) }).toMatchObject(
      said.status,
    );
    expect(status.credits).toEqual(said.status.credits);
  });

  test('gives the plan that the old version gave, and a plan does not touch it', async () => {
    const local = await service();
    const rig = rigOf(name, local);
    const before = rig.read(state);
    const pipeline = await loadPipeline(rig.file);
    if (!pipeline.ok) throw new Error('the pipeline does not load');
    const planned = await plan(pipeline.value, { env: envOf(local) });
    if (!planned.ok) throw new Error(JSON.stringify(planned.error));
    const rows = planned.value.plan.rows.map(({ step, credits, tasks }) => ({
      step,
      credits,
      tasks,
    }));
    expect(rows).toEqual(said.plan);
    expect(rig.read(state)).toBe(before);
  });
});

test.each(['compacted', 'later', 'repaired', 'finished'])(
  'the %s state file says the same in format 2, line by line',
  async (name) => {
    const rig = new Rig('');
    const text = fixture(`${name}.state.jsonl`).toString();
    rig.write(state, text);
    const ledger = await loaded(rig);
    const lines = [...ledger.runs(), ...ledger.jobs(), ...ledger.tasks()].map((line) =>
      JSON.parse(lineText(line)),
    );
    const expected = upgraded(text).trimEnd().split('\n').slice(1);
    expect(lines).toEqual(expected.map((line) => JSON.parse(line)));
  },
);

test('the interrupted journal folds to the jobs that the old version compacted it to', async () => {
  const jobsIn = async (name: string): Promise<readonly unknown[]> => {
    const rig = new Rig('');
    rig.write(state, fixture(`${name}.state.jsonl`));
    // The old version forgot one file of this job on the way.
    return [...(await loaded(rig)).jobs()].filter(({ tasks }) => !tasks.includes('voice:kept'));
  };
  expect(await jobsIn('interrupted')).toEqual(await jobsIn('compacted'));
});

/** The service has the projects of the state file, each under its name: the file's ids become those of the service. */
async function knowing(rig: Rig, local: LocalService): Promise<readonly string[]> {
  const client = new Client(local);
  const open = [...(await loaded(rig)).jobs()].filter(({ state: is }) =>
    ['complete', 'created'].includes(is),
  );
  for (const { name = '', project = '' } of open) {
    const style = { prompt: 'One', voice_name: 'Elon Musk' };
    const { id } = await client.create('ai-voice-generator', { name, style });
    rig.write(state, rig.read(state).replaceAll(project, id));
  }
  return open.map(({ name = '' }) => name.replace(/ #.*/, '')).sort();
}

test.each(['interrupted', 'compacted'] as const)(
  'a run goes on with the %s file, pays only for what was never paid, and leaves format 2',
  async (name) => {
    const local = await service();
    const rig = rigOf(name, local);
    const paid = await knowing(rig, local);
    expect(paid).toEqual(['voices voice:hanging', 'voices voice:kept', 'voices voice:unsaved']);
    const { summary } = await rig.run(local);
    // These begin again as they would have before: three attempts that failed, and one that a person forgot.
    const begun = ['abandoned', 'failed', 'forgotten', 'untaken'].map(
      (key) => `voices voice:${key}`,
    );
    expect([...bill(local.ledger())].sort()).toEqual(
      [...paid, ...begun].sort().map((of) => [of, 1]),
    );
    expect(summary.tasks.doubt).toBe(1);
    expect(rig.files('out')).toEqual(
      [
        'abandoned',
        'deleted',
        'failed',
        'forgotten',
        'hanging',
        'kept',
        'twin',
        'unsaved',
        'untaken',
      ].map((key) => `${key}.mp3`),
    );
    const after = rig.read(state);
    expect(after).toMatch(/^{"shotlist":3,/);
    expect(after).not.toMatch(/skipped|"seq"/);
    expect((await loaded(rig)).total).toEqual({ charged: 12, refunded: 1, reserved: 1 });
    const again = await rig.run(local);
    expect(again.summary.credits.charged).toBe(0);
    expect(rig.read(state)).toBe(after);
  },
);

test('a run that dies at once leaves a file in format 2 with all that the old one said', async () => {
  const local = await service();
  const rig = rigOf('interrupted', local);
  await knowing(rig, local);
  const before = [...(await loaded(rig)).jobs()];
  const death = new Error('the power is cut');
  const dying = rig.run(
    local,
    {},
    {
      lines: () => ({
        append: () => undefined,
        sync: () => Promise.reject(Object.assign(death, { code: 'EIO' })),
      }),
    },
  );
  await expect(dying).rejects.toThrow();
  expect(rig.read(state)).toMatch(/^{"shotlist":3,/);
  expect([...(await loaded(rig)).jobs()]).toEqual(before);
});

test('git merges a side in format 1 and a side in format 2, and repair keeps what both paid', async () => {
  const local = await service();
  const rig = rigOf('compacted', local);
  rig.write('base', rig.read(state));
  rig.write('theirs', fixture('later.state.jsonl').toString().replace(oldAddress, local.address));
  const resolved = await rig.command(
    ['forget', 'pipeline.yaml', '--state', state, 'voice:kept'],
    envOf(local),
  );
  expect(resolved.stderr).toBe('');
  expect(rig.read(state)).toMatch(/^{"shotlist":3,/);
  const git = spawnSync('git', ['merge-file', '--diff3', state, 'base', 'theirs'], {
    cwd: rig.folder,
  });
  expect(git.status).toBeGreaterThan(0);
  expect(rig.read(state)).toContain('<<<<<<<');

  const proposed = await rig.command(
    ['repair', 'pipeline.yaml', '--write', 'better.jsonl'],
    envOf(local),
  );
  expect(proposed.stderr).toBe('');
  expect(proposed.stdout).not.toContain('IN DOUBT');
  rig.write(state, rig.read('better.jsonl'));
  expect(rig.read(state)).toMatch(/^{"shotlist":3,/);
  const ledger = await loaded(rig);
  const stateOf = (task: string): string | undefined =>
    [...ledger.jobs()].find(({ tasks }) => tasks.includes(task))?.state;
  expect(stateOf('voice:kept')).toBe('forgotten');
  expect(stateOf('voice:failed')).toBe('complete');
  expect(stateOf('voice:doubt')).toBe('doubt');
  expect(ledger.total).toEqual({ charged: 9, refunded: 1, reserved: 1 });
}, 60_000);
