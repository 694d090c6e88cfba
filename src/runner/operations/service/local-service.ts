// The runner's one door to the local service. It is loaded when it is first needed: a hosted run never pays for a web
// server and an image library.
import type { Result } from '../../../contract/base/result.ts';
import type { Diagnostic } from '../../../contract/yaml/diagnostic.ts';
import type { LedgerEntry } from '../../../service/base/ledger-entry.ts';
import type { Speed } from '../../../service/base/speed.ts';
import type { FaultsDocument } from '../../../service/endpoints/fault-schema.ts';
import type { LocalService, Pictures, ServiceOptions } from '../../../service/options.ts';
import { isLoopback } from '../../adapters/http/loopback.ts';

export type { FaultsDocument, LedgerEntry, LocalService, Pictures, ServiceOptions, Speed };

/**
 * Starts the local service in this process. Throws an error with a `code`: `DATA_FOLDER` (the data cannot be used),
 * `SERVICE_OPTION` (an option cannot be used), or that of the system, such as `EADDRINUSE`.
 */
export async function startService(options: ServiceOptions = {}): Promise<LocalService> {
  const service = await import('../../../service/start.ts');
  return service.startService(options);
}

/** Whether other machines may reach a service that listens at this host. */
export const isExposed = (host: string): boolean => !isLoopback(host);

/** Reads the text of a faults file (schemas/faults.schema.json). `file` is only shown. */
export async function parseFaults(
  file: string,
  text: string,
): Promise<Result<FaultsDocument, readonly Diagnostic[]>> {
  const faults = await import('../../../service/faults/read.ts');
  const parsed = faults.parseFaults(file, text);
  return parsed.ok ? { ok: true, value: { faults: parsed.value } } : parsed;
}
