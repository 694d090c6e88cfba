// shotlist serve: the local service by itself, for rehearsals and tests.

import { readRegularFile } from '../../base/regular-file.ts';
import { err, ok, type Result } from '../../base/result.ts';
import { renderDiagnostics } from '../../contract/yaml/diagnostic.ts';
import { decodeText } from '../../contract/yaml/utf8.ts';
import {
  type FaultsDocument,
  isExposed,
  type LocalService,
  parseFaults,
  startService,
} from '../../service-api/local-service.ts';
import type { ServeFlags } from '../../terminal/flags.ts';
import { untilStopped } from '../../terminal/stop.ts';
import { complain, disclose, discloseJson, print } from '../../terminal/terminal.ts';

export async function serveCommand(flags: ServeFlags): Promise<number> {
  const faults = await readFaults(flags.faults);
  if (!faults.ok) {
    complain(faults.error);
    return 2;
  }
  const started = await start(flags, faults.value);
  if (!started.ok) {
    complain(started.error);
    return 2;
  }
  const service = started.value;
  const { address, key, hub } = service;
  if (flags.host !== undefined && isExposed(flags.host))
    complain(
      `warning: other machines may reach ${flags.host}. They need the key, but nothing is encrypted; ` +
        'the hub answers only to this machine.',
    );
  for (const note of service.notes()) complain(`note: ${note}`);
  // Before anybody reads how to stop it.
  const stopped = untilStopped();
  if (flags.json === true) discloseJson({ address, key, hub });
  else {
    print(`The local service is at ${address}`);
    print(`The hub, with projects, credits, keys and webhooks: ${hub}`);
    print('Use it with:');
    disclose(`  export SHOTLIST_BASE_URL=${address} SHOTLIST_API_KEY=${key}`);
    print('Ctrl-C stops it.');
  }
  await stopped;
  await service.close();
  return 0;
}

async function start(
  flags: ServeFlags,
  faults: FaultsDocument,
): Promise<Result<LocalService, string>> {
  const { faults: _, json: _json, ...options } = flags;
  try {
    return ok(await startService({ ...options, faults }));
  } catch (error) {
    const why = reasonOf(error, flags);
    if (why === undefined) throw error;
    return err(why);
  }
}

/** A cause that a person can fix; anything else is a bug. */
function reasonOf(error: unknown, { host, port }: ServeFlags): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  switch (error.code) {
    case 'DATA_FOLDER':
    case 'SERVICE_OPTION':
      return error.message;
    case 'EADDRINUSE':
      return `port ${port} is in use: choose another one, or omit --port`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `--host ${host}: this machine does not have that address`;
    case 'EACCES':
      return `the system does not permit it: ${error.message}`;
    default:
      return undefined;
  }
}

const maxFaultsBytes = 10_000_000;

async function readFaults(file: string | undefined): Promise<Result<FaultsDocument, string>> {
  if (file === undefined) return ok({ faults: [] });
  const read = readRegularFile(file, { max: maxFaultsBytes });
  if (!read.ok) return err(`${file}: error: the faults file ${read.error}`);
  const decoded = decodeText(file, read.value);
  if (!decoded.ok) return err(renderDiagnostics([decoded.error.diagnostic], decoded.error.text));
  const text = decoded.value;
  const rules = await parseFaults(file, text);
  if (rules.ok) return rules;
  return err(renderDiagnostics(rules.error, text));
}
