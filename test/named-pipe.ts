// Makes a named pipe, which nobody writes to: what opens it to read hangs.
import { execFileSync } from 'node:child_process';

const maker = 'mkfifo';

export function makeNamedPipe(path: string): void {
  execFileSync(maker, [path]);
}
