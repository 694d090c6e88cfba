// The command lines that a person copies.
import { expect, test } from 'vitest';
import { commandLine } from '../../src/features/command-line.ts';

test('a run has the choices of the command that proposes it', () => {
  const flags = {
    ...{ rehearse: true, limit: 5, budget: 20, items: '*.jpg', exclude: ['a b.jpg'] },
    input: { actor: "it's me.jpg" },
  };
  expect(commandLine('run', ['my photos.yaml'], flags, ['--yes'])).toBe(
    "shotlist run 'my photos.yaml' --input 'actor=it'\\''s me.jpg' --rehearse --items '*.jpg' " +
      "--limit 5 --exclude 'a b.jpg' --budget 20 --yes",
  );
});

test('another command has only what names the pipeline and its state file', () => {
  expect(commandLine('status', ['p.yaml'], { limit: 5, state: 's.jsonl', only: ['swap'] })).toBe(
    'shotlist status p.yaml --state s.jsonl',
  );
});
