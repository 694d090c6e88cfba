// The catalogue against the tables of the documents, which published.md repeats word for word.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { allowances, type Tier, tiers } from '../../../src/contract/api/tier.ts';
import { type Field, fieldsOf } from '../../../src/contract/catalogue/field.ts';
import { type Model, spansText } from '../../../src/contract/models.ts';
import { existingTool, tools } from '../../../src/contract/tools/all.ts';

const text = readFileSync(new URL('published.md', import.meta.url), 'utf8');

/** The rows of the table below a heading, without its head. */
function rowsOf(heading: string): readonly (readonly string[])[] {
  const [, section = ''] = text.split(`## ${heading}\n`);
  const lines = (section.split('\n## ')[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}

const offeredBy = (tool: string): readonly Model[] => existingTool(tool).models?.offered ?? [];

interface PublishedField {
  readonly path: string;
  readonly required: boolean;
  readonly type: string;
  readonly values: readonly string[];
  readonly known?: number;
}

/** "`style.mode*` one of `balanced`, `creative`" and "`model` string (open list, 19 known values)". */
function publishedField(item: string): PublishedField {
  const [, path = '', star, rest = ''] = /^`([^`*]+)(\*?)` (.+)$/.exec(item) ?? [];
  const known = /open list, (\d+) known/.exec(rest)?.[1];
  return {
    path,
    required: star === '*',
    type: rest.startsWith('one of') ? 'one of' : (rest.split(' ')[0] ?? ''),
    values: [...rest.matchAll(/`([^`]+)`/g)].map(([, value = '']) => value),
    ...(known === undefined ? {} : { known: Number(known) }),
  };
}

const published = rowsOf('Fields').map(([tool = '', record, items = '']) => ({
  tool,
  record,
  fields: items.split('; ').map(publishedField),
}));

/** The fields that hold no fields themselves. A list of files is written with `[]`. */
const leavesOf = (name: string): readonly Field[] => {
  const tool = tools.find((one) => one.name === name);
  return fieldsOf(tool?.request ?? {})
    .filter(({ path, type }) => path !== 'name' && type !== 'object' && type !== 'list of objects')
    .map((field) =>
      field.type.startsWith('list') ? { ...field, path: `${field.path}[]` } : field,
    );
};

/** Where the documents know more than this table, or differ from it. */
const differences: ReadonlyMap<string, Partial<Pick<PublishedField, 'values' | 'known'>>> = new Map(
  [
    // models.md, Video models: a default by plan.
    ['ai-video-editor model', { values: ['default', 'gemini-omni', 'ltx-2.3'] }],
    // The public client lists 200 of the 492 voices.
    ['ai-voice-generator style.voice_name', { known: 200 }],
  ],
);

test('the table has the 27 tools, with the records that they make', () => {
  expect(published.map(({ tool, record }) => [tool, record]).sort()).toEqual(
    tools.map(({ name, record }) => [name, record]).sort(),
  );
});

describe.each(published)('the fields of $tool', ({ tool, fields }) => {
  const ours = new Map(leavesOf(tool).map((field) => [field.path, field]));

  test('are the published ones', () => {
    expect([...ours.keys()].sort()).toEqual(fields.map(({ path }) => path).sort());
  });

  test.each(fields)('$path has the published type and values', (field) => {
    const own = ours.get(field.path);
    expect(own?.required).toBe(field.required);
    expect(own?.type).toMatch(typeNames[field.type] ?? /never/);
    const differs = differences.get(`${tool} ${field.path}`);
    const { values, known } = { ...field, ...differs };
    const shown = (own?.values ?? own?.known ?? []).map(String);
    if (values.length > 0) expect([...shown].sort()).toEqual([...values].sort());
    if (known !== undefined) expect(shown).toHaveLength(known);
    expect(new Set(shown).size).toBe(shown.length);
  });
});

const typeNames: Readonly<Record<string, RegExp>> = {
  asset: /^(image|video|audio) file$/,
  'asset[]': /^list of image files$/,
  number: /^(number|integer)$/,
  boolean: /^boolean$/,
  string: /^string( or null)?$/,
  'one of': /^(string|number)$/,
};

describe('models', () => {
  const named = (models: readonly Model[]): ReadonlyMap<string, Model> =>
    new Map(models.map((model) => [model.name, model]));

  test.each(rowsOf('Video models').filter(([name]) => name !== 'minimax-h3'))(
    '%s costs %s a second, lasts %s seconds, audio %s',
    (name, credits, durations, audio) => {
      for (const tool of ['text-to-video', 'image-to-video']) {
        const model = named(offeredBy(tool)).get(name ?? '');
        const figures = ['480p', '720p', '1080p', '4k'].map((one) => model?.credits[one] ?? '–');
        expect(figures.join(' / ')).toBe(credits);
        expect(spansText(model?.seconds ?? [])).toBe(durations);
        expect(audioText(model)).toBe(audio);
      }
    },
  );

  function audioText(model: Model | undefined): string {
    const { audio, credits = {} } = model ?? {};
    if (audio === undefined || typeof audio === 'string') return `${audio}`;
    const more = Object.entries(audio).map(([key, each]) => [key, each - (credits[key] ?? 0)]);
    if (model?.name === 'seedance-1.5') {
      expect(Object.entries(audio).every(([key, each]) => each === 2 * (credits[key] ?? 0))).toBe(
        true,
      );
      return '×2';
    }
    const sums = [...new Set(more.map(([, each]) => each))];
    if (sums.length === 1) return `+${sums[0]}`;
    return sums
      .map(
        (sum) =>
          `+${sum} (${more
            .filter(([, each]) => each === sum)
            .map(([key]) => key)
            .join(', ')})`,
      )
      .join(', ');
  }

  test('are the published ones, and no others', () => {
    const names = rowsOf('Video models').map(([name]) => name);
    expect([...offeredBy('text-to-video').map(({ name }) => name), 'minimax-h3']).toEqual(names);
  });

  test.each(rowsOf('Image models'))(
    '%s: generate %s, edit %s, %s, %s credits, %s images, inputs %s, plans %s',
    (name, generate, edit, resolutions, credits, images, inputs, plans) => {
      const makes = named(offeredBy('ai-image-generator')).get(name ?? '');
      const edits = named(offeredBy('ai-image-editor')).get(name ?? '');
      expect([makes !== undefined, edits !== undefined]).toEqual([
        generate === 'yes',
        edit === 'yes',
      ]);
      for (const model of [makes, edits]) {
        if (model === undefined) continue;
        expect(model.resolutions.join(' ')).toBe(resolutions);
        expect(model.credits).toEqual({ [model.resolutions[0] ?? '']: Number(credits) });
        expect(model.plans).toBe(plans);
      }
      expect(makes === undefined ? '–' : spansText(makes.images ?? [])).toBe(images);
      expect(edits === undefined ? '–' : `1 + ${(edits.inputs ?? 0) - 1}`).toBe(inputs);
    },
  );
});

test('the plans have the published limits', () => {
  for (const [name = '', generations, upload] of rowsOf('Plans')) {
    const tier = tiers.find((one): one is Tier => one === name);
    if (tier === undefined) throw new Error(`no plan ${name}`);
    const { uploadBytes, generations: most } = allowances[tier];
    const unit = upload?.endsWith('GB') === true ? 1e9 : 1e6;
    expect(uploadBytes).toBe(Number.parseInt(upload ?? '', 10) * unit);
    expect(most).toBe(/^\d+$/.test(generations ?? '') ? Number(generations) : undefined);
  }
});
