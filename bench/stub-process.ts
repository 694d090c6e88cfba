// The stub (stub.ts) in a process of its own.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface Stub {
  readonly address: string;
  readonly process: ChildProcess;
}

const script = fileURLToPath(new URL('stub.ts', import.meta.url));

export async function startStub(delayMs = 0): Promise<Stub> {
  const child = spawn(process.execPath, [script, '--delay-ms', `${delayMs}`], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const { address }: { address: string } = JSON.parse(line);
    return { address, process: child };
  }
  throw new Error('the stub did not start');
}
