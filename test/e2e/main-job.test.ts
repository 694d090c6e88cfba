// The main job: a folder of photos through a pipeline, end to end, against the real local service.
import { copyFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import type { LineFile } from '../../src/core/journal.ts';
import type { RunInternals } from '../../src/features/run/run.ts';
import type { LocalService } from '../../src/service/start.ts';
import { LineNews } from '../kit/news.ts';
import { bill, photo, photoPipeline, photoRig, service } from '../rig.ts';

/** Requests that change something or carry media. */
function work(local: LocalService): Record<string, number> {
  return Object.fromEntries(
    Object.entries(local.requests()).filter(
      ([route, count]) => !route.startsWith('GET ') && count > 0,
    ),
  );
}

describe('a folder of photos', () => {
  test('every photo is swapped, saved, and its project deleted; a second run sends nothing; a photo with other content runs alone', async () => {
    const local = await service();
    const rig = await photoRig(3);
    const { summary } = await rig.run(local);
    expect(summary).toMatchObject({
      outcome: 'done',
      items: { total: 3, done: 3 },
      credits: { charged: 30, refunded: 0, reserved: 0 },
      tasks: { done: 16, reused: 0, failed: 0 },
    });
    expect(rig.files('out')).toEqual(['p1.png', 'p2.png', 'p3.png']);
    for (const file of rig.files('out')) {
      const { format } = await sharp(rig.path(`out/${file}`)).metadata();
      expect(format).toBe('png');
    }
    expect([...bill(local.ledger()).values()]).toEqual([10, 10, 10]);
    expect(local.requests()['DELETE /v1/image-projects/:id']).toBe(3);

    const state = rig.read('photos.state.jsonl');
    const before = JSON.stringify(local.requests());
    const second = await rig.run(local);
    expect(second.summary).toMatchObject({
      outcome: 'done',
      credits: { charged: 0 },
      tasks: { done: 0, reused: 16 },
    });
    expect(JSON.stringify(local.requests())).toBe(before);
    expect(rig.read('photos.state.jsonl')).toBe(state);

    rig.write('photos/p2.png', await photo(77));
    const changed = await rig.run(local);
    expect(changed.summary.credits.charged).toBe(10);
    const worked = changed.events.flatMap((h) =>
      h.type === 'task' && h.ending === 'done' ? [h.task] : [],
    );
    expect(worked.sort()).toEqual([
      'faces:p2.png',
      'photo:p2.png',
      'save:p2.png',
      'swap:p2.png',
      'tidy:p2.png',
    ]);
  });

  test('a copy of a photo is paid once, in the same run and in a later one, and a renamed photo costs nothing but its download’s new place', async () => {
    const local = await service();
    const rig = await photoRig(1);
    copyFileSync(rig.path('photos/p1.png'), rig.path('photos/same-run.png'));
    await rig.run(local);
    copyFileSync(rig.path('photos/p1.png'), rig.path('photos/later.png'));
    const { summary } = await rig.run(local);
    expect(summary).toMatchObject({ outcome: 'done', credits: { charged: 0 } });
    expect([...bill(local.ledger()).values()]).toEqual([10]);
    expect(rig.files('out')).toEqual(['later.png', 'p1.png', 'same-run.png']);

    const before = work(local);
    renameSync(rig.path('photos/p1.png'), rig.path('photos/renamed.png'));
    const renamed = await rig.run(local);
    expect(renamed.summary).toMatchObject({ outcome: 'done', credits: { charged: 0 } });
    expect(work(local)).toEqual(before);
    expect(readFileSync(rig.path('out/renamed.png'))).toEqual(readFileSync(rig.path('out/p1.png')));
  });

  test('a setting that is changed and changed back costs nothing, and its first result is there again; step names, comments and the order of keys cost nothing either', async () => {
    const local = await service();
    const rig = await photoRig(1);
    await rig.run(local);
    const first = readFileSync(rig.path('out/p1.png'));
    const changed = photoPipeline.replace(
      'face_swap_mode: individual-faces',
      'source_file_path: ${{ steps.actor.file_path }}\n        face_swap_mode: individual-faces',
    );
    writeFileSync(rig.file, changed);
    expect((await rig.run(local)).summary.credits.charged).toBe(10);
    writeFileSync(rig.file, photoPipeline);
    const { summary } = await rig.run(local);
    expect(summary).toMatchObject({ outcome: 'done', credits: { charged: 0 } });
    expect(readFileSync(rig.path('out/p1.png'))).toEqual(first);

    const renamed = `# a comment\n${photoPipeline.replaceAll('swap', 'put').replaceAll('face-put-photo', 'face-swap-photo').replaceAll('face_put_mode', 'face_swap_mode').replaceAll('photo:', 'picture:').replaceAll('steps.photo', 'steps.picture')}`;
    writeFileSync(rig.file, renamed);
    const third = await rig.run(local);
    expect(third.summary).toMatchObject({
      outcome: 'done',
      credits: { charged: 0 },
      tasks: { failed: 0 },
    });
    expect(local.ledger().filter(({ kind }) => kind === 'charge')).toHaveLength(2);
  });

  test('a file that its owner changed after the download is left alone, and a lost download of a deleted project is not paid again unless that is asked for', async () => {
    const local = await service();
    const rig = await photoRig(1);
    await rig.run(local);
    rig.write('out/p1.png', Buffer.from('retouched'));
    const left = await rig.run(local);
    expect(left.summary).toMatchObject({ outcome: 'done', credits: { charged: 0 } });
    expect(rig.read('out/p1.png')).toBe('retouched');

    rmSync(rig.path('out/p1.png'));
    const { summary } = await rig.run(local);
    expect(summary).toMatchObject({ outcome: 'failed', credits: { charged: 0 } });
    expect(summary.problems[0]?.why).toContain('--pay-again');
    const again = await rig.run(local, { payAgain: true });
    expect(again.summary).toMatchObject({ outcome: 'done', credits: { charged: 10 } });
    expect(rig.files('out')).toEqual(['p1.png']);
  });

  test('what is paid for again is also saved where the file of the lost result was changed, and that one is kept', async () => {
    const local = await service();
    const rig = await photoRig(1);
    const also = '  also: { uses: download, with: { of: swap, to: "also-${{ item.stem }}.png" } }';
    rig.write('pipeline.yaml', photoPipeline.replace(/^ {2}tidy:/m, `${also}\n  tidy:`));
    await rig.run(local);
    rmSync(rig.path('out/p1.png'));
    rig.write('out/also-p1.png', Buffer.from('retouched'));
    const { summary } = await rig.run(local, { payAgain: true });
    expect(summary).toMatchObject({ outcome: 'done', credits: { charged: 10 } });
    expect(summary.files).toEqual({ changed: 0, elsewhere: 0, stored: 0 });
    expect(rig.read('out/also-p1.png')).not.toBe('retouched');
    const kept = rig.files('.shotlist/kept').map((name) => rig.read(`.shotlist/kept/${name}`));
    expect(kept).toEqual(['retouched']);
    expect(local.requests()['DELETE /v1/image-projects/:id']).toBe(2);
  });

  test('a photo without faces is skipped with all that uses it', async () => {
    const local = await service();
    const rig = await photoRig(
      1,
      photoPipeline.replace('size(steps.faces.faces) > 0', 'size(steps.faces.faces) > 9'),
    );
    const { summary } = await rig.run(local);
    expect(summary).toMatchObject({
      outcome: 'done',
      credits: { charged: 0 },
      tasks: { skipped: 3 },
    });
  });

  test.each([
    ['limits: { items: 4, steps: { face-swap-photo: 1 } }', { swaps: 1, photos: 4 }],
    ['limits: { items: 2 }', { swaps: 2, photos: 2 }],
    ['limits: { items: 4 }', { swaps: 4, photos: 4 }],
  ])('with %s no more are in progress at once', async (limits, most) => {
    // Slow enough that all that may run at once does.
    const local = await service({ speed: 10, slots: 6 });
    const rig = await photoRig(4, photoPipeline.replace('output: out', `output: out\n${limits}`));
    const seen = new Peaks();
    const { summary } = await rig.run(local, {}, seen);
    expect(summary).toMatchObject({ outcome: 'done', items: { done: 4 } });
    expect(seen.peaks.photos).toBe(most.photos);
    expect(seen.peaks.swaps).toBeLessThanOrEqual(most.swaps);
    // Without a limit several run at once: so the limits above are what bounds them.
    if (most.swaps > 2) expect(seen.peaks.swaps).toBeGreaterThan(2);
  });
});

/** Reads the journal as it is written: how many swaps, and how many photos, were in progress at most. */
class Peaks implements RunInternals {
  readonly #news = new LineNews();
  readonly #swaps = new Set<string>();
  readonly #photos = new Set<string>();
  readonly peaks = { swaps: 0, photos: 0 };

  readonly lines = (file: LineFile): LineFile => ({
    append: (text) => {
      for (const { what, task } of this.#news.of(text)) {
        const [step, item] = task.split(':');
        if (item !== undefined) this.#photos.add(item);
        if (item !== undefined && what === 'deleted') this.#photos.delete(item);
        if (step === 'swap' && what === 'intent') this.#swaps.add(task);
        if (step === 'swap' && what === 'settled') this.#swaps.delete(task);
      }
      this.peaks.swaps = Math.max(this.peaks.swaps, this.#swaps.size);
      this.peaks.photos = Math.max(this.peaks.photos, this.#photos.size);
      file.append(text);
    },
    sync: () => file.sync(),
  });
}

test('what is complete and not saved yet is saved before anything new is bought', async () => {
  const local = await service();
  const rig = await photoRig(4, photoPipeline.replace(/ {2}save[\s\S]*/, ''));
  await rig.run(local);
  writeFileSync(rig.file, photoPipeline);
  rig.write('photos/a-new-one.png', await photo(50));
  const events: string[] = [];
  const news = new LineNews();
  const note: RunInternals = {
    lines: (file) => ({
      append: (text) => {
        for (const { what, task } of news.of(text))
          if (what === 'output' || what === 'intent') events.push(`${what} ${task}`);
        file.append(text);
      },
      sync: () => file.sync(),
    }),
  };
  const { summary } = await rig.run(local, {}, note);
  expect(summary).toMatchObject({ outcome: 'done', credits: { charged: 10 } });
  expect(events.slice(0, 4).sort()).toEqual([1, 2, 3, 4].map((n) => `output save:p${n}.png`));
  expect(events.slice(4)).toEqual(['intent swap:a-new-one.png', 'output save:a-new-one.png']);
});

describe('later steps', () => {
  test('a step added after the project was deleted uses the downloaded file, uploaded again', async () => {
    const local = await service();
    const rig = await photoRig(1);
    await rig.run(local);
    const more = `${photoPipeline}  colour: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.swap.url }}" } } }
  save2: { uses: download, with: { of: colour, to: "\${{ item.stem }}-colour.png" } }
`;
    writeFileSync(rig.file, more);
    const { summary } = await rig.run(local);
    expect(summary).toMatchObject({ outcome: 'done', credits: { charged: 10 } });
    expect(rig.files('out')).toEqual(['p1-colour.png', 'p1.png']);
    const before = work(local);
    expect((await rig.run(local)).summary.credits.charged).toBe(0);
    expect(work(local)).toEqual(before);
  });

  test('a step added while the project lives uses a fresh address of it', async () => {
    const local = await service();
    const kept = photoPipeline.replace(/ {2}tidy.*\n/, '');
    const rig = await photoRig(1, kept);
    await rig.run(local);
    writeFileSync(
      rig.file,
      `${kept}  colour: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.swap.url }}" } } }\n`,
    );
    const { summary } = await rig.run(local);
    expect(summary).toMatchObject({ outcome: 'done', credits: { charged: 10 } });
  });
});

describe('a step that goes on with what a download saved', () => {
  const onward = `${photoPipeline.replace(/ {2}tidy.*\n/, '')}  again: { uses: upload, with: { file: "\${{ steps.save.path }}" } }
  colour: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.again.file_path }}" } } }
  coloured: { uses: download, with: { of: colour, to: "\${{ item.stem }}-colour.png" } }
`;

  test('is done once: a second run plans and sends nothing, and one with a renamed photo pays nothing', async () => {
    const local = await service();
    const rig = await photoRig(2, onward);
    const first = await rig.run(local);
    expect(first.summary).toMatchObject({ outcome: 'done', credits: { charged: 40 } });
    const state = rig.read('photos.state.jsonl');
    const before = JSON.stringify(local.requests());
    const second = await rig.run(local);
    expect(second.summary).toMatchObject({
      outcome: 'done',
      credits: { charged: 0 },
      tasks: { done: 0, reused: 15 },
    });
    const planned = second.events.find(({ type }) => type === 'planned');
    expect(planned).toMatchObject({ plan: { credits: 0, notes: [] } });
    expect(JSON.stringify(local.requests())).toBe(before);
    expect(rig.read('photos.state.jsonl')).toBe(state);

    renameSync(rig.path('photos/p1.png'), rig.path('photos/renamed.png'));
    const { summary } = await rig.run(local);
    expect(summary).toMatchObject({ outcome: 'done', credits: { charged: 0 } });
    expect(rig.files('out')).toContain('renamed-colour.png');
  });
});
