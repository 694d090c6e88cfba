// The order of the test files: the longest first, but those that fill a worker with memory outside the JavaScript heap
// last. Starting a process copies the page tables of that memory, so after the nets that find faces are loaded, or a
// database runs inside the worker, it takes fifty times as long, and many files start hundreds of processes.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const fillsMemory = ({ moduleId }: TestSpecification): boolean =>
  /\/test\/(previews|(old\/)?distributed)\//.test(moduleId);

export class LeanFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return [...sorted.filter((file) => !fillsMemory(file)), ...sorted.filter(fillsMemory)];
  }
}
