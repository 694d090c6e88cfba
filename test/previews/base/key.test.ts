// The key of a request: what would change the hosted service's result, and nothing else.
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { toolNamed } from '../../../src/contract/tools/all.ts';
import { keyOf } from '../../../src/previews/base/key.ts';
import type { RenderInput } from '../../../src/previews/base/request.ts';

const tool = toolNamed('ai-image-editor');
if (tool === undefined) throw new Error('there is such a tool');

const input = (field: string, reference: string): RenderInput => ({
  ...{ field, media: 'image', reference, file: undefined, face: undefined, faces: [] },
});
const key = (body: JsonObject, fields: readonly string[] = []): string =>
  keyOf({
    ...{ tool, body, folder: '', seed: 1, most: 1080 },
    inputs: fields.map((field) => input(field, 'api-assets/1.png')),
  });
const asked = { style: { prompt: 'make it night' } };

test('a name changes nothing, neither another one nor none', () => {
  expect(key({ ...asked, name: 'one' })).toBe(key(asked));
  expect(key({ ...asked, name: 'one' })).toBe(key({ name: 'two', ...asked }));
});

test('where a file was put changes nothing, also in a list', () => {
  const listed = (path: string): JsonObject => ({ ...asked, assets: { image_file_paths: [path] } });
  const fields = ['assets.image_file_paths.0'];
  expect(key(listed('api-assets/1.png'), fields)).toBe(key(listed('api-assets/2.png'), fields));
});

test('a word of the prompt changes it, and so does a name that is not the project’s', () => {
  expect(key({ style: { prompt: 'make it day' } })).not.toBe(key(asked));
  expect(key({ style: { ...asked.style, name: 'a' } })).not.toBe(
    key({ style: { ...asked.style, name: 'b' } }),
  );
});
