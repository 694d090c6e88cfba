// The tests that mutants meet: the pins, which hold the core's promises from outside, and tables and properties of its parts.

import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import usual from '../vitest.config.ts';

const { env, setupFiles = [], globalSetup, tags, tagsFilter, experimental } = usual.test ?? {};
const { REACH: reach, ORDER: order = '' } = process.env;

/** The order in which the files were named: whoever is likely to notice soon comes first. */
class AsNamed extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const named = order.split('\n');
    const place = ({ moduleId }: TestSpecification): number =>
      named.findIndex((file) => moduleId.endsWith(file));
    return files.toSorted((one, other) => place(one) - place(other));
  }
}

export default defineConfig({
  test: {
    include: [
      'test/{core,tables,stories,promises}/**/*.test.ts',
      'test/transcripts.test.ts',
      'test/model/fingerprint.test.ts',
      // The same on a real wire, disk and process.
      'test/e2e/{crash,cut-wire,damaged-files,detach,downloads,events,full-disk}.test.ts',
      'test/e2e/{git-merge,lost-output,main-job,outage,receipts-away}.test.ts',
      'test/e2e/{plan-digest,stopping,state-changed,losses,repair}.test.ts',
      'test/hostile/{command,in-flight,receipts}.test.ts',
    ],
    // A mutant may never end; without one, a busy machine only takes longer.
    testTimeout: reach === undefined ? 60_000 : 180_000,
    hookTimeout: 60_000,
    env,
    tags,
    tagsFilter,
    experimental,
    sequence: { sequencer: AsNamed },
    isolate: false,
    setupFiles: [...(reach === undefined ? [] : ['mutation/reach-worker.ts']), ...setupFiles],
    // The command that tests start is that of the sources without a change.
    globalSetup: reach === undefined ? [] : globalSetup,
  },
});
