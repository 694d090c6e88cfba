// One task asked what it wants: its problems, with their places, and what was done for it before.
import { describe, expect, test } from 'vitest';
import { digestOf } from '../../src/base/digest.ts';
import { toCel } from '../../src/language/expression.ts';
import { type Fingerprint, fingerprintFrom } from '../../src/model/fingerprint.ts';
import { Ledger } from '../../src/model/ledger.ts';
import { namedByContent } from '../../src/model/outputs.ts';
import { ask, type TaskAnswer } from '../../src/plan/ask.ts';
import { nothingRemembered, type Remembered } from '../../src/plan/remembered.ts';
import { pickedTakes, type Takes } from '../../src/plan/takes.ts';
import { type Case, expectTables } from '../text-table.ts';
import { Disk, hash, jobLine, outputLine, pipelineOf } from './plan-world.ts';

const job = fingerprintFrom(digestOf('job'));

const secondTake: Takes = {
  choose: ({ fingerprint: first }) => ({
    first,
    number: 2,
    known: 1,
    others: 10,
    saveTo: 'takes/a.png',
  }),
  spares: () => false,
};

/** What a step answers for an item: one of the pipeline by its name, or one in place of `it`. */
function answer(
  given: string,
  {
    item = { key: 'a' },
    disk = new Disk(),
    jobs = () => undefined,
    remembered,
    rerolls = false,
  }: {
    readonly item?: Readonly<Record<string, string | number>>;
    readonly disk?: Disk;
    readonly jobs?: (fingerprint: Fingerprint) => ReturnType<typeof jobLine> | undefined;
    readonly remembered?: Remembered;
    /** Another take is asked for. */
    readonly rerolls?: boolean;
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
      takes: rerolls ? secondTake : pickedTakes(new Ledger()),
      remembered,
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

/** The job as the state file has it, and as a receipt has it. */
const known: Readonly<Record<string, ReturnType<typeof jobLine> | undefined>> = {
  none: undefined,
  intended: jobLine('intended', { name: 'a #1' }),
  doubt: jobLine('doubt', { name: 'a #1' }),
  'doubt without a name': jobLine('doubt'),
  created: jobLine('created', { name: 'a #1', project: 'p-1' }),
  complete: jobLine('complete', { name: 'a #1', project: 'p-1', result: { downloads: 1 } }),
  deleted: jobLine('deleted', { name: 'a #1', project: 'p-1', result: { downloads: 1 } }),
  'deleted, result not known': jobLine('deleted', { name: 'a #1', project: 'p-1' }),
  failed: jobLine('failed', { name: 'a #1', error: { code: 'unknown_error', message: 'm' } }),
  forgotten: jobLine('forgotten'),
};

/** `lines`: another attempt that a receipt has. `same attempt`: what became of the one in the state file. */
function remembering(receipts: string, becomes: string): Remembered {
  const end = known[becomes];
  return {
    ...nothingRemembered,
    paid: () => (receipts === 'busy' ? 'busy' : known[receipts]),
    resolved: (line) => (becomes === 'deleted by another checkout' ? undefined : (end ?? line)),
    deletedElsewhere: () =>
      becomes === 'deleted by another checkout' ? known['deleted'] : undefined,
    copies: () => (receipts === 'a copy' ? [outputLine('save:a', '/b/a.png', 'result')] : []),
  };
}

test('what is remembered beside the state file decides as in the table', () => {
  const shown = (of: TaskAnswer): string =>
    of.is === 'decided'
      ? `${of.decision.act} ${of.decision.reason.code}, job ${of.job?.state ?? 'none'}`
      : of.is;
  const creations = {
    job: Object.keys(known),
    receipts: ['none', 'busy', 'created', 'complete', 'deleted', 'doubt'],
    'same attempt': ['none', 'complete', 'failed', 'deleted by another checkout'],
    reroll: ['no', 'take 2'],
  };
  const downloads = {
    job: ['created', 'complete', 'deleted', 'deleted, result not known'],
    file: ['not recorded', 'whole'],
    receipts: ['none', 'a copy'],
    'same attempt': ['none', 'deleted by another checkout'],
  };
  const creation = (one: Case): string =>
    shown(
      answer(
        '{ uses: photo-colorizer, with: { assets: { image_file_path: "${{ steps.photo.file_path }}" } } }',
        {
          jobs: () => known[one['job'] ?? ''],
          remembered: remembering(one['receipts'] ?? '', one['same attempt'] ?? ''),
          rerolls: one['reroll'] !== 'no',
        },
      ),
    );
  const download = (one: Case): string => {
    const disk = new Disk();
    const outputs = [outputLine('save:a', 'out/a.png', 'result')];
    if (one['file'] === 'whole') disk.outputs.set('out/a.png', 'result');
    const line = known[one['job'] ?? ''];
    const jobs = () =>
      line === undefined || one['file'] !== 'whole' ? line : { ...line, outputs };
    const remembered = remembering(one['receipts'] ?? '', one['same attempt'] ?? '');
    return shown(answer('save', { jobs, disk, remembered }));
  };
  expectTables('remembered.txt', rememberedHeader, {
    create: [creations, creation],
    download: [downloads, download],
  });
});

const rememberedHeader = `# What receipts and other records say beside the state file, and what follows → act, code of the reason, the job that
# counts. "receipts": another payment for the request. "same attempt": what became of the one in the state file.
`;
