// What status says of a state file alone. What is printed: test/transcripts; of a run that answers: test/e2e/status-live.test.ts.
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { StatusReport } from '../../src/index.ts';
import { World } from '../kit/world.ts';

const photos = (condition: string): string => `pipeline: photos
items: { glob: photos/*.png }
output: out
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  faces: { uses: face-detect, with: { target_file_path: "\${{ steps.photo.file_path }}" } }
  colour: { if: "size(steps.faces.faces) > ${condition}", uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
  save: { uses: download, with: { of: colour, to: "\${{ item.key }}" } }
  tidy: { uses: delete, with: { of: colour } }
`;
const two = { 'photos/p1.png': 'p1 faces=1', 'photos/p2.png': 'p2 faces=1' };

test('a creation that is under way is no doubt, until the run is dead', async () => {
  const world = new World(photos('0'), two, { disk: 'folder' });
  let during: Promise<StatusReport> | undefined;
  world.onLine = (line) => {
    if (line.includes('"state":"created"')) during ??= world.status();
  };
  await world.run();
  expect(await during).toMatchObject({ running: expect.any(String), doubts: [] });

  const killed = new World(photos('0'), two);
  await killed.run({ cut: { request: 10, when: 'after' } });
  expect((await killed.status()).doubts.length).toBeGreaterThan(0);
});

test('a photo that failed is no failure any more once its step is skipped, and other skipped tasks leave no line', async () => {
  const world = new World(photos('0'), two);
  world.service.fate = ({ number }) => (number === 1 ? { error: 'no_source_face' } : undefined);
  expect((await world.run()).summary).toMatchObject({ tasks: { failed: 1 } });
  world.edit(photos('9'));
  expect((await world.run()).summary).toMatchObject({ outcome: 'done', tasks: { skipped: 6 } });
  expect(world.state.match(/"ending":"skipped"/g)).toHaveLength(1);
  expect((await world.status()).failures).toEqual([]);
});

test('an if: is asked again, so that a skipped step is not called open', async () => {
  const world = new World(photos('9'), two);
  await world.run();
  const unrecorded = { skipped: 2 };
  expect((await world.status()).steps.slice(-3)).toMatchObject([
    { step: 'colour', unrecorded },
    { step: 'save', unrecorded },
    { step: 'tidy', unrecorded },
  ]);
});

test('a run that can neither write nor remove its live file ends as well', async () => {
  const world = new World(photos('0'), two, { disk: 'folder' });
  const live = join(world.folder, '.shotlist/photos.state.jsonl.live.json');
  const before: boolean[] = [];
  world.onLine = () => {
    before.push(existsSync(live));
    rmSync(live, { force: true, recursive: true });
    mkdirSync(live);
  };
  expect((await world.run()).outcome).toBe('done');
  expect([before[0], existsSync(live)]).toEqual([true, true]);
});
