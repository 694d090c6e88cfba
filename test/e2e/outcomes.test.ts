// How a run came out, as a person meets it: what stopped it, what is paid for, and what to do next. What did not fail is
// never called failed.
import { mkdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { bill, ended, envOf, photo, photoPipeline, photoRig, Rig, service, until } from '../rig.ts';
import { longTest } from '../sweep.ts';

/** 10 credits for each of three photos. */
const capped = (budget: string): string =>
  photoPipeline.replace('output: out', `output: out\nbudget: { ${budget} }`);

/** The last line of `run --json`. */
const summaryIn = (stdout: string) => JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '').summary;

// What a person reads of each: test/transcripts/budget.txt.
test('a run that a cap stops says which cap it was, and what would be enough', async () => {
  for (const [budget, flag, cap] of [
    ['credits: 15', undefined, { name: 'budget.credits', most: 15, spent: 10, needed: 20 }],
    ['credits: 25', 15, { name: '--budget', most: 15, spent: 10, needed: 20 }],
    ['per_day: 15', undefined, { name: 'budget.per_day', most: 15, spent: 10, needed: 30 }],
    ['per_item: 5', undefined, { name: 'budget.per_item', most: 5, spent: 0, needed: 10 }],
  ] as const) {
    const [local, rig] = [await service(), await photoRig(3, capped(budget))];
    const { summary } = await rig.run(local, flag === undefined ? {} : { budget: flag });
    const held = cap.name === 'budget.per_item' ? 3 : 0;
    // Nothing is wrong with a task that is not bought.
    const nothing = { problems: [], groups: [] };
    expect(summary, cap.name).toMatchObject({ outcome: 'budget', cap, held, ...nothing });
  }
});

test('the cap of a day is named with its place', async () => {
  const [local, rig] = [await service(), await photoRig(3, capped('per_day: 15'))];
  const { code, stdout } = await rig.command(['run', 'pipeline.yaml'], envOf(local));
  expect(code).toBe(3);
  expect(stdout).toMatch(
    /^Stopped by budget\.per_day in pipeline\.yaml: .*(raise it|run it again)/m,
  );
  expect(stdout).not.toMatch(/failed|problem/);
});

// A key that the service refuses: test/transcripts/failures.txt.
test('an account that turns out to be empty says what to do, and lists no problems', async () => {
  // Enough by the price list: only the service knows better.
  const dear = { fault: 'surcharge', percent: 60, when: 'before' } as const;
  const poor = await service({ credits: 30, faults: { faults: [dear] } });
  const rig = await photoRig(3);
  const broke = await rig.command(['run', 'pipeline.yaml'], envOf(poor));
  expect(broke.code).toBe(3);
  expect(broke.stdout).toMatch(/1 of 3 items finished\.\n.*402[\s\S]*\nAdd credits/);
  expect(broke.stdout).not.toMatch(/failed|problem/);
  // The attempts that the service turned away wait for the next run.
  const status = await rig.command(['status', 'pipeline.yaml', '--json'], envOf(poor));
  expect(JSON.parse(status.stdout)).toMatchObject({ failures: [] });
  expect(status.stdout).not.toContain('"failed":');
});

longTest(
  'after Ctrl-C, what is paid and still renders is counted, and nothing counts as failed',
  async () => {
    const [local, rig] = [await service({ speed: 1 }), await photoRig(3)];
    const child = rig.start(['run', 'pipeline.yaml', '--json'], envOf(local));
    const end = ended(child);
    await until('two projects are charged', () => bill(local.ledger()).size >= 2);
    child.kill('SIGINT');
    const { code, stdout } = await end;
    expect(code).toBe(130);
    const { paid, groups } = summaryIn(stdout);
    expect(paid.rendering + paid.ready).toBe(bill(local.ledger()).size);
    expect(groups).toEqual([]);
    const status = await rig.command(
      ['status', 'pipeline.yaml', '--items', '--json'],
      envOf(local),
    );
    expect(JSON.parse(status.stdout)).toMatchObject({ failures: [] });
    expect(status.stdout).not.toContain('"failed"');
  },
);

const upscaling = `pipeline: up
items: { glob: photos/*.png }
output: out
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  up:
    uses: ai-image-upscaler
    with:
      scale_factor: 2
      assets: { image_file_path: "\${{ steps.photo.file_path }}" }
      style: { enhancement: Balanced }
  save: { uses: download, with: { of: up, to: "\${{ item.stem }}.png" } }
`;

test('broken files are one problem with their own names, and those are what to replace', async () => {
  const [local, rig] = [await service(), new Rig(upscaling)];
  mkdirSync(rig.path('photos'));
  rig.write('photos/good.png', await photo(1));
  // A beginning and an end that read well, and a body that does not.
  for (const [index, name] of ['a', 'b', 'c', 'd'].entries()) {
    const broken = Buffer.from(await photo(2));
    broken.fill(index + 1, 60, broken.length - 30);
    rig.write(`photos/${name}.png`, broken);
  }
  const { code, stdout } = await rig.command(['run', 'pipeline.yaml'], envOf(local));
  expect(code).toBe(1);
  expect(stdout).toContain('4 tasks of up: ');
  expect(stdout).toMatch(/Replace these 4 files.*: photos\/[abcd]\.png, .*, and 1 more/);
  const status = await rig.command(['status', 'pipeline.yaml', '--json'], envOf(local));
  const { failures } = JSON.parse(status.stdout);
  expect(failures).toHaveLength(4);
  for (const { task, why } of failures) expect(why).toContain(`photos/${task.slice('up:'.length)}`);
  // Only as the result of an upload.
  expect(rig.read('up.state.jsonl').match(/api-assets/g)).toHaveLength(5);
  expect(stdout).not.toContain('api-assets');
});

test('plan tells what is the same as another item from what an earlier run has done', async () => {
  const [local, rig] = [await service(), new Rig(upscaling)];
  mkdirSync(rig.path('photos'));
  for (const name of ['a', 'b', 'c']) rig.write(`photos/${name}.png`, await photo(1));
  const planned = await rig.command(['plan', 'pipeline.yaml'], envOf(local));
  expect(planned.stdout).toMatch(/= +up +2 +same as another item, paid once$/m);
  await rig.run(local);
  const again = await rig.command(['plan', 'pipeline.yaml'], envOf(local));
  expect(again.stdout).toMatch(/= +up +ai-image-upscaler +3 +reused$/m);
});

test('a run says the same thing once', async () => {
  const [local, rig] = [await service(), new Rig(upscaling.replace('.png" } }', '.jpg" } }'))];
  mkdirSync(rig.path('photos'));
  for (const name of ['a', 'b', 'c'])
    rig.write(`photos/${name}.png`, await photo(name.charCodeAt(0)));
  rig.write('photos/d.png', '');
  const { stdout, stderr } = await rig.command(['run', 'pipeline.yaml'], envOf(local));
  expect(stderr.match(/result\.ext/g)).toHaveLength(1);
  // By the plan, and in the end.
  expect(stdout.match(/photos\/d\.png is empty/g)).toHaveLength(2);
  rig.write('photos/d.png', await photo(9));
  const unsaved = upscaling.replace(/ {2}save: .*\n/, '').replace('photos/*', 'photos/?*');
  rig.write('unsaved.yaml', unsaved);
  const args = ['run', 'unsaved.yaml', '--first', '1', '--yes', '--state', 'unsaved.jsonl'];
  const twice = await rig.command(args, envOf(local));
  expect(twice.code, twice.stderr).toBe(0);
  expect(twice.stderr.match(/warning SL601/g)).toHaveLength(1);
});

test('a tick takes --yes, as every flag of a run that makes sense for it', async () => {
  const [local, rig] = [await service(), await photoRig(1)];
  const { code, stderr } = await rig.command(['tick', 'pipeline.yaml', '--yes'], envOf(local));
  expect(stderr).toBe('');
  expect([0, 6]).toContain(code);
});
