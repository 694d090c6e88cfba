// What a person reads of a damaged state file: every damage, every change, and where to look.
import { expect, test } from 'vitest';
import { proposalText, repairText } from '../../src/features/repair/command.ts';
import type { Repair } from '../../src/state/repair/proposal.ts';
import { repairOf } from '../../src/state/repair/proposal.ts';
import { control, wild } from './wild.ts';

const header = { shotlist: 3, pipeline: 'p', service: 'rehearsal' };
const event = (seq: number, more: object): string =>
  JSON.stringify({ seq, at: '2026-08-05T10:00:00Z', ...more });
const intent = (seq: number, task: string, name: string): string =>
  event(seq, {
    event: 'intent',
    job: String(seq).padStart(64, '0'),
    task,
    kind: 'face-swap-photo',
    attempt: 1,
    name,
    reserve: 10,
  });

function repaired(lines: readonly string[]): Repair {
  const texts = [JSON.stringify(header), ...lines];
  return repairOf(
    texts.map((text) => ({ text, wellFormed: true, terminated: true })),
    { pipeline: 'p', service: undefined, kindOf: () => undefined },
  );
}

test('a whole file is a line', () => {
  const found = repaired([intent(1, 'swap:a', 'a #1')]);
  expect(repairText(found, 'p.state.jsonl', 'p')).toBe('p.state.jsonl: nothing to repair.');
});

test('what is missing says when, and by which names to look for it', () => {
  const text = repairText(repaired([intent(3, 'swap:a', 'a #1')]), 'p.state.jsonl', 'p');
  expect(text).toContain('p.state.jsonl: 1 damage found; the file is left as it is.');
  expect(text).toContain('line 2: event 3 follows event 0: 2 events are missing');
  expect(text).toContain('2 events, after the beginning and before 2026-08-05T10:00:00Z');
  expect(text).toContain('projects of that time named "p …"');
});

test('long lists are cut, and say by how much', () => {
  const many = Array.from({ length: 100 }, () => 'rubbish');
  const text = repairText(repaired(many), 'p.state.jsonl', 'p');
  expect(text).toContain('line 41: ');
  expect(text).not.toContain('line 42: ');
  expect(text).toContain('… and 60 more: --json lists all');
});

test('wild names do nothing to the terminal, and begin no line of their own', () => {
  const cut = intent(2, `swap:${wild}`, wild).slice(0, -3);
  const found = repaired([intent(1, `swap:${wild}`, wild), cut, wild]);
  const text = repairText(found, `${wild}.jsonl`, wild);
  expect(text).not.toMatch(control);
  expect(text.split('\n').filter((line) => line.startsWith('.png'))).toEqual([]);
});

test('a path that a shell would take apart is quoted', () => {
  const text = proposalText("it's here.jsonl", 'b.jsonl', 'shotlist repair p.yaml');
  expect(text).toContain(`  mv b.jsonl 'it'\\''s here.jsonl'`);
});
