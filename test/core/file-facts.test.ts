// Facts about files for a run: which files must be read first, and which could not be.
import { expect, test } from 'vitest';
import { FileFacts } from '../../src/core/file-facts.ts';
import { Disk, hash } from '../tables/plan-world.ts';

function facts() {
  const disk = new Disk();
  disk.inputs.set('a.png', 'rose');
  disk.inputs.set('empty.png', '');
  disk.outputs.set('out/a.png', 'result');
  disk.keptFiles.set(`${hash('old')}.png`, 'old');
  return { disk, facts: new FileFacts(disk) };
}

test('what is known of a file is told as it is, and there is nothing to read', () => {
  const { facts: seen } = facts();
  expect(seen.input('a.png')).toEqual({ is: 'file', bytes: 4, digest: hash('rose') });
  expect(seen.output('out/a.png')).toEqual({ is: 'file', bytes: 6, digest: hash('result') });
  expect(seen.kept(hash('old'), 'png')).toMatchObject({ is: 'file', bytes: 3 });
  expect(seen.input('b.png')).toEqual({ is: 'absent', why: 'does not exist' });
  expect(seen.recordedAs('a.png')).toBe('out/a.png');
  expect(seen.takeUnread()).toEqual([]);
});

test('a file whose content is not known is to be read, once', () => {
  const { disk, facts: seen } = facts();
  for (const path of ['a.png', 'out/a.png', 'empty.png', 'b.png']) disk.unread.add(path);
  disk.unread.add(`${hash('old')}.png`);
  seen.input('a.png');
  seen.output('out/a.png');
  // An empty file is no result, and a file that is not there cannot be read. Anybody may have put a kept file there.
  seen.input('empty.png');
  seen.input('b.png');
  seen.kept(hash('old'), 'png');
  expect(seen.takeUnread()).toEqual([
    { in: 'input', path: 'a.png' },
    { in: 'output', path: 'out/a.png' },
    { in: 'kept', digest: hash('old'), extension: 'png' },
  ]);
  expect(seen.takeUnread()).toEqual([]);
});

test('a file that could not be read counts as absent, and is not read again', () => {
  const { disk, facts: seen } = facts();
  for (const path of ['a.png', 'out/a.png']) disk.unread.add(path);
  seen.unreadable({ in: 'input', path: 'a.png' }, 'could not be read');
  seen.unreadable({ in: 'kept', digest: hash('old'), extension: 'png' }, 'is damaged');
  expect(seen.input('a.png')).toEqual({ is: 'absent', why: 'could not be read' });
  expect(seen.kept(hash('old'), 'png')).toEqual({ is: 'absent', why: 'is damaged' });
  expect(seen.takeUnread()).toEqual([]);
  expect(seen.output('a.png')).toEqual({ is: 'absent', why: 'does not exist' });
  expect(seen.output('out/a.png').is).toBe('file');
  expect(seen.input('b.png')).toEqual({ is: 'absent', why: 'does not exist' });
});
