// The stub (stub.ts), or another server that prints its address, in a process of its own.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface Server {
  readonly address: string;
  readonly process: ChildProcess;
}

export interface Stub extends Server {
  /** Since it started, or since the last reset. */
  counts(): Promise<Counts>;
  reset(): Promise<void>;
}

export interface Counts {
  readonly requests: number;
  readonly creations: number;
}

export async function startServer(script: string, args: readonly string[]): Promise<Server> {
  const file = fileURLToPath(new URL(`${script}.ts`, import.meta.url));
  const child = spawn(process.execPath, [file, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout })) {
    const { address }: { address: string } = JSON.parse(line);
    return { address, process: child };
  }
  throw new Error(`${script} did not start`);
}

export async function startStub(delayMs = 0): Promise<Stub> {
  const stub = await startServer('stub', ['--delay-ms', `${delayMs}`]);
  return {
    ...stub,
    counts: async () => {
      const answer = await fetch(`${stub.address}/stub/counts`);
      const counts = new Map(Object.entries(await answer.json()).map(([k, v]) => [k, Number(v)]));
      const requests = [...counts.values()].reduce((sum, count) => sum + count, 0);
      return { requests, creations: counts.get('create') ?? 0 };
    },
    reset: async () => {
      await fetch(`${stub.address}/stub/reset`, { method: 'POST' });
    },
  };
}
