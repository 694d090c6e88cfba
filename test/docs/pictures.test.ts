// The recording of the README: a real command on a pseudo terminal becomes an SVG that plays by itself.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { animatedSvg } from '../../docs/pictures/animated-svg.ts';
import { type Frame, record } from '../../docs/pictures/recording.ts';
import { Rig } from '../rig.ts';

const makesTerminals = spawnSync('script', ['--version']).status === 0;

const textOf = ({ rows }: Frame): string =>
  rows.map((pieces) => pieces.map(({ text }) => text).join(' ')).join('\n');

test.skipIf(!makesTerminals)('a command is typed and shows its output (needs script)', async () => {
  const rig = new Rig('');
  const colored = ['printf', '\u001b[31m%s\u001b[0m <&> %s', 'red', 'two  columns'];
  const frames = await record(
    {
      opening: [{ typed: 'begin', command: ['echo', 'begun'], rest: 700 }],
      scenes: [{ typed: '$ say it', command: colored, rest: 900 }],
    },
    rig.folder,
  );
  const texts = frames.slice(0, 2).map((frame) => [frame.ms, textOf(frame).trim()]);
  expect(texts).toEqual([
    [700, '$ begin\nbegun'],
    [600, '$'],
  ]);
  const last = frames.at(-1);
  expect(last?.ms).toBe(900);
  expect(last?.rows[1]).toEqual([
    { at: 0, text: 'red', color: 1, bold: false, dim: false },
    { at: 4, text: '<&> two', color: -1, bold: false, dim: false },
    { at: 13, text: 'columns', color: -1, bold: false, dim: false },
  ]);
  const svg = animatedSvg(frames, 'a "test"');
  expect(svg).toContain('&lt;&amp;&gt; two');
  expect(svg).toContain('aria-label="a &quot;test&quot;"');
});

test('the recording has nothing that a page blocks, and stands still for those who want that', () => {
  const svg = readFileSync(
    fileURLToPath(new URL('../../docs/pictures/run.svg', import.meta.url)),
    'utf8',
  );
  expect(svg).not.toMatch(
    /<script|foreignObject|@import|url\(|https?:(?!\/\/www\.w3\.org\/2000\/svg)/,
  );
  expect(svg).toContain('prefers-reduced-motion');
  for (const command of ['validate', 'plan', 'run'])
    expect(svg).toContain(`npx shotlist ${command} products.yaml`);
  const [, first = ''] = /class="strip">\n<g[^>]*>(.*)<\/g>/.exec(svg) ?? [];
  expect(first.match(/<use/g)?.length, 'rows of the first frame').toBeGreaterThan(12);
  // The summary of the run.
  expect(svg).toContain('24 of 24');
});
