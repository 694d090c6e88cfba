// The command itself as a whole process: what a user waits for, and what it takes.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const commands = { dist: here('../bin/shotlist.cjs'), src: here('../src/cli/main.ts') };

/** `dist`: the built package (`npm run build` first). `src`: the sources, whose types Node.js strips: slower, and 60 MB more. */
export const commandOf = (of: string): string => (of === 'src' ? commands.src : commands.dist);

export interface CommandRun {
  /** Seconds. */
  readonly wall: number;
  /** Seconds. */
  readonly processor: number;
  readonly peakMb: number;
}

/** A process tells its own figures when it ends, after everything that it prints. */
const reporter = `data:text/javascript,process.on('exit', () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  process.stderr.write('\\n' + JSON.stringify({ peakMb: maxRSS / 1024, processor: (userCPUTime + systemCPUTime) / 1e6 }));
});`;

/** Runs the command in a folder, and throws if it fails. */
export function runCommand(folder: string, of: string, args: readonly string[]): CommandRun {
  const flags = ['--import', reporter.replaceAll('\n', '')];
  const began = performance.now();
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...flags, commandOf(of), ...args],
    {
      ...{ cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28 },
      env: { ...process.env, SHOTLIST_API_KEY: 'bench' },
    },
  );
  const wall = (performance.now() - began) / 1000;
  if (status !== 0) throw new Error(`${args.join(' ')} failed: ${stdout}${stderr}`);
  const told: Omit<CommandRun, 'wall'> = JSON.parse(stderr.trim().split('\n').at(-1) ?? '');
  return { wall, ...told };
}
