// Clips are strangers' files, and what decodes them is native: a crash would take the service along.
import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openClip } from '../../../src/previews/clips/open.ts';
import { clipInput } from './samples.ts';
import { basesIn, type Specimen, specimensOf } from './specimens.ts';

const folder = mkdtempSync(join(tmpdir(), 'shotlist-malformed-'));
let specimens: readonly Specimen[] = [];
beforeAll(async () => {
  specimens = await specimensOf(await basesIn(folder), folder);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Opens a specimen and, if it is a clip, takes frames of its beginning and of where it should end. */
async function outcomeOf({ name, bytes }: Specimen): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, bytes);
  const opened = await openClip(clipInput(file));
  if (!opened.ok) {
    expect(opened.error.message).toContain('assets.video_file_path (uploads/clip)');
    return opened.error.code;
  }
  const { facts, frames } = opened.value;
  expect(facts.width * facts.height * facts.fps * facts.seconds, name).toBeGreaterThan(0);
  for (const start of [0, Math.max(0, facts.seconds - 0.2)]) {
    let count = 0;
    for await (const picture of frames({
      start,
      end: start + 0.2,
      width: 16,
      height: 12,
      fps: 10,
    })) {
      expect(picture.pixels.length).toBe(16 * 12 * 4);
      count += 1;
    }
    expect(count, name).toBe(2);
  }
  return 'ok';
}

test('each of 250 malformed clips is a clip after all or an error of its project, and takes no memory that it should not', async () => {
  expect(specimens.length).toBeGreaterThan(250);
  expect(new Set(specimens.map(({ name }) => name)).size).toBe(specimens.length);
  const before = process.memoryUsage.rss();
  const wrong: string[] = [];
  const outcomes = new Map<string, number>();
  for (const specimen of specimens) {
    const outcome = await outcomeOf(specimen);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    if (specimen.outcome !== undefined && specimen.outcome !== outcome)
      wrong.push(`${specimen.name} is ${outcome}, not ${specimen.outcome}`);
  }
  expect(wrong).toEqual([]);
  expect([...outcomes.keys()].sort()).toEqual(['file_too_large', 'invalid_video_file', 'ok']);
  expect((process.memoryUsage.rss() - before) / 1e6).toBeLessThan(300);
}, 180_000);
