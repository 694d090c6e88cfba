// A line with a step kind that cannot be right is refused: the kind says where the service keeps the project.
import { describe, expect, test } from 'vitest';
import { unknownKind } from '../../src/model/job-kind.ts';
import { parseLine } from '../../src/model/record/line.ts';
import { created, folded, type Happening, intent, supplied, textsOf } from './lines.ts';

const jobLine = (kind: string, ...events: readonly Happening[]) => {
  const line = textsOf(folded(events)).at(-1) ?? '';
  return parseLine(line.replace(/"kind":"[^"]+"/, `"kind":"${kind}"`));
};
const none =
  'there is no step kind "head-swapp": the line was edited, or a newer shotlist wrote it';
const free = 'the step kind upload creates no projects: the line was edited';

describe('a step kind', () => {
  test.each([
    ['a job that names no kind', jobLine('head-swapp', intent()), none],
    ['a project of a free step', jobLine('upload', intent(), created()), free],
  ])('of %s is refused', (_, read, error) => {
    expect(read).toEqual({ ok: false, error });
  });

  test.each([
    ['a tool, with a project', jobLine('head-swap', intent(), created())],
    ['a free step, without a project', jobLine('upload', supplied())],
    ['a repaired job', jobLine(unknownKind, intent(), created())],
  ])('of %s is read', (_, read) => {
    expect(read.ok).toBe(true);
  });
});
