// A value that only the run knows: the plan says so and prices it with its bound; the run sends the
// real value, pays no more than was planned, and the next run is free.
import { expect, test } from 'vitest';
import { blocksIn } from '../examples.ts';
import { portraitPhoto } from '../previews/media.ts';
import { envOf, Rig, service } from '../rig.ts';

/** The pipeline of the page that has this expression. */
const pipelineWith = (expression: string): string =>
  blocksIn('docs/expressions.md', 'yaml').find(({ text }) => text.includes(expression))?.text ?? '';

const pipeline = pipelineWith('steps.clip.duration');

const linesOf = (rig: Rig, name: string): readonly StateLine[] =>
  rig
    .read(`${name}.state.jsonl`)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

interface StateLine {
  readonly kind?: string;
  readonly result?: { readonly end_seconds?: number };
  readonly outputs?: readonly { readonly duration?: number }[];
}

test('a clip as long as another: the plan names the value, and the run sends it', async () => {
  const rig = new Rig(pipeline);
  const local = await service();
  const planned = await rig.command(['plan', 'pipeline.yaml'], envOf(local));
  expect(planned.stdout + planned.stderr).toContain(
    'known at run time: moving: end_seconds, from clip; priced as 30, the highest possible value',
  );
  const most = Number(/At most ([\d,]+) credits/.exec(planned.stdout)?.[1]);

  const first = await rig.run(local);
  expect(first.summary.outcome).toBe('done');
  expect(first.summary.credits.charged).toBeGreaterThan(0);
  expect(first.summary.credits.charged).toBeLessThanOrEqual(most);
  const lengths = linesOf(rig, 'same-length')
    .filter(({ kind }) => /-to-video$/.test(kind ?? ''))
    .map(({ result }) => result?.end_seconds);
  expect(lengths).toEqual([4, 4]);

  const again = await rig.run(local);
  expect(again.summary.credits.charged).toBe(0);
  const after = await rig.command(['plan', 'pipeline.yaml'], envOf(local));
  expect(after.stdout).not.toContain('known at run time');
  expect(after.stdout).toContain('Nothing to pay');
});

test('a value that an input limits is priced with the input, and costs no more', async () => {
  const rig = new Rig(
    pipeline
      .replace('steps:\n', 'inputs: { longest: { type: number, default: 3 } }\nsteps:\n')
      .replace('steps.clip.duration', 'math.least(steps.clip.duration, inputs.longest)'),
  );
  const local = await service();
  const planned = await rig.command(['plan', 'pipeline.yaml'], envOf(local));
  expect(planned.stdout + planned.stderr).toContain('from clip; priced as 3, the highest');
  const { charged } = (await rig.run(local)).summary.credits;
  expect(planned.stdout).toContain(`At most ${charged} credits.`);
});

test('with a budget below the bound, plan and run refuse nothing that estimate: allows', async () => {
  const rig = new Rig(
    pipeline
      .replace('steps:\n', 'budget: { credits: 300 }\nsteps:\n')
      .replace('    uses: image-to-video\n', '    uses: image-to-video\n    estimate: 120\n'),
  );
  const local = await service();
  const planned = await rig.command(['plan', 'pipeline.yaml', '--json'], envOf(local));
  expect(JSON.parse(planned.stdout)).toMatchObject({
    plan: { late: [{ step: 'moving', field: 'end_seconds', from: 'clip' }] },
  });
  const ran = await rig.run(local);
  expect(ran.summary.outcome).toBe('done');
});

test('a photo that talks as long as the voice: the length of the saved sound decides', async () => {
  const rig = new Rig(pipelineWith('steps["voice-file"].duration'));
  rig.write('ada.jpg', await portraitPhoto());
  const local = await service();
  const planned = await rig.command(['plan', 'pipeline.yaml'], envOf(local));
  expect(planned.stdout).toContain('known at run time: talk: end_seconds, from voice-file');

  expect((await rig.run(local)).summary.outcome).toBe('done');
  const lines = linesOf(rig, 'greeting');
  const length = lines.flatMap(({ outputs = [] }) => outputs.map(({ duration }) => duration));
  const talk = lines.find(({ kind }) => kind === 'ai-talking-photo');
  expect(talk?.result?.end_seconds).toBeGreaterThan(0);
  expect(length).toContain(talk?.result?.end_seconds);

  expect((await rig.run(local)).summary.credits.charged).toBe(0);
});
