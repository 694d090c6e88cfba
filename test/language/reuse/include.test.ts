// Fragments: their steps, inputs and names, and the places of their problems.
import { describe, expect, test } from 'vitest';
import { fill } from '../../../src/language/template.ts';
import { type Files, markedIn, onlyProblem, pipelineIn, problemsIn, resolvedIn } from './files.ts';

/** A pipeline that includes files, with these steps of its own. */
const main = (
  include: string,
  steps = 'save: { uses: download, with: { of: face-swap, to: a.png } }',
) => `pipeline: p\nitems: { glob: "*.png" }\ninclude: [${include}]\nsteps:\n  ${steps}\n`;

const swap = `description: Puts a face on the item's photo.
inputs:
  actor: { type: file, description: the new face }
  label: { type: string, default: a label }
  more: { type: boolean, default: true }
  most: { type: number, default: 3 }
steps:
  actor: { uses: upload, with: { file: "\${{ inputs.actor }}" } }
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  faces: { uses: face-detect, with: { target_file_path: "\${{ steps.photo.file_path }}" } }
  swap:
    uses: face-swap-photo
    description: The swap itself.
    if: inputs.more && size(steps.faces.faces) <= inputs.most
    needs: [actor]
    with:
      name: "\${{ inputs.label }} of \${{ item.stem }}"
      assets: { target_file_path: "\${{ steps.photo.file_path }}", source_file_path: "\${{ steps['actor'].file_path }}" }
`;
const given = (values: string, files: Partial<Files> = {}): Files => ({
  'p.yaml': main(`{ file: common/swap.yaml, as: face, with: { ${values} } }`),
  'common/swap.yaml': swap,
  ...files,
});
const stepsOf = (files: Files): unknown => Object(resolvedIn(files)).steps;

describe('an included fragment', () => {
  test('adds its steps under the prefix, with its references renamed and its inputs filled in', () => {
    expect(stepsOf(given('actor: inputs/me.jpg'))).toMatchObject({
      'face-actor': { with: { file: 'inputs/me.jpg' } },
      'face-faces': { with: { target_file_path: '${{ steps["face-photo"].file_path }}' } },
      'face-swap': {
        if: 'true && size(steps["face-faces"].faces) <= 3',
        needs: ['face-actor'],
        with: {
          name: 'a label of ${{ item.stem }}',
          assets: { source_file_path: '${{ steps["face-actor"].file_path }}' },
        },
      },
      save: { with: { of: 'face-swap' } },
    });
  });

  test('takes expressions as inputs', () => {
    const files = given(
      'actor: "${{ item.path }}", label: "${{ item.key + \'!\' }}", most: "${{ item.index }}"',
    );
    expect(stepsOf(files)).toMatchObject({
      'face-actor': { with: { file: '${{ item.path }}' } },
      'face-swap': {
        if: 'true && size(steps["face-faces"].faces) <= (item.index)',
        with: { name: "${{ item.key + '!' }} of ${{ item.stem }}" },
      },
    });
  });

  test.each([
    ['quotes', 'say "x"'],
    ['a backslash', 'a\\b'],
    ['the mark of an expression', '$'],
    ['brackets', '}} {{'],
    ['a line break', 'a\nb'],
  ])('takes a text with %s as it is, in a text and in an expression', (_, label) => {
    const files = given(`actor: a.jpg, label: ${JSON.stringify(label)}`);
    const longer = {
      ...files,
      'common/swap.yaml': swap.replace('{{ inputs.label }}', "{{ inputs.label + '+' }}"),
    };
    const path = { file_path: 'x' };
    const steps = { 'face-photo': path, 'face-actor': path, 'face-faces': { faces: [] } };
    const scope = { item: { stem: 's' }, inputs: {}, env: {}, run: {}, steps };
    const name = (given: Files): unknown => {
      const step = pipelineIn(given).steps.find((one) => one.name === 'face-swap');
      const filled = step === undefined ? undefined : fill(step.with, scope);
      return Object(filled?.ok === true ? filled.value : filled).name;
    };
    expect([name(files), name(longer)]).toEqual([`${label} of s`, `${label}+ of s`]);
  });

  test('can be included twice, under two prefixes', () => {
    const entry = (as: string): string =>
      `{ file: swap.yaml, as: ${as}, with: { actor: ${as}.jpg } }`;
    const files = { 'p.yaml': main(`${entry('face')}, ${entry('b')}`), 'swap.yaml': swap };
    expect(stepsOf(files)).toMatchObject({
      'face-actor': { with: { file: 'face.jpg' } },
      'b-actor': { with: { file: 'b.jpg' } },
    });
  });

  test('can include another, and hand on what it was given', () => {
    const outer = `inputs: { who: { type: file } }
include: [{ file: ../parts/swap.yaml, as: in, with: { actor: "\${{ inputs.who }}" } }]
steps:
  big: { uses: ai-image-upscaler, with: { scale_factor: 2, style: { enhancement: Balanced }, assets: { image_file_path: "\${{ steps[\\"in-swap\\"].url }}" } } }
`;
    const files = {
      'p.yaml': main(
        '{ file: common/outer.yaml, as: face, with: { who: me.jpg } }',
        'save: { uses: download, with: { of: face-big, to: a.png } }',
      ),
      'common/outer.yaml': outer,
      'parts/swap.yaml': swap,
    };
    expect(stepsOf(files)).toMatchObject({
      'face-in-actor': { with: { file: 'me.jpg' } },
      'face-in-swap': { needs: ['face-in-actor'] },
      'face-big': { with: { assets: { image_file_path: '${{ steps["face-in-swap"].url }}' } } },
    });
  });

  test('names its own files relative to itself', () => {
    const fragment = `inputs: { mask: { type: file, default: masks/one.png } }
steps:
  mask: { uses: upload, with: { file: "\${{ inputs.mask }}" } }
  own: { uses: upload, with: { file: ../b/own.png } }
  each: { uses: upload, with: { file: "masks/\${{ item.name }}" } }
  item: { uses: upload, with: { file: "\${{ item.path }}" } }
`;
    const files = {
      'p.yaml': main('{ file: a/f.yaml, as: f }', 'x: { uses: upload, with: { file: x.png } }'),
      'a/f.yaml': fragment,
    };
    expect(stepsOf(files)).toMatchObject({
      'f-mask': { with: { file: 'a/masks/one.png' } },
      'f-own': { with: { file: 'b/own.png' } },
      'f-each': { with: { file: 'a/masks/${{ item.name }}' } },
      'f-item': { with: { file: '${{ item.path }}' } },
    });
  });

  test('runs its steps in the order of their references', () => {
    expect(pipelineIn(given('actor: a.jpg')).steps.map(({ name }) => name)).toEqual([
      ...['face-actor', 'face-photo', 'face-faces', 'face-swap', 'save'],
    ]);
  });
});

describe('a problem in a fragment', () => {
  test.each([
    ['an unknown field', 'target_file_path: "', '«target_file»: "', 'unknown key "target_file"'],
    ['an unknown step kind', 'uses: face-detect', 'uses: «face-detekt»', 'face-detekt'],
    [
      'a wrong output',
      '"${{ steps.photo.file_path }}" } }\n  swap',
      '«"${{ steps.photo.path }}"» } }\n  swap',
      'has no output "path"',
    ],
    [
      'a step that it does not have',
      'needs: [actor]',
      'needs: [«actr»]',
      'the fragment has no step "actr"',
    ],
    [
      'a step of the pipeline',
      'steps.faces.faces',
      '«steps.save.faces»',
      'the fragment has no step "save"',
    ],
    [
      'an input that it does not have',
      'inputs.label }}',
      '«inputs.lable» }}',
      'the fragment has no input "lable"',
    ],
    ['a syntax error', 'needs: [actor]', 'needs: [actor', 'not closed'],
    [
      'a field of a pipeline',
      'inputs:',
      '«service»: https://x.example\ninputs:',
      'a fragment cannot have "service"',
    ],
    [
      'a hook',
      'inputs:',
      '«on_finish»: { command: [x] }\ninputs:',
      'a fragment cannot have "on_finish"',
    ],
    [
      'a store',
      'inputs:',
      '«outputs»: { store: s3://b/c }\ninputs:',
      'a fragment cannot have "outputs"',
    ],
    ['an input without a type', 'actor: { type: file, ', 'actor: { tpe: file, ', 'tpe'],
    [
      'a default with an expression',
      'default: a label',
      'default: «"${{ item.key }}"»',
      'a default cannot be an expression',
    ],
    ['a default of the wrong type', 'default: 3', 'default: «three»', 'most must be a number'],
  ])('(%s) names the fragment and the place in it', (_, from, to, message) => {
    const files = given('actor: a.jpg', { 'common/swap.yaml': swap.replace(from, to) });
    if (to.includes('«')) {
      const { files: plain, place } = markedIn(files);
      const found = problemsIn(plain);
      expect(found.map(({ file, span }) => ({ file, span }))).toContainEqual(place);
      expect(found.map((one) => one.message).join('\n')).toContain(message);
    } else {
      expect(problemsIn(files)[0]).toMatchObject({ file: 'common/swap.yaml' });
      expect(problemsIn(files)[0]?.message).toContain(message);
    }
  });

  test('that a value of the include causes is shown at that value', () => {
    const upscale = `inputs: { factor: { type: number } }
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  up: { uses: ai-image-upscaler, with: { scale_factor: "\${{ inputs.factor }}", style: { enhancement: Balanced }, assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
`;
    const files = {
      'p.yaml': main(
        '{ file: up.yaml, as: u, with: { factor: «3» } }',
        'save: { uses: download, with: { of: u-up, to: a.png } }',
      ),
      'up.yaml': upscale,
    };
    expect(onlyProblem(files)?.message).toContain('step "u-up": scale_factor must be');
  });
});

describe('an include', () => {
  test.each([
    [
      'without an input that has no default',
      '«{ file: common/swap.yaml, as: face }»',
      'the input "actor" has no value',
    ],
    [
      'with an input that the fragment does not have',
      '{ file: common/swap.yaml, as: face, with: { actor: a.jpg, «lable»: x } }',
      'the fragment has no input "lable"',
    ],
    [
      'with a misspelled input, which is one mistake',
      '{ file: common/swap.yaml, as: face, with: { «acter»: a.jpg } }',
      'the fragment has no input "acter"',
    ],
    [
      'with a value of the wrong type',
      '{ file: common/swap.yaml, as: face, with: { actor: a.jpg, most: «many» } }',
      'most must be a number',
    ],
    ['without a prefix', '{ file: common/swap.yaml }', 'include[0] needs "as"'],
    [
      'with a prefix that names no step',
      '{ file: common/swap.yaml, as: «"1"», with: { actor: a.jpg } }',
      'include[0].as',
    ],
    [
      'of a file that does not exist',
      '{ file: «common/none.yaml», as: face }',
      '"common/none.yaml" does not exist',
    ],
    ['of an address', '{ file: «"https://x.example/f.yaml"», as: face }', 'is an address'],
    ['of an absolute path', '{ file: «/etc/f.yaml», as: face }', 'is not relative to this file'],
    ['of the home folder', '{ file: «~/f.yaml», as: face }', 'is not relative to this file'],
    ['of a drive', '{ file: «"C:\\\\f.yaml"», as: face }', 'is not relative to this file'],
    ['of an expression', '{ file: «"${{ inputs.x }}.yaml"», as: face }', 'contains an expression'],
  ])('%s is a problem', (_, include, message) => {
    const files = { 'p.yaml': main(include), 'common/swap.yaml': swap };
    if (!include.includes('«')) {
      expect(problemsIn(files)[0]?.message).toContain(message);
      return;
    }
    expect(onlyProblem(files)?.message).toContain(message);
  });

  test('whose step exists already is a problem', () => {
    const files = given('actor: a.jpg', {
      'p.yaml': main(
        '{ file: common/swap.yaml, as: «face», with: { actor: a.jpg } }',
        'face-swap: { uses: upload, with: { file: a.png } }',
      ),
    });
    expect(onlyProblem(files)).toMatchObject({ message: 'there is already a step "face-swap"' });
  });

  test('of itself, through another, is a problem that shows the way', () => {
    const files = {
      'p.yaml': main('{ file: a.yaml, as: a }'),
      'a.yaml':
        'include: [{ file: b.yaml, as: b }]\nsteps: { x: { uses: upload, with: { file: x.png } } }\n',
      'b.yaml':
        'include: [{ file: «./a.yaml», as: c }]\nsteps: { x: { uses: upload, with: { file: x.png } } }\n',
    };
    expect(onlyProblem(files)?.message).toBe(
      'include: "./a.yaml" includes itself: a.yaml → b.yaml → a.yaml',
    );
  });

  test('cannot go deeper than eight files, nor make more than 200 fragments', () => {
    const step = 'steps: { x: { uses: upload, with: { file: x.png } } }\n';
    const chain = Array.from({ length: 9 }, (_, n): [string, string] => [
      `f${n}.yaml`,
      `include: [{ file: f${n + 1}.yaml, as: n }]\n${step}`,
    ]);
    const deep = { 'p.yaml': main('{ file: f0.yaml, as: a }'), ...Object.fromEntries(chain) };
    expect(problemsIn(deep)).toMatchObject([{ file: 'f7.yaml' }]);
    const six = (file: string): string =>
      `include: [${Array.from({ length: 6 }, (_, n) => `{ file: ${file}, as: n${n} }`).join(', ')}]\n${step}`;
    const wide = {
      'p.yaml': main('{ file: g0.yaml, as: a }'),
      ...Object.fromEntries([0, 1, 2, 3].map((n) => [`g${n}.yaml`, six(`g${n + 1}.yaml`)])),
      'g4.yaml': step,
    };
    expect(problemsIn(wide)[0]?.message).toContain('is one more than 200 fragments');
  });

  test('needs a file to be relative to', () => {
    expect(problemsIn({ 'p.yaml': main('{ file: a.yaml, as: a }') }).length).toBe(1);
  });
});
