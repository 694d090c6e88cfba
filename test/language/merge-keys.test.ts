// Anchors, merge keys, and the x- keys that hold them.
import { describe, expect, test } from 'vitest';
import { onlyProblem, problemsOf, resolvedOf } from './check.ts';

const photo = 'photo: { uses: upload, with: { file: a.png } }';
const edit = (fields: string): string => `pipeline: p
x-edit: &edit { resolution: 1k, image_count: 1 }
x-oil: &oil { style: { prompt: in oil }, resolution: 2k }
steps:
  ${photo}
  edit:
    uses: ai-image-editor
    with: { ${fields}, assets: { image_file_paths: ["\${{ steps.photo.file_path }}"] } }
  save: { uses: download, with: { of: edit, to: a.png } }
`;
const withOf = (fields: string) => resolvedOf(edit(fields));

describe('a merge key', () => {
  test('adds the keys of an anchor that the object does not have', () => {
    expect(withOf('<<: *edit, style: { prompt: x }')).toMatchObject({
      steps: { edit: { with: { resolution: '1k', image_count: 1, style: { prompt: 'x' } } } },
    });
  });

  test('gives way to the own keys of the object, before and after it', () => {
    expect(withOf('resolution: 4k, <<: *edit, image_count: 4, style: { prompt: x }')).toMatchObject(
      { steps: { edit: { with: { resolution: '4k', image_count: 4 } } } },
    );
  });

  test('takes a list, in which earlier anchors win', () => {
    expect(withOf('<<: [*edit, *oil]')).toMatchObject({
      steps: {
        edit: { with: { resolution: '1k', image_count: 1, style: { prompt: 'in oil' } } },
      },
    });
  });

  test('merges an anchor that has a merge key itself', () => {
    const text = edit('<<: *both').replace(
      'steps:',
      'x-both: &both { <<: [*edit, *oil], image_count: 9 }\nsteps:',
    );
    expect(resolvedOf(text)).toMatchObject({
      steps: { edit: { with: { resolution: '1k', image_count: 9, style: { prompt: 'in oil' } } } },
    });
  });

  test('in quotes is a key like any other', () => {
    expect(problemsOf(edit('"<<": *edit, style: { prompt: x }'))).toMatchObject([
      { message: 'step "edit": unknown key "<<"' },
    ]);
  });

  test.each([
    ['a text', '<<: «x»'],
    ['a list with a number', '<<: [*edit, «3»]'],
    ['an alias of a list', '<<: «*list»'],
  ])('of %s is a problem at its place', (_, fields) => {
    const text = edit(fields).replace('steps:', 'x-list: &list [1]\nsteps:');
    expect(onlyProblem(text)).toMatchObject({
      message: 'a merge key (<<) takes an object, and this is none',
    });
  });

  test('written twice is a problem, with the list as the remedy', () => {
    expect(onlyProblem(edit('<<: *edit, «<<»: *oil'))).toMatchObject({
      message: 'the key "<<" appears twice',
      hint: 'write one list: <<: [*a, *b]',
    });
  });

  test('that would put a value into itself is a problem', () => {
    const text = edit('<<: *edit').replace(
      'steps:',
      'x-self: &self { a: { <<: «*self» } }\nsteps:',
    );
    expect(onlyProblem(text)).toMatchObject({
      message: 'an alias makes a value contain itself',
    });
  });

  test.each([
    ['of merge keys', (n: number) => `{ a: { <<: *x${n} }, b: { <<: *x${n} } }`],
    ['of lists of merge keys', (n: number) => `{ a: { <<: [*x${n}, *x${n}] }, b: { <<: *x${n} } }`],
  ])('cannot make a bomb %s', (_, of) => {
    const lines = Array.from({ length: 60 }, (_, n) => `x-${n + 1}: &x${n + 1} ${of(n)}`);
    const text = ['pipeline: p', 'x-0: &x0 { k: 1 }', ...lines, 'steps:', `  ${photo}`, ''].join(
      '\n',
    );
    expect(problemsOf(text)).toMatchObject([
      { message: expect.stringContaining('the merge keys (<<) of the file stand for more than') },
    ]);
  });
});

describe('a problem in a merged value', () => {
  test.each([
    ['a value of the wrong type', 'image_count: 1', 'image_count: «many»'],
    ['an unknown key', 'image_count: 1', '«image_cuont»: 1'],
  ])('%s is at the anchor', (_, from, to) => {
    const text = edit('<<: *edit, style: { prompt: x }').replace(from, to);
    expect(onlyProblem(text)?.message).toMatch(/^step "edit": /);
  });

  test('a wrong name in an expression is at the anchor, and told once', () => {
    const text = edit('<<: *edit, style: { prompt: x }')
      .replace('image_count: 1', 'name: "a ${{ «itm».stem }}"')
      .replace(
        '  save:',
        '  again: { uses: ai-image-editor, with: { <<: *edit, style: { prompt: x }, assets: { image_file_paths: ["${{ steps.photo.file_path }}"] } }, keep: remote }\n  save:',
      );
    expect(onlyProblem(text)?.message).toContain('itm');
  });

  test('a value of an alias is shown at its anchor', () => {
    const text = edit('image_count: *n, style: { prompt: x }').replace(
      'steps:',
      'x-n: &n «many»\nsteps:',
    );
    expect(onlyProblem(text)?.message).toContain('image_count must be');
  });
});

describe('x- keys', () => {
  test('are not part of the file as it is run', () => {
    const value = withOf('<<: *edit, style: { prompt: x }');
    expect(Object.keys(Object(value))).toEqual(['pipeline', 'steps']);
  });

  test('are for the top level: a step has none', () => {
    const text = edit('<<: *edit, style: { prompt: x }').replace(
      '  edit:',
      '  edit:\n    «x-more»: 1',
    );
    expect(onlyProblem(text)?.message).toBe('step "edit": unknown key "x-more"');
  });

  test('a key of another form is still unknown', () => {
    const text = edit('<<: *edit, style: { prompt: x }').replace('steps:', '«xedit»: 1\nsteps:');
    expect(onlyProblem(text)?.message).toBe('unknown key "xedit"');
  });
});
