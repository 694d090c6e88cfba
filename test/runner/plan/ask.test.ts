// One task asked what it wants: its problems, with their places, and what was done for it before.
import { describe, expect, test } from 'vitest';
import { digestOf } from '../../../src/contract/base/digest.ts';
import { Ledger } from '../../../src/runner/journal/ledger.ts';
import { toCel } from '../../../src/runner/language/expression.ts';
import { ask, type TaskAnswer } from '../../../src/runner/plan/ask.ts';
import { pickedTakes } from '../../../src/runner/plan/takes.ts';
import { type Fingerprint, fingerprintFrom } from '../../../src/runner/task/fingerprint.ts';
import { namedByContent } from '../../../src/runner/task/outputs.ts';
import { Disk, hash, jobLine, pipelineOf } from './world.ts';

const job = fingerprintFrom(digestOf('job'));

/** What a step answers for an item: one of the pipeline by its name, or one in place of `it`. */
function answer(
  given: string,
  {
    item = { key: 'a' },
    disk = new Disk(),
    jobs = () => undefined,
  }: {
    readonly item?: Readonly<Record<string, string | number>>;
    readonly disk?: Disk;
    readonly jobs?: (fingerprint: Fingerprint) => ReturnType<typeof jobLine> | undefined;
  } = {},
): TaskAnswer {
  const { steps } = pipelineOf(`pipeline: p
items: { values: [{ key: a, size: 2, file: a.png }] }
steps:
  photo: { uses: upload, with: { file: a.png } }
  it: ${given.startsWith('{') ? given : upload('a.png')}
  save: { uses: download, with: { of: paid, to: "\${{ item.key }}.png" } }
  paid: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
  tidy: { uses: delete, with: { of: paid } }
`);
  const it = steps.find(({ name }) => name === (given.startsWith('{') ? 'it' : given));
  if (it === undefined) throw new Error('there is no step');
  return ask({
    ...{
      step: it,
      task: `${it.name}:a`,
      facts: disk,
      jobOf: jobs,
      savers: [],
      requireOutputs: false,
      takes: pickedTakes(new Ledger()),
    },
    names: {
      scope: {
        ...{ inputs: {}, env: {}, run: {}, item: toCel(item) },
        steps: { photo: toCel(namedByContent('upload', job, {}, 0)) },
      },
      fingerprintOfStep: () => job,
    },
  });
}

const upscale = (factor: string) =>
  `{ uses: ai-image-upscaler, with: { scale_factor: "${factor}", style: { enhancement: Balanced }, assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }`;
const upload = (file: string) => `{ uses: upload, with: { file: ${file} } }`;

describe('a request', () => {
  const bad = { key: 'a', size: 77 };

  test('with a value that cannot be sent is in problem, and says where', () => {
    expect(answer(upscale('${{ int(item.size) }}'), { item: bad })).toMatchObject({
      ...{ is: 'end', ending: 'failed', why: expect.stringContaining('scale_factor') },
      problem: { at: ['steps', 'it', 'with', 'scale_factor'] },
    });
    expect(answer(upscale('${{ int(item.size) }}'), { item: { key: 'a', size: 2 } })).toMatchObject(
      {
        ...{ is: 'decided', decision: { act: 'begin' }, job: undefined },
      },
    );
  });

  test('that was sent before is not judged again: the rules may have changed since', () => {
    expect(
      answer(upscale('${{ int(item.size) }}'), { item: bad, jobs: () => jobLine('complete') }),
    ).toMatchObject({ is: 'decided', decision: { act: 'reuse' } });
  });

  test('whose expression fails says which', () => {
    expect(answer(upscale('${{  int(item.key)  }}'))).toMatchObject({
      ...{ is: 'end', ending: 'failed' },
      why: expect.stringMatching(/^in the expression int\(item\.key\): /),
      problem: { expression: { text: expect.stringContaining('int(item.key)') } },
    });
  });

  test.each([
    [80, 'whole'],
    [81, 'cut'],
  ])('whose expression of %i characters fails shows it %s', (length, shown) => {
    const expression = `int(item.key + '${'x'.repeat(length - "int(item.key + '')".length)}')`;
    expect(expression).toHaveLength(length);
    const { why } = asEnd(answer(upscale(`\${{ ${expression} }}`)));
    const text = shown === 'whole' ? expression : `${expression.slice(0, 79)}…`;
    expect(why).toContain(`in the expression ${text}: `);
  });
});

function asEnd(given: TaskAnswer): { readonly why: string } {
  if (given.is !== 'end') throw new Error(`it is ${given.is}`);
  return given;
}

describe('an upload', () => {
  test.each([
    ['a.pdf', 'a.pdf: the service takes no .pdf file; it takes '],
    ['a', 'a: the service takes no file without an extension; it takes '],
    ['gone.png', 'gone.png does not exist'],
    ['empty.png', 'empty.png is empty'],
  ])('of %s says why it cannot be', (file, why) => {
    const disk = new Disk();
    disk.inputs.set('empty.png', '');
    expect(asEnd(answer(upload(file), { disk })).why).toContain(why);
  });

  test('must be read first, and is its content then', () => {
    const disk = new Disk();
    disk.inputs.set('a.png', 'rose');
    disk.unread.add('a.png');
    expect(answer(upload('a.png'), { disk })).toEqual({ is: 'unread' });
    disk.unread.clear();
    expect(answer(upload('a.png'), { disk })).toMatchObject({
      ...{ is: 'decided', content: hash('rose'), decision: { act: 'begin' } },
    });
  });
});

describe('a download or a delete', () => {
  test('of a project without a job is a bug', () => {
    for (const step of ['save', 'tidy']) expect(() => answer(step)).toThrow('bug: paid has no job');
  });

  test('to a place that leaves the output folder is in problem', () => {
    const item = { key: '../a' };
    const jobs = () => jobLine('complete', { result: { downloads: 1 } });
    expect(asEnd(answer('save', { item, jobs })).why).toBe(
      'to: "../a.png" would leave the output folder',
    );
  });

  test('is decided by the job of its step', () => {
    const jobs = (of: Fingerprint) =>
      of === job ? jobLine('deleted', { result: { downloads: 1 } }) : undefined;
    expect(answer('save', { jobs })).toMatchObject({
      ...{ is: 'decided', fingerprint: job, decision: { act: 'lost' } },
    });
    expect(answer('tidy', { jobs })).toMatchObject({ decision: { act: 'reuse' } });
  });
});
