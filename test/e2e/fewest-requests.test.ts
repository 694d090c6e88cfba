// A photo costs no request more than the interface needs, from its creation to its deletion.
import { expect, test } from 'vitest';
import { photoRig, service, until } from '../rig.ts';

const pipeline = `pipeline: fewest
items: { glob: photos/*.png }
output: out
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  colour: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
  save: { uses: download, with: { of: colour, to: "\${{ item.stem }}.png" } }
  tidy: { uses: delete, with: { of: colour } }
`;

test('a photo is one upload, one creation, one look, one download and one deletion', async () => {
  const local = await service();
  const rig = await photoRig(4, pipeline);
  let testLooks = 0;
  const { summary } = await rig.run(
    local,
    {},
    {
      api: (api) => ({
        ...api,
        // Answered when the project is complete, so that the first look finds it complete.
        async create(tool, body, known) {
          const made = await api.create(tool, body, known);
          await until('the project is complete', async () => {
            if (!made.ok) return true;
            testLooks += 1;
            const read = await api.project('image', made.value.id);
            return read.ok && read.value.status === 'complete';
          });
          return made;
        },
      }),
    },
  );
  expect(summary).toMatchObject({ outcome: 'done', items: { done: 4 } });
  const { 'POST /v1/files/upload-urls': addresses = 0, ...others } = local.requests();
  expect({ ...others, [look]: (others[look] ?? 0) - testLooks }).toEqual({
    'GET /v1/account': 1,
    'PUT /uploads/*': 4,
    'POST /v1/photo-colorizer': 4,
    [look]: 4,
    'GET /downloads/*': 4,
    'DELETE /v1/image-projects/:id': 4,
  });
  // One for all of them, if the files are hashed within a few milliseconds.
  expect(addresses).toBeLessThanOrEqual(4);
});

const look = 'GET /v1/image-projects/:id';
