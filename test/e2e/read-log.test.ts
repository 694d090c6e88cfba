// shotlist log reads what --log wrote.
import { appendFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { envOf, photoRig, type Rig, service, until } from '../rig.ts';

async function logged(): Promise<Rig> {
  const broken = { fault: 'job-error', code: 'no_source_face', count: 1 } as const;
  const local = await service({ faults: { faults: [broken] } });
  const rig = await photoRig(2);
  await rig.command(['run', 'pipeline.yaml', '--log', 'run.log'], envOf(local));
  return rig;
}

const linesOf = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');

test('log shows a line for each event, with the run and the task', async () => {
  const rig = await logged();
  const { stdout, stderr, code } = await rig.command(['log', 'run.log']);
  expect([stderr, code]).toEqual(['', 0]);
  expect(linesOf(stdout)).toHaveLength(linesOf(rig.read('run.log')).length);
  expect(stdout).toMatch(
    /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}#1 {2}swap:p\d\.png {2}done {2}10 credits {2}project \S+$/m,
  );
});

test('log --failed, --items, --task and --run leave only what was asked for', async () => {
  const rig = await logged();
  const failed = await rig.command(['log', 'run.log', '--failed']);
  expect(linesOf(failed.stdout)).toHaveLength(1);
  expect(failed.stdout).toMatch(/swap:p\d\.png {2}failed {2}no_source_face/);
  const item = /swap:(p\d\.png)/.exec(failed.stdout)?.[1] ?? '';
  const about = await rig.command(['log', 'run.log', '--items', item, '--json']);
  const lines = linesOf(about.stdout).map((line) => JSON.parse(line));
  expect(new Set(lines.map((line) => line.item))).toEqual(new Set([item]));
  const swaps = await rig.command(['log', 'run.log', '--task', 'swap', '--run', '1']);
  // Each began, was charged and ended; the one that failed was refunded, too.
  expect(linesOf(swaps.stdout)).toHaveLength(7);
  expect((await rig.command(['log', 'run.log', '--run', '2'])).stdout).toBe('');
});

test('log skips what a full disk cut off, and refuses a file that is no log', async () => {
  const rig = await logged();
  appendFileSync(rig.path('run.log'), '{"level":30,"ti\n');
  expect((await rig.command(['log', 'run.log'])).code).toBe(0);
  const other = await rig.command(['log', 'pipeline.yaml']);
  expect(other.stderr).toContain('pipeline.yaml is not a log of shotlist');
  expect(other.code).toBe(2);
  const missing = await rig.command(['log', 'none.log']);
  expect(missing.stderr).toContain('does not exist');
  expect(missing.code).toBe(2);
});

test('log --follow goes on with what is appended, also to a file that was cut', async () => {
  const rig = await logged();
  const [first = ''] = linesOf(rig.read('run.log'));
  const child = rig.start(['log', 'run.log', '--follow', '--failed']);
  let told = '';
  child.stdout?.on('data', (piece: Buffer) => {
    told += piece.toString();
  });
  await until('the first failure is shown', () => told.includes('no_source_face'));
  const line = (task: string): string =>
    `${first.replace(/"msg":"[^"]*"/, `"task":"${task}","ending":"failed","msg":"task"`)}\n`;
  appendFileSync(rig.path('run.log'), line('later').slice(0, 30));
  appendFileSync(rig.path('run.log'), line('later').slice(30));
  await until('the appended line is shown', () => told.includes('later'));
  rig.write('run.log', line('anew'));
  await until('the line of the new log is shown', () => told.includes('anew'));
});
