// Who fetches a tool's result, by the pipeline as it is written.
import { expect, test } from 'vitest';
import { resultFates } from '../../src/features/result-fate.ts';
import { pipelineOf } from '../tables/plan-world.ts';

test('a result is fetched, used, kept on purpose, or idle', () => {
  const made = (more = ''): string =>
    `{ uses: ai-image-generator,${more} with: { image_count: 1, style: { prompt: x } } }`;
  const fateOf = resultFates(
    pipelineOf(`pipeline: p
steps:
  saved: ${made()}
  save: { uses: download, with: { of: saved, to: a.png } }
  read: ${made()}
  big: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.read.url }}" } } }
  remote: ${made(' keep: remote,')}
  gone: ${made()}
  tidy: { uses: delete, with: { of: gone, discard: true } }
`).steps,
  );
  expect(['saved', 'read', 'big', 'remote', 'gone', 'removed'].map(fateOf)).toEqual([
    'fetched',
    'used',
    'idle',
    'kept',
    'idle',
    'idle',
  ]);
});
