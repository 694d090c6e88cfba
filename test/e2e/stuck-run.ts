// A run whose disk stops for ever when it has learned of a creation, so that a test can kill it between the two:
// node stuck-run.ts <pipeline> <port>. Prints "created" when that line waits for the disk.

import type { LineFile } from '../../src/core/journal.ts';
import { runWith } from '../../src/features/run/run.ts';
import { loadPipeline } from '../../src/language/load/load.ts';

function stuckAtCreated(file: LineFile): LineFile {
  let stuck = false;
  return {
    append(line) {
      if (line.includes('"state":"created"')) {
        stuck = true;
        process.stdout.write('created\n');
      }
      if (!stuck) file.append(line);
    },
    sync: () => (stuck ? new Promise(() => {}) : file.sync()),
  };
}

const [, , pipeline = '', port = ''] = process.argv;
const loaded = await loadPipeline(pipeline);
const listen = { host: '127.0.0.1', port: Number(port) };
await runWith(loaded, { listen }, { backoffMs: 1, lines: stuckAtCreated });
