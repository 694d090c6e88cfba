// After prune, the plan of an unchanged pipeline says what it said before, and nobody pays twice for anything: tried on
// random pipelines whose photos and steps come and go.
import { rmSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { photo, photoRig, service } from '../rig.ts';
import { found, named, nothing, planned, pruned } from './orphaned.ts';

interface Shape {
  readonly tidy: boolean;
  readonly color: boolean;
  readonly store: boolean;
  readonly swap: 'swap' | 'change';
}

const pipelineOf = ({ tidy, color, store, swap }: Shape): string => `pipeline: photos
items: { glob: photos/*.png }
output: out
${store ? 'outputs: { store: store }\n' : ''}\
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  ${swap}:
    uses: image-background-remover
    with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } }
  save: { uses: download, with: { of: ${swap}, to: "\${{ item.stem }}.png" } }
${tidy ? `  tidy: { uses: delete, with: { of: ${swap} } }\n` : ''}\
${
  color
    ? `  color: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.${swap}.url }}" } } }
  colored: { uses: download, with: { of: color, to: "colored/\${{ item.stem }}.png" } }
`
    : ''
}`;

const shape: fc.Arbitrary<Shape> = fc.record({
  tidy: fc.boolean(),
  color: fc.boolean(),
  store: fc.nat(3).map((number) => number === 0),
  swap: fc.constantFrom<Shape['swap'][]>('swap', 'swap', 'change'),
});

/** The content of up to four photos by name; 0: the photo is not there. */
const photos = fc
  .array(fc.nat(4), { minLength: 4, maxLength: 4 })
  .filter((all) => all.some((content) => content > 0));

const round = fc.record({ shape, photos, lose: fc.option(fc.nat(3), { freq: 4 }) });

test('prune changes no plan, and costs nothing', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(round, { minLength: 2, maxLength: 3 }), async (rounds) => {
      const local = await service();
      const rig = await photoRig(0, '');
      rmSync(rig.path('actor.png'));
      for (const { shape, photos, lose } of rounds) {
        rig.write('pipeline.yaml', pipelineOf(shape));
        for (const [index, content] of photos.entries())
          if (content === 0) rmSync(rig.path(`photos/p${index}.png`), { force: true });
          else rig.write(`photos/p${index}.png`, await photo(content));
        await rig.run(local);
        if (lose !== null) rmSync(rig.path(`out/p${lose}.png`), { force: true });
        const { orphans, ...before } = await planned(rig, local);
        const listed = await found(rig, local);
        expect(orphans).toMatchObject({ files: listed.files.length, kept: listed.kept.length });
        expect(orphans).toMatchObject({ projects: listed.projects.length });
        const { removed, refused } = await pruned(rig, local);
        expect(refused).toEqual([]);
        expect(named(removed)).toEqual(named(listed));
        const { orphans: _, ...after } = await planned(rig, local);
        expect(after).toEqual(before);
        expect(named(await found(rig, local))).toEqual(nothing);
      }
      // Everything comes back.
      for (const { shape, photos } of rounds) {
        rig.write('pipeline.yaml', pipelineOf(shape));
        for (const [index, content] of photos.entries())
          if (content > 0) rig.write(`photos/p${index}.png`, await photo(content));
        await rig.run(local);
      }
      const charges = local.ledger().filter(({ kind }) => kind === 'charge');
      const paid = rig.read('photos.state.jsonl').match(/^\{"job":.*"credits":[1-9]/gm);
      expect(charges).toHaveLength(paid?.length ?? 0);
    }),
    { numRuns: 2, seed: 8 },
  );
});
