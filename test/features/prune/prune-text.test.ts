// The list of prune, for people.
import { expect, test } from 'vitest';
import { size } from '../../../src/base/text.ts';
import { orphansLine, orphansText } from '../../../src/features/prune/prune-text.ts';
import { noOrphans, type OrphanFile, type Orphans } from '../../../src/plan/orphan.ts';

const file = (number: number): OrphanFile => ({
  ...{ path: `out/p${number}.png`, bytes: 1_200_000, sha256: 'a'.repeat(64), at: 0, credits: 5 },
  ...{ tasks: [`swap:p${number}.png`, 'swap:copy.png'], last: true },
  records: [{ job: String(number), task: `save:p${number}.png`, index: 0 }],
});

const orphans: Orphans = {
  ...noOrphans,
  files: Array.from({ length: 60 }, (_, number) => file(number)),
};

test('a plan has one line, and only if there are orphans', () => {
  const counts = { files: 12, bytes: 34_000_000, kept: 3, keptBytes: 1_200_000, projects: 2 };
  expect(orphansLine(counts, 'shotlist prune photo.yaml')).toBe(
    'Orphans: 12 files (34 MB), 3 kept files (1.2 MB), 2 projects; see: shotlist prune photo.yaml',
  );
  const none = { files: 0, bytes: 0, kept: 0, keptBytes: 0, projects: 0 };
  expect(orphansLine(none, 'photo.yaml')).toBeUndefined();
  expect(orphansLine(undefined, 'photo.yaml')).toBeUndefined();
});

test('a long list is cut off, and what is lost for good is said', () => {
  const text = orphansText(orphans, 40 * 86_400_000);
  expect(text).toMatch(/out\/p0.png +1.2 MB +40 days old +5 credits +swap:p0.png and 1 more/);
  expect(text).toContain('and 10 others; --json lists all');
  expect(text).toContain('Nothing else is left of 60 results, which cost 300 credits');
  expect(text).not.toContain('Left alone');
});

test('what is left alone is said with its reason', () => {
  const left = { ...noOrphans.left, changed: ['out/a\u001b.png'], unseen: 2, lastCopies: 1 };
  const text = orphansText({ ...noOrphans, left }, 0);
  expect(text).toContain('No orphans.\nLeft alone:\n  1 file changed on disk: out/a\\u{1b}.png\n');
  expect(text).toContain('2 results of items whose folder is missing, empty or unreadable');
});

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 kB'],
  [9_960, '10 kB'],
  [999_900, '1.0 MB'],
  [34_400_000, '34 MB'],
  [2_000_000_000_000_000, '2000 TB'],
])('%d bytes are %s', (bytes, text) => {
  expect(size(bytes)).toBe(text);
});
