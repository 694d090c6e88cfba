// What arrives damaged is never taken for the result, and its original is never deleted for it.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { FaultRule } from '../../src/service/faults/schema.ts';
import type { LocalService } from '../../src/service/start.ts';
import { photo } from '../photo.ts';
import { envOf, Rig, service } from '../rig.ts';

const cutOut = `pipeline: cut
items: { glob: photos/* }
output: out
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  cut: { uses: image-background-remover, with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
  save: { uses: download, with: { of: cut, to: "\${{ item.stem }}.png" } }
  tidy: { uses: delete, with: { of: cut } }
`;

async function rigOf(count: number): Promise<Rig> {
  const rig = new Rig(cutOut);
  for (let number = 1; number <= count; number++)
    rig.write(`photos/p${number}.png`, await photo(number));
  return rig;
}

const corrupting = (often: { readonly count?: number }): Promise<LocalService> => {
  const rule: FaultRule = { fault: 'corrupt', on: 'GET /downloads/*', ...often };
  return service({ faults: { faults: [rule] } });
};

const deletions = (local: LocalService): number =>
  Object.entries(local.requests())
    .filter(([name]) => name.startsWith('DELETE'))
    .reduce((sum, [, count]) => sum + count, 0);

describe('a download whose bytes are not those of the storage', () => {
  test('is fetched again', async () => {
    const [rig, plain] = [await rigOf(3), await rigOf(3)];
    const { summary } = await rig.run(await corrupting({ count: 2 }));
    expect(summary.outcome).toBe('done');
    await plain.run(await service());
    for (const file of plain.files('out'))
      expect(
        readFileSync(rig.path(`out/${file}`)).equals(readFileSync(plain.path(`out/${file}`))),
      ).toBe(true);
  });

  test('is not saved if it never comes right, and its project stays', async () => {
    const rig = await rigOf(1);
    const local = await corrupting({});
    const { summary } = await rig.run(local);
    expect(summary).toMatchObject({ outcome: 'failed', credits: { charged: 5 } });
    expect(JSON.stringify(summary)).toContain('the file arrived damaged');
    expect([rig.files('out'), deletions(local)]).toEqual([[], 0]);
  });
});

test('a project is not deleted while its saved file does not decode', async () => {
  // Subtitles for a clip are the clip, in the local service: here a picture with a good header and nothing behind.
  const rig = new Rig(`pipeline: clips
output: out
steps:
  clip: { uses: upload, with: { file: clip.gif } }
  words:
    uses: auto-subtitle-generator
    with: { start_seconds: 0, end_seconds: 1, style: { template: karaoke }, assets: { video_file_path: "\${{ steps.clip.file_path }}" } }
  save: { uses: download, with: { of: words, to: clip.gif } }
  tidy: { uses: delete, with: { of: words } }
`);
  rig.write('clip.gif', Buffer.from('GIF89a\x10\0\x10\0 and no picture'));
  const local = await service();
  const { summary } = await rig.run(local);
  expect(JSON.stringify(summary)).toContain(
    'kept: out/clip.gif is a GIF picture that cannot be decoded',
  );
  expect([rig.files('out'), deletions(local)]).toEqual([['clip.gif'], 0]);
});

test('an item whose file is no picture fails by its name, before anything is sent or paid for it', async () => {
  const rig = await rigOf(2);
  rig.write('photos/text.jpg', Buffer.from('a letter'));
  rig.write('photos/cut.png', (await photo(5)).subarray(0, 60));
  const local = await service();
  const planned = await rig.command(['plan', 'pipeline.yaml'], envOf(local));
  const told = [
    'photos/text.jpg is not a picture in a supported format',
    'photos/cut.png is a PNG picture that was cut off',
  ];
  for (const sentence of told) expect(planned.stdout + planned.stderr).toContain(sentence);
  const ran = await rig.run(local);
  for (const sentence of told) expect(JSON.stringify(ran.events)).toContain(sentence);
  expect(ran.summary.credits.charged).toBe(10);
  expect(local.requests()['PUT /uploads/*']).toBe(2);
  expect(rig.files('out')).toEqual(['p1.png', 'p2.png']);
  // The files are judged again, although the others are known by now.
  const again = await rig.command(['plan', 'pipeline.yaml'], envOf(local));
  for (const sentence of told) expect(again.stdout + again.stderr).toContain(sentence);
});

test('a clip in a format that nothing here can judge is let through, and said', async () => {
  const rig = new Rig(`pipeline: clips
steps:
  clip: { uses: upload, with: { file: clip.mp4 } }
  words:
    uses: auto-subtitle-generator
    with: { start_seconds: 0, end_seconds: 1, style: { template: karaoke }, assets: { video_file_path: "\${{ steps.clip.file_path }}" } }
  save: { uses: download, with: { of: words, to: words.mp4 } }
`);
  rig.write('clip.mp4', Buffer.alloc(3000, 7));
  const planned = await rig.command(['plan', 'pipeline.yaml', '--rehearse']);
  expect(planned.code).toBe(0);
  expect(planned.stderr).toContain('clip.mp4 is in a format that shotlist cannot check');
});
