// Each row of the tables of models and plans: a body that is taken and bodies that are refused, by the local service and
// by the runner, which checks a pipeline by the same rules before anything is sent.
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/base/json.ts';
import { validatorOf } from '../../../src/base/schema.ts';
import type { Tier } from '../../../src/contract/api/tier.ts';
import { refusedOnPlan } from '../../../src/contract/plan-rules.ts';
import { breachesOf } from '../../../src/contract/tool.ts';
import { existingTool, toolNamed } from '../../../src/contract/tools/all.ts';
import { validate } from '../../../src/language/validate.ts';
import type { Client } from '../client.ts';
import { edited, exampleOf, filled } from './door.ts';
import { oneSlow } from './stage.ts';

type Changes = Readonly<Record<string, Json>>;

interface Row {
  readonly tool: string;
  readonly base: Changes;
  readonly taken: readonly Changes[];
  readonly refused: readonly Changes[];
}

const changed = (body: JsonObject, changes: Changes): JsonObject =>
  Object.entries(changes).reduce((after, [field, value]) => edited(after, field, value), body);

/** What the runner has against a body, before anything is sent. */
function objections(tool: string, body: JsonObject): readonly string[] {
  const known = toolNamed(tool);
  if (known === undefined) throw new Error(`no tool ${tool}`);
  const valid = validatorOf(known.request);
  const shape = valid(body) ? [] : (valid.errors ?? []).map(({ message }) => `${message}`);
  return [...shape, ...breachesOf(known, body).map(({ message }) => message)];
}

/** Whether a pipeline file with this body is found right. */
function isValidPipeline(tool: string, body: JsonObject): boolean {
  const json = JSON.stringify(body).replaceAll('"asset:image"', '"https://x.example/a.png"');
  const literal = json.replaceAll('"asset:video"', '"https://x.example/a.mp4"');
  const text = `pipeline: p\nsteps:\n  it: { uses: ${tool}, with: ${literal} }\n`;
  return validate('p.yaml', text).ok;
}

const allResolutions = ['480p', '720p', '1080p', '4k'];

/** Of text-to-video and image-to-video: model | seconds taken | seconds refused | resolutions | audio. */
const videoModels = `
ltx-2.3           | 1 10 15 20 25 30       | 11 16 31 60    | 480p 720p 1080p | audio
wan-2.2           | 3 10 15                | 2 11 20        | 480p 720p 1080p |
kling-2.6         | 5 10                   | 4 6 15         | 720p 1080p      |
kling-2.5         | 5 10                   | 4 6 15         | 720p 1080p      |
kling-2.5-audio   | 5 10                   | 4 6 15         | 720p 1080p      | audio
kling-3.0         | 3 15                   | 2 16           | 720p 1080p 4k   | audio
veo3.1-lite       | 4 6 8 16 24 32 40 48 56 | 3 5 10 20 57 60 | 720p 1080p    | audio
veo3.1            | 4 6 8 16 24 32 40 48 56 | 3 5 10 20 57 60 | 720p 1080p    | audio
veo3.1-audio      | 4 6 8 16 24 32 40 48 56 | 3 5 10 20 57 60 | 720p 1080p    | audio
seedance-1.5      | 4 12                   | 3 13           | 480p 720p 1080p | audio
seedance-2.0-mini | 4 15                   | 3 16           | 480p 720p       | audio
seedance-2.0      | 4 15                   | 3 16           | 480p 720p       | audio
seedance-2.5      | 4 30                   | 3 31           | 480p 720p       | audio
sora-2            | 4 8 12 24 36 48 60     | 3 10 59        | 720p            | audio
minimax-h3        | 1 59                   | 60             | 480p 720p 1080p | audio
ltx-2             | 1 60                   |                | 480p 720p 1080p 4k | audio
kling-1.6         | 1 60                   |                | 480p 720p 1080p 4k | audio
seedance          | 1 60                   |                | 480p 720p 1080p 4k | audio
`;

const wordsIn = (cell = ''): readonly string[] => cell.split(' ').filter((word) => word !== '');

/** The cells of a table in text. */
const cellsOf = (table: string): readonly (readonly string[])[] =>
  table
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()));

const videoRows: readonly Row[] = [
  ...cellsOf(videoModels).flatMap(([model = '', seconds, wrong, has, audio]) => {
    const resolutions = wordsIn(has);
    const lengths = wordsIn(seconds).map((text) => ({ end_seconds: Number(text) }));
    return ['text-to-video', 'image-to-video'].map((tool) => ({
      tool,
      base: { model, resolution: resolutions[0] ?? '', ...lengths[0] },
      taken: [
        ...lengths,
        ...resolutions.map((resolution) => ({ resolution })),
        { audio: false },
        ...(audio === 'audio' ? [{ audio: true }] : []),
      ],
      refused: [
        ...wordsIn(wrong).map((text) => ({ end_seconds: Number(text) })),
        ...allResolutions
          .filter((resolution) => !resolutions.includes(resolution))
          .map((resolution) => ({ resolution })),
        { end_seconds: 0.5 },
        { end_seconds: 61 },
        ...(audio === 'audio' ? [] : [{ audio: true }]),
      ],
    }));
  }),
  {
    tool: 'ai-video-editor',
    base: { model: 'gemini-omni', resolution: '720p', end_seconds: 5 },
    taken: [{ end_seconds: 3 }, { end_seconds: 10 }, { start_seconds: 5, end_seconds: 15 }],
    refused: [
      ...[{ end_seconds: 2.9 }, { end_seconds: 10.1 }, { start_seconds: 5, end_seconds: 7 }],
      ...[{ resolution: '480p' }, { resolution: '1080p' }],
    ],
  },
  {
    tool: 'ai-video-editor',
    base: { model: 'ltx-2.3', end_seconds: 5 },
    taken: [{ end_seconds: 0.5 }, { end_seconds: 45 }, { resolution: '1080p' }],
    refused: [{ end_seconds: 0.4 }, { end_seconds: 45.5 }],
  },
];

const sizes = ['640px', '1k', '2k', '4k'];

/** Model | resolutions | counts generated | counts refused | most input pictures of an edit; empty: the model lacks the tool. */
const imageModels = `
flux-schnell       | 640px 1k 2k    | 1 2 3 4  | 0 5 9 16 |
flux-2-klein       | 640px 1k 2k    | 1        | 2 4      | 6
z-image-turbo      | 640px 1k 2k    | 1 2 3 4  | 0 5 9 16 |
seedream-v4        | 640px 1k 2k 4k | 1 2 3 4  | 0 5 9 16 | 10
seedream-v4.5      | 640px 1k 2k 4k |          |          | 10
seedream-v5-pro    | 640px 1k 2k    | 1 2 3 4  | 0 5 9 16 | 10
nano-banana        | 640px 1k       | 1 2 3 4  | 0 5 9 16 | 10
nano-banana-2-lite | 640px 1k       | 1 2 3 4  | 0 5 9 16 | 10
nano-banana-2      | 640px 1k 2k 4k | 1 4 9 16 | 2 3 5 17 | 10
nano-banana-pro    | 1k 2k 4k       | 1 4 9 16 | 2 3 5 17 | 10
gpt-image-2        | 640px 1k 2k 4k | 1 2 3 4  | 0 5 9 16 | 10
qwen-edit          | 640px 1k 2k    |          |          | 3
`;

function imageRow([
  model = '',
  named = '',
  given,
  wrong,
  most = '',
]: readonly string[]): readonly Row[] {
  const resolutions = wordsIn(named);
  const counts = wordsIn(given).map(Number);
  const inputs = most === '' ? undefined : Number(most);
  const resolution = resolutions[0] ?? '';
  const others = sizes.filter((size) => !resolutions.includes(size));
  const sized = [
    [...resolutions, 'auto'].map((size) => ({ resolution: size })),
    others.map((size) => ({ resolution: size })),
  ] as const;
  const generates: Row = {
    tool: 'ai-image-generator',
    base: { model, resolution, image_count: counts[0] ?? 1 },
    taken:
      counts.length === 0 ? [] : [...sized[0], ...counts.map((image_count) => ({ image_count }))],
    refused:
      counts.length === 0
        ? [{}]
        : [...sized[1], ...wordsIn(wrong).map((text) => ({ image_count: Number(text) }))],
  };
  const pictures = (count: number): Changes => ({
    'assets.image_file_paths': Array.from({ length: count }, () => 'asset:image'),
  });
  const edits: Row = {
    tool: 'ai-image-editor',
    base: { model, resolution },
    taken:
      inputs === undefined
        ? []
        : [
            ...sized[0],
            pictures(1),
            pictures(inputs),
            ...[1, 4, 9, 16].map((image_count) => ({ image_count })),
          ],
    refused:
      inputs === undefined
        ? [{}]
        : [
            ...sized[1],
            pictures(inputs + 1),
            { image_count: 2 },
            { 'assets.image_file_paths': [] },
          ],
  };
  return [generates, edits];
}

const imageRows = cellsOf(imageModels).flatMap(imageRow);

const rows = [...videoRows, ...imageRows].map((row) => ({
  ...row,
  name: `${row.tool} with ${row.base['model']}`,
}));

describe.each(rows)('$name', ({ tool, base, taken, refused }) => {
  const body = changed(exampleOf(tool), base);

  test('the runner takes what the model has, and nothing else', () => {
    for (const changes of taken)
      expect([changes, objections(tool, changed(body, changes))]).toEqual([changes, []]);
    for (const changes of refused)
      expect(
        objections(tool, changed(body, changes)).length,
        JSON.stringify(changes),
      ).toBeGreaterThan(0);
    for (const changes of taken.slice(0, 1))
      expect(isValidPipeline(tool, changed(body, changes))).toBe(true);
    for (const changes of refused.slice(0, 1))
      expect(isValidPipeline(tool, changed(body, changes))).toBe(false);
  });
});

describe('the local service', () => {
  const stage = oneSlow({ credits: 1_000_000_000 });

  test.each(rows)(
    'takes and refuses as the runner does: $name',
    async ({ tool, base, taken, refused }) => {
      const { client, local } = stage();
      const body = changed(exampleOf(tool), base);
      for (const changes of taken) {
        const sent = await filled(client, changed(body, changes));
        const answer = await client.ask('POST', `/v1/${tool}`, sent);
        expect([changes, answer.status, answer.body['message']]).toEqual([changes, 200, undefined]);
      }
      const before = local.balance();
      for (const changes of refused) {
        const sent = await filled(client, changed(body, changes));
        expect([changes, (await client.ask('POST', `/v1/${tool}`, sent)).status]).toEqual([
          changes,
          400,
        ]);
      }
      expect(local.balance()).toBe(before);
    },
  );
});

describe('the free plan', () => {
  const free = oneSlow({ tier: 'free', credits: 1_000_000 });
  const creator = oneSlow({ tier: 'creator', credits: 1_000_000 });

  const beyond: readonly (readonly [string, Changes])[] = [
    ['text-to-video', { resolution: '720p' }],
    ['image-to-video', { resolution: '1080p' }],
    ['text-to-video', { model: 'kling-3.0', resolution: '720p', end_seconds: 5 }],
    ['text-to-video', { model: 'kling-3.0', resolution: '4k', end_seconds: 5 }],
    ['audio-to-video', { resolution: '720p' }],
    ['character-replace', { resolution: '720p' }],
    ['ai-video-editor', { model: 'gemini-omni', resolution: '720p', end_seconds: 5 }],
    ['ai-image-generator', { resolution: '1k' }],
    ['ai-image-editor', { model: 'seedream-v4' }],
    ['ai-image-editor', { model: 'nano-banana-pro', resolution: '1k' }],
    ['body-swap', { resolution: '1k' }],
    ['ai-image-upscaler', { scale_factor: 4 }],
    ['lip-sync', { 'style.generation_mode': 'pro' }],
  ];
  test.each(beyond)('has not %s with %j, and a paid one has', async (tool, changes) => {
    const body = changed(exampleOf(tool), changes);
    const known = toolNamed(tool);
    if (known === undefined) throw new Error(`no tool ${tool}`);
    const says = (tier: Tier) => refusedOnPlan(known, body, tier).map(({ message }) => message);
    expect(says('free')).toEqual([expect.stringMatching(/not available on the free plan/)]);
    expect(says('creator')).toEqual([]);
    const ask = async ({ client }: { readonly client: Client }) =>
      await client.ask('POST', `/v1/${tool}`, await filled(client, body));
    const answer = await ask(free());
    expect([answer.status, answer.body['message']]).toEqual([
      403,
      expect.stringMatching(/not available on the free plan/),
    ]);
    expect((await ask(creator())).status).toBe(200);
  });

  test('has the lowest resolutions, and the models for all', async () => {
    const { client } = free();
    const within: readonly (readonly [string, Changes])[] = [
      ['text-to-video', { model: 'default', resolution: '480p', end_seconds: 1 }],
      ['ai-image-generator', { model: 'z-image-turbo', resolution: '640px' }],
      ['ai-image-editor', { model: 'qwen-edit' }],
      ['ai-image-upscaler', { scale_factor: 2 }],
    ];
    for (const [tool, changes] of within) {
      const sent = await filled(client, changed(exampleOf(tool), changes));
      expect([tool, (await client.ask('POST', `/v1/${tool}`, sent)).status]).toEqual([tool, 200]);
    }
  });

  const lengths: readonly (readonly [string, RegExp])[] = [
    ['text-to-video', /kling-3.0 supports 3–15 seconds, not 1/],
    ['ai-video-editor', /gemini-omni edits clips of 3–10 seconds, not 1/],
  ];
  test.each(lengths)(
    'has another default model of %s than the paid ones, which takes other lengths',
    async (name, words) => {
      const tool = existingTool(name);
      const { model: _, resolution: __, ...example } = exampleOf(name);
      const body = { ...example, end_seconds: 1 };
      const ask = async ({ client }: { readonly client: Client }) =>
        await client.ask('POST', `/v1/${name}`, await filled(client, body));
      expect(refusedOnPlan(tool, body, 'free')).toEqual([]);
      expect((await ask(free())).status).toBe(200);
      const message = expect.stringMatching(words);
      expect(refusedOnPlan(tool, body, 'creator')).toEqual([expect.objectContaining({ message })]);
      const answer = await ask(creator());
      expect([answer.status, answer.body['message']]).toEqual([400, message]);
    },
  );
});

test('a model that is not known is passed on, with a warning', async () => {
  const text =
    'pipeline: p\nsteps:\n  it: { uses: text-to-video, keep: remote, with: { model: kling-9, end_seconds: 7, style: { prompt: x } } }\n';
  const checked = validate('p.yaml', text);
  expect(checked.ok && checked.value.warnings.map(({ message }) => message)).toEqual([
    'step "it": "kling-9" is not a known model of text-to-video; shotlist sends the name without a check',
  ]);
  const unpriced = validate('p.yaml', text.replace('kling-9', 'minimax-h3'));
  expect(unpriced.ok && unpriced.value.warnings.map(({ message }) => message)).toEqual([
    'step "it": the price and the limits of the model minimax-h3 are not published, so shotlist does not check them',
  ]);
});
