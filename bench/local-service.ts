// `shotlist serve` as a person starts it, for benches that are its clients.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { flagsFor } from './process.ts';
import { processorSeconds } from './processor.ts';

const main = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));

export interface Served {
  readonly address: string;
  readonly key: string;
  /** Seconds of processor time so far, with its children. */
  processor(): number;
  stop(): Promise<void>;
}

export async function serve(flags: readonly string[]): Promise<Served> {
  const args = [main, 'serve', '--json', '--tier', 'business', ...flags];
  const child = spawn(process.execPath, [...flagsFor('service'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const { address, key }: { address: string; key: string } = JSON.parse(line);
    return {
      ...{ address, key, processor: () => processorSeconds(child.pid ?? 0) },
      stop: async () => {
        const exited = once(child, 'exit');
        child.kill();
        await exited;
      },
    };
  }
  throw new Error('the service did not start');
}
