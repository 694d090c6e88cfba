// What a person decides before everything is bought: the question above a threshold.
import { describe, expect, test } from 'vitest';
import type { RunQuestion } from '../../src/features/run/context.ts';
import type { LineFile } from '../../src/run/journal-writer.ts';
import { bill, photo, Rig, service } from '../rig.ts';

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
