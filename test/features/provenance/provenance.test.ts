// What a provenance file says, and what it must not say.
import { expect, test } from 'vitest';
import {
  outputOfProvenance,
  provenanceOf,
  provenanceText,
} from '../../../src/features/provenance/provenance.ts';
import { complete, created, intent, job, jobAfter, output } from '../../model/lines.ts';

const line = jobAfter(intent('a'), created('a'), complete('a'), output('a'));

function provenanceWith(parameters: Readonly<Record<string, string>>): string {
  const [saved] = line?.outputs ?? [];
  if (line === undefined || saved === undefined) throw new Error('no output');
  const facts = { pipeline: 'p', rehearsal: false, runs: [], isFannedOut: () => false };
  const input = { field: 'f', fingerprint: job('x'), output: 'file_path', file: '/home/me/x.png' };
  const origin = { parameters, inputs: [input] };
  return provenanceText(provenanceOf({ ...facts, job: line, output: saved, origin }));
}

test('names no address and no absolute path, and keeps other texts', () => {
  const text = provenanceWith({
    ...{ content: 'see https://user:pass@example.com/a?sig=1 now', path: 'C:\\media\\a\\b.png' },
    ...{ prompt: '/imagine a cat / a dog', ratio: '16:9', bucket: 's3://bucket/key' },
  });
  expect(JSON.parse(text).parameters).toEqual({
    ...{ content: 'see (address) now', path: 'b.png' },
    ...{ prompt: '/imagine a cat / a dog', ratio: '16:9', bucket: '(address)' },
  });
  expect(JSON.parse(text).inputs[0].file).toBe('x.png');
});

test('is known by its schema, and says which output it is about', () => {
  expect(outputOfProvenance(provenanceWith({}))).toBe(job('a 0'));
  expect(outputOfProvenance('{"output":{"sha256":"a"}}')).toBeUndefined();
  expect(outputOfProvenance('{"$schema":"https://shot')).toBeUndefined();
});

test('escapes what a terminal would obey, and stays the same text', () => {
  const text = provenanceWith({ prompt: 'a\u202Eb\u001b[2J' });
  for (const character of ['\u202E', '\u001b']) expect(text).not.toContain(character);
  expect(JSON.parse(text).parameters).toEqual({ prompt: 'a\u202Eb\u001b[2J' });
});
