// The runner's only access to the local service. It is loaded on demand, so that a hosted run does not load a web
// server and an image library.
import type { Result } from '../base/result.ts';
import type { Diagnostic } from '../contract/yaml/diagnostic.ts';
import type { FaultsDocument } from '../service/faults/schema.ts';
import type {
  LedgerEntry,
  LocalService,
  Pictures,
  ServiceOptions,
  Speed,
} from '../service/options.ts';
import { isLoopback } from './address.ts';

export type { FaultsDocument, LedgerEntry, LocalService, Pictures, ServiceOptions, Speed };

/**
 * Starts the local service in this process: the interface of the hosted service, for rehearsals and tests. Throws an error with
 * a `code`: `DATA_FOLDER` (the data cannot be used), `SERVICE_OPTION` (an option cannot be used), or a system error such as
 * `EADDRINUSE`.
 *
 * @example
 * ```ts
 * import { startService } from 'shotlist';
 *
 * const service = await startService({ pictures: 'plain' });
 * console.log(service.address);
 * await service.close();
 * ```
 */
export async function startService(options: ServiceOptions = {}): Promise<LocalService> {
  const service = await import('../service/start.ts');
  return service.startService(options);
}

/** Whether other machines can reach a service that listens on this host. */
export const isExposed = (host: string): boolean => !isLoopback(host);

/** Reads the text of a faults file (schemas/faults.schema.json). `file` is only for messages. */
export async function parseFaults(
  file: string,
  text: string,
): Promise<Result<FaultsDocument, readonly Diagnostic[]>> {
  const faults = await import('../service/faults/read.ts');
  const parsed = faults.parseFaults(file, text);
  return parsed.ok ? { ok: true, value: { faults: parsed.value } } : parsed;
}
