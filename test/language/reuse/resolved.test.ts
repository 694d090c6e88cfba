// What `plan --resolved` prints is the same pipeline: the same steps and values, so the same plan and fingerprints.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { printableJson } from '../../../src/base/printable.ts';
import { yamlText } from '../../../src/contract/yaml/yaml-text.ts';
import { partOf } from '../../sweep.ts';
import { checked, type Files, problemsIn } from './files.ts';

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
const inputs = fc.record({
  label: text,
  count: fc.integer({ min: -5, max: 9 }),
  flag: fc.boolean(),
});

/** JSON is YAML; what YAML does not allow is an escape in it. */
const json = (value: unknown): string => printableJson(JSON.stringify(value));

interface Spec {
  readonly shared: Readonly<Record<string, string>>;
  readonly own: string;
  readonly given: { readonly label: string; readonly count: number; readonly flag: boolean };
  readonly as: string;
  readonly extra: unknown;
  readonly draft: string;
  readonly attempts: number;
  readonly uses: readonly ('merge' | 'default' | 'include' | 'own')[];
}

const spec: fc.Arbitrary<Spec> = fc.record({
  shared: fc.record({ name: text }),
  own: text,
  given: inputs,
  as: word,
  extra: fc.dictionary(word, scalar, { maxKeys: 3, noNullPrototype: true }),
  draft: text,
  attempts: fc.integer({ min: 1, max: 20 }),
  uses: fc.uniqueArray(
    fc.constantFrom<Spec['uses'][number][]>('merge', 'default', 'include', 'own'),
  ),
});

const fragment = `inputs:
  label: { type: string }
  count: { type: number, default: 2 }
  flag: { type: boolean, default: true }
steps:
  photo: { uses: upload, with: { file: "photos/\${{ item.name }}" } }
  cut:
    uses: image-background-remover
    if: inputs.flag || inputs.count > 1 && item.key != inputs.label
    with:
      name: "\${{ inputs.label }} \${{ inputs.count }} \${{ inputs.label + item.stem }}"
      assets: { image_file_path: "\${{ steps.photo.file_path }}" }
  save: { uses: download, needs: [photo], with: { of: cut, to: "\${{ item.stem }}-\${{ inputs.count }}.png" } }
`;

function filesOf({ shared, own, given, as, extra, draft, attempts, uses }: Spec): Files {
  const has = (use: Spec['uses'][number]): boolean => uses.includes(use);
  const lines = [
    'pipeline: p',
    'items: { glob: "photos/*.png" }',
    `x-shared: &shared ${json(shared)}`,
    ...(has('default')
      ? [
          `defaults: { retry: { attempts: ${attempts} }, timeout: 9m, limits: { image-background-remover: 2 }, kinds: { image-background-remover: { with: { name: ${json(own)} }, estimate: 7 } } }`,
        ]
      : []),
    ...(has('include')
      ? [`include: [{ file: parts/cut.yaml, as: ${as}, with: ${json(given)} }]`]
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
  ];
  return { 'p.yaml': lines.join('\n'), 'parts/cut.yaml': fragment };
}

test('the file as it is run is valid, resolves to itself, and has the same steps', () => {
  fc.assert(
    fc.property(spec, fc.constantFrom(undefined, 'draft', 'final'), (given, profile) => {
      const original = checked(filesOf(given), profile);
      if (!original.ok) throw new Error(JSON.stringify(original.error));
      const { source, ...pipeline } = original.value.pipeline;
      const yaml = yamlText(source.value);
      const again = checked({ 'p.yaml': yaml });
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
  const whole = filesOf({
    ...{ shared: { name: 'n' }, own: 'o', given: { label: 'l', count: 1, flag: true }, as: 'f' },
    ...{ extra: { a: 1 }, draft: 'd', attempts: 2, uses: ['merge', 'default', 'include', 'own'] },
  });
  const cut = fc.record({
    file: fc.constantFrom(...Object.keys(whole)),
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
    fc.property(cut, ({ file, from, length, put, profile }) => {
      const text = whole[file] ?? '';
      const changed = { ...whole, [file]: text.slice(0, from) + put + text.slice(from + length) };
      for (const { file: named, span, message } of problemsIn(changed, profile))
        expect(message.startsWith('--profile') || span !== undefined, `${named}: ${message}`).toBe(
          true,
        );
    }),
    { numRuns: partOf(100) },
  );
});
