// `shotlist serve` as a person starts it, for benches that are its clients.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../src/runner/cli/main.ts', import.meta.url));

export interface Served {
  readonly address: string;
  readonly key: string;
  readonly process: ChildProcess;
}

export async function serve(flags: readonly string[]): Promise<Served> {
  const child = spawn(process.execPath, [main, 'serve', '--json', '--tier', 'business', ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const { address, key }: { address: string; key: string } = JSON.parse(line);
    return { address, key, process: child };
  }
  throw new Error('the service did not start');
}
