// `defaults:` and `profiles:`: what they change, what wins, and where their problems are shown. What `plan --resolved` prints
// is the same pipeline: the same steps and values, so the same plan and fingerprints.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { printableJson } from '../../src/base/printable.ts';
import { yamlText } from '../../src/contract/yaml/yaml-text.ts';
import { validate } from '../../src/language/validate.ts';
import { partOf } from '../sweep.ts';
import { onlyProblem, pipelineOf, problemsOf, resolvedOf } from './check.ts';

const edit = (fields: string, reuse: string): string => `pipeline: p
${reuse}
items: { glob: "*.png" }
budget: { credits: 500, per_item: 50 }
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  edit:
    uses: ai-image-editor
    ${fields}
  save: { uses: download, with: { of: edit, to: a.png } }
`;
const assets = 'assets: { image_file_paths: ["${{ steps.photo.file_path }}"] }';
const plain = `with: { style: { prompt: x }, ${assets} }`;
const stepIn = (text: string): Record<string, unknown> => Object(resolvedOf(text)).steps.edit;

describe('defaults', () => {
  const defaults = `defaults:
  retry: { attempts: 5 }
  timeout: 10m
  limits: { ai-image-editor: 4 }
  kinds:
    ai-image-editor: { with: { image_count: 1, style: { prompt: a default } }, timeout: 20m, estimate: 9 }
    upload: { retry: { attempts: 2 } }`;

  test('reach the steps that do not set a value: of all kinds, and of their kind', () => {
    const { steps, limits } = pipelineOf(edit(`with: { ${assets} }`, defaults));
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
    const written = edit(plain, `limits: { steps: { ai-image-editor: 1 }, items: 3 }\n${defaults}`);
    expect(pipelineOf(written).limits).toMatchObject({ items: 3, steps: { 'ai-image-editor': 1 } });
  });

  test('are taken away by null', () => {
    const fields = `with: { image_count: null, ${assets} }\n    estimate: null`;
    const step = stepIn(edit(fields, defaults));
    expect(step).not.toHaveProperty('estimate');
    expect(step['with']).not.toHaveProperty('image_count');
  });

  test('do not give a timeout to a step that has no project', () => {
    const { steps } = pipelineOf(edit(plain, defaults));
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
  const written = edit(
    `with: { model: seedream, image_count: 4, style: { prompt: x }, assets: { image_file_paths: ["\${{ steps.photo.file_path }}"] } }`,
    profiles,
  );

  test('that is not chosen changes nothing', () => {
    expect(resolvedOf(written)).toMatchObject({
      budget: { credits: 500, per_item: 50 },
      steps: { edit: { with: { model: 'seedream', image_count: 4 } } },
    });
    expect(resolvedOf(written)).not.toHaveProperty('profiles');
  });

  test('is merged over the file, key by key', () => {
    expect(resolvedOf(written, 'draft')).toMatchObject({
      ...{ budget: { credits: 20, per_item: 50 }, output: 'out/draft' },
      steps: { edit: { with: { model: 'qwen-edit', image_count: 4 } } },
    });
  });

  test('removes a key with null, and replaces other values', () => {
    const text = written.replace('${{ item.path }}', 'a.png');
    const value = Object(resolvedOf(text, 'final'));
    expect(value).toMatchObject({
      ...{ budget: { credits: 500 }, items: { values: ['one'] } },
      steps: {
        edit: { with: { model: 'nano-banana-pro' }, timeout: '30m', retry: { attempts: 9 } },
      },
    });
    expect(value.budget).not.toHaveProperty('per_item');
    expect(value.steps.edit.with).not.toHaveProperty('image_count');
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
    const result = validate('p.yaml', edit(plain, reuse), 'draft');
    expect(result.ok && result.value.warnings).toMatchObject([
      { message: expect.stringContaining('is not a known model'), span: { line: 2, column: 45 } },
      { message: expect.stringContaining('no step downloads its'), span: { line: 7, column: 3 } },
    ]);
  });

  test('that does not exist is a problem, with the nearest name', () => {
    expect(problemsOf(written, 'drfat')).toMatchObject([
      {
        message: '--profile drfat: the pipeline has no such profile',
        hint: 'did you mean "draft"?',
      },
    ]);
    expect(problemsOf(edit(plain, ''), 'x')).toMatchObject([
      { hint: 'remove --profile, or add profiles: to the file' },
    ]);
  });
});

const word = fc.stringMatching(/^[a-z][a-z0-9_]{0,5}$/);
/** Texts that are hard for YAML, for CEL, or for the mark of an expression. */
const text = fc.oneof(
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
    .filter((one) => !one.includes('${{')),
  fc.constantFrom(
    'null',
    '<<',
    '"',
    "'",
    '\\',
    '}}',
    '{{',
    '$',
    'a: b',
    '- a',
    '#',
    'a\nb',
    '\u202e',
    'ü "x" \\n',
  ),
);
const scalar = fc.oneof(
  text,
  fc.integer(),
  fc.boolean(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
/** JSON is YAML; what YAML does not allow is an escape in it. */
const json = (value: unknown): string => printableJson(JSON.stringify(value));

interface Spec {
  readonly shared: Readonly<Record<string, string>>;
  readonly own: string;
  readonly extra: unknown;
  readonly draft: string;
  readonly attempts: number;
  readonly uses: readonly ('merge' | 'default' | 'own')[];
}

const spec: fc.Arbitrary<Spec> = fc.record({
  shared: fc.record({ name: text }),
  own: text,
  extra: fc.dictionary(word, scalar, { maxKeys: 3, noNullPrototype: true }),
  draft: text,
  attempts: fc.integer({ min: 1, max: 20 }),
  uses: fc.uniqueArray(fc.constantFrom<Spec['uses'][number][]>('merge', 'default', 'own')),
});

function textOf({ shared, own, extra, draft, attempts, uses }: Spec): string {
  const has = (use: Spec['uses'][number]): boolean => uses.includes(use);
  return [
    'pipeline: p',
    'items: { glob: "photos/*.png" }',
    `x-shared: &shared ${json(shared)}`,
    ...(has('default')
      ? [
          `defaults: { retry: { attempts: ${attempts} }, timeout: 9m, limits: { image-background-remover: 2 }, kinds: { image-background-remover: { with: { name: ${json(own)} }, estimate: 7 } } }`,
        ]
      : []),
    `profiles: { draft: { with: { own: { name: ${json(draft)} } }, budget: { credits: 9 }, output: out/draft }, final: { steps: { own: { extra: null } }, limits: { items: 3 } } }`,
    'steps:',
    '  photo: { uses: upload, with: { file: "${{ item.path }}" } }',
    '  own:',
    '    uses: image-background-remover',
    `    with: { ${has('merge') ? '<<: *shared, ' : ''}${has('own') ? `name: ${json(own)}, ` : ''}assets: { image_file_path: "\${{ steps.photo.file_path }}" } }`,
    `    extra: ${json(extra)}`,
    '  save-own: { uses: download, with: { of: own, to: "${{ item.stem }}.png" } }',
    '',
  ].join('\n');
}

test('the file as it is run is valid, resolves to itself, and has the same steps', () => {
  fc.assert(
    fc.property(spec, fc.constantFrom(undefined, 'draft', 'final'), (given, profile) => {
      const original = validate('p.yaml', textOf(given), profile);
      if (!original.ok) throw new Error(JSON.stringify(original.error));
      const { source, ...pipeline } = original.value.pipeline;
      const yaml = yamlText(source.value);
      const again = validate('p.yaml', yaml);
      if (!again.ok) throw new Error(`${JSON.stringify(again.error)}\n${yaml}`);
      const { source: read, ...same } = again.value.pipeline;
      expect(read.value).toEqual(source.value);
      expect(yamlText(read.value)).toBe(yaml);
      expect(JSON.stringify(same)).toBe(JSON.stringify(pipeline));
      expect(again.value.profiles).toEqual([]);
    }),
    { numRuns: partOf(50) },
  );
});

test('any part of a file with reuse can be cut out or doubled: there are problems with places, and no crash', () => {
  const whole = textOf({
    shared: { name: 'n' },
    own: 'o',
    extra: { a: 1 },
    draft: 'd',
    attempts: 2,
    uses: ['merge', 'default', 'own'],
  });
  const cut = fc.record({
    from: fc.nat(1200),
    length: fc.nat(40),
    put: fc.constantFrom(
      '',
      '',
      '*shared',
      '<<: ',
      '${{ inputs.label',
      '[',
      'null',
      ' x: 1',
      '&shared ',
    ),
    profile: fc.constantFrom(undefined, 'draft', 'final'),
  });
  fc.assert(
    fc.property(cut, ({ from, length, put, profile }) => {
      const changed = whole.slice(0, from) + put + whole.slice(from + length);
      for (const { span, message } of problemsOf(changed, profile))
        expect(message.startsWith('--profile') || span !== undefined, message).toBe(true);
    }),
    { numRuns: partOf(100) },
  );
});
