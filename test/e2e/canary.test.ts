// What a person decides before everything is bought: the question above a threshold, and `run --first`.
import { describe, expect, test } from 'vitest';
import type { RunQuestion } from '../../src/features/run/context.ts';
import type { LineFile } from '../../src/run/journal-writer.ts';
import { bill, envOf, photo, Rig, service } from '../rig.ts';

const pipeline = `pipeline: paint
items: { glob: photos/*.png }
output: out
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  paint:
    uses: photo-colorizer
    with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } }
  save: { uses: download, with: { of: paint, to: "\${{ item.name }}" } }
`;

async function painting(top = ''): Promise<Rig> {
  const rig = new Rig(top + pipeline);
  for (const [index, name] of ['a', 'b', 'c', 'd'].entries())
    rig.write(`photos/${name}.png`, await photo(index + 1));
  return rig;
}

describe('a question before a run buys', () => {
  // A yes: test/e2e/questions.test.ts.
  test('is asked above the threshold only, and a no buys nothing', async () => {
    const rig = await painting('confirm_above: 39\n');
    const local = await service();
    const asked: RunQuestion[] = [];
    const confirm = async (question: RunQuestion): Promise<boolean> => {
      asked.push(question);
      return false;
    };
    await expect(rig.run(local, { confirm })).rejects.toThrow('nothing was bought');
    expect(asked).toMatchObject([{ above: 39, plan: { credits: 40 } }]);
    expect(bill(local.ledger()).size).toBe(0);
    await rig.run(local, { confirm, confirmAbove: 40 });
    expect(asked).toHaveLength(1);
    expect(bill(local.ledger()).size).toBe(4);
  });

  test('is void if a file has changed before the answer', async () => {
    const rig = await painting();
    const local = await service();
    const confirm = async (): Promise<boolean> => {
      rig.write('photos/b.png', await photo(9));
      return true;
    };
    await expect(rig.run(local, { confirm, confirmAbove: 0 })).rejects.toThrow(
      'photo:b.png is no longer as it was shown',
    );
    expect(bill(local.ledger()).size).toBe(0);
  });

  test('leaves room for what an interrupted run has spent', async () => {
    const rig = await painting('limits: { items: 1 }\n');
    const local = await service();
    const stop = new AbortController();
    const lines = (file: LineFile): LineFile => ({
      append(line) {
        file.append(line);
        if (line.includes('"created"')) stop.abort();
      },
      sync: () => file.sync(),
    });
    await rig.run(local, { signal: stop.signal }, { lines });
    expect(bill(local.ledger()).size).toBe(1);
    const ran = await rig.run(local, { confirm: async () => true, confirmAbove: 0 });
    expect(ran.summary).toMatchObject({ outcome: 'done', credits: { charged: 30 } });
  });
});

describe('run --first', () => {
  test('runs so many items with work, shows what they became and what the rest will cost', async () => {
    const rig = await painting();
    const local = await service();
    const first = await rig.command(['run', 'pipeline.yaml', '--first', '1'], envOf(local));
    expect(first.code).toBe(0);
    expect(first.stdout).toMatch(/a\.png +→ +out\/a\.png/);
    expect(first.stdout).toContain('They cost 10 credits, 10 each.');
    expect(first.stdout).toContain('The other 3 items may cost up to 30 credits.');
    expect(first.stdout).toContain('To continue with the rest: shotlist run pipeline.yaml');
    expect(bill(local.ledger()).size).toBe(1);
    const next = await rig.command(['run', 'pipeline.yaml', '--first', '2'], envOf(local));
    expect(next.stdout).toMatch(/c\.png +→ +out\/c\.png/);
    expect(bill(local.ledger()).size).toBe(3);
  });

  test('goes on with --yes, within one budget', async () => {
    const rig = await painting();
    const local = await service();
    const args = ['run', 'pipeline.yaml', '--first', '1', '--yes', '--budget', '30'];
    const ran = await rig.command(args, envOf(local));
    expect(ran.code).toBe(3);
    expect([...bill(local.ledger()).values()]).toEqual([10, 10, 10]);
  });

  test('does not go on after a failure', async () => {
    const rig = await painting();
    const local = await service();
    const args = ['run', 'pipeline.yaml', '--first', '1', '--yes', '--budget', '5'];
    const ran = await rig.command(args, envOf(local));
    expect(ran.code).toBe(3);
    expect(ran.stdout).toContain('To continue with the rest');
    expect(bill(local.ledger()).size).toBe(0);
  });
});
