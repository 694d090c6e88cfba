// Valid pipelines with the fragments that they include: those of the repository, of the pages, and the examples of the codes.
import { readdirSync } from 'node:fs';
import { posix } from 'node:path';
import { err, ok } from '../../../../src/base/result.ts';
import { explanations } from '../../../../src/contract/codes/all.ts';
import { settingOf, textOf } from '../../../../src/contract/codes/explanation.ts';
import type { FragmentFiles } from '../../../../src/language/reuse/include.ts';
import { blocks, read } from '../../../examples.ts';
import { whole } from '../../../language/check.ts';

/** Texts by their paths. */
export type Files = Readonly<Record<string, string>>;

export interface Case {
  readonly text: string;
  /** The fragments, by their paths relative to the pipeline file. */
  readonly files: Files;
}

export const fragmentsIn = (files: Files): FragmentFiles => ({
  read: (path) => {
    const name = posix.normalize(path);
    const text = Object.hasOwn(files, name) ? files[name] : undefined;
    return text === undefined
      ? err({ code: 'SL902', message: 'does not exist', hint: 'check the spelling' })
      : ok({ file: name, identity: name, text });
  },
});

const folder = new URL('../../../../pipelines/', import.meta.url);
const inFolder = readdirSync(folder, { recursive: true })
  .map((name) => String(name).replaceAll('\\', '/'))
  .filter((name) => name.endsWith('.yaml'));
const ofFolder: Files = Object.fromEntries(
  inFolder.map((name) => [name, read(`pipelines/${name}`)]),
);

const isPipeline = (text: string): boolean => /^pipeline: /m.test(text);
const pathOf = (text: string): string | undefined => /^# ([\w./-]+\.yaml)\n/.exec(text)?.[1];

/** A pipeline of a page; its fragments are the blocks below it, else those above. */
function onPages(): readonly Case[] {
  const all = blocks('yaml');
  return all
    .filter(({ text }) => isPipeline(text))
    .map(({ page, line, text }) => {
      const named = all.filter((one) => one.page === page && pathOf(one.text) !== undefined);
      const nearestLast = [
        ...named.filter((one) => one.line < line),
        ...named.filter((one) => one.line > line).toReversed(),
      ];
      return {
        text,
        files: Object.fromEntries(nearestLast.map((one) => [pathOf(one.text) ?? '', one.text])),
      };
    });
}

/** The file in which a fragment of each kind and everything that reuses steps is together. */
const reusing: Case = {
  text: `pipeline: reusing
description: everything that reuses steps
x-edit: &edit { resolution: 1k, image_count: 1 }
x-large: &large { resolution: 2k }
items:
  csv: people.csv
  key: name
  types: { age: number }
  when: item.age > 17 && matrix.style != "none"
  matrix: { style: [oil, ink], exclude: [{ style: ink, item.name: Ben }], include: [{ style: oil, size: 2 }] }
defaults: { retry: { attempts: 3 }, timeout: 10m, kinds: { ai-image-editor: { with: { model: qwen-edit } } }, limits: { upload: 4 } }
profiles:
  draft: { with: { edit: { resolution: 640px } }, budget: { credits: 200 } }
  final: { steps: { up: { retry: { attempts: 5 } } } }
include: [{ file: common/photo.yaml, as: my, with: { file: "\${{ item.photo }}", mood: calm } }]
steps:
  edit:
    uses: ai-image-editor
    with: { <<: [*edit, *large], style: { prompt: "\${{ matrix.style }}" }, assets: { image_file_paths: ["\${{ steps['my-photo'].file_path }}"] } }
  up:
    for_each: \${{ steps.edit.downloads }}
    uses: ai-image-upscaler
    with: { scale_factor: 2, style: { mode: preserve }, assets: { image_file_path: "\${{ each.url }}" } }
  save: { uses: download, with: { of: up, to: "\${{ slug(item.name) }}-\${{ pad(each.index, 2) }}.png" } }
  group:
    uses: ai-image-editor
    on_missing: skip
    with: { <<: *edit, style: { prompt: all at one table }, assets: { image_file_paths: "\${{ steps['my-photo'].all.map(p, p.file_path).take(9) }}" } }
  whole: { uses: download, with: { of: group, to: "group.\${{ result.ext }}" } }
`,
  files: {
    'common/photo.yaml': `description: one photo
inputs:
  file: { type: file }
  mood: { type: string, default: calm }
include: [{ file: upload.yaml, as: inner, with: { file: "\${{ inputs.file }}" } }]
steps:
  photo: { uses: upload, if: inputs.mood == "calm", needs: [inner-file], with: { file: "\${{ inputs.file }}" } }
`,
    'common/upload.yaml':
      'inputs: { file: { type: file } }\nsteps:\n  file: { uses: upload, with: { file: "${{ inputs.file }}" } }\n',
  },
};

export const corpus: readonly Case[] = [
  { text: whole, files: {} },
  reusing,
  ...Object.values(ofFolder)
    .filter(isPipeline)
    .map((text) => ({ text, files: ofFolder })),
  ...onPages(),
  ...[...explanations.values()]
    .filter(({ found }) => found !== 'serve')
    .map(({ right }) => ({ text: textOf(right), files: settingOf(right).files ?? {} })),
];
