// The order of the test files: the longest first, but those that fill a worker with memory outside the JavaScript heap
// last. Starting a process copies the page tables of that memory, so after the net that finds faces is loaded, it
// takes fifty times as long, and many files start hundreds of processes.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Also where no durations are known, as in a new checkout: one file, which lasts a third of all and mostly waits. */
const isFirst = ({ moduleId }: TestSpecification): boolean =>
  moduleId.endsWith('/test/transcripts.test.ts');

const fillsMemory = ({ moduleId }: TestSpecification): boolean =>
  moduleId.includes('/test/previews/');

const rank = (file: TestSpecification): number => (isFirst(file) ? 0 : fillsMemory(file) ? 2 : 1);

export class LeanFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}
