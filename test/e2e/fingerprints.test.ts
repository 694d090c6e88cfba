// Fingerprints and prices, as a plan has them: test/golden/fingerprints.txt. A fingerprint may change once, on
// purpose, never by accident: whoever has paid would pay again.
import { test } from 'vitest';
import { Document } from 'yaml';
import { asJson, isObject, type Json, type JsonObject } from '../../src/base/json.ts';
import { Redactor } from '../../src/base/redactor.ts';
import { priceOf } from '../../src/contract/price.ts';
import { existingTool, tools } from '../../src/contract/tools/all.ts';
import { realClock } from '../../src/core/clock.ts';
import { plannedAction } from '../../src/core/findings.ts';
import { openPlanning } from '../../src/features/planning/planning.ts';
import { boundPipeline } from '../../src/language/load/bound-pipeline.ts';
import { loadPipeline } from '../../src/language/load/load.ts';
import { expectGolden } from '../golden.ts';
import { Rig } from '../rig.ts';
import { aligned } from '../text-table.ts';

/** Never made by a program: its bytes, and so the fingerprints, would change with the program. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const output = (step: string, name = 'file_path'): string => `\${{ steps.${step}.${name} }}`;

/** An example with the uploads in the place of its files. */
function filled(value: Json): Json {
  if (Array.isArray(value)) return value.map(filled);
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, filled(inner)]));
  return typeof value === 'string' ? value.replace(/^asset:(\w+)$/, output('$1')) : value;
}

const create = (uses: string, body: Json, more: JsonObject = {}): JsonObject => ({
  ...{ uses, keep: 'remote', ...more },
  with: body,
});

const uploads: JsonObject = {
  image: { uses: 'upload', with: { file: 'a.png' } },
  video: { uses: 'upload', with: { file: 'a.mp4' } },
  audio: { uses: 'upload', with: { file: 'a.mp3' } },
};

const examples = Object.fromEntries(
  tools.flatMap(({ name, examples: bodies }) =>
    bodies.map((body, at): [string, JsonObject] => {
      const unpriced: JsonObject = priceOf(existingTool(name), body).known ? {} : { estimate: 1 };
      return [`${name}-${at + 1}`, create(name, filled(body), unpriced)];
    }),
  ),
);

const colour = (file: string, more: JsonObject = {}): JsonObject => ({
  ...{ ...more, assets: { image_file_path: file } },
});
const act = (more: JsonObject): JsonObject => {
  const assets = { video_file_path: output('video'), image_file_path: output('image') };
  return create('character-replace', { end_seconds: 5, ...more, assets }, { estimate: 1 });
};
const draw = (more: JsonObject): JsonObject =>
  create('ai-image-generator', {
    ...{ image_count: 1, model: 'flux-schnell', resolution: '640px', ...more },
  });

/** What goes into a fingerprint, and what does not. */
const special: JsonObject = {
  same_bytes: { uses: 'upload', with: { file: 'copy.png' } },
  other_bytes: { uses: 'upload', with: { file: 'b.png' } },
  find: { uses: 'face-detect', with: { target_file_path: output('image') } },
  'find-default': {
    uses: 'face-detect',
    with: { target_file_path: output('image'), confidence_score: 0.5 },
  },
  act: act({}),
  'act-named': act({ name: 'holiday' }),
  'act-defaults': act({ start_seconds: 0, resolution: '480p' }),
  'act-float': act({ end_seconds: '${{ 10.0 / 2.0 }}' }),
  'act-empty-style': act({ style: {} }),
  'act-other-time': act({ end_seconds: 6 }),
  colour: create('photo-colorizer', colour(output('image'))),
  'colour-same_bytes': create('photo-colorizer', colour(output('same_bytes'))),
  'colour-other_bytes': create('photo-colorizer', colour(output('other_bytes'))),
  'colour-of-result': create('photo-colorizer', colour(output('colour', 'url'))),
  'colour-of-second': create('photo-colorizer', colour(output('two', 'downloads[1].url'))),
  'draw-expression': draw({ style: { prompt: '${{ "a " + "tram" }}' } }),
  'draw-accent': draw({ style: { prompt: 'a caf\u00e9' } }),
  'draw-accent-in-parts': draw({ style: { prompt: 'a cafe\u0301' } }),
  'draw-astral': draw({ style: { prompt: 'a \u{1f68b}' } }),
  two: draw({ image_count: 2, style: { prompt: 'a tram' } }),
  each: create(
    'head-swap',
    {
      max_resolution: '${{ 512 + each.index }}',
      assets: { head_file_path: output('colour', 'url'), body_file_path: output('image') },
    },
    { for_each: ['x', 'y'] },
  ),
  gather: create('ai-image-editor', {
    ...{ image_count: 1, model: 'flux-2-klein', resolution: '640px', style: { prompt: 'all' } },
    assets: { image_file_paths: '${{ steps.each.all.map(one, one.url) }}' },
  }),
  'of-item': create('photo-colorizer', colour(output('own'), { name: '${{ item.key }}' })),
  own: { uses: 'upload', with: { file: '${{ item.file }}' } },
  save: { uses: 'download', with: { of: 'colour', to: 'colour.png' } },
  tidy: { uses: 'delete', with: { of: 'colour' } },
};

const pipeline = new Document({
  pipeline: 'fingerprints',
  items: {
    values: [
      { key: 'one', file: 'a.png' },
      { key: 'two', file: 'b.png' },
    ],
  },
  steps: { ...uploads, ...examples, ...special },
}).toString({ lineWidth: 0 });

/** What a request says besides its files. */
function parameters(name: string): string {
  const body = asJson(Object(examples[name])['with']);
  const leaves = (value: Json, path: string): readonly string[] => {
    if (isObject(value) && !Array.isArray(value))
      return Object.entries(value).flatMap(([key, inner]) =>
        leaves(inner, path === '' ? key : `${path}.${key}`),
      );
    return path.startsWith('assets.') ? [] : [`${path}=${JSON.stringify(value)}`];
  };
  const text = body === undefined ? '' : leaves(body, '').join(' ');
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}

const header = `# The fingerprint of each task of a plan, what the plan does, its credits, and the parameters of a tool's example. A
# plan does a task only once: one that is not listed has the fingerprint of another.

`;

test('every fingerprint and every price of a plan is as it was', async () => {
  const rig = new Rig(pipeline);
  for (const name of ['a.png', 'copy.png']) rig.write(name, pixel);
  rig.write('b.png', Buffer.concat([pixel, Buffer.from('more')]));
  rig.write('a.mp4', Buffer.from('frames of a clip'));
  rig.write('a.mp3', Buffer.from('a voice'));
  const found = new Map<string, readonly string[]>();
  await using _ = await openPlanning(
    boundPipeline(await loadPipeline(rig.file)),
    { kind: 'rehearsal' },
    {},
    {
      ...{ access: 'plan', env: {}, clock: realClock, internals: {} },
      redactor: new Redactor([]),
      onWarning: () => undefined,
      see: async () => () => (task, end) => {
        const { id, source = task, price, scope } = task;
        const action = end && plannedAction(task, end);
        if (action === undefined || action === 'reuse') return;
        const credits = task.action === 'create' ? price?.credits : undefined;
        const cost = credits ? String(credits * scope.times) : '';
        found.set(id, [source.fingerprint, id, action, cost, parameters(id)]);
      },
    },
  );
  const rows = [...found.values()].sort(([, one = ''], [, other = '']) => (one < other ? -1 : 1));
  const listed = new Set(rows.map(([, task = '']) => task.split(/[:[]/)[0]));
  const same = Object.keys({ ...examples, ...special }).filter((step) => !listed.has(step));
  expectGolden(
    'fingerprints.txt',
    `${header}${aligned(rows)}\n# Same as another: ${same.join(', ')}\n`,
  );
});
