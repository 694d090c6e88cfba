// The local service in a process of its own, for benches that are its clients.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { ServiceOptions } from '../src/service/start.ts';
import { flagsFor } from './process.ts';
import { processorSeconds } from './processor.ts';

const script = fileURLToPath(new URL('./service-process.ts', import.meta.url));

export interface Served {
  readonly address: string;
  readonly key: string;
  /** Seconds of processor time so far, with its children. */
  processor(): number;
  stop(): Promise<void>;
}

export async function serve(options: ServiceOptions): Promise<Served> {
  const args = [script, JSON.stringify({ tier: 'business', ...options })];
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
