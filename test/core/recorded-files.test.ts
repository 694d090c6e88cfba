// What is certain of recorded files: which must be read first, and which could not be.
import { expect, test } from 'vitest';
import { digestFrom } from '../../src/base/digest.ts';
import { err, ok } from '../../src/base/result.ts';
import type { OutputFacts } from '../../src/core/facts.ts';
import type { Place } from '../../src/core/ports.ts';
import { certainly } from '../../src/core/recorded-files.ts';
import { Disk, hash } from '../tables/plan-world.ts';

const old = hash('old');

function scene(unread: readonly string[], isReadable = true) {
  const disk = new Disk();
  disk.outputs.set('out/a.png', 'result');
  disk.outputs.set('out/empty.png', '');
  disk.keptFiles.set(`${old}.png`, 'old');
  for (const path of unread) disk.unread.add(path);
  const reads: Place[] = [];
  const facts: Parameters<typeof certainly>[0] = {
    output: (path) => disk.output(path),
    isElsewhere: (output) => disk.isElsewhere(output),
    kept: (digest, extension) => disk.kept(digest, extension),
    digest: async (place) => {
      reads.push(place);
      if (!isReadable) return err('is damaged');
      disk.unread.clear();
      return ok(digestFrom(old));
    },
  };
  return { facts, reads };
}

const ask = (facts: OutputFacts) => [
  facts.output('out/a.png'),
  facts.output('out/empty.png'),
  facts.output('out/none.png'),
  facts.kept(old, 'png'),
];

test('what is known is told as it is, and nothing is read', async () => {
  const { facts, reads } = scene([]);
  expect(await certainly(facts, ask)).toEqual(ask(facts));
  expect(reads).toEqual([]);
});

test('a file whose content is not known is read once; an empty one is no result', async () => {
  const { facts, reads } = scene(['out/a.png', 'out/empty.png', `${old}.png`]);
  const [found] = await certainly(facts, ask);
  expect(found).toMatchObject({ is: 'file', digest: hash('result') });
  expect(reads).toEqual([
    { in: 'output', path: 'out/a.png' },
    { in: 'kept', digest: old, extension: 'png' },
  ]);
});

test('a file that could not be read counts as absent, and is not read again', async () => {
  const { facts, reads } = scene(['out/a.png'], false);
  const [found] = await certainly(facts, ask);
  expect(found).toEqual({ is: 'absent', why: 'is damaged' });
  expect(reads).toHaveLength(1);
});
