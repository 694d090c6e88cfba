// Valid pipelines: those of the repository and of the pages; and a file with one mistake for each code.
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { blocks, read } from '../../../examples.ts';
import { whole } from '../../../language/check.ts';

const inFolder = readdirSync(new URL('../../../../pipelines/', import.meta.url))
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => read(`pipelines/${name}`));

/** Everything that reuses values, and lists of steps, in one file. */
const reusing = `pipeline: reusing
description: everything that reuses values
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
steps:
  my-photo: { uses: upload, if: matrix.style != "none", with: { file: "\${{ item.photo }}" } }
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
`;

export const valid: readonly string[] = [
  whole,
  reusing,
  ...inFolder,
  ...blocks('yaml').map(({ text }) => text),
].filter((text) => /^pipeline: /m.test(text));

const codes = fileURLToPath(new URL('../../../fixtures/codes', import.meta.url));

export const mistaken: readonly string[] = globSync('**/*.yaml', { cwd: codes })
  .sort()
  .map((name) => readFileSync(`${codes}/${name}`, 'utf8'));
