// `--monitor`: answers health checks and Prometheus while a command works.

import type { ListenAddress } from '../../terminal/flags.ts';
import { print, printJson } from '../../terminal/terminal.ts';
import { type Monitor, openMonitor } from './monitoring.ts';

export interface MonitorFlags {
  readonly monitor?: ListenAddress;
}

/** Works with a monitor if the flags ask for one, and closes it at the end. Returns the exit code. */
export async function withMonitor(
  { monitor: listen }: MonitorFlags,
  signal: AbortSignal,
  work: (monitor: Monitor | undefined) => Promise<number>,
): Promise<number> {
  if (listen === undefined) return await work(undefined);
  const opened = await openMonitor({ listen, signal });
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

/** Says where the monitor answers. */
export function announce({ address }: Monitor, json: boolean): void {
  if (json) printJson({ type: 'monitoring', address });
  else print(`Monitor: ${address} (/healthz, /readyz, /metrics)`);
}
