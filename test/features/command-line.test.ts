// The command lines that a person copies.
import { expect, test } from 'vitest';
import { commandLine, commandLines } from '../../src/features/command-line.ts';
import { loadPipeline } from '../../src/language/load/load.ts';
import { photoRig } from '../rig.ts';

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

test('a plan of a distributed run is proposed with its database', () => {
  const flags = { engine: 'postgres://db.example/shotlist' };
  expect(commandLine('plan', ['p.yaml'], flags, ['--pay-again'])).toBe(
    'shotlist plan p.yaml --engine postgres://db.example/shotlist --pay-again',
  );
});

test('a doubt of a distributed run is resolved where its record is; repair is about the state file', async () => {
  const pipeline = await loadPipeline((await photoRig(1)).file);
  const { line } = commandLines(pipeline, { engine: 'postgres://db.example/shotlist' }, false);
  expect(line('resolve')).toMatch(/ --engine postgres:\/\/db.example\/shotlist$/);
  expect(line('repair')).not.toContain('--engine');
});
