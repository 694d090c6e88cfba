// The library's status says what the command says, by the clock that it is given.
import { expect, test } from 'vitest';
import { realClock } from '../../../src/core/clock.ts';
import { status } from '../../../src/features/status/status.ts';
import { loadPipeline } from '../../../src/language/load/load.ts';
import { renderProblem, resultOf } from '../../../src/language/load/refusal.ts';
import { Rig } from '../../rig.ts';

const pipeline = `pipeline: p
steps:
  make: { uses: ai-qr-code-generator, with: { content: x, style: { art_style: plain } } }
  save: { uses: download, with: { of: make, to: a.png } }
`;
const at = '2026-08-05T10:00:00.000Z';
const lines = [
  { shotlist: 4, pipeline: 'p', service: 'https://a' },
  { run: 'r1', at },
  {
    ...{ job: 'a'.repeat(64), kind: 'ai-qr-code-generator', tasks: ['make'], outputs: [] },
    attempts: [
      {
        ...{ name: 'make #1', run: 'r1', at, state: 'complete', reserve: 3 },
        ...{ charge: { credits: 3, read: at }, project: 'p1', result: { downloads: 1 } },
      },
    ],
  },
];

async function loaded(rig: Rig) {
  const result = await loadPipeline(rig.file);
  return result;
}

test.each([
  ['an hour after the result', 1, false],
  ['when its address expires within six hours', 19, true],
])('%s', async (_, hours, soon) => {
  const rig = new Rig(pipeline);
  rig.write('p.state.jsonl', lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const clock = { ...realClock, now: () => Date.parse(at) + hours * 3_600_000 };
  const report = await resultOf(async () => status(await loaded(rig), { clock }));
  expect(report).toMatchObject({
    ok: true,
    value: {
      ...{ state: rig.path('p.state.jsonl'), service: 'https://a', doubts: [] },
      ...{ credits: { charged: 3 }, unsaved: [{ project: 'p1', soon }] },
    },
  });
});

test('lists fifty items, and names the command that has all of them', async () => {
  const keys = Array.from({ length: 52 }, (_, i) => `${100 + i}`);
  const rig = new Rig(
    pipeline.replace(
      'steps:',
      `items: { values: [${keys.map((key) => `{ key: "${key}" }`)}] }\nsteps:`,
    ),
  );
  const failed = keys.map((key) => ({
    ...{ task: `save:${key}`, at, run: 'r1', ending: 'failed' },
    fault: { code: '', message: 'x' },
  }));
  const own = [...lines.slice(0, 2), ...failed].map((line) => `${JSON.stringify(line)}\n`);
  rig.write('p.state.jsonl', own.join(''));
  const { stdout } = await rig.command(['status', 'pipeline.yaml', '--failed']);
  expect(stdout.match(/^ +\d{3} /gm)).toHaveLength(50);
  const [, again = ''] = /and 2 more: shotlist (.*)$/m.exec(stdout) ?? [];
  const all = await rig.command(again.split(' '));
  expect(JSON.parse(all.stdout).items.matching).toHaveLength(52);
});

test('without a state file says how one is made', async () => {
  const rig = new Rig(pipeline);
  const report = await resultOf(async () => status(await loaded(rig)));
  expect(report.ok ? '' : renderProblem(report.error)).toContain('creates it');
});
