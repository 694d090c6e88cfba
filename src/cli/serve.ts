// shotlist serve: the local service by itself, to rehearse and to test against.
import { startService } from '../service/start.ts';
import { print, printJson } from './terminal.ts';

export interface ServeFlags {
  readonly port?: number;
  readonly host?: string;
  readonly data?: string;
  readonly speed?: 'instant' | 'realtime' | number;
  readonly credits?: number;
  readonly seed?: number;
  readonly json?: boolean;
}

export async function serveCommand(flags: ServeFlags): Promise<number> {
  const { json, ...options } = flags;
  const service = await startService(options);
  const { address, key } = service;
  if (json === true) printJson({ address, key });
  else {
    print(`The local service is at ${address}`);
    print('Use it with:');
    print(`  export SHOTLIST_BASE_URL=${address} SHOTLIST_API_KEY=${key}`);
    print('Ctrl-C stops it.');
  }
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  await service.close();
  return 0;
}
