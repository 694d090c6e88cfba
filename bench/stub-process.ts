// The stub (stub.ts) in a process of its own.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface Stub {
  readonly address: string;
  readonly process: ChildProcess;
  /** Since it started, or since the last reset. */
  counts(): Promise<Counts>;
  reset(): Promise<void>;
}

export interface Counts {
  readonly requests: number;
  readonly creations: number;
}

const script = fileURLToPath(new URL('stub.ts', import.meta.url));

export async function startStub(delayMs = 0): Promise<Stub> {
  const child = spawn(process.execPath, [script, '--delay-ms', `${delayMs}`], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const { address }: { address: string } = JSON.parse(line);
    return {
      address,
      process: child,
      counts: async () => {
        const answer = await fetch(`${address}/stub/counts`);
        const counts = new Map(Object.entries(await answer.json()).map(([k, v]) => [k, Number(v)]));
        const requests = [...counts.values()].reduce((sum, count) => sum + count, 0);
        return { requests, creations: counts.get('create') ?? 0 };
      },
      reset: async () => {
        await fetch(`${address}/stub/reset`, { method: 'POST' });
      },
    };
  }
  throw new Error('the stub did not start');
}
