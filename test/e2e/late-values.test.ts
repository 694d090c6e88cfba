// A value that only the run knows, from the header of a real file. Other values: test/stories/late-values.test.ts.
import { expect, test } from 'vitest';
import { blocksIn } from '../examples.ts';
import { portraitPhoto } from '../previews/media.ts';
import { envOf, Rig, service } from '../rig.ts';

/** The pipeline of the page that has this expression. */
const pipelineWith = (expression: string): string =>
  blocksIn('docs/expressions.md', 'yaml').find(({ text }) => text.includes(expression))?.text ?? '';

const linesOf = (rig: Rig, name: string): readonly StateLine[] =>
  rig
    .read(`${name}.state.jsonl`)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

interface StateLine {
  readonly kind?: string;
  readonly attempts: readonly { readonly result?: { readonly end_seconds?: number } }[];
  readonly outputs?: readonly { readonly seconds?: number }[];
}

test('a photo that talks as long as the voice: the length of the saved sound decides', async () => {
  const rig = new Rig(pipelineWith('steps["voice-file"].duration'));
  rig.write('ada.jpg', await portraitPhoto());
  const local = await service();
  const env = envOf(local);
  const planned = await rig.command(['plan', 'pipeline.yaml', '--json'], env);
  expect(JSON.parse(planned.stdout)).toMatchObject({
    plan: { late: [{ step: 'talk', field: 'end_seconds', from: 'voice-file' }] },
  });

  expect((await rig.run(local)).summary.outcome).toBe('done');
  const lines = linesOf(rig, 'greeting');
  const length = lines.flatMap(({ outputs = [] }) => outputs.map(({ seconds }) => seconds));
  const talk = lines.find(({ kind }) => kind === 'ai-talking-photo');
  const seconds = talk?.attempts[0]?.result?.end_seconds;
  expect(seconds).toBeGreaterThan(0);
  expect(length).toContain(seconds);

  expect((await rig.run(local)).summary.credits.charged).toBe(0);
});
