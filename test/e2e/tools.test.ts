// shotlist tools: everything about the step kinds, and examples that work.
import { beforeAll, describe, expect, test } from 'vitest';
import {
  catalogue,
  type Entry,
  type ExampleFile,
  entryOf,
} from '../../src/contract/catalogue/entry.ts';
import { kinds } from '../../src/contract/kinds.ts';
import { plan } from '../../src/features/plan/plan.ts';
import { toolList, toolText } from '../../src/features/tools/tools-text.ts';
import { loadPipeline } from '../../src/language/load/load.ts';
import { validate } from '../../src/language/validate.ts';
import { type LocalService, startService } from '../../src/service/start.ts';
import { envOf, photo, plainly, Rig } from '../rig.ts';

const entries: readonly Entry[] = kinds.map(entryOf);

describe('the example of each kind', () => {
  let local: LocalService;
  let contents: Readonly<Record<ExampleFile['media'], Buffer>>;

  beforeAll(async () => {
    local = await startService({ ...plainly, tier: 'business', credits: 1_000_000 });
    contents = {
      image: await photo(1),
      video: Buffer.from('frames of a clip'),
      audio: Buffer.from('a voice'),
    };
    return () => local.close();
  });

  test.each(entries)('$name is valid, and does what its plan says', async (entry) => {
    const { text, files } = entry.example;
    const checked = validate('pipeline.yaml', text);
    expect(checked.ok ? checked.value.warnings : checked.error).toEqual([]);
    const rig = new Rig(text);
    for (const { path, media } of files) rig.write(path, contents[media]);
    const loaded = await loadPipeline(rig.file);
    const planned = await plan(loaded, { env: envOf(local) });
    const { summary } = await rig.run(local, { speedFactor: 100_000 });
    expect(summary.problems).toEqual([]);
    expect(summary.credits.charged).toBeLessThanOrEqual(planned.plan.credits);
  });
});

describe('the text for a terminal', () => {
  test('of the list has each kind once, in a group, with its price and its time', () => {
    const lines = toolList(catalogue(), '2026-08').split('\n');
    for (const { name, price, title } of entries) {
      const [line = '', ...others] = lines.filter((one) => one.startsWith(`${name} `));
      expect(others).toEqual([]);
      expect(line).toContain(` ${price.short} `);
      expect(line.endsWith(title)).toBe(true);
    }
    expect(lines).toContain('MAKE VIDEOS');
    expect(lines.find((line) => line.startsWith('text-to-video'))).toMatch(
      /^text-to-video +24–576\/second +51s +Make a video from a prompt$/,
    );
  });

  test('fits into 80 columns', () => {
    const texts = [toolList(catalogue(), '2026-08'), ...entries.map(toolText)];
    expect(texts.flatMap((text) => text.split('\n')).filter((line) => line.length > 80)).toEqual(
      [],
    );
  });

  test.each(entries)('of $name has every field, value, rule, model and output', (entry) => {
    const shown = toolText(entry).replace(/\s+/g, ' ');
    for (const { path, values = [] } of entry.fields) {
      expect(shown).toContain(` ${path} `);
      for (const value of values) expect(shown).toContain(String(value));
    }
    for (const sentence of [...entry.rules, ...entry.plans, ...entry.modelNotes, entry.price.rule])
      expect(shown).toContain(sentence);
    for (const { name } of entry.models) expect(shown).toContain(` ${name} `);
    for (const output of Object.keys(entry.outputs)) expect(shown).toContain(` ${output} `);
  });
});

describe('the command', () => {
  test('prints the same facts for programs', async () => {
    const rig = new Rig('');
    const all: unknown[] = JSON.parse((await rig.command(['tools', '--json'])).stdout);
    expect(all).toHaveLength(31);
    const one = JSON.parse((await rig.command(['tools', 'text-to-video', '--json'])).stdout);
    expect(one).toMatchObject({
      name: 'text-to-video',
      paid: true,
      record: 'video',
      medianSeconds: 51,
      price: { short: '24–576/second' },
      with: { type: 'object' },
    });
    expect(one.models[0]).toMatchObject({ name: 'ltx-2.3', credits: { '480p': 24 } });
    expect(one.fields).toContainEqual(
      expect.objectContaining({
        path: 'style.prompt',
        required: true,
        type: 'string',
        limits: { minLength: 1, maxLength: 2000 },
      }),
    );
  });
});
