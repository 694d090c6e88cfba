// interface.md, Face detection record.
// Left out: "Other fields of the record: not shown".
import { describe, expect, test } from 'vitest';
import { eventually, listAt, smallSample, textAt } from '../client.ts';
import { facesIn, reach, slow } from './stage.ts';

const path = '/v1/files/face-detection';

describe('interface.md, Face detection record', () => {
  test.each([
    ['image', 'jpg'],
    ['video', 'mp4'],
  ] as const)('is created by POST /v1/files/face-detection on an %s', async (type, extension) => {
    const { client } = await slow();
    const content = type === 'image' ? await smallSample(1) : Buffer.from('a clip');
    const target_file_path = await client.upload(content, extension, type);
    const { status, body } = await client.ask('POST', path, { assets: { target_file_path } });
    expect([status, body]).toEqual([200, expect.objectContaining({ id: expect.any(String) })]);
  });

  test('is read with GET /v1/files/:id/face-detection', async () => {
    const { client } = await slow();
    const target_file_path = await client.upload(await smallSample(1));
    const { body } = await client.ask('POST', path, { assets: { target_file_path } });
    const id = textAt(body, 'id');
    const read = await client.ask('GET', `/v1/files/${id}/face-detection`);
    expect([read.status, read.body]).toEqual([200, expect.objectContaining({ id, faces: [] })]);
  });

  test('has detected faces in its faces list as soon as any face is found', async () => {
    const { client, clock } = await slow();
    const target_file_path = await client.upload(await smallSample(1));
    const { body } = await client.ask('POST', path, { assets: { target_file_path } });
    const read = `/v1/files/${textAt(body, 'id')}/face-detection`;
    // The clock moves once: the detection begins, and cannot end.
    clock.tick();
    const record = await eventually('a face is found', async () => {
      const found = (await client.ask('GET', read)).body;
      return listAt(found, 'faces').length > 0 ? found : undefined;
    });
    expect(record['status']).toBe('rendering');
    for (const face of listAt(record, 'faces')) expect(textAt(face, 'path')).toMatch(/./);
  });

  test('supplies the original_face value used in face swap mappings', async () => {
    const stage = await slow();
    const { client } = stage;
    const target = await client.upload(await smallSample(1));
    const new_face = await client.upload(await smallSample(2));
    const faces = await facesIn(stage, target);
    const face_mappings = faces.map((original_face) => ({ original_face, new_face }));
    expect(face_mappings.length).toBeGreaterThan(0);
    const assets = { target_file_path: target, face_swap_mode: 'individual-faces', face_mappings };
    const { id } = await client.create('face-swap-photo', { assets });
    expect(await reach(stage, 'image', id, 'complete')).toMatchObject({ error: null });
  });
});
