// The library's status says what the command says, by the clock that it is given.
import { expect, test } from 'vitest';
import { realClock } from '../../../src/runner/adapters/clock.ts';
import { loadPipeline } from '../../../src/runner/operations/pipeline/load.ts';
import { renderProblem } from '../../../src/runner/operations/pipeline/problem.ts';
import { status } from '../../../src/runner/operations/status.ts';
import { Rig } from '../../rig.ts';

const pipeline = `pipeline: p
steps:
  make: { uses: ai-qr-code-generator, with: { content: x, style: { art_style: plain } } }
  save: { uses: download, with: { of: make, to: a.png } }
`;
const at = '2026-08-05T10:00:00.000Z';
const lines = [
  { shotlist: 1, pipeline: 'p', service: 'https://a' },
  { seq: 1, event: 'run', run: 1, at },
  {
    seq: 2,
    event: 'intent',
    job: 'a'.repeat(64),
    task: 'make',
    kind: 'ai-qr-code-generator',
    attempt: 1,
    name: 'make #1',
    reserve: 3,
    at,
  },
  { seq: 3, event: 'created', job: 'a'.repeat(64), project: 'p1', credits: 3 },
  { seq: 4, event: 'settled', job: 'a'.repeat(64), status: 'complete', credits: 3 },
];

async function loaded(rig: Rig) {
  const result = await loadPipeline(rig.file);
  if (!result.ok) throw new Error(renderProblem(result.error));
  return result.value;
}

test.each([
  ['an hour after the result', 1, false],
  ['when its address expires within six hours', 19, true],
])('%s', async (_, hours, soon) => {
  const rig = new Rig(pipeline);
  rig.write('p.state.jsonl', lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const clock = { ...realClock, now: () => Date.parse(at) + hours * 3_600_000 };
  const report = await status(await loaded(rig), { clock });
  expect(report).toMatchObject({
    ok: true,
    value: {
      ...{ state: rig.path('p.state.jsonl'), service: 'https://a', doubts: [] },
      ...{ credits: { charged: 3 }, unsaved: [{ project: 'p1', soon }] },
    },
  });
  const long = await status(await loaded(rig), { clock, expiringMs: 24 * 3_600_000 });
  expect(long).toMatchObject({ value: { unsaved: [{ soon: true }] } });
});

test('without a state file says how one is made', async () => {
  const rig = new Rig(pipeline);
  const report = await status(await loaded(rig));
  expect(report.ok ? '' : renderProblem(report.error)).toContain('creates it');
});
