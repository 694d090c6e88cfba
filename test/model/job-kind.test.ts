// A line with a step kind that cannot be right is refused: the kind says where the service keeps the project.
import { describe, expect, test } from 'vitest';
import { unknownKind } from '../../src/model/job-kind.ts';
import { type NewEvent, readEvent } from '../../src/model/line.ts';
import { parseLine } from '../../src/model/record/line.ts';
import { created, dated, folded, intent, supplied, textsOf } from './lines.ts';

const event = (happened: NewEvent, kind: string) => readEvent({ ...dated([happened])[0], kind });
const jobLine = (kind: string, ...events: readonly NewEvent[]) => {
  const line = textsOf(folded(events)).at(-1) ?? '';
  return parseLine(line.replace(/"kind":"[^"]+"/, `"kind":"${kind}"`));
};
const none =
  'there is no step kind "head-swapp": the line was edited, or a newer shotlist wrote it';
const free = 'the step kind upload creates no projects: the line was edited';

describe('a step kind', () => {
  test.each([
    ['an intent that names no kind', event(intent(), 'head-swapp'), none],
    ['a free result that names no kind', event(supplied(), 'head-swapp'), none],
    ['a job that names no kind', jobLine('head-swapp', intent()), none],
    ['an intent of a free step', event(intent(), 'upload'), free],
    ['a project of a free step', jobLine('upload', intent(), created()), free],
  ])('of %s is refused', (_, read, error) => {
    expect(read).toEqual({ ok: false, error });
  });

  test.each([
    ['a tool', event(intent(), 'head-swap')],
    ['a free step', event(supplied(), 'face-detect')],
    ['a tool, with a project', jobLine('head-swap', intent(), created())],
    ['a free step, without a project', jobLine('upload', supplied())],
    ['a repaired job', jobLine(unknownKind, intent(), created())],
  ])('of %s is read', (_, read) => {
    expect(read.ok).toBe(true);
  });
});
