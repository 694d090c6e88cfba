// Measures what each test file and each test costs in processor time, for test/cost.ts.
//
// Counted is user and system time of the worker and of every process below it: those that have ended and those that still
// run, as the hosts of commands do. A file begins when its setup files are loaded, so the modules that it is the first in
// its worker to load are its own. What detaches itself from the worker is not seen, nor are the processes of vitest and
// of the bundler. The clock of /proc ticks a hundred times a second. Elsewhere than on Linux, only the worker counts.
import { existsSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    processorSeconds?: number;
  }
}

const ticksPerSecond = 100;
const tellsChildren = existsSync(`/proc/${process.pid}/task/${process.pid}/children`);

function processorSeconds(): number {
  if (tellsChildren) return ticksOf(process.pid) / ticksPerSecond;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Of a process, of those below it, and of those of them that it has seen end. */
function ticksOf(pid: number): number {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === undefined) return 0;
  // After the name, which is in parentheses and may contain any character: utime, stime, cutime and cstime are 14 to 17.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const own = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  const children = read(`/proc/${pid}/task/${pid}/children`)?.trim() ?? '';
  if (children === '') return own;
  return children.split(' ').reduce((sum, child) => sum + ticksOf(Number(child)), own);
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    // The process has ended: whoever started it has its time.
    if (error instanceof Error && 'code' in error && ['ENOENT', 'ESRCH'].includes(`${error.code}`))
      return undefined;
    throw error;
  }
}

const atStart = processorSeconds();
let before = atStart;

beforeEach(() => {
  before = processorSeconds();
});

afterEach(({ task }) => {
  const now = processorSeconds();
  task.meta.processorSeconds = now - before;
  task.file.meta.processorSeconds = now - atStart;
});
