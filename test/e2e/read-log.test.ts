// shotlist log reads what --log wrote.
import { appendFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { envOf, photoRig, type Rig, service, until } from '../rig.ts';

async function logged(): Promise<Rig> {
  const broken = { fault: 'job-error', code: 'no_source_face', count: 1 } as const;
  const local = await service({ faults: { faults: [broken] } });
  const rig = await photoRig(1);
  await rig.command(['run', 'pipeline.yaml', '--log', 'run.log'], envOf(local));
  return rig;
}

const linesOf = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');

test('log skips what a full disk cut off, and --follow goes on with what is appended, also to a file that was cut', async () => {
  const rig = await logged();
  appendFileSync(rig.path('run.log'), '{"level":30,"ti\n');
  expect((await rig.command(['log', 'run.log'])).code).toBe(0);
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
