// `defaults:` and `profiles:`: what they change, what wins, and where their problems are shown.
import { describe, expect, test } from 'vitest';
import { checked, type Files, onlyProblem, pipelineIn, problemsIn, resolvedIn } from './files.ts';

const edit = (fields: string, reuse: string): Files => ({
  'p.yaml': `pipeline: p
${reuse}
items: { glob: "*.png" }
budget: { credits: 500, per_item: 50 }
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  edit:
    uses: ai-image-editor
    ${fields}
  save: { uses: download, with: { of: edit, to: a.png } }
`,
});
const assets = 'assets: { image_file_paths: ["${{ steps.photo.file_path }}"] }';
const plain = `with: { style: { prompt: x }, ${assets} }`;
const stepIn = (files: Files, profile?: string): Record<string, unknown> =>
  Object(resolvedIn(files, profile)).steps.edit;

describe('defaults', () => {
  const defaults = `defaults:
  retry: { attempts: 5 }
  timeout: 10m
  limits: { ai-image-editor: 4 }
  kinds:
    ai-image-editor: { with: { image_count: 1, style: { prompt: a default } }, timeout: 20m, estimate: 9 }
    upload: { retry: { attempts: 2 } }`;

  test('reach the steps that do not set a value: of all kinds, and of their kind', () => {
    const { steps, limits } = pipelineIn(edit(`with: { ${assets} }`, defaults));
    const [photo, step, save] = steps;
    expect(photo).toMatchObject({ name: 'photo', attempts: 2 });
    expect(step).toMatchObject({ attempts: 5, timeoutMs: 1_200_000, estimate: 9 });
    expect(save).toMatchObject({ name: 'save', attempts: 5 });
    expect(limits.steps).toEqual({ 'ai-image-editor': 4 });
    expect(stepIn(edit(`with: { ${assets} }`, defaults))).toMatchObject({
      with: { image_count: 1, style: { prompt: 'a default' } },
    });
  });

  test('give way to what a step says, key by key', () => {
    const fields = `with: { image_count: 4, style: { model: Seedream }, ${assets} }\n    timeout: 1m\n    retry: { attempts: 1 }`;
    expect(stepIn(edit(fields, defaults))).toMatchObject({
      with: { image_count: 4, style: { prompt: 'a default', model: 'Seedream' } },
      ...{ timeout: '1m', retry: { attempts: 1 } },
    });
  });

  test('give way to limits.steps', () => {
    const files = edit(plain, `limits: { steps: { ai-image-editor: 1 }, items: 3 }\n${defaults}`);
    expect(pipelineIn(files).limits).toMatchObject({ items: 3, steps: { 'ai-image-editor': 1 } });
  });

  test('are taken away by null', () => {
    const fields = `with: { image_count: null, ${assets} }\n    estimate: null`;
    const step = stepIn(edit(fields, defaults));
    expect(step).not.toHaveProperty('estimate');
    expect(step['with']).not.toHaveProperty('image_count');
  });

  test('do not give a timeout to a step that has no project', () => {
    const { steps } = pipelineIn(edit(plain, defaults));
    expect(steps.filter((step) => step.timeoutMs !== undefined).map(({ name }) => name)).toEqual([
      'edit',
    ]);
  });

  test.each([
    [
      'a wrong value of a kind',
      'kinds: { ai-image-editor: { with: { image_count: «2» } } }',
      'step "edit": image_count must be',
    ],
    [
      'an unknown value of a kind',
      'kinds: { ai-image-editor: { with: { «imagecount»: 2 } } }',
      'step "edit": unknown key "imagecount"',
    ],
    ['an unknown kind', 'kinds: { «ai-image-editr»: {} }', '"ai-image-editr" is not a step kind'],
    ['an unknown kind in limits', 'limits: { «edit»: 2 }', '"edit" is not a step kind'],
    ['an unknown field', '«tmeout»: 2m', 'unknown key "tmeout"'],
    ['a wrong duration', 'timeout: «soon»', 'timeout'],
    [
      'a wrong name in an expression',
      'kinds: { ai-image-editor: { with: { name: "${{ «items».key }}" } } }',
      '"items"',
    ],
  ])('with %s are a problem there', (_, field, message) => {
    expect(onlyProblem(edit(plain, `defaults: { ${field} }`))?.message).toContain(message);
  });
});

describe('a profile', () => {
  const profiles = `profiles:
  draft:
    description: fast and cheap
    with: { edit: { model: qwen-edit } }
    budget: { credits: 20 }
    output: out/draft
  final:
    steps: { edit: { with: { model: nano-banana-pro, image_count: null }, timeout: 30m }, save: { if: "true" } }
    defaults: { retry: { attempts: 9 } }
    budget: { per_item: null }
    items: { glob: null, values: [one] }`;
  const files = edit(
    `with: { model: seedream, image_count: 4, style: { prompt: x }, assets: { image_file_paths: ["\${{ steps.photo.file_path }}"] } }`,
    profiles,
  );

  test('that is not chosen changes nothing', () => {
    expect(resolvedIn(files)).toMatchObject({
      budget: { credits: 500, per_item: 50 },
      steps: { edit: { with: { model: 'seedream', image_count: 4 } } },
    });
    expect(resolvedIn(files)).not.toHaveProperty('profiles');
  });

  test('is merged over the file, key by key', () => {
    expect(resolvedIn(files, 'draft')).toMatchObject({
      ...{ budget: { credits: 20, per_item: 50 }, output: 'out/draft' },
      steps: { edit: { with: { model: 'qwen-edit', image_count: 4 } } },
    });
  });

  test('removes a key with null, and replaces other values', () => {
    const text = { 'p.yaml': (files['p.yaml'] ?? '').replace('${{ item.path }}', 'a.png') };
    const value = Object(resolvedIn(text, 'final'));
    expect(value).toMatchObject({
      ...{ budget: { credits: 500 }, items: { values: ['one'] } },
      steps: {
        edit: { with: { model: 'nano-banana-pro' }, timeout: '30m', retry: { attempts: 9 } },
      },
    });
    expect(value.budget).not.toHaveProperty('per_item');
    expect(value.steps.edit.with).not.toHaveProperty('image_count');
  });

  test('can change an included step', () => {
    const fragment = 'steps: { up: { uses: upload, with: { file: x.png } } }\n';
    const reuse =
      'include: [{ file: f.yaml, as: f }]\nprofiles: { draft: { with: { f-up: { file: y.png } } } }';
    expect(resolvedIn({ ...edit(plain, reuse), 'f.yaml': fragment }, 'draft')).toMatchObject({
      steps: { 'f-up': { with: { file: 'y.png' } } },
    });
  });

  test.each([
    ['an unknown step', 'with: { «edt»: { model: x } }', 'profile "draft": there is no step "edt"'],
    ['a value of the wrong type', 'with: { edit: { image_count: «many» } }', 'image_count must be'],
    ['an unknown value', 'with: { edit: { «modle»: x } }', 'unknown key "modle"'],
    ['an unknown field', '«budgt»: {}', 'unknown key "budgt"'],
    ['a service', '«service»: https://x.example', 'unknown key "service"'],
    ['a hook', '«on_finish»: { command: [x] }', 'unknown key "on_finish"'],
    ['a wrong budget', 'budget: { credits: «lots» }', 'budget.credits must be'],
    ['null for what is not there', 'budget: { per_day: «null» }', 'budget.per_day must be'],
    ['a wrong default', 'defaults: { timeout: «soon» }', 'timeout'],
    ['a wrong name in an expression', 'with: { edit: { name: "${{ «itm».key }}" } }', 'itm'],
  ])('with %s is a problem there', (_, field, message) => {
    const wrong = edit(plain, `profiles: { draft: { ${field} } }`);
    expect(onlyProblem(wrong, 'draft')?.message).toContain(message);
  });

  test('leaves a step at its place', () => {
    const reuse =
      'profiles: { draft: { with: { edit: { model: flux-schnel } }, steps: { save: null } } }';
    const result = checked(edit(plain, reuse), 'draft');
    expect(result.ok && result.value.warnings).toMatchObject([
      { message: expect.stringContaining('is not a known model'), span: { line: 2, column: 45 } },
      { message: expect.stringContaining('no step downloads its'), span: { line: 7, column: 3 } },
    ]);
  });

  test('that does not exist is a problem, with the nearest name', () => {
    expect(problemsIn(files, 'drfat')).toMatchObject([
      {
        message: '--profile drfat: the pipeline has no such profile',
        hint: 'did you mean "draft"?',
      },
    ]);
    expect(problemsIn(edit(plain, ''), 'x')).toMatchObject([
      { hint: 'remove --profile, or add profiles: to the file' },
    ]);
  });
});
