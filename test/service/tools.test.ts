// Every tool of the catalogue can be rehearsed: each of its examples, with real uploads, ends with something to
// download.
import { beforeAll, expect, test } from 'vitest';
import { validatorOf } from '../../src/base/schema.ts';
import { projectSchema } from '../../src/contract/api/project.ts';
import type { Tool } from '../../src/contract/tool.ts';
import { tools } from '../../src/contract/tools/all.ts';
import { type LocalService, startService } from '../../src/service/start.ts';
import { photo, plainly } from '../rig.ts';
import { Client } from './client.ts';
import { filledInObject } from './examples.ts';

let client: Client;
let files: ReadonlyMap<string, string>;

beforeAll(async () => {
  const local: LocalService = await startService({ ...plainly, credits: 1_000_000 });
  client = new Client(local);
  files = new Map([
    ['asset:image', await client.upload(await photo(3), 'png')],
    ['asset:video', await client.upload(Buffer.from('frames of a clip'), 'mp4', 'video')],
    ['asset:audio', await client.upload(Buffer.from('a voice'), 'mp3', 'audio')],
  ]);
  return () => local.close();
});

test('the catalogue has 27 tools, each with an example', () => {
  expect(tools).toHaveLength(27);
  expect(tools.filter(({ examples }) => examples.length === 0)).toEqual([]);
});

test.each(tools.map((tool): [string, Tool] => [tool.name, tool]))(
  'every example of %s ends complete, with files',
  async (_, tool) => {
    for (const example of tool.examples) {
      const created = await client.create(tool.name, filledInObject(example, files));
      const record = await client.settled(tool.record, created.id);
      expect(record).toMatchObject({ status: 'complete', error: null, type: tool.type });
      expect(validatorOf(projectSchema)(record)).toBe(true);
      const outputs = await client.outputs(record);
      expect(outputs.length).toBeGreaterThan(0);
      for (const output of outputs) expect(output.length).toBeGreaterThan(0);
      if (typeof example['image_count'] === 'number')
        expect([outputs.length, record['image_count']]).toEqual([
          example['image_count'],
          example['image_count'],
        ]);
    }
  },
);
